//! A build without Python: no hint of a program's own runs.

use std::convert::Infallible;

use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use crate::Problem;
use crate::vm::library::At;
use crate::vm::options::OwnHints;

/// There is none.
#[derive(Clone)]
pub(in crate::vm) struct Python(Infallible);

/// There is none.
pub(in crate::vm) struct Code(Infallible);

impl Python {
    /// None.
    ///
    /// # Errors
    /// Python is asked for.
    pub(in crate::vm) fn of(_: &Program, hints: OwnHints) -> Result<Option<Self>, Problem> {
        match hints {
            OwnHints::Refused => Ok(None),
            OwnHints::Python => Err(Problem::Arguments(
                "this program was built without Python for hints (--hints python); build it with the feature \
                 `python-hints`"
                    .into(),
            )),
        }
    }

    pub(in crate::vm) fn code(&self, _: &str) -> Code {
        Code(self.0)
    }

    pub(in crate::vm) fn take_printed(&self) -> String {
        match self.0 {}
    }
}

impl Code {
    pub(in crate::vm) fn run(&self, _: &mut At<'_>, _: Option<&Value>) -> Result<(), HintError> {
        match self.0 {}
    }
}

/// Runs work on the stack of the caller.
pub(in crate::vm) fn with_stack<T>(_: OwnHints, work: impl FnOnce() -> T) -> Result<T, Problem> {
    Ok(work())
}
