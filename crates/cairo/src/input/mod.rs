//! Programs as their users have them, turned into what the prover takes.
//!
//! [`load`] reads three kinds of input: a compiled program (JSON of the Cairo 0 compiler, with its hints), an
//! executable of the Cairo 1 compiler with its arguments, and a ProverInput that somebody else's run has made. The
//! first two are run by cairo-vm and adapted as stwo-cairo-adapter does it. Whatever no proof can state is refused
//! here, with its place and a remedy, so that nothing behind this module needs to expect it.
//!
//! ```text
//! bytes -> kind -> program + hints -> run -> adapt -> checks on what the statement says -> Loaded
//!              \-> ProverInput from a file ----> all checks, as nobody vouches for it -/
//! ```

mod adapt;
mod arguments;
mod bounds;
mod check;
mod compiled;
mod drive;
mod error;
mod executable;
mod failure;
mod guard;
mod hints;
mod instruction;
pub(crate) mod kind;
mod library;
mod limits;
mod machine;
mod memory;
mod program_input;
mod prover_input;
mod public;
mod run;

use cairo_vm::Felt252;
use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use stwo_cairo_adapter::ProverInput;

use adapt::Adapted;
pub use arguments::{parse_arguments_file, parse_arguments_list, parse_program_input};
pub use bounds::{ADDRESS_BYTES, STEP_BYTES};
pub use error::{Failure, InputError, Place, Problem, Reason, Refusal};
pub use hints::MAX_PRINTED_BYTES;
pub use kind::Kind;
pub use limits::{check_variant, smallest_variant};
pub use prover_input::write_prover_input;

/// Steps after which a run is given up, unless the caller says otherwise: 2^27. They take [`STEP_BYTES`] each.
pub const DEFAULT_MAX_STEPS: usize = 1 << 27;

/// Addresses with which a run is given up, unless the caller says otherwise: 2^27. They take [`ADDRESS_BYTES`] each.
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
    /// A run that takes more bytes of memory is given up, at [`STEP_BYTES`] for a step and [`ADDRESS_BYTES`] for an address;
    /// `None` looks at steps and addresses alone. Steps and addresses as many as the defaults allow take about 36 GB.
    pub max_memory: Option<u64>,
}

impl Options {
    /// What a run may take.
    fn bounds(&self) -> bounds::Bounds {
        bounds::Bounds { steps: self.max_steps, addresses: self.max_addresses, memory: self.max_memory }
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

/// An input that can be proven, and what its owner wants to know about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the input was.
    pub kind: Kind,
    /// What the prover takes. `public_memory_addresses` are sorted.
    pub prover_input: ProverInput,
    /// The felts that the program has put out; the statement makes them public.
    pub output: Vec<Felt252>,
    /// The words of the output that the program has never written: the statement says 0. A ProverInput does not tell them.
    pub output_holes: Vec<usize>,
    /// The number of steps that are proven. (The last entry of the trace is the final state, not a step.)
    pub steps: usize,
    /// The builtins of the public segments with the number of instances that the program has used, padding left out;
    /// the output builtin counts words.
    pub builtins: Vec<(BuiltinName, usize)>,
    /// The hash by which a verifier names the program: Blake2s over its words, as stwo-cairo computes it.
    pub program_hash: Felt252,
    /// What an executable has printed (`print!`, `println!`), as `cairo-run` shows it: text as it is, other felts in lines. At most
    /// [`MAX_PRINTED_BYTES`], and a line that says so if there was more. Nothing of it is proven.
    pub printed: String,
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
    let bytes = if kind::is_json(text) { text } else { bytes };
    let kind = match options.kind {
        Some(kind) => kind,
        None => kind::detect(bytes)?,
    };
    if kind != Kind::Executable && !options.arguments.is_empty() {
        return Err(Problem::Arguments(format!("{kind} takes none; only an executable of Cairo 1 does")));
    }
    if kind != Kind::Compiled && options.program_input.is_some() {
        return Err(Problem::Arguments(format!("{kind} has no program input; only a compiled program has")));
    }
    match kind {
        Kind::Compiled => loaded(kind, compiled::run(bytes, options)?),
        Kind::Executable => loaded(kind, executable::run(bytes, options, printed)?),
        Kind::ProverInput => from_prover_input(prover_input::read(bytes)?),
    }
}

/// Takes a run that the caller has made, in proof mode with the layout `all_cairo_stwo` and a trace that is neither
/// padded nor relocated. `builtins` are those that `main` takes, in their order.
///
/// # Errors
/// A run that no proof can state.
pub fn from_run(runner: &CairoRunner, builtins: &[BuiltinName]) -> Result<Loaded, Problem> {
    loaded(Kind::Compiled, run::adapt_run(runner, builtins)?)
}

/// Takes a ProverInput that nobody vouches for.
///
/// # Errors
/// A ProverInput that contradicts itself, or that no proof can state.
pub fn from_prover_input(prover_input: ProverInput) -> Result<Loaded, Problem> {
    loaded(Kind::ProverInput, Adapted { prover_input, output_holes: Vec::new() })
}

/// Checks a ProverInput, all of it unless our own run has made it, and reads what it makes public.
fn loaded(kind: Kind, Adapted { mut prover_input, output_holes }: Adapted) -> Result<Loaded, Problem> {
    prover_input.public_memory_addresses.sort_unstable();
    let public = match kind {
        Kind::ProverInput => check::untrusted(&prover_input)?,
        Kind::Compiled | Kind::Executable => check::trusted(&prover_input)?,
    };
    Ok(Loaded {
        kind,
        output: public.output,
        output_holes,
        steps: prover_input.state_transitions.casm_states_by_opcode.counts().iter().map(|(_, count)| count).sum(),
        builtins: public.builtins,
        program_hash: public.program_hash,
        printed: String::new(),
        prover_input,
    })
}

/// The run of a compiled program, of which nothing is checked.
#[cfg(test)]
pub(crate) fn unchecked(bytes: &[u8]) -> ProverInput {
    compiled::run(bytes, &Options::default()).unwrap().prover_input
}
