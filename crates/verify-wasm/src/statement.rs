//! Checks of both protocols on the statement that a file names, before it is built.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::Refusal;

/// An AIR as files name it: its name, log2 of the rows that it may have, name and meaning of its public parameters.
pub(crate) struct NamedAir {
    pub(crate) name: &'static str,
    pub(crate) log_rows: RangeInclusive<u32>,
    pub(crate) params: Vec<(&'static str, &'static str)>,
}

impl NamedAir {
    /// Whether the file has rows that the AIR can have, all of its public parameters and no others: a default would
    /// give one statement two files.
    pub(crate) fn check(&self, log_rows: u32, given: &BTreeMap<String, u64>) -> Result<(), Refusal> {
        let name = self.name;
        let refuse = |reason| Err(Refusal::Statement(reason));
        if !self.log_rows.contains(&log_rows) {
            let (rows, least, most) = (1_u64 << log_rows, self.log_rows.start(), self.log_rows.end());
            return refuse(format!(
                "`{name}` cannot have {rows} rows: a power of two from 2^{least} to 2^{most} is needed"
            ));
        }
        if let Some((param, summary)) = self.params.iter().find(|(param, _)| !given.contains_key(*param)) {
            return refuse(format!("`{name}` needs the parameter `{param}`: {summary}"));
        }
        let known: Vec<&str> = self.params.iter().map(|(param, _)| *param).collect();
        match given.keys().find(|param| !known.contains(&param.as_str())) {
            None => Ok(()),
            Some(param) => {
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                refuse(format!("`{name}` has no parameter `{param}`; it has: {known}"))
            }
        }
    }
}
