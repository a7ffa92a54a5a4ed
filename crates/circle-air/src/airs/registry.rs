//! The shipped AIRs by name.

use std::sync::Arc;

use field::{M31, PrimeField};

use super::{Blake2s, Fibonacci, Plonk, Poseidon2, RangeSquares, RpoM31, ShippedAir, WideFibonacci};
use super::{blake2s, fibonacci, plonk, poseidon2, range_squares, rpo_m31, wide_fibonacci};
use crate::BuildError;

/// A parameter of a shipped AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Its meaning and range.
    pub summary: &'static str,
    /// What it is if not given; `None` if it must be given.
    pub default: Option<u64>,
    /// Whether the statement depends on it. One that does not only chooses among traces: a proof says nothing about it.
    pub is_public: bool,
}

/// What there is to know about a shipped AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirInfo {
    /// Its name.
    pub name: &'static str,
    /// What it states.
    pub summary: &'static str,
    /// Log2 of the fewest rows.
    pub least_log_rows: u32,
    /// Log2 of the most rows.
    pub most_log_rows: u32,
    /// Its parameters besides the number of rows.
    pub params: &'static [ParamInfo],
}

impl AirInfo {
    /// Whether the AIR can have `2^log_rows` rows.
    pub(super) fn check_rows(&self, log_rows: u32) -> Result<(), BuildError> {
        if (self.least_log_rows..=self.most_log_rows).contains(&log_rows) {
            return Ok(());
        }
        let reason = format!("2^{} to 2^{} are possible", self.least_log_rows, self.most_log_rows);
        Err(BuildError::BadParam { air: self.name, param: "rows", value: format!("2^{log_rows}"), reason })
    }
}

static ALL: [AirInfo; 7] = [
    fibonacci::INFO,
    wide_fibonacci::INFO,
    plonk::INFO,
    range_squares::INFO,
    poseidon2::INFO,
    blake2s::INFO,
    rpo_m31::INFO,
];

/// The shipped AIRs.
pub fn all() -> &'static [AirInfo] {
    &ALL
}

/// Builds the named AIR for `2^log_rows` rows (of the first component, where there are several). Parameters are decimal
/// numbers.
///
/// # Errors
/// [`BuildError`] if there is no such AIR or parameter, or the value is not possible; it says what is.
pub fn build(name: &str, log_rows: u32, params: &[(String, String)]) -> Result<Arc<dyn ShippedAir>, BuildError> {
    let info = ALL.iter().find(|info| info.name == name).ok_or_else(|| BuildError::UnknownAir {
        name: name.to_owned(),
        known: ALL.iter().map(|info| info.name).collect(),
    })?;
    let air = info.name;
    for (index, (param, _)) in params.iter().enumerate() {
        if info.params.iter().all(|known| known.name != param) {
            let known = info.params.iter().map(|known| known.name).collect();
            return Err(BuildError::UnknownParam { air, param: param.clone(), known });
        }
        if params[..index].iter().any(|(earlier, _)| earlier == param) {
            return Err(BuildError::DuplicateParam { air, param: param.clone() });
        }
    }
    info.check_rows(log_rows)?;
    let value = |param: &ParamInfo| {
        let given = params.iter().find(|(name, _)| name == param.name).map(|(_, value)| value);
        match (given, param.default) {
            (Some(text), _) => text.parse::<u64>().map_err(|_| BuildError::BadParam {
                air,
                param: param.name,
                value: text.clone(),
                reason: "a decimal number below 2^64 is needed".to_owned(),
            }),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(BuildError::MissingParam { air, param: param.name, summary: param.summary }),
        }
    };
    let values = info.params.iter().map(value).collect::<Result<Vec<u64>, _>>()?;
    Ok(match (air, values.as_slice()) {
        ("fibonacci", &[a, b]) => Arc::new(Fibonacci::new(log_rows, element(air, "a", a)?, element(air, "b", b)?)?),
        ("wide-fibonacci", &[w, s]) => Arc::new(WideFibonacci::new(log_rows, saturate(w), element(air, "s", s)?)?),
        ("plonk", &[v0, v1]) => Arc::new(Plonk::new(log_rows, element(air, "v0", v0)?, element(air, "v1", v1)?)?),
        ("range-squares", &[table, s]) => {
            Arc::new(RangeSquares::new(log_rows, saturate(table), in_range(air, "s", s, 0, u32::MAX)?)?)
        }
        ("poseidon2", &[s]) => Arc::new(Poseidon2::new(log_rows, element(air, "s", s)?)?),
        ("blake2s", &[s]) => Arc::new(Blake2s::new(log_rows, in_range(air, "s", s, 0, u32::MAX)?)?),
        ("rpo-m31", &[s]) => Arc::new(RpoM31::new(log_rows, element(air, "s", s)?)?),
        _ => unreachable!("every entry of the registry is built above, from as many values as it has parameters"),
    })
}

/// What an AIR with a smaller range refuses by itself.
fn saturate(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn element(air: &'static str, param: &'static str, value: u64) -> Result<M31, BuildError> {
    M31::from_canonical(value).ok_or_else(|| BuildError::BadParam {
        air,
        param,
        value: value.to_string(),
        reason: format!("a number below {} is needed", M31::ORDER),
    })
}

/// The value if it is in the range.
pub(super) fn in_range(
    air: &'static str,
    param: &'static str,
    value: u64,
    least: u32,
    most: u32,
) -> Result<u32, BuildError> {
    u32::try_from(value).ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| BuildError::BadParam {
        air,
        param,
        value: value.to_string(),
        reason: format!("a number from {least} to {most} is needed"),
    })
}
