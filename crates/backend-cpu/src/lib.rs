//! The fast STARK backend of the CPU: vector instructions chosen at run time, work shared by rayon. The common parts of
//! both protocols are at the root; [`goldilocks`] and `circle` have the parts of one protocol.

mod addresses;
mod backend;
mod blocks;
mod circle;
mod copy;
mod cpu;
mod fractions;
pub mod goldilocks;
mod host;
mod interpreter;
mod lanes;
mod loads;
mod memory;
mod merkle;
mod nodes;
mod program;
mod random;
mod recurrence;
mod row_programs;
mod rows;
mod simd;
mod sumchecks;
mod tree;
mod work_done;

pub use cpu::{Compile, Cpu, CpuOptions, CpuProtocol};
pub use host::host_memory;
pub use memory::{CpuBuffer, CpuTree};
pub use program::CpuProgram;
pub use simd::SimdLevel;
pub use work_done::elements_done;

use field::Goldilocks;
use gpu_hal::{CircleStark, GoldilocksStark};

gpu_hal::devices_from!(
    CpuOptions,
    |options| Cpu::<Self>::with_options(options),
    CircleStark,
    GoldilocksStark,
    GoldilocksStark<Goldilocks>
);
