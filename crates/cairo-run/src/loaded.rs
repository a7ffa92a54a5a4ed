//! A run that can be proven, and its facts for its owner.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::check;
use crate::{BuiltinName, Felt252, Kind, Problem, PublicMemory, Run};

/// An input that can be proven, and its facts for its owner.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The kind of the input.
    pub kind: Kind,
    /// The run. `public_memory_addresses` are sorted.
    pub run: Run,
    /// The felts that the program has put out; the statement makes them public.
    pub output: Vec<Felt252>,
    /// The words of the output that the program has never written: the statement says 0. A ProverInput does not tell
    /// them.
    pub output_holes: Vec<usize>,
    /// The number of steps that are proven. (The last entry of the trace is the final state, not a step.)
    pub steps: usize,
    /// The builtins of the public segments with the number of instances that the program has used, padding left out;
    /// the output builtin counts words.
    pub builtins: Vec<(BuiltinName, usize)>,
    /// The hash by which a verifier names the program: Blake2s over its words, as stwo-cairo computes it.
    pub program_hash: Felt252,
    /// The text that an executable has printed (`print!`, `println!`), as `cairo-run` shows it: text as it is, other
    /// felts in lines. It has at most `MAX_PRINTED_BYTES`, and a line that says so if there was more. Nothing of it is
    /// proven.
    pub printed: String,
    /// The machine that made the run.
    pub run_by: RunBy,
    /// As cairo-vm counts, where [`Options::resources`](crate::Options) asks for it. A run that was made elsewhere has
    /// none.
    pub resources: Option<MachineResources>,
    /// The output of a bootloader beside its felts, where [`Options::tasks`](crate::Options) are given.
    #[cfg(feature = "vm")]
    pub tasks: Option<crate::TasksOutput>,
}

/// The machine that made a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunBy {
    /// The machine of this crate.
    Own,
    /// cairo-vm.
    CairoVm {
        /// Why it was cairo-vm.
        because: Cow<'static, str>,
    },
    /// It was made elsewhere.
    Elsewhere,
}

/// The resources of a run as cairo-vm counts them, with its names: instances of builtins are not padded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineResources {
    /// Entries of the trace.
    pub n_steps: usize,
    /// Cells that were never accessed.
    pub n_memory_holes: usize,
    /// Instances by the name of the builtin with `_builtin` behind it, in cairo-vm's order.
    #[serde(serialize_with = "as_map")]
    pub builtin_instance_counter: Vec<(&'static str, usize)>,
}

fn as_map<S: Serializer>(entries: &[(&'static str, usize)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(entries.iter().copied())
}

impl Loaded {
    /// Takes a run that nobody vouches for, after all checks.
    ///
    /// # Errors
    /// [`Problem::Refused`] if the run contradicts itself, or no proof can state it.
    pub fn from_run(mut run: Run) -> Result<Self, Problem> {
        run.public_memory_addresses.sort_unstable();
        let public = check::untrusted(&run)?;
        Ok(Self::new(Kind::ProverInput, run, &public))
    }

    /// Takes a run that has been checked, with its public memory.
    pub(crate) fn new(kind: Kind, run: Run, public: &PublicMemory) -> Self {
        Self {
            kind,
            output: public.output(),
            output_holes: Vec::new(),
            steps: run.state_transitions.casm_states_by_opcode.steps(),
            builtins: public.builtins(),
            program_hash: public.program_hash(),
            printed: String::new(),
            run_by: RunBy::Elsewhere,
            resources: None,
            #[cfg(feature = "vm")]
            tasks: None,
            run,
        }
    }
}
