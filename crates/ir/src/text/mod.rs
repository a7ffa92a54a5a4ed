//! Programs as the source text of kernels: instructions written out, values as variables.
//!
//! A compiler of GPUs or of processors takes the text after a prelude of its [`Dialect`], and finds the kernel by its
//! entry point. The text is C. Its other words (`KERNEL_BOUNDED`, `GLOBAL`, `base_mul`, ...) are macros and functions
//! of the prelude, which defines them in this dialect and for these fields: `kernels/dialect.h`, and the units
//! `program` and `row_program` of a protocol.
//!
//! Texts know nothing of a device. Callers compile them, keep the results, launch them, and compare them with an
//! interpreter first.

use alloc::string::String;

pub mod constraints;
pub mod rows;

/// The facts of a machine that a text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Most threads of a block.
    pub block_threads: u32,
    /// Most bytes of a parameter block. A larger block is read from buffers.
    pub param_bytes: u64,
}

/// The text of a kernel, to follow the prelude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name of the entry point.
    pub entry: &'static str,
    /// The source.
    pub text: String,
}
