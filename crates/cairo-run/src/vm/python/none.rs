//! A build without Python, or a system without the limits that it needs: no hint of a program's own runs.

use std::convert::Infallible;

use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use crate::Problem;
use crate::vm::hints::library::At;
use crate::vm::options::{Options, OwnHints};

/// There is none.
#[derive(Clone)]
pub(in crate::vm) struct Python(Infallible);

/// There is none.
pub(in crate::vm) struct Code(Infallible);

#[cfg(not(feature = "python-hints"))]
const WHY: &str = "this program was built without Python for hints (--hints python); build it with the feature \
                   `python-hints`";
#[cfg(feature = "python-hints")]
const WHY: &str = "hints in Python (--hints python) need limits of memory that this system does not have; run the \
                   program on Linux, or prove a run that was made there";

impl Python {
    /// None.
    ///
    /// # Errors
    /// Python is asked for.
    pub(in crate::vm) fn of(_: &Program, options: &Options) -> Result<Option<Self>, Problem> {
        match options.own_hints {
            OwnHints::Refused => Ok(None),
            OwnHints::Python(_) => Err(Problem::Arguments(WHY.into())),
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

/// Serves no hints: this system has no process that is limited so that it may.
#[cfg(feature = "python-hints")]
pub fn serve_hints() -> Option<std::process::ExitCode> {
    None
}
