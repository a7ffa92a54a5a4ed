//! Descriptions of the shipped AIRs.

use air::airs::ParamKind;

use crate::BuildError;

/// A parameter of a shipped AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Its meaning and range.
    pub summary: &'static str,
    /// The value if none is given; `None` if one must be given.
    pub default: Option<u64>,
    /// How it enters the statement.
    pub kind: ParamKind,
}

/// The description of a shipped AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirInfo {
    /// Its name.
    pub name: &'static str,
    /// The claim that a proof of it makes.
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
