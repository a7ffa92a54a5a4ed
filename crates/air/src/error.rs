//! Errors of an AIR, of a trace and of the choice of an example.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use gpu_hal::ir::ProgramError;
use proof_format::text::excerpt;

use crate::Rows;
use crate::layout::MAX_LOG_ROWS;

/// A defect of an AIR, of a trace's shape, or of the parameters of an example AIR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AirError {
    /// The protocol does not have this trace length.
    #[error("a trace of 2^{log_trace_length} rows: 2^2 to 2^{MAX_LOG_ROWS} are possible")]
    TraceLength {
        /// Log2 of the length asked for.
        log_trace_length: u32,
    },
    /// No main column.
    #[error("the layout has no main column: at least one is needed")]
    NoMainColumns,
    /// No composition part.
    #[error("the layout has 0 composition parts: at least one is needed")]
    NoParts,
    /// The frame is empty or longer than the trace.
    #[error("a frame of {frame_rows} rows in a trace of {rows}: it has at least 1 row and at most all (and 2^31)")]
    FrameRows {
        /// `R`.
        frame_rows: usize,
        /// `n`.
        rows: usize,
    },
    /// Neither a transition nor a boundary was declared.
    #[error("the AIR declares no constraint")]
    NoConstraints,
    /// The declared auxiliary columns are not as many as the layout says.
    #[error("{declared} auxiliary columns declared, the layout has {layout}")]
    AuxColumns {
        /// Declared with the builder.
        declared: usize,
        /// In the layout.
        layout: usize,
    },
    /// The file of an AIR has more columns, challenges or rows of a frame than it uses.
    #[error("the file has {given} {what}, of which its constraints use {used}: at most {most} may be without use")]
    Unused {
        /// `main columns`, `auxiliary columns`, `periodic columns`, `challenges` or `rows of a frame`.
        what: &'static str,
        /// In its layout.
        given: usize,
        /// In its expressions and boundaries.
        used: usize,
        /// How many more there may be.
        most: usize,
    },
    /// The file of an AIR has more of something than files may have.
    #[error("the file has {given} {what}: at most {most} are taken; {instead}")]
    TooMany {
        /// `rows of a frame`, `boundaries`, `rows with boundaries`, `sets of rows of transitions` or
        /// `sets of rows that end early`.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there may be.
        most: usize,
        /// The remedy.
        instead: &'static str,
    },
    /// A column that does not exist.
    #[error("{kind} column {column} used, the layout has {columns}")]
    Column {
        /// `main` or `auxiliary`.
        kind: &'static str,
        /// The column.
        column: usize,
        /// How many there are.
        columns: usize,
    },
    /// A row beyond the frame.
    #[error("row offset {offset} used in a frame of {frame_rows} rows: enlarge frame_rows")]
    Offset {
        /// The offset.
        offset: usize,
        /// `R`.
        frame_rows: usize,
    },
    /// A challenge that is not drawn.
    #[error("challenge {challenge} used, the layout has {challenges}")]
    Challenge {
        /// The challenge.
        challenge: usize,
        /// How many there are.
        challenges: usize,
    },
    /// A periodic column whose length does not divide the trace.
    #[error("a periodic column of {length} values: a power of two up to the {rows} rows is needed")]
    PeriodicLength {
        /// Number of values.
        length: usize,
        /// `n`.
        rows: usize,
    },
    /// A periodic column of another builder.
    #[error("periodic column {index} used, {declared} declared")]
    Periodic {
        /// The column.
        index: usize,
        /// How many there are.
        declared: usize,
    },
    /// An impossible set of rows.
    #[error("{rows:?}: {reason}")]
    Rows {
        /// The rows.
        rows: Rows,
        /// The reason.
        reason: String,
    },
    /// A boundary outside the trace.
    #[error("boundary constraint on row {row} of {rows}")]
    BoundaryRow {
        /// The row.
        row: usize,
        /// `n`.
        rows: usize,
    },
    /// A running column whose definition reads an auxiliary column.
    #[error("the definition of auxiliary column {column} reads an auxiliary column: use a host column")]
    AuxInRunning {
        /// The column that is defined.
        column: usize,
    },
    /// The composition's degree may reach the declared bound.
    #[error(
        "{constraint} gives a composition of degree up to {degree}, {parts} parts hold degrees below {bound}: declare more parts"
    )]
    Degree {
        /// The constraint, in words.
        constraint: String,
        /// Largest possible degree.
        degree: u128,
        /// Declared parts.
        parts: usize,
        /// Their bound, parts times rows.
        bound: u128,
    },
    /// A file cannot hold a function of the AIR.
    #[error(
        "{what} {index} is computed by code, which a file cannot hold: give a boundary a constant, declare an auxiliary column as running"
    )]
    Code {
        /// `boundary` or `auxiliary column`.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// The constraints make no program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A table whose shape is wrong.
    #[error("{0}")]
    TraceShape(String),
    /// Wrong number of challenges, parameters or the like.
    #[error("{given} {what} given, {needed} needed")]
    Count {
        /// The counted thing.
        what: &'static str,
        /// Given.
        given: usize,
        /// Needed.
        needed: usize,
    },
    /// An out-of-domain point that is in the trace domain.
    #[error("the point is in the trace domain: the composition has poles there")]
    PointInDomain,
    /// A combination that was not made by this AIR.
    #[error("the combination does not belong to this AIR: {0}")]
    Combination(String),
    /// No example AIR of that name.
    #[error("no AIR `{}`; there are: {}", excerpt(name), known.join(", "))]
    UnknownAir {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// The example AIR has no such parameter.
    #[error("`{air}` has no parameter `{}`; {}", excerpt(param), if known.is_empty() { "it has none".to_string() } else { format!("it has: {}", known.join(", ")) })]
    UnknownParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: String,
        /// The parameters there are.
        known: Vec<&'static str>,
    },
    /// A parameter without a default was not given.
    #[error("`{air}` needs the parameter `{param}`: {summary}")]
    MissingParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: &'static str,
        /// Its meaning.
        summary: &'static str,
    },
    /// A parameter, or the number of rows, out of its range.
    #[error("`{air}`: {param} = {value} is not possible: {reason}")]
    BadParam {
        /// The AIR.
        air: &'static str,
        /// The parameter, or `rows`.
        param: &'static str,
        /// The value.
        value: u64,
        /// The possible choices.
        reason: String,
    },
}
