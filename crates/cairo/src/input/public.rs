//! What a statement makes public, read from a ProverInput and checked as the verifier checks it.

use cairo_air::utils::encode_and_hash_memory_section;
use cairo_vm::Felt252;
use cairo_vm::types::builtin_name::BuiltinName;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_adapter::builtins::{BuiltinSegments, MemorySegmentAddresses};

use super::memory::{ADDRESS_BOUND, Cells, felt};
use super::{Place, Reason, Refusal};

/// A public segment: one of the pointers that `main` takes and returns.
pub(super) struct Slot {
    pub name: BuiltinName,
    /// Cells of an instance.
    pub cells: usize,
    /// The segment that is proven, padding included.
    pub segment: fn(&BuiltinSegments) -> Option<MemorySegmentAddresses>,
}

/// The public segments, in the order in which `main` takes those that it has.
pub(super) const SLOTS: [Slot; 11] = [
    Slot { name: BuiltinName::output, cells: 1, segment: |builtins| builtins.output },
    Slot { name: BuiltinName::pedersen, cells: 3, segment: |builtins| builtins.pedersen_builtin },
    Slot { name: BuiltinName::range_check, cells: 1, segment: |builtins| builtins.range_check_builtin },
    Slot { name: BuiltinName::ecdsa, cells: 2, segment: |_| None },
    Slot { name: BuiltinName::bitwise, cells: 5, segment: |builtins| builtins.bitwise_builtin },
    Slot { name: BuiltinName::ec_op, cells: 7, segment: |builtins| builtins.ec_op_builtin },
    Slot { name: BuiltinName::keccak, cells: 16, segment: |_| None },
    Slot { name: BuiltinName::poseidon, cells: 6, segment: |builtins| builtins.poseidon_builtin },
    Slot { name: BuiltinName::range_check96, cells: 1, segment: |builtins| builtins.range_check96_builtin },
    Slot { name: BuiltinName::add_mod, cells: 7, segment: |builtins| builtins.add_mod_builtin },
    Slot { name: BuiltinName::mul_mod, cells: 7, segment: |builtins| builtins.mul_mod_builtin },
];

/// The words `ap += imm`, `call rel imm` and `jmp rel imm`, with which a program begins.
const AP_ADD_IMM: u128 = 0x0407_8001_7fff_7fff;
const CALL_REL_IMM: u128 = 0x1104_8001_8001_8000;
const JMP_REL_IMM: u128 = 0x0107_8001_7fff_7fff;

/// The public part of a statement.
pub(super) struct Public {
    pub output: Vec<Felt252>,
    pub builtins: Vec<(BuiltinName, usize)>,
    pub program_hash: Felt252,
}

const REMEDY_FOREIGN: &str = "Make the ProverInput anew, from the run of a program in proof mode";

/// Reads the public part and checks whatever the verifier checks before the proof itself.
pub(super) fn read(input: &ProverInput) -> Result<Public, Refusal> {
    let cells = Cells(&input.memory);
    let slots: Vec<&Slot> = SLOTS
        .iter()
        .zip(input.public_segment_context.iter())
        .filter_map(|(slot, present)| present.then_some(slot))
        .collect();
    let [_, initial_ap, _] = registers(input)?;
    let final_ap = input.state_transitions.final_state.ap.0;
    if input.memory.address_to_id.len() < final_ap as usize {
        return Err(foreign(Reason::Address, Place::Whole, format!("the final ap {final_ap} is beyond the memory")));
    }
    let program = program(&cells, initial_ap, slots.len())?;

    let count = slots.len() as u32;
    let mut builtins = Vec::new();
    let mut output = 0..0;
    for (index, slot) in slots.iter().enumerate() {
        let pointers = [initial_ap + index as u32, final_ap - count + index as u32];
        let [start, stop] = pointers.map(|address| (address, cells.u32(address).filter(|value| *value < 1 << 31)));
        let pointer = |(address, value): (u32, Option<u32>)| {
            value.ok_or_else(|| {
                not_returned(address, format!("the pointer of the builtin {} is not an address", slot.name))
            })
        };
        let range = pointer(start)?..pointer(stop)?;
        check_segment(slot, &range, (slot.segment)(&input.builtin_segments), pointers[1])?;
        builtins.push((slot.name, range.len() / slot.cells));
        if slot.name == BuiltinName::output {
            output = range;
        }
    }
    if slots.first().is_none_or(|slot| slot.name != BuiltinName::output) {
        let what = "there is no output segment, which every statement has";
        return Err(Refusal::new(Reason::PublicSegments, Place::Whole, what, "Let main take the output builtin"));
    }
    if output.end as usize > input.memory.address_to_id.len() {
        return Err(no_value(output.end, "the end of the output"));
    }
    if !output.is_empty() && output.start != final_ap {
        let what = format!("the output begins at address {}, not at the final ap {final_ap}", output.start);
        let remedy = "Something was written above the final ap, so that the proof would not verify. Let the program \
                      end with `ap` above all cells that it writes, for example by `ap += n` for locals";
        return Err(Refusal::new(Reason::OutputPosition, Place::Address(u64::from(output.start)), what, remedy));
    }
    check_public_memory(input, initial_ap, final_ap, count, &output)?;

    let output = output
        .map(|address| cells.felt(address).ok_or_else(|| no_value(address, "a word of the output")))
        .collect::<Result<_, _>>()?;
    Ok(Public { output, builtins, program_hash: felt(&encode_and_hash_memory_section(&program)) })
}

fn foreign(reason: Reason, place: Place, what: impl Into<String>) -> Refusal {
    Refusal::new(reason, place, what, REMEDY_FOREIGN)
}

fn no_value(address: u32, what: &str) -> Refusal {
    foreign(Reason::Memory, Place::Address(u64::from(address)), format!("{what} has no value"))
}

fn not_returned(address: u32, what: String) -> Refusal {
    let remedy = "main takes a pointer for each of its builtins, and returns them in the same order as its last values";
    Refusal::new(Reason::PublicSegments, Place::Address(u64::from(address)), what, remedy)
}

/// The initial pc, ap and fp, if they and the final ones are what the verifier expects.
fn registers(input: &ProverInput) -> Result<[u32; 3], Refusal> {
    let [initial, last] = [&input.state_transitions.initial_state, &input.state_transitions.final_state]
        .map(|state| [state.pc.0, state.ap.0, state.fp.0]);
    let slots = input.public_segment_context.iter().filter(|present| **present).count() as u32;
    let [pc, ap, fp] = initial;
    // Six words of program and the two cells of the safe call come before ap.
    if pc != 1 || ap != fp || !(9..ADDRESS_BOUND).contains(&ap) {
        let what = format!(
            "the run begins with pc {pc}, ap {ap}, fp {fp}; pc must be 1 and ap and fp equal, behind the program"
        );
        return Err(foreign(Reason::ProgramStart, Place::Whole, what));
    }
    if last[0] != 5 || last[2] != fp || last[1] < ap + slots {
        let what = format!(
            "the run ends with pc {}, ap {}, fp {}; pc must be 5 and fp {fp}, as at the start",
            last[0], last[1], last[2]
        );
        return Err(foreign(Reason::ProgramStart, Place::Whole, what));
    }
    Ok(initial)
}

/// The words of the program with their ids, from address 1 to the two cells of the safe call, all of them checked.
fn program(cells: &Cells<'_>, initial_ap: u32, slots: usize) -> Result<Vec<(u32, [u32; 8])>, Refusal> {
    let safe_call = [(initial_ap - 2, u128::from(initial_ap)), (initial_ap - 1, 0)];
    for (address, expected) in safe_call {
        if cells.u128(address) != Some(expected) {
            let what = format!("the cell before the stack is not {expected}");
            return Err(foreign(Reason::ProgramStart, Place::Address(u64::from(address)), what));
        }
    }
    let program: Vec<_> = (1..=initial_ap - 3)
        .map(|address| {
            let word = cells.id(address).zip(cells.words(address));
            word.ok_or_else(|| no_value(address, "a word of the program"))
        })
        .collect::<Result<_, _>>()?;
    let start = [(1, AP_ADD_IMM), (2, slots as u128), (3, CALL_REL_IMM), (5, JMP_REL_IMM), (6, 0)];
    for (address, expected) in start {
        if cells.u128(address) != Some(expected) {
            let what = format!(
                "the program does not begin with `ap += {slots}; call rel main; jmp rel 0`, for its {slots} builtins"
            );
            let remedy = "Compile it with --proof_mode, and let main take exactly the builtins of `%builtins`, without \
                          other arguments";
            return Err(Refusal::new(Reason::ProgramStart, Place::Pc(address.into()), what, remedy));
        }
    }
    Ok(program)
}

/// Checks the pointers of one builtin against the segment that is proven for it.
fn check_segment(
    slot: &Slot,
    range: &std::ops::Range<u32>,
    segment: Option<MemorySegmentAddresses>,
    stop_address: u32,
) -> Result<(), Refusal> {
    let what = if range.start > range.end {
        format!("the builtin {} ends before it begins", slot.name)
    } else if slot.name == BuiltinName::output || range.is_empty() {
        return Ok(());
    } else if !range.len().is_multiple_of(slot.cells) {
        format!("the builtin {} has {} cells, not a multiple of {}", slot.name, range.len(), slot.cells)
    } else {
        match segment {
            Some(segment) if segment.begin_addr == range.start as usize && range.end as usize <= segment.stop_ptr => {
                return Ok(());
            }
            Some(_) => format!("the pointers of the builtin {} are not those of its segment", slot.name),
            None => format!("the builtin {} is used, but its segment is empty or cannot be proven", slot.name),
        }
    };
    Err(not_returned(stop_address, what))
}

/// The addresses of the public memory must be those that the statement makes public, each as often.
fn check_public_memory(
    input: &ProverInput,
    initial_ap: u32,
    final_ap: u32,
    slots: u32,
    output: &std::ops::Range<u32>,
) -> Result<(), Refusal> {
    let mut expected: Vec<u32> = (1..initial_ap).collect();
    expected.extend(initial_ap..initial_ap + slots);
    expected.extend(final_ap - slots..final_ap);
    expected.extend(output.clone());
    expected.sort_unstable();
    let mut found = input.public_memory_addresses.clone();
    found.sort_unstable();
    if found == expected {
        return Ok(());
    }
    let differ =
        found.iter().zip(&expected).find(|(a, b)| a != b).map_or(found.len().min(expected.len()) as u32, |(_, b)| *b);
    Err(foreign(
        Reason::PublicMemory,
        Place::Address(u64::from(differ)),
        "the public memory is not the program, the safe call, the builtins' pointers and the output",
    ))
}
