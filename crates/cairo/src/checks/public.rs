//! Checks of public data before anything is computed from them: they belong to a program in proof mode, transcript and
//! lookups read the same numbers, and the segments are the claim's.

use cairo_run::BuiltinName;
use cairo_run::felt::is_reduced;
use field::{M31, PrimeField};

use crate::error::PublicError;
use crate::version::{Claimed, PublicData, SAFE_CALL_CELLS};

/// Where a program begins.
const FIRST_PC: u32 = 1;
/// Where it ends: at `jmp rel 0`.
const LAST_PC: u32 = 5;
/// The first number that is not of the field.
const P: u32 = M31::ORDER as u32;

type Result<T> = std::result::Result<T, PublicError>;

/// Checks the public data of a claim with these components.
///
/// The reference's verifier panics where this returns an error, or accepts: an output that is elsewhere than its
/// segment, a component of a builtin without a segment, numbers that are not reduced, a felt of the prime or more.
pub(super) fn check(data: &PublicData, components: &[Claimed]) -> Result<()> {
    check_numbers(data)?;
    check_run(data)?;
    check_program(data)?;
    check_output(data)?;
    check_segments(data, components)
}

/// Numbers are reduced. Others would be mixed like their remainders, and looked up as something else.
fn check_numbers(data: &PublicData) -> Result<()> {
    let bad = |what: String| Err(PublicError::NotReduced { what });
    for (when, state) in [("first", &data.initial_state), ("last", &data.final_state)] {
        if [state.pc, state.ap, state.fp].iter().any(|register| *register >= P) {
            return bad(format!("a register of the {when} state"));
        }
    }
    let memory = &data.memory;
    for (what, section) in [("program", &memory.program), ("output", &memory.output)] {
        for (at, (id, value)) in section.iter().enumerate() {
            if *id >= P {
                return bad(format!("the id of word {at} of the {what}"));
            }
            if !is_reduced(value) {
                return bad(format!("word {at} of the {what}"));
            }
        }
    }
    if memory.safe_call_ids.iter().any(|id| *id >= P) {
        return bad("an id of the first call's frame".to_owned());
    }
    for builtin in BuiltinName::PUBLIC {
        if data.segment(builtin).iter().flatten().any(|pointer| pointer.id >= P || pointer.value >= P) {
            return bad(format!("a pointer of the segment of {builtin}"));
        }
    }
    Ok(())
}

/// The registers belong to a program in proof mode, and all public addresses are numbers of the field.
fn check_run(data: &PublicData) -> Result<()> {
    let (first, last) = (&data.initial_state, &data.final_state);
    let bad = |what: String| Err(PublicError::Run { what });
    if (first.pc, last.pc) != (FIRST_PC, LAST_PC) {
        return bad(format!("its pc goes from {} to {}, not from {FIRST_PC} to {LAST_PC}", first.pc, last.pc));
    }
    if first.fp != first.ap || last.fp != first.fp {
        return bad(format!("its fp goes from {} to {}, its first ap is {}", first.fp, last.fp, first.ap));
    }
    let memory = &data.memory;
    let pointers = data.builtins() as u32;
    // The pointers that main takes are at the first ap, the pointers that it returns before the last.
    let least = first.ap.saturating_add(pointers);
    if last.ap < least {
        return bad(format!("its last ap is {}, with {pointers} pointers it is at least {least}", last.ap));
    }
    let end = u64::from(last.ap) + memory.output.len() as u64;
    if end > u64::from(P) {
        return bad(format!("its output ends at address {end}"));
    }
    Ok(())
}

/// The program fills the memory up to the first frame, and begins as compilers make it: a call of `main`, then a loop.
fn check_program(data: &PublicData) -> Result<()> {
    let memory = &data.memory;
    let builtins = data.builtins() as u32;
    let first_ap = data.initial_state.ap;
    let expected = u64::from(first_ap).saturating_sub(u64::from(FIRST_PC + SAFE_CALL_CELLS));
    if memory.program.len() as u64 != expected {
        return Err(PublicError::ProgramLength { found: memory.program.len(), first_ap, expected });
    }
    let small = |low: u32, high: u32| [low, high, 0, 0, 0, 0, 0, 0];
    // `ap += builtins; call rel main; jmp rel 0`: an instruction and its operand, three times.
    let start = [
        Some(small(0x7fff_7fff, 0x0407_8001)),
        Some(small(builtins, 0)),
        Some(small(0x8001_8000, 0x1104_8001)),
        None,
        Some(small(0x7fff_7fff, 0x0107_8001)),
        Some(small(0, 0)),
    ];
    let is_other = |(at, word): (usize, &Option<[u32; 8]>)| match memory.program.get(at) {
        None => true,
        Some((_, found)) => word.is_some_and(|word| word != *found),
    };
    match start.iter().enumerate().position(is_other) {
        Some(word) => Err(PublicError::ProgramStart { word, builtins }),
        None => Ok(()),
    }
}

/// The output is its segment, which follows the execution: the lookups read it from there, wherever the claim puts the
/// segment.
fn check_output(data: &PublicData) -> Result<()> {
    let memory = &data.memory;
    let [start, stop] = memory.output_pointers.map(|pointer| pointer.value);
    let (words, last_ap) = (memory.output.len(), data.final_state.ap);
    if u64::from(start) + words as u64 != u64::from(stop) {
        return Err(PublicError::OutputLength { words, start, stop });
    }
    if words > 0 && start != last_ap {
        return Err(PublicError::OutputPlace { start, last_ap });
    }
    Ok(())
}

/// The segments of builtins begin where the claim says, are of whole instances and end within the component's rows.
fn check_segments(data: &PublicData, components: &[Claimed]) -> Result<()> {
    for builtin in BuiltinName::PUBLIC {
        let [start, stop] = data.segment(builtin).map_or([0; 2], |pointers| pointers.map(|pointer| pointer.value));
        let bad = |what: String| Err(PublicError::Segment { builtin, start, stop, what });
        let serves = |component: &Claimed| {
            Some((component.builtin.filter(|(name, _)| *name == builtin)?.1, component.log_size?))
        };
        let component = components.iter().find_map(serves);
        let (cells, first, log_size) = match component {
            // Its place was checked.
            None if builtin == BuiltinName::Output || start == stop => continue,
            None if matches!(builtin, BuiltinName::Ecdsa | BuiltinName::Keccak) => {
                return bad("no component proves it: it must be empty".to_owned());
            }
            None => return bad("the claim has no component for it".to_owned()),
            Some(_) if start == stop => {
                return bad("it is empty, but the claim has a component for it".to_owned());
            }
            Some((first, log_size)) => (builtin.cells() as u32, first, log_size),
        };
        if start != first {
            return bad(format!("the claim's begins at {first}"));
        }
        if start > stop || !(stop - start).is_multiple_of(cells) {
            return bad(format!("that is no number of instances of {cells} cells"));
        }
        let end = u64::from(first) + (u64::from(cells) << log_size);
        if u64::from(stop) > end || end > u64::from(P) {
            return bad(format!("the component covers the addresses up to {end}, which must be below 2^31"));
        }
    }
    Ok(())
}
