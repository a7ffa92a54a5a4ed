//! The public part of a statement, read from a run and checked as the verifier checks it.

use std::ops::Range;

use crate::instruction::AP_ADD_IMM;
use crate::program_hash::program_hash;
use crate::{BuiltinName, Cells, Felt252, MAX_ADDRESSES, Place, Reason, Refusal, Run, Segment, State, Words};

/// The words `call rel imm` and `jmp rel imm`, which follow `ap += imm` where a program begins.
const CALL_REL_IMM: u128 = 0x1104_8001_8001_8000;
const JMP_REL_IMM: u128 = 0x0107_8001_7fff_7fff;

/// The public part of a statement.
pub(crate) struct Public {
    pub output: Vec<Felt252>,
    pub builtins: Vec<(BuiltinName, usize)>,
    pub program_hash: Felt252,
}

const REMEDY_FOREIGN: &str = "Make the ProverInput anew, from the run of a program in proof mode";

/// Reads the public part and checks whatever the verifier checks before the proof itself.
pub(super) fn read(run: &Run) -> Result<Public, Refusal> {
    let cells = Cells(&run.memory);
    let slots: Vec<BuiltinName> = run.public_segment_context.builtins().collect();
    let initial_ap = registers(run)?.ap;
    let final_ap = run.state_transitions.final_state.ap;
    if run.memory.address_to_id.len() < final_ap as usize {
        return Err(foreign(Reason::Address, Place::Whole, format!("the final ap {final_ap} is beyond the memory")));
    }
    let program = program(&cells, initial_ap, slots.len())?;

    let count = slots.len() as u32;
    let mut builtins = Vec::new();
    let mut output = 0..0;
    for (index, name) in slots.iter().copied().enumerate() {
        let pointers = [initial_ap + index as u32, final_ap - count + index as u32];
        let [start, stop] = pointers.map(|address| (address, cells.u32(address).filter(|value| *value < 1 << 31)));
        let pointer = |(address, value): (u32, Option<u32>)| {
            value.ok_or_else(|| not_returned(address, format!("the pointer of the builtin {name} is not an address")))
        };
        let range = pointer(start)?..pointer(stop)?;
        check_segment(name, &range, run.builtin_segments.get(name), pointers[1])?;
        builtins.push((name, range.len() / name.cells()));
        if name == BuiltinName::Output {
            output = range;
        }
    }
    if slots.first() != Some(&BuiltinName::Output) {
        let what = "there is no output segment, which every statement has";
        return Err(Refusal::new(Reason::PublicSegments, Place::Whole, what, "Let main take the output builtin"));
    }
    if output.end as usize > run.memory.address_to_id.len() {
        return Err(no_value(output.end, "the end of the output"));
    }
    if !output.is_empty() && output.start != final_ap {
        let what = format!("the output begins at address {}, not at the final ap {final_ap}", output.start);
        let remedy = "Something was written above the final ap, so that the proof would not verify. Let the program \
                      end with `ap` above all cells that it writes, for example by `ap += n` for locals";
        return Err(Refusal::new(Reason::OutputPosition, Place::Address(u64::from(output.start)), what, remedy));
    }
    check_public_memory(run, initial_ap, final_ap, count, &output)?;

    let output = output
        .map(|address| cells.felt(address).ok_or_else(|| no_value(address, "a word of the output")))
        .collect::<Result<_, _>>()?;
    Ok(Public { output, builtins, program_hash: program_hash(&program) })
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
fn registers(run: &Run) -> Result<State, Refusal> {
    let (initial, last) = (run.state_transitions.initial_state, run.state_transitions.final_state);
    let slots = run.public_segment_context.builtins().count() as u32;
    let State { pc, ap, fp } = initial;
    // Six words of program and the two cells of the safe call come before ap.
    if pc != 1 || ap != fp || !(9..MAX_ADDRESSES).contains(&ap) {
        let what = format!(
            "the run begins with pc {pc}, ap {ap}, fp {fp}; pc must be 1 and ap and fp equal, behind the program"
        );
        return Err(foreign(Reason::ProgramStart, Place::Whole, what));
    }
    if last.pc != 5 || last.fp != fp || last.ap < ap + slots {
        let what = format!(
            "the run ends with pc {}, ap {}, fp {}; pc must be 5 and fp {fp}, as at the start",
            last.pc, last.ap, last.fp
        );
        return Err(foreign(Reason::ProgramStart, Place::Whole, what));
    }
    Ok(initial)
}

/// The words of the program, from address 1 to the two cells of the safe call, all of them checked.
fn program(cells: &Cells<'_>, initial_ap: u32, slots: usize) -> Result<Vec<Words>, Refusal> {
    let safe_call = [(initial_ap - 2, u128::from(initial_ap)), (initial_ap - 1, 0)];
    for (address, expected) in safe_call {
        if cells.u128(address) != Some(expected) {
            let what = format!("the cell before the stack is not {expected}");
            return Err(foreign(Reason::ProgramStart, Place::Address(u64::from(address)), what));
        }
    }
    let program: Vec<_> = (1..=initial_ap - 3)
        .map(|address| cells.words(address).ok_or_else(|| no_value(address, "a word of the program")))
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
    name: BuiltinName,
    range: &Range<u32>,
    segment: Option<Segment>,
    stop_address: u32,
) -> Result<(), Refusal> {
    let what = if range.start > range.end {
        format!("the builtin {name} ends before it begins")
    } else if name == BuiltinName::Output || range.is_empty() {
        return Ok(());
    } else if !range.len().is_multiple_of(name.cells()) {
        format!("the builtin {name} has {} cells, not a multiple of {}", range.len(), name.cells())
    } else {
        match segment {
            Some(segment) if segment.begin_addr == range.start as usize && range.end as usize <= segment.stop_ptr => {
                return Ok(());
            }
            Some(_) => format!("the pointers of the builtin {name} are not those of its segment"),
            None => format!("the builtin {name} is used, but its segment is empty or cannot be proven"),
        }
    };
    Err(not_returned(stop_address, what))
}

/// The addresses of the public memory must be those that the statement makes public, each as often.
fn check_public_memory(
    run: &Run,
    initial_ap: u32,
    final_ap: u32,
    slots: u32,
    output: &Range<u32>,
) -> Result<(), Refusal> {
    let mut expected: Vec<u32> = (1..initial_ap).collect();
    expected.extend(initial_ap..initial_ap + slots);
    expected.extend(final_ap - slots..final_ap);
    expected.extend(output.clone());
    expected.sort_unstable();
    let mut found = run.public_memory_addresses.clone();
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
