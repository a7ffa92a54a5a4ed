//! The public part of a statement, read from a run and checked as the verifier checks it.

use std::ops::Range;

use crate::felt::from_words;
use crate::instruction::AP_ADD_IMM;
use crate::program_hash::program_hash;
use crate::{BuiltinName, Cells, Felt252, MAX_ADDRESSES, Place, Reason, Refusal, Run, Segment, State, Words};

/// The words `call rel imm` and `jmp rel imm`, which follow `ap += imm` where a program begins.
const CALL_REL_IMM: u128 = 0x1104_8001_8001_8000;
const JMP_REL_IMM: u128 = 0x0107_8001_7fff_7fff;

/// A cell of memory: the id of its value, and the value.
pub type Cell = (u32, Words);

/// The memory that a statement makes public.
#[derive(Clone, Debug)]
pub struct PublicMemory {
    /// The words of the program.
    pub program: Vec<Cell>,
    /// The ids of the two cells of the safe call, which follow the program.
    pub safe_call_ids: [u32; 2],
    /// The pointers to the output, and behind it.
    pub output_pointers: [Pointer; 2],
    /// The pointers of the other builtins that main takes, as it takes and returns them.
    pub pointers: Vec<(BuiltinName, [Pointer; 2])>,
    /// The words of the output.
    pub output: Vec<Cell>,
}

/// A pointer in memory.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// The id of its value.
    pub id: u32,
    /// The address, below 2^31.
    pub value: u32,
}

impl PublicMemory {
    /// The felts of the output.
    pub(crate) fn output(&self) -> Vec<Felt252> {
        self.output.iter().map(|(_, word)| from_words(word)).collect()
    }

    /// The builtins that main takes, with the number of their instances.
    pub(crate) fn builtins(&self) -> Vec<(BuiltinName, usize)> {
        let output = (BuiltinName::Output, self.output_pointers);
        let all = std::iter::once(&output).chain(&self.pointers);
        all.map(|(name, [start, stop])| (*name, (stop.value - start.value) as usize / name.cells())).collect()
    }

    /// The hash of the program.
    pub(crate) fn program_hash(&self) -> Felt252 {
        program_hash(self.program.iter().map(|(_, word)| word))
    }
}

const REMEDY_FOREIGN: &str = "Make the ProverInput anew, from the run of a program in proof mode";

impl Run {
    /// Reads the public memory, and checks all that the verifier checks of it before the proof itself. The rest of the
    /// run may be anything.
    ///
    /// # Errors
    /// A run that is not one of a program in proof mode with an output.
    pub fn public_memory(&self) -> Result<PublicMemory, Refusal> {
        let cells = Cells(&self.memory);
        let slots: Vec<BuiltinName> = self.public_segment_context.builtins().collect();
        let initial_ap = registers(self)?.ap;
        let final_ap = self.state_transitions.final_state.ap;
        let addresses = self.memory.address_to_id.len();
        if addresses < final_ap as usize {
            let what = format!("the final ap {final_ap} is beyond the memory");
            return Err(foreign(Reason::Address, Place::Whole, what));
        }
        let (program, safe_call_ids) = program(&cells, initial_ap, slots.len())?;

        let count = slots.len() as u32;
        let mut pointers = Vec::new();
        for (index, name) in slots.into_iter().enumerate() {
            let pointer = |address: u32| {
                let found = cells.id(address).zip(cells.u32(address)).filter(|(_, value)| *value < 1 << 31);
                let (id, value) = found.ok_or_else(|| {
                    not_returned(address, format!("the pointer of the builtin {name} is not an address"))
                })?;
                Ok(Pointer { id, value })
            };
            let stop_address = final_ap - count + index as u32;
            let [start, stop] = [pointer(initial_ap + index as u32)?, pointer(stop_address)?];
            check_segment(name, &(start.value..stop.value), self.builtin_segments.get(name), stop_address)?;
            pointers.push((name, [start, stop]));
        }
        if pointers.first().is_none_or(|(name, _)| *name != BuiltinName::Output) {
            let what = "there is no output segment, which every statement has";
            return Err(Refusal::new(Reason::PublicSegments, Place::Whole, what, "Let main take the output builtin"));
        }
        let (_, output_pointers) = pointers.remove(0);
        let output = output_pointers[0].value..output_pointers[1].value;
        if output.end as usize > addresses {
            return Err(no_value(output.end, "the end of the output"));
        }
        if !output.is_empty() && output.start != final_ap {
            let what = format!("the output begins at address {}, not at the final ap {final_ap}", output.start);
            let remedy = "Something was written above the final ap, so that the proof would not verify. Let the program \
                          end with `ap` above all cells that it writes, for example by `ap += n` for locals";
            return Err(Refusal::new(Reason::OutputPosition, Place::Address(u64::from(output.start)), what, remedy));
        }
        check_public_memory(self, initial_ap, final_ap, count, &output)?;
        let output = output.map(|address| cell(&cells, address, "a word of the output")).collect::<Result<_, _>>()?;
        Ok(PublicMemory { program, safe_call_ids, output_pointers, pointers, output })
    }
}

fn cell(cells: &Cells<'_>, address: u32, what: &str) -> Result<Cell, Refusal> {
    cells.id(address).zip(cells.words(address)).ok_or_else(|| no_value(address, what))
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

/// The initial pc, ap and fp, if they and the final ones are as the verifier expects.
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

/// The words of the program, from address 1 to the two cells of the safe call, all of them checked, and the ids of
/// these two.
fn program(cells: &Cells<'_>, initial_ap: u32, slots: usize) -> Result<(Vec<Cell>, [u32; 2]), Refusal> {
    let mut safe_call_ids = [0; 2];
    for (index, expected) in [u128::from(initial_ap), 0].into_iter().enumerate() {
        let address = initial_ap - 2 + index as u32;
        if cells.u128(address) != Some(expected) {
            let what = format!("the cell before the stack is not {expected}");
            return Err(foreign(Reason::ProgramStart, Place::Address(u64::from(address)), what));
        }
        safe_call_ids[index] = cells.id(address).unwrap_or_default();
    }
    let program =
        (1..=initial_ap - 3).map(|address| cell(cells, address, "a word of the program")).collect::<Result<_, _>>()?;
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
    Ok((program, safe_call_ids))
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

/// The addresses of the public memory must be the ones that the statement makes public, each as often.
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
