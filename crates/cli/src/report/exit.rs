//! Exit codes, and the errors that lead to them.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use super::findings::{self, FindingsView};
use sdk::proof_format::text::{bounded, excerpt, plain};
use sdk::{Class, Error, StatementError};

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Proven, or valid.
    Success = 0,
    /// The proof is invalid, or not the requested one.
    Invalid = 1,
    /// The arguments or the input make no sense.
    Usage = 2,
    /// The device failed or is not there.
    Device = 3,
    /// The policy does not take the proof, which may be valid.
    Refused = 4,
    /// Some programs of a batch have no proof.
    Partial = 5,
}

impl Code {
    /// A short name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "ok",
            Self::Invalid => "invalid",
            Self::Usage => "usage",
            Self::Device => "device",
            Self::Refused => "refused by policy",
            Self::Partial => "partly proven",
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// The reason why a subcommand failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The findings of a check of a trace.
    pub(crate) findings: Option<Box<FindingsView>>,
    /// The output of a program before it failed.
    pub(crate) printed: Option<String>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), findings: None, printed: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// The proof is not the requested one.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }

    /// The message, of bounded length: findings of a check are as many as were asked for.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        if self.findings.is_some() { Cow::Borrowed(&self.message) } else { bounded(&self.message) }
    }

    /// Something about a file went wrong.
    pub(crate) fn file(path: &Path, error: impl Display) -> Self {
        let path = path.to_string_lossy();
        // No file of the system has a longer path.
        let path = if path.len() > 4096 { excerpt(&path).to_string() } else { plain(&path) };
        Self::usage(format!("{path}: {error}"))
    }
}

impl From<StatementError> for Failure {
    fn from(error: StatementError) -> Self {
        Error::from(error).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error.class() {
            Class::Invalid => Code::Invalid,
            Class::Input => Code::Usage,
            Class::Device => Code::Device,
            Class::Refused => Code::Refused,
        };
        Self {
            findings: findings::of(&error),
            printed: error.printed().map(str::to_owned),
            ..Self::new(code, error.to_string())
        }
    }
}
