//! The hints of compiled programs in cairo-vm: those of Cairo's library, which cairo-vm knows or [`super::library`],
//! assignments from the program input, and the hints of the programs that a bootloader runs ([`task`]).
//!
//! Nobody sees the work of cairo-vm's hints. So a hint that loops or writes by an operand is known by its text
//! ([`mod@charge`]), each one must have room where it could write, and the memory that it has made and written is
//! counted when it is done.

mod charge;
mod ids;
mod task;
mod turns;

use std::any::Any;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::{
    BuiltinHintProcessor, HintProcessorData,
};
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::hint_processor::hint_processor_definition::{HintExtension, HintProcessorLogic, HintReference};
use cairo_vm::serde::deserialize_program::ApTracking;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::runners::cairo_runner::ResourceTracker;
use cairo_vm::vm::vm_core::VirtualMachine;
use proof_format::text::excerpt;
use serde_json::Value;

use super::library::{self, At, Beside, Variables};
use super::program_input::{self, Assignment};
use crate::vm::bootloader::TaskHint;
use crate::vm::bounds::{Bounds, Budget, Exceeded};
use crate::vm::drive::Hints;
use crate::vm::python::{Code, Python};
use crate::vm::vm_memory::VmMemory;
use charge::charge;
use ids::Ids;
use task::{HintOfTask, TaskHints};
pub(super) use turns::{charge_executable, hint_bytes};

/// Bytes that a scope takes at most, beside the values that are charged for themselves.
const SCOPE_BYTES: u64 = 1 << 10;

/// Hints between two looks at all segments, at least.
const LOOK_AFTER: usize = 1 << 8;

/// The hints of one compiled program.
pub(in crate::vm) struct LibraryHints<'a> {
    library: BuiltinHintProcessor,
    input: Option<&'a Value>,
    tasks: TaskHints<'a>,
    /// The interpreter for hints of the program itself, not of its tasks.
    python: Option<Python>,
    budget: Budget,
    /// The most scopes that were open at the same time.
    scopes: usize,
    /// Hints since all segments were looked at.
    unseen: usize,
}

/// A hint that is ready to run.
struct Ready {
    /// As cairo-vm has it: [`HintProcessorData`].
    data: Box<dyn Any>,
    /// The variables that its text names.
    names: Vec<String>,
    variables: Variables,
    /// Its function, if cairo-vm has none.
    beside: Option<Beside>,
    /// Whether it is one or more assignments from the program input.
    assignments: Option<Vec<Assignment>>,
    /// If it is one of the program's own, once it was run.
    own: OnceCell<Code>,
    /// Its part around a task, if it has one.
    task: Option<TaskHint>,
}

impl<'a> LibraryHints<'a> {
    /// The processor for one run within bounds.
    pub(in crate::vm) fn new(
        library: BuiltinHintProcessor,
        input: Option<&'a Value>,
        python: Option<Python>,
        bounds: Bounds,
    ) -> Self {
        let (tasks, budget) = (TaskHints::new(bounds.clone()), Budget::new(bounds));
        Self { library, input, tasks, python, budget, scopes: 1, unseen: 0 }
    }

    /// Where the hint could write, each with room for a cell. The few thousand cells that a hint writes there at most,
    /// if no operand says how many, are counted when it is done.
    fn places(&mut self, ids: &Ids<'_>, hint: &Ready) -> Result<Vec<Relocatable>, Exceeded> {
        let named = hint.names.iter().flat_map(|name| [ids.address(name), ids.pointer(name)]).flatten();
        let places: Vec<Relocatable> = named.chain([ids.ap()]).collect();
        places.iter().try_for_each(|place| self.budget.has_room(*place, 1))?;
        Ok(places)
    }

    /// Takes the memory that a hint has made and written.
    fn see(&mut self, vm: &VirtualMachine, scopes: &ExecutionScopes, places: &[Relocatable]) -> Result<(), Exceeded> {
        self.budget.see_new_segments(vm)?;
        places.iter().try_for_each(|place| self.budget.see_segment(vm, place.segment_index))?;
        let more = scopes.data.len().saturating_sub(self.scopes);
        self.budget.keep(SCOPE_BYTES.saturating_mul(more as u64))?;
        self.scopes += more;
        self.unseen += 1;
        // After this many hints, looking at all segments takes no more time than they did.
        if self.unseen > LOOK_AFTER.max(vm.segments.num_segments() + vm.segments.num_temp_segments()) {
            self.unseen = 0;
            self.budget.see_all(vm)?;
        }
        Ok(())
    }
}

impl HintProcessorLogic for LibraryHints<'_> {
    fn execute_hint(
        &mut self,
        vm: &mut VirtualMachine,
        scopes: &mut ExecutionScopes,
        hint: &Box<dyn Any>,
    ) -> Result<(), HintError> {
        let hint: &Ready = hint.downcast_ref().ok_or(HintError::WrongHintData)?;
        let data: &HintProcessorData = hint.data.downcast_ref().ok_or(HintError::WrongHintData)?;
        self.budget.hint()?;
        let ids = Ids { vm, data };
        let places = self.places(&ids, hint)?;
        if let Some(builtin) = ["ecdsa", "keccak"].into_iter().find(|name| is_of_builtin(ids.code(), name)) {
            return Err(HintError::CustomHint(format!("the builtin {builtin} has no component").into_boxed_str()));
        }
        constants(&ids)?;
        let lent = charge(&ids, scopes, &mut self.budget)?;
        let mut memory = VmMemory { vm, budget: &mut self.budget };
        let variables = &hint.variables;
        let done = match (hint.beside, &hint.assignments) {
            (Some(Beside::Library(function) | Beside::Bootloader(function)), _) => {
                function(&mut At { vm: &mut memory, scopes, ids: variables })
            }
            (None, Some(assignments)) => {
                let input = self.tasks.input(self.input);
                program_input::assign(&mut At { vm: &mut memory, scopes, ids: variables }, input, assignments)
            }
            (None, None) => match (self.library.execute_hint(memory.vm, scopes, &hint.data), &self.python) {
                (Err(HintError::UnknownHint(_)), Some(python)) if self.tasks.running.is_none() => {
                    let code = hint.own.get_or_init(|| python.code(&data.code));
                    code.run(&mut At { vm: &mut memory, scopes, ids: variables }, self.input)
                }
                (done, _) => done.map_err(known),
            },
        };
        self.see(vm, scopes, &places)?;
        self.budget.give_back(lent);
        done
    }

    fn compile_hint(
        &self,
        code: &str,
        ap_tracking: &ApTracking,
        reference_ids: &HashMap<String, usize>,
        references: &[HintReference],
        accessible_scopes: &[String],
        constants: Arc<HashMap<String, Felt252>>,
    ) -> Result<Box<dyn Any>, VirtualMachineError> {
        let data =
            self.library.compile_hint(code, ap_tracking, reference_ids, references, accessible_scopes, constants)?;
        let beside = Beside::of(code);
        let assignments = if beside.is_some() { None } else { program_input::parse(code) };
        let task = if beside.is_some() { TaskHint::of(library::digest(code)) } else { None };
        let ready: &HintProcessorData = data.downcast_ref().ok_or(VirtualMachineError::Unexpected)?;
        let reference = |name: &str| ready.ids_data.get(name);
        let constants = |_: &str| ready.constants.iter().collect();
        let variables = Variables::of_hint(code, reference, ap_tracking, accessible_scopes, &constants);
        let variables = match beside {
            // Some take variables of the function that their text does not name.
            Some(Beside::Bootloader(_)) => variables.and(&ready.ids_data, ap_tracking),
            _ => variables,
        };
        let own = OnceCell::new();
        Ok(Box::new(Ready { names: library::names(code), variables, beside, assignments, own, task, data }))
    }

    fn execute_hint_extensive(
        &mut self,
        vm: &mut VirtualMachine,
        scopes: &mut ExecutionScopes,
        hint: &Box<dyn Any>,
    ) -> Result<HintExtension, HintError> {
        if let Some(hint) = hint.downcast_ref::<HintOfTask>() {
            return self.run_of_task(vm, scopes, hint).map(|()| HintExtension::new());
        }
        self.execute_hint(vm, scopes, hint)?;
        match hint.downcast_ref::<Ready>().and_then(|hint| hint.task) {
            Some(TaskHint::Begin) => self.begin_task(),
            Some(TaskHint::End) => {
                self.tasks.end();
                Ok(HintExtension::new())
            }
            None => Ok(HintExtension::new()),
        }
    }
}

/// Refuses constants of a program with which a hint of the library would not end, or with which cairo-vm panics.
fn constants(ids: &Ids<'_>) -> Result<(), HintError> {
    let (name, allowed) = match ids.code() {
        hint_code::CAIRO_KECCAK_FINALIZE_V1 | hint_code::CAIRO_KECCAK_FINALIZE_V2 => ("BLOCK_SIZE", 1..=1000),
        hint_code::SHA256_MAIN_CONSTANT_INPUT_LENGTH | hint_code::SHA256_MAIN_ARBITRARY_INPUT_LENGTH => {
            ("SHA256_INPUT_CHUNK_SIZE_FELTS", 16..=16)
        }
        _ => return Ok(()),
    };
    match ids.constant(name) {
        Some(value) if !allowed.contains(&value) => {
            let (first, last) = allowed.into_inner();
            let text = format!("the constant {name} is {value}, but the library's hint takes {first} to {last}");
            Err(HintError::CustomHint(text.into_boxed_str()))
        }
        _ => Ok(()),
    }
}

/// Whether a hint is one of a builtin.
fn is_of_builtin(code: &str, name: &str) -> bool {
    code.strip_prefix(name).is_some_and(|rest| rest.starts_with("_builtin."))
}

/// A hint that nobody knows is the program's own.
fn known(error: HintError) -> HintError {
    let code = match &error {
        HintError::UnknownHint(code) => code.trim(),
        _ => return error,
    };
    let text = format!(
        "hints of a program's own are not run without --hints python, only those of Cairo's library and assignments \
         from `program_input`: `{}`",
        excerpt(code)
    );
    HintError::CustomHint(text.into_boxed_str())
}

/// The budget counts steps.
impl ResourceTracker for LibraryHints<'_> {}

impl Hints for LibraryHints<'_> {
    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}
