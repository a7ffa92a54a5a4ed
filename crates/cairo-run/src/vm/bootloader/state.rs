//! The state of a bootloader that runs.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::span::span;
use super::tasks::{ProgramTask, TaskSpec, Tasks, Turn};
use super::{FactTopology, TasksOutput};
use crate::Failure;
use crate::vm::bounds::{ADDRESS_BYTES, Bounds};
use crate::vm::hints::error::custom;

/// The name under which hints find the state of their bootloader.
pub(in crate::vm) const NAME: &str = "polystark_bootloader";

/// The state of a bootloader that runs, which its hints share.
pub(in crate::vm) struct Bootloader {
    pub(super) tasks: Arc<Tasks>,
    pub(super) turn: Turn,
    /// Whether the task whose turn it is has not ended.
    pub(super) is_in_turn: bool,
    /// Where the words of its program begin. A task of the same program takes them over.
    pub(in crate::vm) program: Option<Relocatable>,
    /// The fact topology of the aggregator.
    pub(super) aggregator: Option<FactTopology>,
    /// Where the run has stopped, if it failed.
    pub(in crate::vm) stopped: Option<Relocatable>,
    pub(in crate::vm) output: TasksOutput,
}

/// As hints find it.
pub(in crate::vm) type Shared = Rc<RefCell<Bootloader>>;

impl Bootloader {
    /// Before the first task. The tasks must fit into the bounds of the run, since their cells are loaded at once.
    pub(in crate::vm) fn new(tasks: &Arc<Tasks>, bounds: Bounds) -> Result<Shared, Failure> {
        let span = span(tasks);
        let most = bounds.memory.map_or(u64::MAX, |bytes| bytes / ADDRESS_BYTES).min(bounds.addresses as u64);
        if span > most {
            let message = format!(
                "its tasks take {span} addresses, at most {most} are taken. Allow more addresses (--max-addresses), or run \
                 fewer tasks"
            );
            return Err(Failure { pc: None, task: None, message, panic: None, source: None });
        }
        Ok(Rc::new(RefCell::new(Self {
            tasks: tasks.clone(),
            turn: Turn::default(),
            is_in_turn: false,
            program: None,
            aggregator: None,
            stopped: None,
            output: TasksOutput::default(),
        })))
    }

    /// The task whose turn it is, among the bootloader's tasks.
    pub(in crate::vm) fn current<'a>(&self, tasks: &'a Tasks) -> Option<&'a TaskSpec> {
        tasks.get(self.turn)
    }

    /// The task whose turn it is, for messages.
    fn name(&self) -> String {
        if self.turn.is_aggregator { "the aggregator task".into() } else { format!("task {}", self.turn.index) }
    }
}

/// The program whose turn it is, and where its words begin; `None` if the task is no program.
pub(in crate::vm) fn program_of_turn<'a>(
    bootloader: &Shared,
    tasks: &'a Tasks,
) -> Result<Option<(&'a ProgramTask, Relocatable)>, HintError> {
    let state = bootloader.try_borrow().map_err(|_| custom("the bootloader runs itself"))?;
    Ok(state.current(tasks).and_then(|task| task.source.as_program()).zip(state.program))
}

/// The task in which a run has stopped, and the word of its program, if it has stopped in one.
pub(in crate::vm) fn stopped(scopes: &ExecutionScopes, pc: Relocatable) -> Option<String> {
    let state = scopes.data.first()?.get(NAME)?.downcast_ref::<Shared>()?;
    let mut state = state.try_borrow_mut().ok()?;
    state.stopped = Some(pc);
    let program = state.program.filter(|start| start.segment_index == pc.segment_index);
    let word = program.and_then(|start| pc.offset.checked_sub(start.offset));
    let word = word.map_or(String::new(), |word| format!(", at word {word} of its program"));
    state.is_in_turn.then(|| state.name() + &word)
}
