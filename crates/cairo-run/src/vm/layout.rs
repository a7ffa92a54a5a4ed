//! Where the segments of a run come to lie, and the values there.
//!
//! Segments follow each other from address 1. A builtin segment grows to a power of two of instances, at least 16, by
//! copies of its last one. A cell that was never written has the value 0.

use std::collections::BTreeMap;
use std::ops::Range;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::trace::trace_entry::TraceEntry;
use rayon::prelude::*;

use crate::felt::to_words;
use crate::pages::Pages;
use crate::{BuiltinName, MAX_ADDRESSES, Place, Reason, Refusal, Segment, State, Words};

/// The segment of the stack, where `ap` and `fp` point.
const STACK: usize = 1;
/// Instances of a builtin are padded to a power of two, at least this.
const MIN_INSTANCES: usize = 16;

/// The cells of a segment, as a machine has them.
pub(super) trait SegmentCells: Sync {
    /// The number of cells.
    fn length(&self) -> usize;

    /// The value of a cell; `None` was never written.
    fn value(&self, offset: usize) -> Option<Value>;

    /// The first cell that was never written.
    fn hole(&self) -> Option<usize> {
        (0..self.length()).find(|offset| self.value(*offset).is_none())
    }
}

/// The value of a cell.
pub(super) enum Value {
    Number(Words),
    Pointer(Relocatable),
}

impl SegmentCells for Vec<Option<MaybeRelocatable>> {
    fn length(&self) -> usize {
        self.len()
    }

    fn value(&self, offset: usize) -> Option<Value> {
        self[offset].as_ref().map(|value| match value {
            MaybeRelocatable::Int(felt) => Value::Number(to_words(felt)),
            MaybeRelocatable::RelocatableValue(pointer) => Value::Pointer(*pointer),
        })
    }
}

/// The builtins by the index of their segment.
pub(super) type Builtins = BTreeMap<usize, BuiltinName>;

/// The addresses of the segments.
pub(super) struct Layout {
    /// The first address of each segment, and the first one behind them all.
    bases: Vec<u32>,
    /// The cells of an instance, and those before the first copy, for the segments that grow by copies of one.
    instances: BTreeMap<usize, (usize, usize)>,
}

impl Layout {
    /// Lays out the segments. Builtin segments must consist of whole instances, without holes, of builtins that can be
    /// proven.
    pub(super) fn new(segments: &[impl SegmentCells], builtins: &Builtins) -> Result<Self, Refusal> {
        let mut next = 1u64;
        let mut bases = vec![1];
        let mut instances = BTreeMap::new();
        for (index, segment) in segments.iter().enumerate() {
            let instance = builtins.get(&index).and_then(|name| Some((name, cells_per_instance(*name)?)));
            next += match instance {
                Some((name, cells)) if segment.length() != 0 => {
                    check_builtin(*name, cells, segment, next)?;
                    instances.insert(index, (cells, segment.length()));
                    (segment.length() / cells).next_power_of_two().max(MIN_INSTANCES) * cells
                }
                _ => segment.length(),
            } as u64;
            if next > u64::from(MAX_ADDRESSES) {
                let what = format!("the run takes more than the {MAX_ADDRESSES} memory cells of a proof");
                return Err(Refusal::new(Reason::Address, Place::Whole, what, "Split the program"));
            }
            bases.push(next as u32);
        }
        Ok(Self { bases, instances })
    }

    /// The first address behind all segments.
    pub(super) fn end(&self) -> u32 {
        self.bases.last().copied().unwrap_or_default()
    }

    /// The addresses of a segment; none if it does not exist.
    pub(super) fn range(&self, segment: usize) -> Range<u32> {
        match self.bases.get(segment..).unwrap_or_default() {
            [start, stop, ..] => *start..*stop,
            _ => 0..0,
        }
    }

    /// The addresses of a segment that has cells.
    pub(super) fn segment(&self, segment: usize) -> Option<Segment> {
        let Range { start, end } = self.range(segment);
        (start != end).then_some(Segment { begin_addr: start as usize, stop_ptr: end as usize })
    }

    /// The address of a cell, which may lie beyond its segment. `None` if the segment does not exist or the address has
    /// more than 32 bits.
    pub(super) fn address(&self, cell: Relocatable) -> Option<u32> {
        let range = self.range(usize::try_from(cell.segment_index).ok()?);
        // Address 0 belongs to no segment.
        (range.start != 0).then(|| range.start.checked_add(u32::try_from(cell.offset).ok()?))?
    }

    /// The registers of a step as addresses.
    pub(super) fn state(&self, entry: &TraceEntry) -> Result<State, Refusal> {
        let in_bound = |address: &u32| *address < MAX_ADDRESSES;
        let stack = self.range(STACK).start;
        let in_stack = |offset: usize| stack.checked_add(u32::try_from(offset).ok()?).filter(in_bound);
        let pc = self.address(entry.pc).filter(in_bound);
        match (pc, in_stack(entry.ap), in_stack(entry.fp)) {
            (Some(pc), Some(ap), Some(fp)) => Ok(State { pc, ap, fp }),
            _ => {
                let what = format!(
                    "pc {}, ap {} or fp {} is beyond the 2^29 addresses of a proof",
                    entry.pc, entry.ap, entry.fp
                );
                let place = pc.map_or(Place::Whole, |pc| Place::Pc(pc.into()));
                Err(Refusal::new(Reason::Address, place, what, "Advance ap by what the function needs"))
            }
        }
    }

    /// The values of all cells, in the order of their addresses; the first has address 1.
    pub(super) fn words(&self, segments: &[impl SegmentCells]) -> Result<Pages<Words>, Refusal> {
        let total = self.end() as usize - 1;
        let mut values = Pages::try_zeroed(total).ok_or_else(|| {
            let what = format!("there is no memory for the values of the {total} addresses of the run");
            Refusal::new(Reason::Memory, Place::Whole, what, "Run it where more memory is free")
        })?;
        self.fill(&mut values, |index, cells| {
            cells.par_iter_mut().with_min_len(1 << 12).enumerate().try_for_each(|(offset, cell)| {
                *cell = match segments[index].value(offset) {
                    None => [0; 8],
                    Some(Value::Number(words)) => words,
                    Some(Value::Pointer(pointer)) => match self.address(pointer) {
                        Some(address) => [address, 0, 0, 0, 0, 0, 0, 0],
                        None => return Err(pointer_to_nowhere(self.range(index).start as usize + offset, pointer)),
                    },
                };
                Ok(())
            })
        })?;
        Ok(values)
    }

    /// Lets `fill` write the cells of each segment, which it is told the index of, among the values of all; and writes
    /// the copies of last instances.
    pub(super) fn fill<E>(
        &self,
        values: &mut [Words],
        fill: impl Fn(usize, &mut [Words]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = values;
        for index in 0..self.bases.len() - 1 {
            let (cells, after) = rest.split_at_mut(self.range(index).len());
            rest = after;
            match self.instances.get(&index) {
                None => fill(index, cells)?,
                Some((instance, length)) => {
                    let (written, padding) = cells.split_at_mut(*length);
                    fill(index, written)?;
                    let last = &written[written.len() - instance..];
                    padding.iter_mut().zip(last.iter().cycle()).for_each(|(cell, value)| *cell = *value);
                }
            }
        }
        Ok(())
    }
}

/// The cells of an instance, for the builtins whose segments grow.
fn cells_per_instance(name: BuiltinName) -> Option<usize> {
    (!matches!(name, BuiltinName::Output | BuiltinName::SegmentArena)).then(|| name.cells())
}

fn check_builtin(name: BuiltinName, cells: usize, segment: &impl SegmentCells, base: u64) -> Result<(), Refusal> {
    let refuse = |offset: usize, what: String, remedy| {
        Err(Refusal::new(Reason::Builtin, Place::Address(base + offset as u64), what, remedy))
    };
    if matches!(name, BuiltinName::Ecdsa | BuiltinName::Keccak) {
        return refuse(0, format!("the builtin {name} has no component"), "Use a library function in its place");
    }
    let length = segment.length();
    if !length.is_multiple_of(cells) {
        let what = format!("the builtin {name} has {length} cells, not a multiple of {cells}");
        return refuse(0, what, "Let the program write all inputs of each instance");
    }
    if let Some(hole) = segment.hole() {
        let what = format!("cell {hole} of the builtin {name} was never written");
        let remedy = "Let the program use the builtin's instances one after the other, and write all their inputs";
        return refuse(hole, what, remedy);
    }
    // The numbers alone do not tell a pointer: cells 4 and 5 of an instance are pointers, the others are none.
    let is_modulo = matches!(name, BuiltinName::AddMod | BuiltinName::MulMod);
    let is_pointer = |cell: usize| matches!(segment.value(cell), Some(Value::Pointer(_)));
    let is_wrong = |cell: &usize| is_modulo && is_pointer(*cell) != matches!(cell % cells, 4 | 5);
    if let Some(cell) = (0..length).find(is_wrong) {
        let (found, expected) = if is_pointer(cell) { ("a pointer", "a number") } else { ("a number", "a pointer") };
        let what = format!("cell {cell} of the builtin {name} is {found}, not {expected}");
        return refuse(
            cell,
            what,
            "An instance is four words of the modulus, two pointers, and a number of operations",
        );
    }
    Ok(())
}

fn pointer_to_nowhere(address: usize, pointer: Relocatable) -> Refusal {
    let (what, remedy) = if pointer.segment_index < 0 {
        let what = format!("the pointer {pointer} points into a temporary segment, which was never placed");
        (what, "Squash every dictionary before the program ends")
    } else {
        let what = format!("the pointer {pointer} is beyond the addresses of a run");
        (what, "Keep pointers within the segments of the run")
    };
    Refusal::new(Reason::Address, Place::Address(address as u64), what, remedy)
}
