//! Faults of a run whose witness is to be made.

use gpu_hal::HalError;
use gpu_hal::ir::RowProgramError;
use prover_core::circle::TraceFault;

use crate::preprocessed::Variant;

/// Why there is no witness.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// There is no step.
    #[error("the run has no step: a program runs at least its entry code")]
    NoSteps,
    /// More addresses than the memory of the statement has.
    #[error(
        "the memory has {addresses} addresses, more than the {limit} that a proof can speak of: split the program's work"
    )]
    Addresses {
        /// Highest address.
        addresses: usize,
        /// Most addresses.
        limit: usize,
    },
    /// A state whose instruction is outside the memory.
    #[error("a state of {component} has the program counter {pc}, beyond the memory of {addresses} addresses")]
    Pc {
        /// The opcode's component.
        component: &'static str,
        /// The address of the instruction.
        pc: u32,
        /// Highest address.
        addresses: usize,
    },
    /// A public address outside the memory.
    #[error("the public address {address} is outside the memory of {addresses} addresses, or has no value")]
    PublicAddress {
        /// The address.
        address: u32,
        /// Highest address.
        addresses: usize,
    },
    /// An id without a value.
    #[error("address {address} has the id {id:#x}, which has no value")]
    Id {
        /// The address.
        address: usize,
        /// The id.
        id: u32,
    },
    /// A small value of 2^72 or more.
    #[error("small value {index} has more than 72 bits")]
    SmallValue {
        /// Its index.
        index: usize,
    },
    /// A big value of 2^252 or more.
    #[error("big value {index} has more than 252 bits")]
    BigValue {
        /// Its index.
        index: usize,
    },
    /// A builtin's segment that is not a power of two of instances, 16 or more, inside the memory.
    #[error(
        "the segment {begin}..{stop} of {component} must hold a power of two of instances of {cells} cells, at least 16, \
         and lie inside the memory of {addresses} addresses"
    )]
    Segment {
        /// The builtin's component.
        component: &'static str,
        /// First address.
        begin: usize,
        /// Address after the last.
        stop: usize,
        /// Cells of an instance.
        cells: usize,
        /// Highest address.
        addresses: usize,
    },
    /// The set of preprocessed columns has no column for the rows of a component.
    #[error(
        "{component} has 2^{log_size} rows, but the preprocessed columns {variant:?} number at most 2^{limit}: \
         take a larger set, or split the program's work"
    )]
    Height {
        /// The component.
        component: &'static str,
        /// Log2 of its rows.
        log_size: u32,
        /// The set of columns.
        variant: Variant,
        /// Log2 of the most rows.
        limit: u32,
    },
    /// The set of preprocessed columns has no points for a builtin.
    #[error("{component} cannot be proven with the preprocessed columns {variant:?}: take {instead:?}")]
    Builtin {
        /// The builtin's component.
        component: &'static str,
        /// The set of columns.
        variant: Variant,
        /// A set that can.
        instead: Variant,
    },
    /// More big values than the statement has ids for.
    #[error("the memory has {values} big values, more than the {limit} of a proof: split the program's work")]
    BigValues {
        /// Big values.
        values: usize,
        /// Most big values.
        limit: usize,
    },
    /// The run is not one of the Cairo machine: a row of a component finds an impossible value.
    #[error("the run is not one of the Cairo machine, or its memory is damaged: {component}: {error}")]
    Rows {
        /// The component.
        component: &'static str,
        /// The error of the row.
        error: HalError,
    },
    /// A component's program was recorded wrongly.
    #[error("the row program of {component} is wrong, a defect of this crate: {error}")]
    Program {
        /// The component.
        component: &'static str,
        /// The recorder's error.
        error: RowProgramError,
    },
}

impl TraceFault for WitnessError {}
