//! Public data, from cairo-air's and to cairo-air's.

use cairo_air::air::{MemorySmallValue, PublicData as Published, PublicSegmentRanges, SegmentRange};
use cairo_run::{BuiltinName, Pointer, PublicMemory, State};
use stwo::core::fields::m31::M31;
use stwo_cairo_common::prover_types::cpu::CasmState;

use crate::version::PublicData;

/// To cairo-air.
pub(super) fn published(data: PublicData) -> Published {
    let range = |name| data.segment(name).map(segment_range);
    let public_segments = PublicSegmentRanges {
        output: segment_range(data.memory.output_pointers),
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
    let PublicData { memory, initial_state, final_state } = data;
    let public_memory = cairo_air::air::PublicMemory {
        program: memory.program,
        public_segments,
        output: memory.output,
        safe_call_ids: memory.safe_call_ids,
    };
    let registers = |State { pc, ap, fp }| CasmState { pc: M31(pc), ap: M31(ap), fp: M31(fp) };
    Published { public_memory, initial_state: registers(initial_state), final_state: registers(final_state) }
}

/// From cairo-air. Numbers stay as they are, reduced or not.
pub(super) fn public_data(data: &Published) -> PublicData {
    let memory = &data.public_memory;
    let ranges = &memory.public_segments;
    let pointers = [
        (BuiltinName::Pedersen, ranges.pedersen),
        (BuiltinName::RangeCheck, ranges.range_check_128),
        (BuiltinName::Ecdsa, ranges.ecdsa),
        (BuiltinName::Bitwise, ranges.bitwise),
        (BuiltinName::EcOp, ranges.ec_op),
        (BuiltinName::Keccak, ranges.keccak),
        (BuiltinName::Poseidon, ranges.poseidon),
        (BuiltinName::RangeCheck96, ranges.range_check_96),
        (BuiltinName::AddMod, ranges.add_mod),
        (BuiltinName::MulMod, ranges.mul_mod),
    ];
    let pointers = pointers.into_iter().filter_map(|(name, range)| Some((name, pointers_of(range?)))).collect();
    let memory = PublicMemory {
        program: memory.program.clone(),
        safe_call_ids: memory.safe_call_ids,
        output_pointers: pointers_of(ranges.output),
        pointers,
        output: memory.output.clone(),
    };
    let registers = |state: &CasmState| State { pc: state.pc.0, ap: state.ap.0, fp: state.fp.0 };
    PublicData { memory, initial_state: registers(&data.initial_state), final_state: registers(&data.final_state) }
}

fn segment_range([start, stop]: [Pointer; 2]) -> SegmentRange {
    let pointer = |Pointer { id, value }| MemorySmallValue { id, value };
    SegmentRange { start_ptr: pointer(start), stop_ptr: pointer(stop) }
}

fn pointers_of(SegmentRange { start_ptr, stop_ptr }: SegmentRange) -> [Pointer; 2] {
    [start_ptr, stop_ptr].map(|MemorySmallValue { id, value }| Pointer { id, value })
}
