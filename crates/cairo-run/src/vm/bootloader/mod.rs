//! Bootloaders: programs that run other programs, and put out their hashes and outputs.
//!
//! Known are the reference's four, by the texts of their hints. A task is a CairoPIE, whose cells a hint loads into the
//! memory of the run, so that the instructions run it again; or a program, whose words are loaded, and which runs with
//! its own hints. The caller has read all of them.

mod hints;
mod list;
mod load;
mod packed;
mod programs;
mod simulate;
mod tasks;
#[cfg(test)]
mod tests;
mod topology;
mod unpack;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::runners::builtin_runner::OutputBuiltinState;

use super::bounds::{ADDRESS_BYTES, Bounds};
use super::library::Function;
use crate::{Failure, Felt252};

pub(super) use hints::TaskHint;
pub use list::{TaskList, TaskPaths};
pub(super) use load::{WriteExtent, write_extent};
pub use packed::{BootloaderConfig, CompositeOutput, PackedOutput};
pub use programs::{BootloaderProgram, is_bootloader};
pub(super) use tasks::ExecutableHints;
pub use tasks::{ProgramTask, TaskHash, TaskSource, TaskSpec, Tasks, Unpacking};
pub use topology::FactTopology;

use tasks::Turn;

/// The name under which hints find the state of their bootloader.
pub(super) const NAME: &str = "polystark_bootloader";

/// The hints of bootloaders by the digests of their texts, as the library has its own.
pub(super) fn hints() -> impl Iterator<Item = &'static (u64, Function)> {
    hints::HINTS.iter().chain(simulate::HINTS).chain(unpack::HINTS)
}

/// The output of a bootloader beside the output of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TasksOutput {
    /// The fact topologies: one of each task; of each plain task, where outputs of bootloaders are taken apart; of the
    /// aggregator alone, where one runs.
    pub fact_topologies: Vec<FactTopology>,
    /// Of the privacy variant: the felts whose hash the run puts out.
    pub preimage: Option<Vec<Felt252>>,
}

/// The state of a bootloader that runs, which its hints share.
pub(super) struct Bootloader {
    tasks: Arc<Tasks>,
    turn: Turn,
    /// Whether the task whose turn it is has not ended.
    is_in_turn: bool,
    /// Where the words of its program begin. A task of the same program takes them over.
    pub(super) program: Option<Relocatable>,
    /// Where the output of the tasks begins, and the states of the output that are restored, the last one first.
    output_start: Option<Relocatable>,
    output_states: Vec<OutputBuiltinState>,
    /// The fact topology of the aggregator.
    aggregator: Option<FactTopology>,
    /// Where the run has stopped, if it failed.
    pub(super) stopped: Option<Relocatable>,
    pub(super) output: TasksOutput,
}

/// As hints find it.
pub(super) type Shared = Rc<RefCell<Bootloader>>;

impl Bootloader {
    /// Before the first task. The tasks must fit into the bounds of the run, since their cells are loaded at once.
    pub(super) fn new(tasks: &Arc<Tasks>, bounds: Bounds) -> Result<Shared, Failure> {
        let span = load::span(tasks);
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
            output_start: None,
            output_states: Vec::new(),
            aggregator: None,
            stopped: None,
            output: TasksOutput::default(),
        })))
    }

    /// The task whose turn it is, among the bootloader's tasks.
    pub(super) fn current<'a>(&self, tasks: &'a Tasks) -> Option<&'a TaskSpec> {
        tasks.get(self.turn)
    }

    /// The task whose turn it is, for messages.
    fn name(&self) -> String {
        if self.turn.is_aggregator { "the aggregator task".into() } else { format!("task {}", self.turn.index) }
    }
}

/// The task in which a run has stopped, and the word of its program, if it has stopped in one.
pub(super) fn stopped(scopes: &ExecutionScopes, pc: Relocatable) -> Option<String> {
    let state = scopes.data.first()?.get(NAME)?.downcast_ref::<Shared>()?;
    let mut state = state.try_borrow_mut().ok()?;
    state.stopped = Some(pc);
    let program = state.program.filter(|start| start.segment_index == pc.segment_index);
    let word = program.and_then(|start| pc.offset.checked_sub(start.offset));
    let word = word.map_or(String::new(), |word| format!(", at word {word} of its program"));
    state.is_in_turn.then(|| state.name() + &word)
}
