//! Example AIRs, each with its honest trace, and a registry of them by name.
//!
//! All but [`Wide`] are the AIRs of section 15 of the Goldilocks protocol, constraint by constraint: their proofs are
//! fixed to the byte, so the order, the sign and the scale of every constraint matter.

mod bit_flags;
mod example;
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
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use gpu_hal::CosetProtocol;

pub use bit_flags::BitFlags;
pub use example::{AirInfo, ExampleAir, FREE, ParamDefault, ParamInfo, ParamKind};
pub use fibonacci_2_columns::Fibonacci2Columns;
pub use fibonacci_rap::FibonacciRap;
pub use periodic::PeriodicFibonacci;
pub use quadratic::Quadratic;
pub use read_only_memory::ReadOnlyMemory;
pub use read_only_memory_logup::ReadOnlyMemoryLogup;
pub use simple_fibonacci::SimpleFibonacci;
pub use wide::Wide;

use crate::AirError;

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
    let used = rows.saturating_sub(params.get(FREE.name).copied().unwrap_or(0));
    let values = info
        .params
        .iter()
        .map(|param| {
            let default = param.default.map(|default| default.value(used));
            params.get(param.name).copied().or(default).ok_or(AirError::MissingParam {
                air: info.name,
                param: param.name,
                summary: param.summary,
            })
        })
        .collect::<Result<Vec<u64>, _>>()?;
    Ok(match (info.name, values.as_slice()) {
        ("fibonacci-rap", &[steps, free]) => Arc::new(FibonacciRap::with_free(rows, steps, free)?),
        ("simple-fibonacci", &[free]) => Arc::new(SimpleFibonacci::with_free(rows, free)?),
        ("fibonacci-2-columns", &[free]) => Arc::new(Fibonacci2Columns::with_free(rows, free)?),
        ("quadratic", &[free]) => Arc::new(Quadratic::with_free(rows, free)?),
        ("periodic", []) => Arc::new(PeriodicFibonacci::new(rows)?),
        ("read-only-memory", []) => Arc::new(ReadOnlyMemory::new(rows)?),
        ("read-only-memory-logup", []) => Arc::new(ReadOnlyMemoryLogup::new(rows)?),
        ("bit-flags", []) => Arc::new(BitFlags::new(rows)?),
        ("wide", &[width, degree, free]) => Arc::new(Wide::with_free(rows, width, degree, free)?),
        _ => unreachable!("every entry of the registry is built above, from as many values as it has parameters"),
    })
}
