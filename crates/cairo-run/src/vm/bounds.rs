//! The budget of a run: steps, addresses, and the host's memory for both.
//!
//! cairo-vm lets a segment grow to any offset that is written, and hints loop as often as an operand says, so that a
//! program of a few words could ask for all of the host's memory, or never end. Here everything is counted before it is
//! taken: an address when it is read or written, a segment when it is made, a step when it begins, and each turn of a
//! hint's loop as a step. A pointer that is computed and never used takes nothing.

use std::collections::BTreeMap;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;
use field::Bytes;

use crate::{RunSigns, StopFlag};

/// Bytes of memory that a step takes at most, from the run to the ProverInput: an entry of the trace (32 bytes) in a
/// list that may have room for twice as many, and the state in the list of its component (12 bytes), likewise. Measured
/// in loops of 4.2 million steps and half as many addresses: 475 MB of address space.
pub const STEP_BYTES: u64 = 100;

/// Bytes of memory that an address takes at most, from the run to the ProverInput: a cell of cairo-vm (32 bytes) in a
/// segment that may have room for twice as many, the cell as it is handed on (40 bytes), and its value (32 bytes), for
/// which a builtin's segment has room up to the next power of two. Measured where one instruction reaches 16 million:
/// 131.
pub const ADDRESS_BYTES: u64 = 168;

/// Bytes that a segment takes beside its cells.
const SEGMENT_BYTES: u64 = 256;

/// Bytes that are kept of each word of the program, beside its address: the word, and the instruction that it is, in
/// two forms.
const WORD_BYTES: u64 = 256;

/// The bounds of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) steps: usize,
    pub(super) addresses: usize,
    /// Bytes; `None` is any number.
    pub(super) memory: Option<u64>,
    pub(super) stop: StopFlag,
    pub(super) signs: RunSigns,
}

/// A bound that a run has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    Steps,
    /// The address that would be one too many, if it is not a segment's.
    Addresses(Option<Relocatable>),
    Memory,
    /// None, but nobody wants the run any more.
    Stopped,
}

impl From<Exceeded> for HintError {
    /// The text is not shown: the exceeded bound is known by [`Budget::exceeded`].
    fn from(_: Exceeded) -> Self {
        HintError::CustomHint("it takes more than the run may take".into())
    }
}

/// The budget that is left to a run; nothing by default.
#[derive(Debug, Default)]
pub(super) struct Budget {
    bounds: Bounds,
    steps: usize,
    addresses: usize,
    bytes: u64,
    /// The end of each segment, and of each temporary one.
    ends: [Vec<usize>; 2],
    /// Where temporary segments go in the end, by their number.
    moves: BTreeMap<usize, Relocatable>,
    /// Hints of the current step.
    hints: usize,
    exceeded: Option<Exceeded>,
}

impl Budget {
    /// All of it.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            steps: bounds.steps,
            addresses: bounds.addresses,
            bytes: bounds.memory.unwrap_or(u64::MAX),
            bounds,
            ends: [Vec::new(), Vec::new()],
            moves: BTreeMap::new(),
            hints: 0,
            exceeded: None,
        }
    }

    /// The bound that was met, if one was.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// The message about a bound that was met.
    pub(super) fn message(&self, exceeded: Exceeded) -> String {
        let Bounds { steps, addresses, memory, .. } = self.bounds;
        match exceeded {
            Exceeded::Steps => format!(
                "it has not ended after {steps} steps, the loops of its hints included. If it does end, allow more steps \
                 (--max-steps)"
            ),
            Exceeded::Addresses(reached) => {
                let reached = reached.map_or("it makes too many segments".to_owned(), |at| format!("it reaches {at}"));
                format!(
                    "it takes more than {addresses} addresses: {reached}. If that is what it should do, allow more \
                     addresses (--max-addresses)"
                )
            }
            Exceeded::Stopped => "it was cancelled".to_owned(),
            Exceeded::Memory => format!(
                "it takes more memory than there is for a run, which is {} now: {} steps and {} addresses, the next ones not counted, at \
                 {STEP_BYTES} and {ADDRESS_BYTES} bytes. Run it where more is free; a run takes half of what is free, and \
                 nearly all of it with --max-steps or --max-addresses",
                Bytes(memory.unwrap_or(u64::MAX)),
                steps - self.steps,
                addresses - self.addresses
            ),
        }
    }

    fn met(&mut self, bound: Exceeded) -> Exceeded {
        *self.exceeded.get_or_insert(bound)
    }

    /// A step begins.
    pub(super) fn step(&mut self) -> Result<(), Exceeded> {
        self.hints = 0;
        self.work(1)?;
        self.keep(STEP_BYTES)
    }

    /// A hint begins. A step may have one; each further one counts as a step.
    pub(super) fn hint(&mut self) -> Result<(), Exceeded> {
        self.hints += 1;
        if self.hints == 1 { Ok(()) } else { self.work(1) }
    }

    /// Turns of a loop begin.
    pub(super) fn work(&mut self, turns: usize) -> Result<(), Exceeded> {
        if self.bounds.stop.is_stopped() {
            return Err(self.met(Exceeded::Stopped));
        }
        self.steps = self.steps.checked_sub(turns).ok_or_else(|| self.met(Exceeded::Steps))?;
        Ok(())
    }

    /// Takes memory.
    pub(super) fn keep(&mut self, bytes: u64) -> Result<(), Exceeded> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(|| self.met(Exceeded::Memory))?;
        Ok(())
    }

    /// Gives memory back that was taken.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// The words of the program are kept beside their cells.
    pub(super) fn program(&mut self, words: usize) -> Result<(), Exceeded> {
        self.keep(WORD_BYTES.saturating_mul(words as u64))
    }

    /// The end of a segment, if it exists. Temporary segments count down from -1.
    fn end(&mut self, segment: isize) -> Option<&mut usize> {
        match usize::try_from(segment) {
            Ok(index) => self.ends[0].get_mut(index),
            Err(_) => self.ends[1].get_mut(segment.unsigned_abs() - 1),
        }
    }

    /// How many more addresses a segment takes up to an address. None if there is no such segment: cairo-vm says so.
    fn more(&mut self, address: Relocatable) -> usize {
        let end = self.end(address.segment_index).copied().unwrap_or(usize::MAX);
        address.offset.saturating_add(1).saturating_sub(end)
    }

    /// Takes the addresses of a segment up to an address, which is read or written.
    pub(super) fn take(&mut self, address: Relocatable) -> Result<(), Exceeded> {
        let more = self.more(address);
        if more == 0 {
            return Ok(());
        }
        self.addresses =
            self.addresses.checked_sub(more).ok_or_else(|| self.met(Exceeded::Addresses(Some(address))))?;
        self.keep(ADDRESS_BYTES.saturating_mul(more as u64))?;
        self.end(address.segment_index).into_iter().for_each(|end| *end += more);
        Ok(())
    }

    /// Whether `cells` cells from `start` on could be taken.
    pub(super) fn has_room(&mut self, start: Relocatable, cells: usize) -> Result<(), Exceeded> {
        let Some(before) = cells.checked_sub(1) else { return Ok(()) };
        let last = Relocatable { offset: start.offset.saturating_add(before), ..start };
        let more = self.more(last);
        self.has_more(more, Some(last))
    }

    /// Whether this many more cells could be taken, the last of them at `last` if it is not in a new segment.
    pub(super) fn has_more(&mut self, more: usize, last: Option<Relocatable>) -> Result<(), Exceeded> {
        if more > self.addresses {
            return Err(self.met(Exceeded::Addresses(last)));
        }
        if ADDRESS_BYTES.saturating_mul(more as u64) > self.bytes {
            return Err(self.met(Exceeded::Memory));
        }
        Ok(())
    }

    /// A segment is made, which counts as an address.
    pub(super) fn segment(&mut self, is_temporary: bool) -> Result<(), Exceeded> {
        self.addresses = self.addresses.checked_sub(1).ok_or_else(|| self.met(Exceeded::Addresses(None)))?;
        self.keep(SEGMENT_BYTES)?;
        self.ends[usize::from(is_temporary)].push(0);
        Ok(())
    }

    /// Takes the segments that were made by somebody else, and their cells.
    pub(super) fn see_new_segments(&mut self, vm: &VirtualMachine) -> Result<(), Exceeded> {
        let numbers = [vm.segments.num_segments(), vm.segments.num_temp_segments()];
        for (kind, number) in numbers.into_iter().enumerate() {
            while self.ends[kind].len() < number {
                let index = self.ends[kind].len() as isize;
                self.segment(kind == 1)?;
                self.see_segment(vm, if kind == 1 { -1 - index } else { index })?;
            }
        }
        Ok(())
    }

    /// Takes the cells of a segment that were written by somebody else.
    pub(super) fn see_segment(&mut self, vm: &VirtualMachine, segment: isize) -> Result<(), Exceeded> {
        // There are cells up to the last that was written.
        let is_there = |offset: usize| vm.is_accessed(&(segment, offset).into()).is_ok();
        let Some(end) = self.end(segment).copied().filter(|end| is_there(*end)) else { return Ok(()) };
        let (mut last, mut stride) = (end, 1);
        while is_there(last + stride) {
            last += stride;
            stride *= 2;
        }
        while stride > 1 {
            stride /= 2;
            last += if is_there(last + stride) { stride } else { 0 };
        }
        self.take((segment, last).into())
    }

    /// Takes all that was made or written by somebody else.
    pub(super) fn see_all(&mut self, vm: &VirtualMachine) -> Result<(), Exceeded> {
        let [real, temporary] = [&self.ends[0], &self.ends[1]].map(|ends| ends.len() as isize);
        (-temporary..real).try_for_each(|segment| self.see_segment(vm, segment))?;
        self.see_new_segments(vm)
    }

    /// The temporary segment at `source` goes to `target` in the end.
    pub(super) fn moves(&mut self, source: Relocatable, target: &MaybeRelocatable) -> Result<(), Exceeded> {
        if let (true, MaybeRelocatable::RelocatableValue(target)) = (source.segment_index < 0, target) {
            self.keep(SEGMENT_BYTES)?;
            self.moves.insert(source.segment_index.unsigned_abs() - 1, *target);
        }
        Ok(())
    }

    /// Steps that are left.
    pub(super) fn steps_left(&self) -> usize {
        self.steps
    }

    /// Takes the memory that the run will have when its temporary segments are where they go.
    pub(super) fn settle(&mut self) -> Result<(), Exceeded> {
        for (index, start) in places(&std::mem::take(&mut self.moves)) {
            let cells = self.ends[1].get(index).copied().unwrap_or(0);
            if let Some(before) = cells.checked_sub(1) {
                self.take(Relocatable { offset: start.offset.saturating_add(before), ..start })?;
            }
        }
        Ok(())
    }
}

/// Where temporary segments end up that may go into each other. Where one goes in circles or nowhere, it and the ones
/// behind it are left out: cairo-vm refuses all.
fn places(moves: &BTreeMap<usize, Relocatable>) -> BTreeMap<usize, Relocatable> {
    let temporary = |at: &Relocatable| (at.segment_index < 0).then(|| at.segment_index.unsigned_abs() - 1);
    let mut places: BTreeMap<usize, Relocatable> = BTreeMap::new();
    for first in moves.keys() {
        // From each to the one that it goes into, up to one whose place is known.
        let (mut path, mut next) = (Vec::new(), Some(*first));
        let mut base = None;
        while let Some(index) = next.filter(|_| path.len() <= moves.len()) {
            base = places.get(&index).copied();
            next = match (base, moves.get(&index)) {
                (None, Some(target)) => {
                    path.push((index, *target));
                    temporary(target)
                }
                _ => None,
            };
        }
        for (index, target) in path.into_iter().rev() {
            let place = match (temporary(&target), base) {
                (None, _) => target,
                (Some(_), Some(base)) => Relocatable { offset: base.offset.saturating_add(target.offset), ..base },
                (Some(_), None) => return places,
            };
            places.insert(index, place);
            base = Some(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(steps: usize, addresses: usize, memory: Option<u64>) -> Budget {
        let mut budget = Budget::new(Bounds { steps, addresses, memory, ..Bounds::default() });
        budget.addresses = budget.addresses.saturating_add(4);
        for is_temporary in [false, false, false, true] {
            budget.segment(is_temporary).unwrap();
        }
        budget
    }

    #[test]
    fn cells_count_once_and_in_all_segments() {
        let mut budget = budget(0, 10, None);
        let mut take = |segment: isize, offset| budget.take((segment, offset).into());
        for (segment, offset) in [(0, 3), (0, 3), (0, 0), (-1, 2), (2, 2)] {
            assert_eq!(
                take(segment, offset),
                Ok(()),
                "four cells once, three of a temporary segment, three of another"
            );
        }
        for (segment, offset) in [(1, 0), (2, 3), (0, usize::MAX)] {
            assert!(take(segment, offset).is_err(), "none is left");
        }
        assert_eq!([take(2, 2), take(-1, 0)], [Ok(()); 2], "these are taken already");
        assert!(budget.segment(false).is_err());
        assert_eq!(budget.exceeded(), Some(Exceeded::Addresses(Some((1, 0).into()))), "the first");
    }

    #[test]
    fn room_takes_nothing() {
        let mut budget = budget(0, 10, None);
        assert_eq!(budget.has_room((0, 5).into(), 5), Ok(()));
        assert!(budget.has_room((0, 5).into(), 6).is_err() && budget.has_room((0, 1 << 40).into(), 1).is_err());
        assert_eq!(budget.has_room((0, 1 << 40).into(), 0), Ok(()));
        assert_eq!(budget.has_more(10, None), Ok(()));
        assert_eq!(budget.take((0, 9).into()), Ok(()));
        assert!(budget.has_more(1, None).is_err());
    }

    #[test]
    fn steps_loops_and_further_hints_count() {
        let mut budget = budget(10, 0, None);
        assert_eq!([budget.step(), budget.hint(), budget.work(6)], [Ok(()); 3]);
        assert_eq!([budget.hint(), budget.hint()], [Ok(()); 2], "two more of the same step");
        assert_eq!(
            [budget.step(), budget.hint(), budget.hint()],
            [Ok(()), Ok(()), Err(Exceeded::Steps)],
            "none is left"
        );
        assert!(budget.message(Exceeded::Steps).contains("10 steps"));
    }

    #[test]
    fn memory_bounds_both() {
        let mut budget = budget(1 << 40, 1 << 40, Some(4 * SEGMENT_BYTES + 10 * ADDRESS_BYTES + 10 * STEP_BYTES));
        (0..10).for_each(|_| assert_eq!(budget.step(), Ok(())));
        assert_eq!(budget.take((0, 9).into()), Ok(()));
        assert_eq!([budget.step(), budget.take((1, 0).into())], [Err(Exceeded::Memory); 2]);
        assert_eq!(budget.has_room((1, 0).into(), 1), Err(Exceeded::Memory));
        assert!(budget.message(Exceeded::Memory).contains("more memory"));
    }

    #[test]
    fn temporary_segments_go_into_each_other() {
        let at = |segment: isize, offset| Relocatable::from((segment, offset));
        // -1 goes to 5:10; -3 into -1 and -2 into -3; -4 and -5 go in a circle, -6 into one that goes nowhere.
        let moves = [at(5, 10), at(-3, 1), at(-1, 100), at(-5, 0), at(-4, 0), at(-9, 0)];
        let places = places(&moves.into_iter().enumerate().collect());
        assert_eq!(places, BTreeMap::from([(0, at(5, 10)), (1, at(5, 111)), (2, at(5, 110))]));
    }
}
