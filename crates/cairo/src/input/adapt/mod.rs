//! A run, turned into a ProverInput: what stwo-cairo-adapter 1.3 makes of it, on all cores, and with an error where
//! that would stop.
//!
//! Segments are laid one behind the other ([`layout`]), their values become ids ([`tables`]), and the steps are sorted
//! by component ([`steps`]).

mod layout;
mod steps;
mod tables;

use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use stwo_cairo_adapter::builtins::BuiltinSegments;
use stwo_cairo_adapter::memory::{Memory, MemoryConfig};
use stwo_cairo_adapter::{ProverInput, PublicSegmentContext};

use super::memory::Words;
use super::{Place, Reason, Refusal};
use layout::Layout;

/// A run, adapted.
pub(super) struct Adapted {
    /// `public_memory_addresses` are sorted.
    pub(super) prover_input: ProverInput,
    /// The words of the output that were never written; the statement says 0.
    pub(super) output_holes: Vec<usize>,
}

/// All that is read of a run.
pub(super) struct LaidOut {
    /// Without its memory.
    prover_input: ProverInput,
    output_holes: Vec<usize>,
    words: Vec<Words>,
}

impl LaidOut {
    /// The ProverInput.
    pub(super) fn adapted(self) -> Result<Adapted, Refusal> {
        let Self { prover_input, output_holes, words } = self;
        let memory = tables::build(&words, tables::SMALL_CAPACITY);
        Ok(Adapted { prover_input: ProverInput { memory, ..prover_input }, output_holes })
    }
}

/// Reads a run in proof mode, whose trace is neither padded nor relocated. `builtins` are those that `main` takes, in
/// their order: they become the public segments of the statement.
pub(super) fn lay_out(runner: &CairoRunner, builtins: &[BuiltinName]) -> Result<LaidOut, Refusal> {
    let segments = runner.get_relocatable_memory();
    let builtin_segments = runner.get_builtin_segments();
    let layout = Layout::new(&segments, &builtin_segments)?;
    let words = layout.words(&segments)?;
    let output_holes = output_holes(&segments, &builtin_segments);
    // It takes more memory than the words.
    drop(segments);
    let trace = runner.get_relocatable_trace().map_err(|error| {
        Refusal::new(Reason::Step, Place::Whole, error.to_string(), "Run the program with its trace")
    })?;
    let (state_transitions, pc_count) = steps::sort(trace, &layout, &words)?;
    let prover_input = ProverInput {
        state_transitions,
        pc_count,
        memory: no_memory(),
        public_memory_addresses: public_addresses(runner, &layout)?,
        builtin_segments: relocated_builtins(&layout, &builtin_segments),
        public_segment_context: PublicSegmentContext::new(builtins),
    };
    Ok(LaidOut { prover_input, output_holes, words })
}

/// The tables of no values.
fn no_memory() -> Memory {
    let config = MemoryConfig::default();
    Memory { config, address_to_id: Vec::new(), f252_values: Vec::new(), small_values: Vec::new() }
}

fn output_holes(segments: &layout::Segments, builtins: &layout::Builtins) -> Vec<usize> {
    let index = builtins.iter().find(|(_, name)| **name == BuiltinName::output).map(|(index, _)| *index);
    let cells = index.and_then(|index| segments.get(index)).into_iter().flatten().enumerate();
    cells.filter(|(_, cell)| cell.is_none()).map(|(index, _)| index).collect()
}

fn public_addresses(runner: &CairoRunner, layout: &Layout) -> Result<Vec<u32>, Refusal> {
    let mut addresses = Vec::new();
    for (segment, offsets) in &runner.vm.segments.public_memory_offsets {
        let cells = layout.range(*segment);
        for (offset, _) in offsets {
            let address = u32::try_from(*offset).ok().and_then(|offset| cells.start.checked_add(offset));
            let address = address.filter(|address| cells.contains(address)).ok_or_else(|| {
                let what = format!("a public cell lies at {segment}:{offset}, beyond its segment");
                let remedy = "Let the program write all of its output";
                Refusal::new(Reason::PublicMemory, Place::Whole, what, remedy)
            })?;
            addresses.push(address);
        }
    }
    addresses.sort_unstable();
    Ok(addresses)
}

fn relocated_builtins(layout: &Layout, builtins: &layout::Builtins) -> BuiltinSegments {
    let mut segments = BuiltinSegments::default();
    for (index, name) in builtins {
        let segment = layout.segment(*index);
        match name {
            BuiltinName::output => segments.output = segment,
            BuiltinName::pedersen => segments.pedersen_builtin = segment,
            BuiltinName::range_check => segments.range_check_builtin = segment,
            BuiltinName::bitwise => segments.bitwise_builtin = segment,
            BuiltinName::ec_op => segments.ec_op_builtin = segment,
            BuiltinName::poseidon => segments.poseidon_builtin = segment,
            BuiltinName::range_check96 => segments.range_check96_builtin = segment,
            BuiltinName::add_mod => segments.add_mod_builtin = segment,
            BuiltinName::mul_mod => segments.mul_mod_builtin = segment,
            // The layout refuses the first two; the arena is not proven.
            BuiltinName::ecdsa | BuiltinName::keccak | BuiltinName::segment_arena => {}
        }
    }
    segments
}
