//! The public data of a run, as cairo-air has them.

use cairo_air::air::{MemorySmallValue, PublicData, PublicMemory, PublicSegmentRanges, SegmentRange};
use cairo_run::{BuiltinName, Pointer, Refusal, Run, State};
use stwo::core::fields::m31::M31;
use stwo_cairo_common::prover_types::cpu::CasmState;

/// The public data of a run.
pub(crate) fn public_data(run: &Run) -> Result<PublicData, Refusal> {
    let public = run.public_memory()?;
    let range = |name: BuiltinName| {
        let found = public.pointers.iter().find(|(builtin, _)| *builtin == name);
        found.map(|(_, pointers)| segment_range(*pointers))
    };
    let public_segments = PublicSegmentRanges {
        output: segment_range(public.output_pointers),
        pedersen: range(BuiltinName::Pedersen),
        range_check_128: range(BuiltinName::RangeCheck),
        ecdsa: range(BuiltinName::Ecdsa),
        bitwise: range(BuiltinName::Bitwise),
        ec_op: range(BuiltinName::EcOp),
        keccak: range(BuiltinName::Keccak),
        poseidon: range(BuiltinName::Poseidon),
        range_check_96: range(BuiltinName::RangeCheck96),
        add_mod: range(BuiltinName::AddMod),
        mul_mod: range(BuiltinName::MulMod),
    };
    let public_memory = PublicMemory {
        program: public.program,
        public_segments,
        output: public.output,
        safe_call_ids: public.safe_call_ids,
    };
    let transitions = &run.state_transitions;
    let (initial_state, final_state) = (registers(transitions.initial_state), registers(transitions.final_state));
    Ok(PublicData { public_memory, initial_state, final_state })
}

fn segment_range([start, stop]: [Pointer; 2]) -> SegmentRange {
    let pointer = |Pointer { id, value }| MemorySmallValue { id, value };
    SegmentRange { start_ptr: pointer(start), stop_ptr: pointer(stop) }
}

fn registers(State { pc, ap, fp }: State) -> CasmState {
    CasmState { pc: M31(pc), ap: M31(ap), fp: M31(fp) }
}
