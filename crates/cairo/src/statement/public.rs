//! The public data of a run: the program, the output, the pointers of the builtins, the registers at both ends.

use cairo_air::air::{MemorySmallValue, PublicData, PublicMemory, PublicSegmentRanges, SegmentRange};
use stwo_cairo_adapter::ProverInput;

use super::RunError;
use super::memory::{Cell, cell};

/// The public segments in order, as the context has them.
const SEGMENTS: [&str; 11] = [
    "output",
    "pedersen",
    "range_check",
    "ecdsa",
    "bitwise",
    "ec_op",
    "keccak",
    "poseidon",
    "range_check96",
    "add_mod",
    "mul_mod",
];

/// What lies between the program and the first cell of the execution: two cells, the frame of the safe call.
const SAFE_CALL_CELLS: u32 = 2;

/// The public data, if they are there. Whether they can be verified is not checked.
pub(crate) fn public_data(input: &ProverInput) -> Result<PublicData, RunError> {
    let (initial_state, final_state) = (input.state_transitions.initial_state, input.state_transitions.final_state);
    let (initial_pc, initial_ap, final_ap) = (initial_state.pc.0, initial_state.ap.0, final_state.ap.0);
    let memory = &input.memory;
    let program_end = initial_ap.checked_sub(SAFE_CALL_CELLS).filter(|end| *end > initial_pc);
    let program_end = program_end.ok_or(RunError::Shape("its first ap leaves no room for a program"))?;
    let cells = |from: u32, to: u32, what: &str| -> Result<Vec<Cell>, RunError> {
        (from..to).map(|address| cell(memory, address, || what.to_owned())).collect()
    };
    let program = cells(initial_pc, program_end, "the program")?;
    let safe_call: Vec<Cell> = cells(program_end, initial_ap, "the frame of the first call")?;
    let [(first, _), (second, _)] = safe_call[..] else { return Err(RunError::Shape("it has no first call")) };

    let present = *input.public_segment_context;
    let count = present.iter().filter(|present| **present).count() as u32;
    let last_pointers = final_ap
        .checked_sub(count)
        .ok_or(RunError::Shape("its last ap leaves no room for the pointers of its builtins"))?;
    let pointer = |address: u32, which: &str, builtin: &str| -> Result<MemorySmallValue, RunError> {
        let what = || format!("the {which} pointer of {builtin}");
        match cell(memory, address, what)? {
            (id, [value, 0, 0, 0, 0, 0, 0, 0]) if value >> 31 == 0 => Ok(MemorySmallValue { id, value }),
            _ => Err(RunError::Pointer { what: what(), address }),
        }
    };
    let mut ranges: [Option<SegmentRange>; SEGMENTS.len()] = [None; SEGMENTS.len()];
    for (number, slot) in (0..).zip((0..SEGMENTS.len()).filter(|slot| present[*slot])) {
        ranges[slot] = Some(SegmentRange {
            start_ptr: pointer(initial_ap.saturating_add(number), "first", SEGMENTS[slot])?,
            stop_ptr: pointer(last_pointers + number, "last", SEGMENTS[slot])?,
        });
    }
    let [output, pedersen, range_check_128, ecdsa, bitwise, ec_op, keccak, poseidon, range_check_96, add_mod, mul_mod] =
        ranges;
    let range = output.ok_or(RunError::NoOutput)?;
    let (start, stop) = (range.start_ptr.value, range.stop_ptr.value);
    let public_segments = PublicSegmentRanges {
        output: range,
        pedersen,
        range_check_128,
        ecdsa,
        bitwise,
        ec_op,
        keccak,
        poseidon,
        range_check_96,
        add_mod,
        mul_mod,
    };
    let output = cells(start, stop, "the output")?;
    let public_memory = PublicMemory { program, public_segments, output, safe_call_ids: [first, second] };
    Ok(PublicData { public_memory, initial_state, final_state })
}
