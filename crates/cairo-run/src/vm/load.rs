//! Programs as their users have them, turned into runs that can be proven.
//!
//! [`load`] reads a compiled program of Cairo 0 with its hints, an executable of Cairo 1 with its arguments, or a run
//! that somebody else has made. It refuses each run that no proof can state, with its place and a remedy, so that no
//! later code needs to expect one.

use super::adapt::Adapted;
use super::bootloader::is_bootloader;
use super::options::{Options, OwnHints};
use super::{compiled, executable};
use crate::arguments::without_mark;
use crate::detect::{detect, is_json};
use crate::{InputError, Kind, Loaded, Problem, RunBy, check, read_prover_input};

/// Reads an input, runs it if it is a program, and checks that the result can be proven.
///
/// # Errors
/// Bytes that are no input, arguments that do not fit, a program that fails, and a run that no proof can state.
pub fn load(bytes: &[u8], options: &Options) -> Result<Loaded, InputError> {
    let mut printed = String::new();
    options.signs.begin();
    match load_any(bytes, options, &mut printed) {
        Ok(loaded) => Ok(Loaded { printed, ..loaded }),
        Err(problem) => Err(InputError { program: options.name.clone(), problem: Box::new(problem), printed }),
    }
}

fn load_any(bytes: &[u8], options: &Options, printed: &mut String) -> Result<Loaded, Problem> {
    let (kind, bytes) = input(bytes, options)?;
    match kind {
        Kind::Compiled => trusted(kind, compiled::run(bytes, options, printed)?),
        Kind::Executable => trusted(kind, executable::run(bytes, options, printed)?),
        Kind::ProverInput => Loaded::from_run(read_prover_input(bytes)?),
    }
}

/// The kind of an input, which takes the arguments that are given, and its bytes without the mark of a text.
pub(super) fn input<'a>(bytes: &'a [u8], options: &Options) -> Result<(Kind, &'a [u8]), Problem> {
    // Only a text has such a mark.
    let text = without_mark(bytes);
    let bytes = if is_json(text) { text } else { bytes };
    let kind = match options.kind {
        Some(kind) => kind,
        None => detect(bytes)?,
    };
    if kind != Kind::Executable && !options.arguments.is_empty() {
        return Err(Problem::Arguments(format!("{kind} takes none; only an executable of Cairo 1 does")));
    }
    if kind != Kind::Compiled && options.program_input.is_some() {
        return Err(Problem::Arguments(format!("{kind} has no program input; only a compiled program has")));
    }
    if options.own_hints != OwnHints::Refused && kind != Kind::Compiled {
        return Err(Problem::Arguments(format!("{kind} has no hints in Python; only a compiled program has")));
    }
    if options.own_hints != OwnHints::Refused && options.tasks.is_some() {
        return Err(Problem::Arguments("hints of tasks do not run as Python (--hints python)".to_owned()));
    }
    if kind != Kind::Compiled && options.tasks.is_some() {
        return Err(Problem::Arguments(format!("{kind} takes no tasks; only a compiled program does")));
    }
    if options.tasks.is_some() && !is_bootloader(bytes) {
        return Err(Problem::Arguments("tasks are given, and the program is no bootloader that takes them".to_owned()));
    }
    Ok((kind, bytes))
}

/// Checks a run that a machine has made here, and reads its public memory.
pub(super) fn trusted(kind: Kind, mut adapted: Adapted) -> Result<Loaded, Problem> {
    let output_holes = std::mem::take(&mut adapted.output_holes);
    let (run_by, resources, tasks) = (adapted.run_by.clone(), adapted.resources.take(), adapted.tasks.take());
    let run = adapted.into_run();
    let public = check::trusted(&run, run_by == RunBy::Own)?;
    Ok(Loaded { output_holes, run_by, resources, tasks, ..Loaded::new(kind, run, &public) })
}
