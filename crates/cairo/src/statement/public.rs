//! The public data of a run: the program, the output, the pointers of the builtins, the registers at both ends.

use cairo_air::air::{MemorySmallValue, PublicData, PublicMemory, PublicSegmentRanges, SegmentRange};
use cairo_run::{BuiltinName, Cells, NO_ID, Run, State};
use stwo::core::fields::m31::M31;
use stwo_cairo_common::prover_types::cpu::CasmState;

use super::RunError;

/// An id and the value that it stands for, least significant word first.
type Cell = (u32, [u32; 8]);

/// What lies between the program and the first cell of the execution: two cells, the frame of the safe call.
const SAFE_CALL_CELLS: u32 = 2;

/// The public data, if they are there. Whether they can be verified is not checked.
pub(crate) fn public_data(run: &Run) -> Result<PublicData, RunError> {
    let (initial_state, final_state) = (run.state_transitions.initial_state, run.state_transitions.final_state);
    let (initial_pc, initial_ap, final_ap) = (initial_state.pc, initial_state.ap, final_state.ap);
    let memory = Cells(&run.memory);
    let program_end = initial_ap.checked_sub(SAFE_CALL_CELLS).filter(|end| *end > initial_pc);
    let program_end = program_end.ok_or(RunError::Shape("its first ap leaves no room for a program"))?;
    let cells = |from: u32, to: u32, what: &str| -> Result<Vec<Cell>, RunError> {
        (from..to).map(|address| cell(memory, address, || what.to_owned())).collect()
    };
    let program = cells(initial_pc, program_end, "the program")?;
    let safe_call: Vec<Cell> = cells(program_end, initial_ap, "the frame of the first call")?;
    let [(first, _), (second, _)] = safe_call[..] else { return Err(RunError::Shape("it has no first call")) };

    let present = run.public_segment_context.present;
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
    let mut ranges: [Option<SegmentRange>; BuiltinName::PUBLIC.len()] = [None; BuiltinName::PUBLIC.len()];
    for (number, slot) in (0..).zip((0..present.len()).filter(|slot| present[*slot])) {
        let name = BuiltinName::PUBLIC[slot].to_str();
        ranges[slot] = Some(SegmentRange {
            start_ptr: pointer(initial_ap.saturating_add(number), "first", name)?,
            stop_ptr: pointer(last_pointers + number, "last", name)?,
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
    Ok(PublicData { public_memory, initial_state: registers(initial_state), final_state: registers(final_state) })
}

/// The id at an address and its value; `what` is there.
fn cell(memory: Cells<'_>, address: u32, what: impl Fn() -> String) -> Result<Cell, RunError> {
    let last = memory.0.address_to_id.len().saturating_sub(1);
    let id = memory.id(address).filter(|id| *id != NO_ID);
    let id = id.ok_or_else(|| RunError::Address { what: what(), address, last })?;
    memory.words(address).map(|value| (id, value)).ok_or(RunError::Id { address, id })
}

/// The registers as cairo-air has them.
fn registers(State { pc, ap, fp }: State) -> CasmState {
    CasmState { pc: M31(pc), ap: M31(ap), fp: M31(fp) }
}
