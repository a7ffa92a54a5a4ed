//! Programs as their users have them, turned into runs that can be proven.
//!
//! [`load`] reads a compiled program of Cairo 0 with its hints, an executable of Cairo 1 with its arguments, or a run that
//! somebody else has made. It refuses each run that no proof can state, with its place and a remedy, so that no later code
//! needs to expect one.

use super::adapt::Adapted;
use super::bounds::Bounds;
use super::{arguments, compiled, executable};
use crate::kind::{detect, is_json};
use crate::{Felt252, InputError, Kind, Loaded, Problem, check, read_prover_input};

/// Steps after which a run is given up, unless the caller says otherwise: 2^27. They take [`super::STEP_BYTES`] each.
pub const DEFAULT_MAX_STEPS: usize = 1 << 27;

/// Addresses with which a run is given up, unless the caller says otherwise: 2^27. They take [`super::ADDRESS_BYTES`] each.
pub const DEFAULT_MAX_ADDRESSES: usize = 1 << 27;

/// How an input is read and run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name that errors call the program by, for example its file name.
    pub name: String,
    /// The kind of the input; `None` finds it out from the bytes.
    pub kind: Option<Kind>,
    /// The words that an executable takes as its arguments (the Serde form of `main`'s parameters).
    pub arguments: Vec<Felt252>,
    /// The JSON value that hints of a compiled program know as `program_input`.
    pub program_input: Option<serde_json::Value>,
    /// A run that takes more steps is given up. Each turn of a hint's loop counts as a step.
    pub max_steps: usize,
    /// A run that takes more addresses is given up: those of all segments together, from the first cell of each to the last
    /// that is read or written, and one for each segment. Without such a bound a single step could take all memory.
    pub max_addresses: usize,
    /// A run that takes more bytes of memory is given up, at [`super::STEP_BYTES`] for a step and [`super::ADDRESS_BYTES`] for an address;
    /// `None` looks at steps and addresses alone. Steps and addresses as many as the defaults allow take about 36 GB.
    pub max_memory: Option<u64>,
}

impl Options {
    /// The bounds of the run.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { steps: self.max_steps, addresses: self.max_addresses, memory: self.max_memory }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "the program".into(),
            kind: None,
            arguments: Vec::new(),
            program_input: None,
            max_steps: DEFAULT_MAX_STEPS,
            max_addresses: DEFAULT_MAX_ADDRESSES,
            max_memory: None,
        }
    }
}

/// Reads an input, runs it if it is a program, and checks that the result can be proven.
///
/// # Errors
/// Bytes that are no input, arguments that do not fit, a program that fails, and a run that no proof can state.
pub fn load(bytes: &[u8], options: &Options) -> Result<Loaded, InputError> {
    let mut printed = String::new();
    match load_any(bytes, options, &mut printed) {
        Ok(loaded) => Ok(Loaded { printed, ..loaded }),
        Err(problem) => Err(InputError { program: options.name.clone(), problem: Box::new(problem), printed }),
    }
}

fn load_any(bytes: &[u8], options: &Options, printed: &mut String) -> Result<Loaded, Problem> {
    // Only a text has such a mark.
    let text = arguments::without_mark(bytes);
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
    match kind {
        Kind::Compiled => trusted(kind, compiled::run(bytes, options)?),
        Kind::Executable => trusted(kind, executable::run(bytes, options, printed)?),
        Kind::ProverInput => Loaded::from_run(read_prover_input(bytes)?),
    }
}

/// Checks a run that our own machine has made, and reads what it makes public.
pub(super) fn trusted(kind: Kind, mut adapted: Adapted) -> Result<Loaded, Problem> {
    let output_holes = std::mem::take(&mut adapted.output_holes);
    let run = adapted.into_run();
    let public = check::trusted(&run)?;
    Ok(Loaded { output_holes, ..Loaded::new(kind, run, &public) })
}
