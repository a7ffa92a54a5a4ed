//! A run of cairo-vm, turned into a [`Run`]: the same as by stwo-cairo-adapter 1.3, on all cores, and with an error
//! where the adapter would stop.
//!
//! Segments are laid one behind the other ([`super::layout`]), their values become ids, and the steps are sorted by
//! component.

use cairo_vm::types::builtin_name::BuiltinName as VmBuiltin;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;

use super::bootloader::TasksOutput;
use super::layout::{Builtins, Layout};
use crate::pages::Pages;
use crate::{
    BuiltinName, BuiltinSegments, MachineResources, Memory, Place, PublicSegmentContext, Reason, Refusal, Run, RunBy,
    StateTransitions, Words,
};

/// A run, before its values become ids.
pub(super) struct Adapted {
    /// The run without its memory. `public_memory_addresses` are sorted.
    pub(super) run: Run,
    pub(super) words: Pages<Words>,
    /// The words of the output that were never written; the statement says 0.
    pub(super) output_holes: Vec<usize>,
    /// The machine that made it.
    pub(super) run_by: RunBy,
    /// The resources that cairo-vm has used, if it counted them.
    pub(super) resources: Option<MachineResources>,
    /// The output of a bootloader.
    pub(super) tasks: Option<TasksOutput>,
}

impl Adapted {
    /// The run, with its memory.
    pub(super) fn into_run(self) -> Run {
        Run { memory: Memory::of_values(&self.words), ..self.run }
    }
}

/// The memory of a run while its values have no ids.
pub(super) fn no_memory() -> Memory {
    Memory::new(Vec::new(), Vec::new(), Vec::new())
}

/// Reads a run in proof mode, whose trace is neither padded nor relocated. `builtins` are the ones that `main` takes,
/// in their order: they become the public segments of the statement.
pub(super) fn adapt(runner: &CairoRunner, builtins: &[VmBuiltin]) -> Result<Adapted, Refusal> {
    let segments = runner.get_relocatable_memory();
    let builtin_segments =
        runner.get_builtin_segments().into_iter().map(|(index, name)| (index, name.into())).collect();
    let layout = Layout::new(&segments, &builtin_segments)?;
    let words = layout.words(&segments)?;
    let output_holes = output_holes(&segments, &builtin_segments);
    // It takes more memory than the words.
    drop(segments);
    let trace = runner.get_relocatable_trace().map_err(|error| {
        Refusal::new(Reason::Step, Place::Whole, error.to_string(), "Run the program with its trace")
    })?;
    let (state_transitions, pc_count) = StateTransitions::of_trace(trace, |entry| layout.state(entry), &words)?;
    let run = Run {
        state_transitions,
        pc_count,
        memory: no_memory(),
        public_memory_addresses: public_addresses(runner, &layout)?,
        builtin_segments: relocated_builtins(&layout, &builtin_segments),
        public_segment_context: PublicSegmentContext::new(
            &builtins.iter().map(|name| (*name).into()).collect::<Vec<_>>(),
        ),
    };
    let run_by = RunBy::CairoVm { because: "it is asked for".into() };
    Ok(Adapted { run, output_holes, words, run_by, resources: None, tasks: None })
}

fn output_holes(segments: &[Vec<Option<MaybeRelocatable>>], builtins: &Builtins) -> Vec<usize> {
    let index = builtins.iter().find(|(_, name)| **name == BuiltinName::Output).map(|(index, _)| *index);
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

/// The segments of builtins that have components; the arena is not proven.
pub(super) fn relocated_builtins(layout: &Layout, builtins: &Builtins) -> BuiltinSegments {
    BuiltinSegments::new(|builtin| {
        let (index, _) = builtins.iter().find(|(_, name)| **name == builtin)?;
        layout.segment(*index)
    })
}

impl From<VmBuiltin> for BuiltinName {
    fn from(name: VmBuiltin) -> Self {
        match name {
            VmBuiltin::output => Self::Output,
            VmBuiltin::pedersen => Self::Pedersen,
            VmBuiltin::range_check => Self::RangeCheck,
            VmBuiltin::ecdsa => Self::Ecdsa,
            VmBuiltin::bitwise => Self::Bitwise,
            VmBuiltin::ec_op => Self::EcOp,
            VmBuiltin::keccak => Self::Keccak,
            VmBuiltin::poseidon => Self::Poseidon,
            VmBuiltin::range_check96 => Self::RangeCheck96,
            VmBuiltin::add_mod => Self::AddMod,
            VmBuiltin::mul_mod => Self::MulMod,
            VmBuiltin::segment_arena => Self::SegmentArena,
        }
    }
}
