//! Programs with their hints and arguments, run within bounds by one of two machines: cairo-vm, which knows all hints
//! and says what is wrong with a program, and [`crate::machine`].

mod adapt;
mod bases;
mod bootloader;
mod bounds;
mod compiled;
mod drive;
mod executable;
mod failure;
mod hints;
mod layout;
mod load;
mod options;
mod own;
mod pie;
mod python;
mod run;
mod vm_memory;
mod vm_pie;

pub use bootloader::{
    BootloaderConfig, BootloaderProgram, CompositeOutput, FactTopology, PackedOutput, ProgramTask, TaskHash, TaskList,
    TaskPaths, TaskSource, TaskSpec, Tasks, TasksOutput, Unpacking, is_bootloader,
};
pub use bounds::{ADDRESS_BYTES, STEP_BYTES};
pub use hints::executable::MAX_PRINTED_BYTES;
pub use load::load;
pub use options::{DEFAULT_MAX_ADDRESSES, DEFAULT_MAX_STEPS, Layout, Machine, Options, OwnHints};
pub use pie::{Task, run_task};
#[cfg(feature = "python-hints")]
pub use python::serve_hints;
