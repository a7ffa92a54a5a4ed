//! Faults of inputs, and remedies for their owners.

use std::fmt;

use proof_format::text::lines;

use crate::Kind;

/// An input that cannot be proven: which one, and why.
#[derive(Debug, thiserror::Error)]
#[error("{program}: {problem}")]
pub struct InputError {
    /// The name of the program, as `Options::name` gives it.
    pub program: String,
    /// The fault.
    pub problem: Box<Problem>,
    /// The text that the program had printed by then, see [`crate::Loaded::printed`].
    pub printed: String,
}

/// Why an input cannot be proven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes are no input of a kind that can be proven. The text describes them and names the remedy.
    #[error("not a program that can be proven: {0}")]
    UnknownKind(String),
    /// The bytes are of a known kind, but they cannot be read.
    #[error("{kind} cannot be read: {why}")]
    Malformed {
        /// The kind that the bytes were read as.
        kind: Kind,
        /// The reader's error.
        why: String,
    },
    /// The arguments or the program input are malformed, or the program cannot take them.
    #[error("arguments: {0}")]
    Arguments(String),
    /// The program ran and failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The run is sound, but no proof can say it; or a ProverInput contradicts itself.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The run was stopped by its flag, `Options::stop`.
    #[error("the run was cancelled")]
    Cancelled,
    /// The two machines make different runs of a program.
    #[error("the two Cairo machines do not agree: {0}. This is a defect: please report the program")]
    Machines(String),
    /// A dependency stopped with a panic that the checks did not foresee.
    #[error("the Cairo virtual machine stopped unexpectedly: {0}. This is a defect: please report the program")]
    Unforeseen(String),
}

/// Where in a program something is wrong. Addresses count from 1, as the statement counts them: word `i` of the program
/// has address `i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An instruction, by its address.
    Pc(u64),
    /// A memory cell, by its address.
    Address(u64),
    /// The input as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Pc(pc) => write!(f, "at pc {pc}: "),
            Place::Address(address) => write!(f, "at address {address}: "),
            Place::Whole => Ok(()),
        }
    }
}

/// Why no proof can be made of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// An instruction that no component proves.
    Instruction,
    /// A register or a pointer that leaves the 2^29 addresses of a proof, or points nowhere.
    Address,
    /// A memory table whose ids or values are out of range.
    Memory,
    /// A step that does not follow from its instruction, or that is in the list of another instruction.
    Step,
    /// A builtin that no component proves, or a builtin segment with a hole or a wrong length.
    Builtin,
    /// Values of a builtin that its component cannot prove.
    BuiltinValue,
    /// Public segments that are not the program's.
    PublicSegments,
    /// A program that does not begin as the statement demands.
    ProgramStart,
    /// An output segment that does not follow the execution segment.
    OutputPosition,
    /// Public memory that differs from the statement's.
    PublicMemory,
    /// More rows than the preprocessed columns can select, or a component that they lack.
    Preprocessed,
}

/// A run that no proof can state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the refusal.
    pub reason: Reason,
    /// Where the cause is.
    pub place: Place,
    /// The finding.
    pub what: String,
    /// Advice for the owner of the program.
    pub remedy: &'static str,
}

impl Refusal {
    /// A refusal at `place`.
    pub fn new(reason: Reason, place: Place, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { reason, place, what: what.into(), remedy }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}. {}", self.place, self.what, self.remedy)
    }
}

impl std::error::Error for Refusal {}

/// A program that failed while it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The address of the failing instruction (word `i` of the program has address `i + 1`); absent if no instruction
    /// failed.
    pub pc: Option<u64>,
    /// The task in which a bootloader failed, and the word of its program.
    pub task: Option<String>,
    /// The virtual machine's message.
    pub message: String,
    /// The data of the panic, if the program is a Cairo 1 program that panicked: byte arrays, which are the texts of
    /// `panic!` and `assert!`, in double quotes; felts as short strings in single quotes where they are text, else as
    /// numbers. A text longer than 4096 bytes ends with three dots.
    pub panic: Option<Vec<String>>,
    /// File, line and column of the source, and the calls that led there, if the program says them.
    pub source: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program failed")?;
        if let Some(pc) = self.pc {
            write!(f, " at pc {pc}")?;
        }
        if let Some(task) = &self.task {
            write!(f, " in {task}")?;
        }
        match &self.panic {
            Some(data) => match &data[..] {
                [text] => write!(f, ": it panicked with {}", lines(text))?,
                _ => write!(f, ": it panicked with [{}]", lines(&data.join(", ")))?,
            },
            None => write!(f, ": {}", self.message)?,
        }
        match &self.source {
            Some(source) => write!(f, "\n{source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}
