//! Example AIRs, each with its honest trace, and a registry of them by name.
//!
//! All but [`Wide`] are the AIRs of section 15 of the Goldilocks protocol, constraint by constraint: their proofs are fixed
//! to the byte, so the order, the sign and the scale of every constraint matter.

mod bit_flags;
mod fibonacci_2_columns;
mod fibonacci_rap;
mod memory;
mod periodic;
mod quadratic;
mod read_only_memory;
mod read_only_memory_logup;
mod simple_fibonacci;
mod wide;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use gpu_hal::{CosetProtocol, Protocol};

pub use bit_flags::BitFlags;
pub use fibonacci_2_columns::Fibonacci2Columns;
pub use fibonacci_rap::FibonacciRap;
pub use periodic::PeriodicFibonacci;
pub use quadratic::Quadratic;
pub use read_only_memory::ReadOnlyMemory;
pub use read_only_memory_logup::ReadOnlyMemoryLogup;
pub use simple_fibonacci::SimpleFibonacci;
pub use wide::Wide;

use crate::air::MAX_LOG_ROWS;
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
    /// What it is if not given; `None` if it must be given.
    pub default: Option<ParamDefault>,
}

/// What a statement has of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// The statement depends on it, and names it: a file holds it.
    Public,
    /// The statement's public values are computed from it, in time by the rows. A file holds the values: who verifies needs the
    /// parameter as little as whoever proves need tell it.
    Preimage,
    /// It chooses among the traces of one statement: a proof says nothing about it.
    Private,
}

/// Value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamDefault {
    /// This.
    Value(u64),
    /// One less than the number of rows.
    RowsMinusOne,
}

impl ParamDefault {
    /// The value in a trace of `rows` rows.
    pub fn value(self, rows: u64) -> u64 {
        match self {
            Self::Value(value) => value,
            Self::RowsMinusOne => rows.saturating_sub(1),
        }
    }
}

/// What there is to know about an example AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirInfo {
    /// Its name.
    pub name: &'static str,
    /// What it states.
    pub summary: &'static str,
    /// Its parameters besides the number of rows.
    pub params: &'static [ParamInfo],
}

static ALL: [AirInfo; 9] = [
    fibonacci_rap::INFO,
    simple_fibonacci::INFO,
    fibonacci_2_columns::INFO,
    quadratic::INFO,
    periodic::INFO,
    read_only_memory::INFO,
    read_only_memory_logup::INFO,
    bit_flags::INFO,
    wide::INFO,
];

/// The example AIRs.
pub fn all() -> &'static [AirInfo] {
    &ALL
}

/// Builds the named example AIR for a trace of `rows` rows.
///
/// # Errors
/// [`AirError::UnknownAir`], [`AirError::UnknownParam`], [`AirError::MissingParam`], [`AirError::BadParam`].
pub fn build<P: CosetProtocol>(
    name: &str,
    rows: u64,
    params: &BTreeMap<String, u64>,
) -> Result<Arc<dyn ExampleAir<P>>, AirError> {
    let info = ALL.iter().find(|info| info.name == name).ok_or_else(|| AirError::UnknownAir {
        name: name.to_owned(),
        known: ALL.iter().map(|info| info.name).collect(),
    })?;
    if let Some(param) = params.keys().find(|param| info.params.iter().all(|known| known.name != param.as_str())) {
        return Err(AirError::UnknownParam {
            air: info.name,
            param: param.clone(),
            known: info.params.iter().map(|known| known.name).collect(),
        });
    }
    let values = info
        .params
        .iter()
        .map(|param| {
            let default = param.default.map(|default| default.value(rows));
            params.get(param.name).copied().or(default).ok_or(AirError::MissingParam {
                air: info.name,
                param: param.name,
                summary: param.summary,
            })
        })
        .collect::<Result<Vec<u64>, _>>()?;
    Ok(match (info.name, values.as_slice()) {
        ("fibonacci-rap", &[steps]) => Arc::new(FibonacciRap::new(rows, steps)?),
        ("simple-fibonacci", []) => Arc::new(SimpleFibonacci::new(rows)?),
        ("fibonacci-2-columns", []) => Arc::new(Fibonacci2Columns::new(rows)?),
        ("quadratic", []) => Arc::new(Quadratic::new(rows)?),
        ("periodic", []) => Arc::new(PeriodicFibonacci::new(rows)?),
        ("read-only-memory", []) => Arc::new(ReadOnlyMemory::new(rows)?),
        ("read-only-memory-logup", []) => Arc::new(ReadOnlyMemoryLogup::new(rows)?),
        ("bit-flags", []) => Arc::new(BitFlags::new(rows)?),
        ("wide", &[width, degree]) => Arc::new(Wide::new(rows, width, degree)?),
        _ => unreachable!("every entry of the registry is built above, from as many values as it has parameters"),
    })
}

/// Log2 of a legal number of rows.
fn log_rows(air: &'static str, rows: u64, least: u64) -> Result<u32, AirError> {
    if !rows.is_power_of_two() || rows < least || rows > 1 << MAX_LOG_ROWS {
        let reason = format!("a power of two from {least} to 2^{MAX_LOG_ROWS} is needed");
        return Err(AirError::BadParam { air, param: "rows", value: rows, reason });
    }
    Ok(rows.trailing_zeros())
}

/// A table whose shape is right by construction.
fn table<F: field::Field>(columns: Vec<Vec<F>>) -> Trace<F> {
    Trace::from_columns(columns).expect("the columns have one power-of-two length")
}
