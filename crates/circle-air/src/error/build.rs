//! The choice of an AIR and of its parameters.

use proof_format::text::excerpt;

/// An AIR that does not exist, or parameters that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No such AIR.
    #[error("unknown AIR `{}`; there are: {}", excerpt(name), known.join(", "))]
    UnknownAir {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// No such parameter.
    #[error("{air} has no parameter `{}`; it has: {}", excerpt(param), if known.is_empty() { "none".to_owned() } else { known.join(", ") })]
    UnknownParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: String,
        /// The parameters that there are.
        known: Vec<&'static str>,
    },
    /// A parameter given twice.
    #[error("parameter `{}` of {air} is given twice", excerpt(param))]
    DuplicateParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: String,
    },
    /// A parameter that must be given is missing.
    #[error("{air} needs parameter `{param}`: {summary}")]
    MissingParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: &'static str,
        /// Its meaning.
        summary: &'static str,
    },
    /// A parameter with a value that it cannot have.
    #[error("parameter `{}` of {air} cannot be `{}`: {reason}", excerpt(param), excerpt(value))]
    BadParam {
        /// The AIR.
        air: &'static str,
        /// The parameter.
        param: &'static str,
        /// Its value.
        value: String,
        /// The requirement.
        reason: String,
    },
    /// Words that are not the statement's.
    #[error("these are not the public values of a statement of {air}: {what} is {found}, not {expected}")]
    Words {
        /// The AIR.
        air: &'static str,
        /// The compared thing.
        what: String,
        /// The given number.
        found: u64,
        /// The statement's.
        expected: u64,
    },
}
