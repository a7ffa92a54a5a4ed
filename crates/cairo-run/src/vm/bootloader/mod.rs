//! Bootloaders: programs that run other programs, and put out their hashes and outputs.
//!
//! Known are the reference's four, by the texts of their hints. A task is a CairoPIE, whose cells a hint loads into the
//! memory of the run, so that the instructions run it again; or a program, whose words are loaded, and which runs with
//! its own hints. The caller has read all of them.

mod hints;
mod list;
mod load;
mod output;
mod packed;
mod programs;
mod simulate;
mod span;
mod state;
mod task_hint;
mod tasks;
#[cfg(test)]
mod tests;
mod topology;
mod unpack;

use super::hints::library::Hint;

pub use list::{TaskList, TaskPaths};
pub use output::TasksOutput;
pub use packed::{BootloaderConfig, CompositeOutput, PackedOutput};
pub use programs::{BootloaderProgram, is_bootloader};
pub(super) use state::{Bootloader, NAME, Shared, program_of_turn, stopped};
pub(super) use task_hint::TaskHint;
pub(super) use tasks::{ExecutableHints, hinted};
pub use tasks::{ProgramTask, TaskHash, TaskSource, TaskSpec, Tasks, Unpacking};
pub use topology::FactTopology;

use tasks::Turn;

/// The hints of bootloaders by the digests of their texts, as the library has its own.
pub(super) fn hints() -> impl Iterator<Item = &'static (u64, Hint)> {
    hints::HINTS.iter().chain(simulate::HINTS).chain(unpack::HINTS)
}
