//! The hints of a compiled program in our machine.

use std::num::NonZeroUsize;

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::hint_errors::HintError;
use proof_format::text::shown;
use serde_json::Value;

use super::{At, Hint, Variables, hint};
use crate::vm::machine::Machine;
use crate::vm::own::{NoRun, NumberedHints};
use crate::vm::program_input::{self, Assignment};

/// Bytes that a scope takes at most, beside the values that are charged for themselves.
const SCOPE_BYTES: u64 = 1 << 10;

/// The hints of one program, and their state during a run.
pub(in crate::vm) struct LibraryRun<'a> {
    hints: Vec<(Variables, Action)>,
    scopes: ExecutionScopes,
    /// The most scopes that were open at the same time.
    depth: usize,
    input: Option<&'a Value>,
}

/// The work of a hint.
enum Action {
    Library(Hint),
    /// It assigns from the program input.
    Assign(Vec<Assignment>),
}

impl<'a> LibraryRun<'a> {
    /// The hints of a program, by the numbers that it has for those before each word, up to the last word that has one.
    ///
    /// # Errors
    /// A hint that only cairo-vm may know.
    pub(in crate::vm) fn new(program: &Program, input: Option<&'a Value>) -> Result<(Self, Vec<Vec<usize>>), NoRun> {
        let shared = &program.shared_program_data;
        let mut hints = Vec::new();
        for params in &shared.hints_collection.hints {
            let code = &params.code;
            let action = hint(code).map(Action::Library);
            let action = action.or_else(|| program_input::parse(code).map(Action::Assign));
            let Some(action) = action else {
                let line = code.trim().lines().find(|line| !line.starts_with("from ")).unwrap_or(code);
                return Err(NoRun::Lacks(format!("ours lacks the hint `{}`", shown(line)).into()));
            };
            let tracking = &params.flow_tracking_data;
            let reference = |name: &str| {
                let ids = tracking.reference_ids.iter();
                let (_, index) = ids.into_iter().find(|(path, _)| path.rsplit('.').next() == Some(name))?;
                shared.reference_manager.get(*index)
            };
            let variables = Variables::of_hint(
                code,
                reference,
                &tracking.ap_tracking,
                &params.accessible_scopes,
                &program.constants,
            );
            hints.push((variables, action));
        }
        let mut at = Vec::new();
        for (place, (first, number)) in
            shared.hints_collection.hints_ranges.iter().map(|(pc, range)| (pc.offset, *range))
        {
            // As long as the program, at most: hints stand before its words.
            if place < program.data_len() {
                at.resize(at.len().max(place + 1), Vec::new());
                at[place] = (first..first + NonZeroUsize::get(number)).collect();
            }
        }
        Ok((Self { hints, scopes: ExecutionScopes::new(), depth: 1, input }, at))
    }
}

impl NumberedHints for LibraryRun<'_> {
    fn run(&mut self, vm: &mut Machine<'_>, index: usize) -> Result<(), HintError> {
        let (variables, action) = self.hints.get(index).ok_or(HintError::WrongHintData)?;
        let mut at = At { vm, scopes: &mut self.scopes, ids: variables };
        match action {
            Action::Library(hint) => hint(&mut at)?,
            Action::Assign(assignments) => program_input::assign(&mut at, self.input, assignments)?,
        }
        let depth = self.scopes.data.len();
        if depth > self.depth {
            self.depth = depth;
            vm.keep(SCOPE_BYTES)?;
        }
        Ok(())
    }
}
