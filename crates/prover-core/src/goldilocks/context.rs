//! The inputs of every round of a proof.

use air::{Air, RecordedAir};
use goldilocks_proof::{FormatOptions, Part};
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{Columns, CosetProtocol, Digest, LeafLayout, StarkBackend, Types};
use std::sync::Arc;

use super::ProveError;
use super::domains::Domains;
use super::masks::{MaskSeed, Masks, Stream};
use super::plan::Composition;
use crate::observer::Observer;
use crate::table::{Ext, Table};

/// An AIR's programs.
#[derive(Clone, Copy)]
pub(crate) struct Programs<T> {
    pub(crate) constraints: T,
    pub(crate) running: Option<T>,
}

impl<T: Types> Programs<Arc<Prepared<T>>> {
    pub(crate) fn new<B>(backend: &B, recorded: &RecordedAir<T::P>) -> Result<Self, ProveError>
    where
        B: StarkBackend<P = T::P, T = T, Program = T::Program>,
    {
        let constraints = Prepared::new(backend, recorded.constraints())?;
        let running = recorded.running().map(|spec| Prepared::new(backend, &spec.program)).transpose()?;
        Ok(Self { constraints, running })
    }
}

impl<T> Programs<T> {
    pub(crate) fn map<'a, U>(&'a self, of: impl Fn(&'a T) -> U) -> Programs<U> {
        Programs { constraints: of(&self.constraints), running: self.running.as_ref().map(of) }
    }
}

/// A proof in the making, in the mode `S` with the backend `B`, of the format `F`.
pub struct Context<'a, B: StarkBackend, S, F> {
    pub(crate) mode: S,
    pub(crate) backend: &'a B,
    pub(crate) air: &'a dyn Air<B::P>,
    pub(crate) recorded: &'a RecordedAir<B::P>,
    pub(crate) programs: Programs<&'a B::Program>,
    pub(crate) options: &'a F,
    pub(crate) domains: Domains,
    pub(crate) composition: Composition,
    /// Where masks come from, and what they are made of from when the statement is known; `None` if nothing is hidden.
    pub(crate) mask_seed: Option<&'a MaskSeed>,
    pub(crate) masks: Option<Masks>,
    pub(crate) observer: &'a dyn Observer<Ext<B>>,
}

/// A committed table: its low-degree extension in storage order, and the tree over its rows.
pub(crate) struct Committed<B: StarkBackend> {
    pub(crate) lde: Table<B>,
    /// The mask word beside it, on the same domain, if there is one.
    pub(crate) word: Option<Table<B>>,
    /// The salts of its rows, if it has some.
    pub(crate) salts: Option<Table<B>>,
    pub(crate) tree: B::Tree,
    pub(crate) root: Digest,
}

impl<B: StarkBackend> Committed<B> {
    /// All tables that a row of the tree goes through, in order.
    pub(crate) fn tables(&self) -> Vec<Columns<&B::Buffer>> {
        rows_of(&self.lde, self.word.as_ref(), self.salts.as_ref())
    }
}

/// The tables that a row of a tree goes through, in order: columns, mask word, salts.
fn rows_of<'a, T>(
    lde: &'a Columns<T>,
    word: Option<&'a Columns<T>>,
    salts: Option<&'a Columns<T>>,
) -> Vec<Columns<&'a T>> {
    [Some(lde), word, salts].into_iter().flatten().map(Columns::as_ref).collect()
}

impl<B: StarkBackend<P: CosetProtocol>, S, F: FormatOptions> Context<'_, B, S, F> {
    /// Commits to the extended table of a part, in the leaves of the format, and tells the observer.
    pub(crate) fn commit(&self, part: Part, lde: Table<B>) -> Result<Committed<B>, ProveError> {
        self.commit_beside(part, lde, None)
    }

    /// As [`Self::commit`], with a mask word beside the table.
    pub(crate) fn commit_beside(
        &self,
        part: Part,
        lde: Table<B>,
        word: Option<Table<B>>,
    ) -> Result<Committed<B>, ProveError> {
        let (leaves, hash) = (LeafLayout::new(self.options.rows_per_leaf(part)), self.options.tree());
        let (name, salts) = match part {
            Part::Main => ("main", Some(Stream::MainSalts)),
            Part::Aux => ("aux", Some(Stream::AuxSalts)),
            Part::Composition => ("composition", Some(Stream::CompositionSalts)),
            // The values that a layer shows tell nothing.
            Part::Fri(_) => ("fri", None),
        };
        let salt = |(masks, stream)| self.random_table(masks, &lde, self.options.salts(), stream);
        let salts = self.masks.zip(salts).map(salt).transpose()?;
        let tree = self.backend.merkle(&rows_of(&lde, word.as_ref(), salts.as_ref()), leaves, hash)?;
        let root = self.backend.root(&tree)?;
        self.observer.root(name, &root);
        Ok(Committed { lde, word, salts, tree, root })
    }
}
