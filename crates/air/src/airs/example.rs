//! Descriptions of the example AIRs.

use alloc::format;
use alloc::vec::Vec;

use gpu_hal::Protocol;

use crate::layout::MAX_LOG_ROWS;
use crate::{Air, AirError, Trace};

/// An AIR with a trace that satisfies it.
pub trait ExampleAir<P: Protocol>: Air<P> {
    /// The main columns of an honest trace.
    fn trace(&self) -> Trace<P::Base>;
}

/// A parameter of an example AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Its meaning and range.
    pub summary: &'static str,
    /// The value if none is given; `None` if one must be given.
    pub default: Option<ParamDefault>,
    /// Whether a file leaves it out where it has its default, as files from before it was there do.
    pub unstated: bool,
}

/// How a parameter enters the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// The statement depends on it, and names it: a file holds it.
    Public,
    /// The statement's public values are computed from it, in time by the rows. A file holds the values: a verifier
    /// does not need the parameter, and a prover does not tell it.
    Preimage,
    /// It chooses among the traces of one statement: a proof says nothing about it.
    Private,
}

/// The parameter of an AIR that can leave rows at its end free, for masks of proofs that hide their witness.
pub const FREE: ParamInfo = ParamInfo {
    name: "free",
    summary: "rows at the end that no constraint reads, as a proof with --zk needs them",
    default: Some(ParamDefault::Value(0)),
    unstated: true,
};

/// Checks that the rows that are not free are at least as many as the constraints need.
pub(crate) fn free_rows(air: &'static str, rows: u64, free: u64, least: u64) -> Result<usize, AirError> {
    let most = rows.saturating_sub(least);
    if free > most {
        let reason = format!("0 to {most} are possible with {rows} rows");
        return Err(AirError::BadParam { air, param: FREE.name, value: free, reason });
    }
    Ok(free as usize)
}

/// Value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamDefault {
    /// This.
    Value(u64),
    /// One less than the number of rows that are not [`FREE`].
    RowsMinusOne,
}

impl ParamDefault {
    /// The value in a trace of which `rows` rows are not free.
    pub fn value(self, rows: u64) -> u64 {
        match self {
            Self::Value(value) => value,
            Self::RowsMinusOne => rows.saturating_sub(1),
        }
    }
}

/// The description of an example AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirInfo {
    /// Its name.
    pub name: &'static str,
    /// The claim that a proof of it makes.
    pub summary: &'static str,
    /// Its parameters besides the number of rows.
    pub params: &'static [ParamInfo],
}

/// Log2 of a legal number of rows.
pub(crate) fn log_rows(air: &'static str, rows: u64, least: u64) -> Result<u32, AirError> {
    if !rows.is_power_of_two() || rows < least || rows > 1 << MAX_LOG_ROWS {
        let reason = format!("a power of two from {least} to 2^{MAX_LOG_ROWS} is needed");
        return Err(AirError::BadParam { air, param: "rows", value: rows, reason });
    }
    Ok(rows.trailing_zeros())
}

/// A table whose shape is right by construction.
pub(crate) fn table<F: field::Field>(columns: Vec<Vec<F>>) -> Trace<F> {
    Trace::from_columns(columns).expect("the columns have one power-of-two length")
}
