//! Cuts straight-line code into segments whose machine code stays near the processor. A segment runs over all rows of a
//! run before the next does; what crosses from one to another lies in memory, in slots.

use std::ops::Range;

use crate::order::{Ordered, Step};
use crate::straight::{Operation, Source};

/// Machine instructions of a segment, about: at most, and at least where the code is longer.
const INSTRUCTIONS: Range<u32> = 1500..4000;
/// Terms of a sum before it is reduced: each adds less than 2^54 to a word.
const TERMS: u32 = 512;

/// A part of the code.
pub(crate) struct Segment {
    pub(crate) steps: Range<usize>,
    /// The group whose terms it adds up, if it does.
    pub(crate) group: Option<u32>,
    /// Whether it is the first that adds to the group.
    pub(crate) is_first: bool,
    /// The number of its first term.
    pub(crate) first_term: u32,
}

/// Segments, and where values are that several of them use.
pub(crate) struct Cut {
    pub(crate) segments: Vec<Segment>,
    /// The slot of each value that crosses.
    pub(crate) slots: Vec<Option<u32>>,
    pub(crate) slot_count: u32,
}

/// About as many machine instructions as a step becomes, for an extension of this degree.
fn cost(step: &Step, degree: u32) -> u32 {
    match step {
        Step::Accumulate { .. } => 3 + 6 * degree,
        Step::Compute { operation, .. } => match operation {
            Operation::Add(..) | Operation::Sub(..) => 4,
            Operation::Mul(..) => 23,
            Operation::Neg(_) | Operation::Reduce(_) => 2,
        },
    }
}

/// Where each value is made and last used, as numbers of steps.
fn lives(code: &Ordered) -> Vec<(u32, u32)> {
    let mut lives = vec![(0, 0); code.values as usize];
    for (at, step) in code.steps.iter().enumerate() {
        if let Step::Compute { dst, .. } = step {
            lives[*dst as usize] = (at as u32, at as u32);
        }
        for source in step.sources() {
            if let Source::Value(value) = source {
                lives[value as usize].1 = at as u32;
            }
        }
    }
    lives
}

/// Cuts the code where least crosses.
pub(crate) fn cut(code: &Ordered, degree: u32) -> Cut {
    let lives = lives(code);
    // Values alive before a step that were made before it.
    let mut alive = vec![0i32; code.steps.len() + 1];
    for (made, used) in &lives {
        if used > made {
            alive[*made as usize + 1] += 1;
            alive[*used as usize + 1] -= 1;
        }
    }
    let mut sum = 0;
    for entry in &mut alive {
        sum += *entry;
        *entry = sum;
    }
    let mut segments = segments(code, degree, &alive);
    let (mut seen, mut term) = (0, 0);
    for segment in &mut segments {
        segment.first_term = term;
        term += terms(&code.steps[segment.steps.clone()]);
        if let Some(group) = segment.group {
            segment.is_first = group >= seen;
            seen = group + 1;
        }
    }
    let (slots, slot_count) = slots(&segments, &lives, code.steps.len());
    Cut { segments, slots, slot_count }
}

fn terms(steps: &[Step]) -> u32 {
    steps.iter().filter(|step| matches!(step, Step::Accumulate { .. })).count() as u32
}

fn segments(code: &Ordered, degree: u32, alive: &[i32]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut start = 0;
    while start < code.steps.len() {
        let (mut size, mut terms, mut group) = (0, 0, None);
        let mut end = start;
        // The best place so far at which the segment is long enough.
        let mut best = None;
        for (at, step) in code.steps.iter().enumerate().skip(start) {
            let of = if let Step::Accumulate { group, .. } = step { Some(*group) } else { None };
            let is_other = of.is_some() && group.is_some() && of != group;
            if is_other || terms == TERMS || size > INSTRUCTIONS.end {
                break;
            }
            group = group.or(of);
            terms += u32::from(of.is_some());
            size += cost(step, degree);
            end = at + 1;
            if size >= INSTRUCTIONS.start && best.is_none_or(|best| alive[end] <= alive[best]) {
                best = Some(end);
            }
        }
        let is_whole = end == code.steps.len() || size <= INSTRUCTIONS.end;
        let end = if is_whole { end } else { best.unwrap_or(end) };
        let group = code.steps[start..end].iter().find_map(|step| match step {
            Step::Accumulate { group, .. } => Some(*group),
            Step::Compute { .. } => None,
        });
        segments.push(Segment { steps: start..end, group, is_first: false, first_term: 0 });
        start = end;
    }
    segments
}

/// Slots for values that a later segment uses. A slot serves again behind the last segment that uses it.
fn slots(segments: &[Segment], lives: &[(u32, u32)], steps: usize) -> (Vec<Option<u32>>, u32) {
    let mut segment_of = vec![0u32; steps];
    for (number, segment) in segments.iter().enumerate() {
        segment_of[segment.steps.clone()].fill(number as u32);
    }
    let mut crossing: Vec<(u32, u32, usize)> = lives
        .iter()
        .enumerate()
        .filter(|(_, (made, used))| used > made)
        .map(|(value, (made, used))| (segment_of[*made as usize], segment_of[*used as usize], value))
        .filter(|(made, used, _)| used > made)
        .collect();
    crossing.sort_unstable();
    let mut slots = vec![None; lives.len()];
    let (mut free, mut count) = (Vec::new(), 0);
    // Slots that are free behind a segment.
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); segments.len()];
    let mut freed = 0;
    for (made, used, value) in crossing {
        while freed < made {
            free.append(&mut ends[freed as usize]);
            freed += 1;
        }
        let slot = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        slots[value] = Some(slot);
        ends[used as usize].push(slot);
    }
    (slots, count)
}
