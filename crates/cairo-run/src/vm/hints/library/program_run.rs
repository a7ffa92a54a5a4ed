//! The hints of one compiled program in our machine, and their state during its run.

use std::rc::Rc;

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use super::program::ProgramHints;
use crate::vm::bootloader::TaskHint;
use crate::vm::hints::machine::Machine;

/// Bytes that a scope takes at most, beside the values that are charged for themselves.
const SCOPE_BYTES: u64 = 1 << 10;

/// The hints of one program, and their state during a run.
pub(super) struct ProgramRun<'a> {
    hints: Rc<ProgramHints>,
    pub(super) scopes: ExecutionScopes,
    /// The most scopes that were open at the same time.
    depth: usize,
    input: Option<&'a Value>,
}

impl<'a> ProgramRun<'a> {
    /// Before the first hint.
    pub(super) fn new(hints: Rc<ProgramHints>, input: Option<&'a Value>) -> Self {
        Self { hints, scopes: ExecutionScopes::new(), depth: 1, input }
    }

    /// The numbers of the hints before each word, up to the last word that has one.
    pub(super) fn words(&self) -> &[Vec<usize>] {
        &self.hints.at
    }

    /// The words that have hints before them.
    pub(super) fn hinted(&self) -> &[usize] {
        &self.hints.hinted
    }

    /// Runs the hint of this number, and says which part of a bootloader's turn it is.
    pub(super) fn run(&mut self, vm: &mut Machine<'_>, index: usize) -> Result<Option<TaskHint>, HintError> {
        let part = self.hints.run(index, vm, &mut self.scopes, self.input)?;
        let depth = self.scopes.data.len();
        if depth > self.depth {
            self.depth = depth;
            vm.keep(SCOPE_BYTES)?;
        }
        Ok(part)
    }

    /// Runs the hints before a word. A program that a bootloader runs is none itself.
    pub(super) fn run_at(&mut self, vm: &mut Machine<'_>, word: usize) -> Result<(), HintError> {
        let hints = self.hints.clone();
        run_before(&hints.at, word, vm, |vm, index| self.run(vm, index).map(drop))
    }

    /// Whether no scope is open that a hint has opened.
    pub(super) fn has_left_scopes(&self) -> bool {
        self.scopes.data.len() == 1
    }
}

/// Runs each hint before a word, by the numbers of those before all words.
pub(super) fn run_before(
    at: &[Vec<usize>],
    word: usize,
    vm: &mut Machine<'_>,
    mut run: impl FnMut(&mut Machine<'_>, usize) -> Result<(), HintError>,
) -> Result<(), HintError> {
    for (turn, index) in at.get(word).into_iter().flatten().enumerate() {
        // A step may have one; each further one counts as a step.
        vm.work(usize::from(turn > 0))?;
        run(vm, *index)?;
    }
    Ok(())
}
