//! Runs of Cairo programs: how they are made, and their data for a proof.
//!
//! A [`Run`] is memory, states, builtins and public addresses: all that the statement and the witness of a proof read.
//! It knows no virtual machine. Producers make one: [`read_prover_input`] reads a run that was made elsewhere; [`load`]
//! runs a compiled program of Cairo 0 or an executable of Cairo 1, with hints, arguments and bounds, in a machine of
//! our own or in cairo-vm (feature `vm`, on by default). [`Loaded::from_run`] checks a run for which nobody vouches.
//! `run_task` runs a program as a task of a bootloader, and [`pie`] reads and writes such runs (feature `pie`, a part
//! of `vm`).
//!
//! ```text
//! bytes -> Kind -> program + hints -> machine --> Run -> checks of the statement's values -> Loaded
//!              \-> ProverInput ---------------->  Run -> all checks ------------------------/
//! ```
#![forbid(unsafe_code)]

mod arguments;
mod builtin;
mod caught;
mod check;
mod curve;
mod detect;
mod error;
pub mod felt;
mod instruction;
mod kind;
mod loaded;
#[cfg(feature = "vm")]
mod machine;
mod pages;
#[cfg(feature = "pie")]
pub mod pie;
mod program_hash;
mod prover_input;
mod qm31;
mod run;
mod signs;
mod stop;
#[cfg(feature = "vm")]
mod vm;

pub use starknet_types_core::felt::Felt as Felt252;

pub use arguments::{parse_arguments_file, parse_arguments_list, parse_program_input};
pub use builtin::BuiltinName;
pub use caught::caught;
pub use check::{Cell, Pointer, PublicMemory};
pub use curve::{PEDERSEN_POINTS, PEDERSEN_SHIFT};
pub use error::{Failure, InputError, Place, Problem, Reason, Refusal};
pub use felt::Words;
pub use instruction::Opcode;
pub use kind::Kind;
pub use loaded::{Loaded, MachineResources, RunBy};
pub use pages::Pages;
pub use program_hash::{Named, NamedError, named, program_hash};
pub use prover_input::{read_prover_input, write_prover_input};
pub use run::memory::{BIG_ID, Cells, MAX_ADDRESSES, Memory, NO_ID};
pub use run::states::{State, StateTransitions, StatesByOpcode};
pub use run::{BuiltinSegments, PublicSegmentContext, Run, Segment};
pub use signs::RunSigns;
pub use stop::StopFlag;
#[cfg(feature = "python-hints")]
pub use vm::serve_hints;
#[cfg(feature = "vm")]
pub use vm::{
    ADDRESS_BYTES, BootloaderConfig, BootloaderProgram, CompositeOutput, DEFAULT_MAX_ADDRESSES, DEFAULT_MAX_STEPS,
    FactTopology, Layout, MAX_PRINTED_BYTES, Machine, Options, OwnHints, PackedOutput, ProgramTask, STEP_BYTES, Task,
    TaskHash, TaskList, TaskPaths, TaskSource, TaskSpec, Tasks, TasksOutput, Unpacking, is_bootloader, load, run_task,
};
