//! Why there is no such statement.

use air::AirError;
use proof_format::DecodeError;
use proof_format::text::shown;

/// Why an AIR that was asked for, or that a file names, is not there or not with these values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatementError {
    /// No AIR of that name.
    #[error("no AIR `{}`; there are: {}", shown(name), listed(known))]
    UnknownAir {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The AIR has no such parameter.
    #[error("`{air}` has no parameter `{}`; it has: {}", shown(param), listed(known))]
    UnknownParam {
        /// The AIR.
        air: String,
        /// The parameter.
        param: String,
        /// What it has: for a file, the public ones.
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
    /// Whoever builds the statement asks for a parameter that it has not declared, or that a verifier does not have.
    #[error(
        "the parameter `{}` is not there: declare it; a verifier has public parameters alone, and takes the rest from the public values",
        shown(param)
    )]
    NoValue {
        /// The parameter.
        param: String,
    },
    /// A number of rows that the AIR cannot have.
    #[error("`{air}` cannot have {rows} rows: a power of two from 2^{least} to 2^{most} is needed")]
    Rows {
        /// The AIR.
        air: String,
        /// What was asked for.
        rows: u64,
        /// Log2 of the fewest.
        least: u32,
        /// Log2 of the most.
        most: u32,
    },
    /// A name that no file can hold.
    #[error(
        "`{}` can't be the name of an AIR or a parameter: take 1 to 64 characters of a-z, A-Z, 0-9, `-`, `_` and `.`",
        shown(_0)
    )]
    Name(String),
    /// The public values are not those of a statement of the AIR.
    #[error("the public values are not those of the statement: {0}")]
    Public(String),
    /// There is no trace where one is asked for.
    #[error("`{0}` comes without a trace: give it to Device::prove_air, or name a file with --trace-file")]
    NoTrace(String),
    /// A Goldilocks AIR that does not exist with these parameters, or contradicts itself.
    #[error(transparent)]
    Air(#[from] AirError),
    /// The same, of the Circle protocol.
    #[cfg(feature = "circle")]
    #[error(transparent)]
    Circle(#[from] circle_air::BuildError),
    /// The file of an AIR.
    #[error("the AIR cannot be read: {0}")]
    AirFile(#[source] DecodeError),
    /// An AIR that no file can hold.
    #[error(
        "`{0}` is made of components with code of their own: AIRs of rows, as `air::Air` declares them, can be written to files"
    )]
    NoAirFile(String),
    /// An AIR of rows that the Circle protocol cannot state.
    #[cfg(feature = "circle")]
    #[error(transparent)]
    Lower(#[from] circle_air::LowerError),
    /// The file of a trace.
    #[cfg(feature = "cli")]
    #[error("the trace {}: {source}", path.display())]
    TraceFile {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        source: trace_file::TraceFileError,
    },
    /// What an AIR of one's own says.
    #[error("{0}")]
    Other(String),
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
