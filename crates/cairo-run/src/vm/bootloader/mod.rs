//! Bootloaders: programs that run other programs, and put out their hashes and outputs.
//!
//! Known are the simple bootloader and its privacy variant, by the texts of their hints. Their tasks are CairoPIEs,
//! which the caller has read: a hint loads the cells of a task into the memory of the run, and the instructions run it
//! again.

mod hints;
mod load;
mod programs;
mod tasks;
mod topology;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use cairo_vm::types::relocatable::Relocatable;

use super::bounds::{ADDRESS_BYTES, Bounds};
use crate::{Failure, Felt252};

pub(super) use hints::{HINTS, Loads};
pub(super) use load::{Room, room};
pub use programs::{BootloaderProgram, is_bootloader};
pub use tasks::{PieTask, TaskHash, TaskList, TaskPaths, Tasks};
pub use topology::FactTopology;

/// The name under which hints find the state of their bootloader.
pub(super) const NAME: &str = "polystark_bootloader";

/// The output of a bootloader beside the output of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TasksOutput {
    /// The fact topology of each task.
    pub fact_topologies: Vec<FactTopology>,
    /// Of the privacy variant: the felts whose hash the run puts out.
    pub preimage: Option<Vec<Felt252>>,
}

/// The state of a bootloader that runs, which its hints share.
pub(super) struct Bootloader {
    tasks: Arc<Tasks>,
    /// The task whose turn it is.
    current: usize,
    /// Where the words of its program begin.
    program: Option<Relocatable>,
    pub(super) output: TasksOutput,
}

/// As hints find it.
pub(super) type Shared = Rc<RefCell<Bootloader>>;

impl Bootloader {
    /// Before the first task. The tasks must fit into the bounds of the run, since their cells are loaded at once.
    pub(super) fn new(tasks: &Arc<Tasks>, bounds: Bounds) -> Result<Shared, Failure> {
        let span = tasks.tasks.iter().map(|task| load::span(&task.pie)).fold(0, u64::saturating_add);
        let most = bounds.memory.map_or(u64::MAX, |bytes| bytes / ADDRESS_BYTES).min(bounds.addresses as u64);
        if span > most {
            let message = format!(
                "its tasks take {span} addresses, at most {most} are taken. Allow more addresses (--max-addresses), or run \
                 fewer tasks"
            );
            return Err(Failure { pc: None, message, panic: None, source: None });
        }
        let output = TasksOutput::default();
        Ok(Rc::new(RefCell::new(Self { tasks: tasks.clone(), current: 0, program: None, output })))
    }
}
