//! Why there is no code.

use std::io;

/// Why a program is not compiled: it runs as it is interpreted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JitError {
    /// The processor or the system is none that code is made for.
    #[error("code is made for x86-64 with AVX-512 F, DQ, BW, VL and IFMA on Unix alone")]
    NotThisMachine,
    /// The extension has more coordinates than there are registers for.
    #[error("sums over an extension of degree {0}: 1 to 3 are compiled")]
    Degree(usize),
    /// A run is not a whole number of registers.
    #[error("runs of {0} rows: at least 8 are wanted, a multiple of 8")]
    Rows(usize),
    /// The program is so long that its code and its slots would take more memory than they are worth.
    #[error("the program is too long for machine code: {0}")]
    TooLong(String),
    /// The system gives no pages of code.
    #[error("the system gives no executable pages: {0}")]
    NoPages(#[source] io::Error),
    /// An instruction cannot be written.
    #[error("an instruction cannot be encoded: {0}")]
    Instruction(String),
}
