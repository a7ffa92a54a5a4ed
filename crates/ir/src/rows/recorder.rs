//! A row program while it is recorded.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use std::collections::HashMap;

use field::PrimeField;

use super::error::RowProgramError;
use super::program::{RowKind, RowList, RowNode, RowOp, RowProgram};
use super::sizes::FELT_WORDS;
use super::valid::validate;
use crate::program::NodeId;

/// Records a [`RowProgram`]: operations on [`super::Words`] and [`super::Element`]s become nodes. Equal expressions
/// become one node. The first wrong use is the error of [`Self::finish`].
pub struct RowRecorder<F> {
    pub(super) state: RefCell<State<F>>,
}

/// The program so far.
pub(super) struct State<F> {
    pub(super) program: RowProgram<F>,
    known: HashMap<RowOp<F>, NodeId>,
    error: Option<RowProgramError>,
}

impl<F: PrimeField> RowRecorder<F> {
    /// A program whose source entries have `inputs` values.
    pub fn new(inputs: usize) -> Self {
        let program = RowProgram {
            inputs: inputs as u32,
            tables: Vec::new(),
            lists: Vec::new(),
            counters: 0,
            modulus: None,
            nodes: Vec::new(),
            effects: Vec::new(),
            claims: Vec::new(),
            schedules: Default::default(),
        };
        Self { state: RefCell::new(State { program, known: HashMap::new(), error: None }) }
    }

    /// Names the prime of the operations on felts: odd, least significant word first. The caller promises that it is
    /// prime.
    #[must_use]
    pub fn with_modulus(self, modulus: [u32; FELT_WORDS]) -> Self {
        self.state.borrow_mut().program.modulus = Some(modulus);
        self
    }

    /// The program.
    ///
    /// # Errors
    /// The first wrong use of the recorder; also a site of a list that gets no entry or two, and a value of another
    /// recorder.
    pub fn finish(self) -> Result<RowProgram<F>, RowProgramError> {
        let State { program, error, .. } = self.state.into_inner();
        match error {
            Some(error) => Err(error),
            None => validate(&program).map(|()| program),
        }
    }

    /// A table of `width` columns. Returns its number.
    pub fn table(&self, width: usize) -> usize {
        let tables = &mut self.state.borrow_mut().program.tables;
        tables.push(width as u32);
        tables.len() - 1
    }

    /// A counter. Returns its number.
    pub fn counter(&self) -> usize {
        let counters = &mut self.state.borrow_mut().program.counters;
        *counters += 1;
        *counters as usize - 1
    }

    /// A list with entries of `width` words, `sites` for each row. Returns its number.
    pub fn list(&self, width: usize, sites: usize) -> usize {
        let lists = &mut self.state.borrow_mut().program.lists;
        lists.push(RowList { width: width as u32, sites: sites as u32 });
        lists.len() - 1
    }

    pub(super) fn require(&self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.state.borrow_mut().error.get_or_insert_with(|| RowProgramError(otherwise()));
        }
    }

    pub(super) fn has_modulus(&self) -> bool {
        self.state.borrow().program.modulus.is_some()
    }

    pub(super) fn insert(&self, kind: RowKind, op: RowOp<F>) -> NodeId {
        let state = &mut *self.state.borrow_mut();
        let nodes = &mut state.program.nodes;
        *state.known.entry(op).or_insert_with_key(|op| {
            nodes.push(RowNode { kind, op: op.clone() });
            NodeId(nodes.len() as u32 - 1)
        })
    }
}
