//! The inputs of every round of a proof.

use std::cell::Cell;

use circle_air::{RecordedStatement, Statement};
use circle_proof::CircleOptions;
use field::QM31;
use gpu_hal::{CircleStark, StarkBackend};

use super::keep::{Keep, Recomputed};
use super::preprocessed::Preprocessed;
use super::programs::Programs;
use crate::observer::Observer;

/// A proof in the making, in the mode `S` with the backend `B`.
pub(crate) struct Context<'a, B: StarkBackend<P = CircleStark>, S> {
    pub(crate) mode: S,
    pub(crate) backend: &'a B,
    pub(crate) statement: &'a dyn Statement,
    pub(crate) recorded: &'a RecordedStatement,
    pub(crate) options: &'a CircleOptions,
    /// Log2 of the common domain, `L`.
    pub(crate) log_domain: u32,
    /// By component.
    pub(crate) programs: Vec<Programs<&'a B::Program>>,
    pub(crate) preprocessed: &'a Preprocessed<B>,
    pub(crate) observer: &'a dyn Observer<QM31>,
    pub(crate) keep: Keep,
    /// The columns made again so far.
    pub(crate) remade: Cell<Recomputed>,
}

impl<B: StarkBackend<P = CircleStark>, S> Context<'_, B, S> {
    /// Counts the columns that are made again.
    pub(crate) fn count(&self, add: impl FnOnce(&mut Recomputed)) {
        let mut remade = self.remade.get();
        add(&mut remade);
        self.remade.set(remade);
    }
}
