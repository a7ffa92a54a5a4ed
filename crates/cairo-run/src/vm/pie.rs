//! The run of a program as a task of a bootloader, as a CairoPIE.

use super::load::input;
use super::options::Options;
use super::{compiled, executable, failure};
use crate::pie::CairoPie;
use crate::{Failure, InputError, Kind, Problem};

/// A run as a task of a bootloader.
#[derive(Clone, Debug)]
pub struct Task {
    /// The kind of the input.
    pub kind: Kind,
    /// The run.
    pub pie: CairoPie,
    /// The text that an executable has printed, see [`crate::Loaded::printed`].
    pub printed: String,
}

/// Runs a program as bootloaders do: a compiled program from `main`, an executable from its Bootloader entry point. All
/// builtins are there, also those that no proof takes. The run is checked as `Options::secure` says, always.
///
/// # Errors
/// As [`super::load()`]'s; a run that was made elsewhere is refused.
pub fn run_task(bytes: &[u8], options: &Options) -> Result<Task, InputError> {
    let mut printed = String::new();
    match task(bytes, options, &mut printed) {
        Ok((kind, pie)) => Ok(Task { kind, pie, printed }),
        Err(problem) => Err(InputError { program: options.name.clone(), problem: Box::new(problem), printed }),
    }
}

fn task(bytes: &[u8], options: &Options, printed: &mut String) -> Result<(Kind, CairoPie), Problem> {
    let (kind, bytes) = input(bytes, options)?;
    if options.tasks.is_some() {
        return Err(Problem::Arguments("the run of a bootloader is proven, and is no task itself".into()));
    }
    let runner = match kind {
        Kind::Compiled => compiled::run_task(bytes, options)?,
        Kind::Executable => executable::run_task(bytes, options, printed)?,
        Kind::ProverInput => {
            return Err(Problem::Arguments(format!("{kind} is a run already, in proof mode: give the program itself")));
        }
    };
    let failed = |message: String| Failure { pc: None, task: None, message, panic: None, source: None };
    let pie = runner.get_cairo_pie().map_err(|error| failure::around(&error))?;
    let pie = CairoPie::try_from(pie).map_err(|error| failed(error.to_string()))?;
    Ok((kind, pie))
}
