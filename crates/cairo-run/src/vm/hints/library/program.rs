//! The hints of a compiled program, ready for our machine.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::serde::deserialize_program::HintParams;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::hint_errors::HintError;
use proof_format::text::excerpt;
use serde_json::Value;

use super::variables::last;
use super::{At, Beside, Hint, Variables, digest, known};
use crate::Felt252;
use crate::vm::bootloader::{TaskHint, hinted};
use crate::vm::hints::guard::hint_bytes;
use crate::vm::hints::machine::Machine;
use crate::vm::hints::program_input::{self, Assignment};
use crate::vm::own::NoRun;
use crate::vm::python::{Code, Python};

/// The hints of a compiled program.
pub(super) struct ProgramHints {
    hints: Vec<(Variables, Action)>,
    /// The numbers of the hints before each word, up to the last word that has one.
    pub(super) at: Vec<Vec<usize>>,
    /// The words that have hints before them.
    pub(super) hinted: Vec<usize>,
    /// Bytes that they take, where they are those of a task.
    bytes: u64,
}

/// Hints that cairo-vm knows, and we do not: they are none of a program's own. They take what no proof has, the builtin
/// `ecdsa` and batches of modular operations.
const CAIRO_VM_ALONE: [&str; 2] = [hint_code::VERIFY_ECDSA_SIGNATURE, hint_code::RUN_P_CIRCUIT_WITH_LARGE_BATCH_SIZE];

/// The work of a hint.
enum Action {
    Hint(Hint),
    /// One around a task.
    AroundTask(Hint, TaskHint),
    /// It assigns from the program input.
    Assign(Vec<Assignment>),
    /// One of the program's own.
    Python(Box<Code>),
}

impl ProgramHints {
    /// The hints of a program.
    ///
    /// # Errors
    /// A hint that only cairo-vm may know; one of a bootloader, if the program is a task.
    pub(super) fn new(program: &Program, is_task: bool, python: Option<&Python>) -> Result<Self, NoRun> {
        let shared = &program.shared_program_data;
        // By their last names: a program may have as many of them as hints.
        let mut constants: HashMap<&str, Vec<(&String, &Felt252)>> = HashMap::new();
        for (name, felt) in program.constants.iter() {
            constants.entry(last(name)).or_default().push((name, felt));
        }
        let mut hints = Vec::new();
        let mut bytes = 0;
        for params in &shared.hints_collection.hints {
            let code = &params.code;
            let constants = |name: &str| constants.get(name).cloned().unwrap_or_default();
            let variables = variables(program, params, &constants);
            let own = || python.filter(|_| !CAIRO_VM_ALONE.contains(&code.as_str())).map(|python| python.code(code));
            let Some(action) = Action::of(code, is_task).or_else(|| own().map(|code| Action::Python(Box::new(code))))
            else {
                let line = code.trim().lines().find(|line| !line.starts_with("from ")).unwrap_or(code);
                return Err(NoRun::Lacks(format!("ours lacks the hint `{}`", excerpt(line)).into()));
            };
            hints.push((variables, action));
            bytes += hint_bytes(params) as u64;
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
        let hinted = hinted(&at);
        Ok(Self { hints, at, hinted, bytes })
    }

    /// Takes the memory and the time of making these hints ready.
    pub(super) fn charge(&self, vm: &mut Machine<'_>) -> Result<(), HintError> {
        vm.work(self.hints.len())?;
        vm.keep(self.bytes)
    }

    /// Runs the hint of this number. Returns its part around a task, if it has one.
    pub(super) fn run(
        &self,
        index: usize,
        vm: &mut Machine<'_>,
        scopes: &mut ExecutionScopes,
        input: Option<&Value>,
    ) -> Result<Option<TaskHint>, HintError> {
        let (variables, action) = self.hints.get(index).ok_or(HintError::WrongHintData)?;
        let mut at = At { vm, scopes, ids: variables };
        match action {
            Action::Hint(hint) => hint(&mut at).map(|()| None),
            Action::AroundTask(hint, part) => hint(&mut at).map(|()| Some(*part)),
            Action::Assign(assignments) => program_input::assign(&mut at, input, assignments).map(|()| None),
            Action::Python(code) => code.run(&mut at, input).map(|()| None),
        }
    }
}

impl Action {
    /// The work of the hint of a text, if our machine can do it.
    fn of(code: &str, is_task: bool) -> Option<Self> {
        match Beside::of(code) {
            Some(Beside::Library(hint)) => Some(Self::Hint(hint)),
            Some(Beside::Bootloader(_)) if is_task => None,
            Some(Beside::Bootloader(hint)) => Some(match TaskHint::of(digest(code)) {
                Some(part) => Self::AroundTask(hint, part),
                None => Self::Hint(hint),
            }),
            None => known(code).map(Self::Hint).or_else(|| program_input::parse(code).map(Self::Assign)),
        }
    }
}

fn variables<'a>(
    program: &'a Program,
    params: &HintParams,
    constants: &dyn Fn(&str) -> Vec<(&'a String, &'a Felt252)>,
) -> Variables {
    let shared = &program.shared_program_data;
    let tracking = &params.flow_tracking_data;
    let named = |path: &str| last(path).to_owned();
    let ids = tracking.reference_ids.iter();
    let ids = ids.filter_map(|(path, index)| Some((named(path), shared.reference_manager.get(*index)?)));
    let ids: Vec<_> = ids.collect();
    let reference = |name: &str| ids.iter().find(|(known, _)| known == name).map(|(_, reference)| *reference);
    let (at, scopes) = (&tracking.ap_tracking, &params.accessible_scopes);
    let variables = Variables::of_hint(&params.code, reference, at, scopes, constants);
    match Beside::of(&params.code) {
        // Some take variables of the function that their text does not name.
        Some(Beside::Bootloader(_)) => variables.and(ids.iter().map(|(name, reference)| (name, *reference)), at),
        _ => variables,
    }
}
