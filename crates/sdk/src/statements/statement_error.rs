//! Why there is no such statement.

use air::AirError;
use proof_format::DecodeError;
use proof_format::text::excerpt;

use crate::similar::meant;

/// Why an AIR that was asked for, or that a file names, is not there or not with these values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatementError {
    /// No AIR of that name.
    #[error("no AIR `{}`{}; there are: {}", excerpt(name), meant(name, known), listed(known))]
    UnknownAir {
        /// The requested name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The AIR has no such parameter.
    #[error("`{air}` has no parameter `{}`{}; it has: {}", excerpt(param), meant(param, known), listed(known))]
    UnknownParam {
        /// The AIR.
        air: String,
        /// The parameter.
        param: String,
        /// The parameters that it has: for a file, the public ones.
        known: Vec<String>,
    },
    /// A parameter that must be given was not.
    #[error("`{air}` needs the parameter `{param}`: {summary}")]
    MissingParam {
        /// The AIR.
        air: String,
        /// The parameter.
        param: String,
        /// Its meaning.
        summary: String,
    },
    /// A file holds a parameter that files leave out where it has its default.
    #[error("the file says `{param}` = {default} of `{air}`: files leave the parameter out where it has that value")]
    Stated {
        /// The AIR.
        air: String,
        /// The parameter.
        param: String,
        /// Its default.
        default: u64,
    },
    /// The builder of the statement asks for a parameter that it has not declared, or that a verifier does not have.
    #[error(
        "the parameter `{}` is not there: declare it; a verifier has public parameters alone, and takes the rest from the public values",
        excerpt(param)
    )]
    NoValue {
        /// The parameter.
        param: String,
    },
    /// A number of rows that the AIR cannot have.
    #[error(
        "`{air}` cannot have {rows} rows: a power of two from 2^{least} to 2^{most} is needed{}",
        nearest_rows(*rows, *least, *most)
    )]
    Rows {
        /// The AIR.
        air: String,
        /// The requested number.
        rows: u64,
        /// Log2 of the fewest.
        least: u32,
        /// Log2 of the most.
        most: u32,
    },
    /// A name that no file can hold.
    #[error(
        "`{}` can't be the name of an AIR or a parameter: take 1 to 64 characters of a-z, A-Z, 0-9, `-`, `_` and `.`",
        excerpt(_0)
    )]
    Name(String),
    /// The public values belong to no statement of the AIR.
    #[error("the public values are not those of the statement: {0}")]
    Public(String),
    /// There is no trace where one is asked for.
    #[error("`{0}` comes without a trace: give it to Device::prove_air, or name a file with --trace-file")]
    NoTrace(String),
    /// A Goldilocks AIR that does not exist with these parameters, or contradicts itself.
    #[error(transparent)]
    Air(#[from] AirError),
    /// An error of one protocol alone.
    #[error(transparent)]
    Specific(Box<dyn std::error::Error + Send + Sync>),
    /// The file of an AIR.
    #[error("the AIR cannot be read: {0}")]
    AirFile(#[source] DecodeError),
    /// An AIR that no file can hold.
    #[error(
        "`{0}` is made of components with code of their own: AIRs of rows, as `air::Air` declares them, can be written to files"
    )]
    NoAirFile(String),
    /// An error of a user's own AIR, or of the file of a trace.
    #[error("{0}")]
    Other(String),
}

/// The numbers of rows that are nearest to an impossible one.
fn nearest_rows(rows: u64, least: u32, most: u32) -> String {
    let below = rows.checked_ilog2().unwrap_or(0).clamp(least, most);
    let above = if rows.is_power_of_two() { below } else { below.saturating_add(1).clamp(least, most) };
    // A number below the least, or above the most, has one neighbour.
    let near = |log: u32| 1u64.checked_shl(log).map_or_else(|| format!("2^{log}"), |rows| rows.to_string());
    match rows < 1u64.checked_shl(least).unwrap_or(u64::MAX) || below == above {
        true => format!("; the nearest is {}", near(below)),
        false => format!("; the nearest are {} and {}", near(below), near(above)),
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_rows_have_neighbours() {
        let of = |rows| nearest_rows(rows, 3, 20);
        assert_eq!(of(1000), "; the nearest are 512 and 1024");
        assert_eq!(
            (of(0), of(2), of(7)),
            ("; the nearest is 8".into(), "; the nearest is 8".into(), "; the nearest is 8".into())
        );
        assert_eq!((of(1 << 21), of(u64::MAX)), ("; the nearest is 1048576".into(), "; the nearest is 1048576".into()));
        assert_eq!(of((1 << 19) + 1), "; the nearest are 524288 and 1048576");
    }
}
