//! Memory: a list of cells for each segment.

use super::cell::{Cell, Pointer};
use super::stop::Stop;
use crate::pages::Pages;

/// The segments of the program and of the stack, and the first one of a builtin.
pub(crate) const PROGRAM: usize = 0;
pub(super) const STACK: usize = 1;
pub(super) const FIRST_BUILTIN: usize = 2;

const NOWHERE: Stop = Stop::Fails("there is no such segment");
const BEYOND: Stop = Stop::Fails("a cell is beyond the addresses of a run");

/// Cells that a segment grows by at least.
const LEAST_GROWTH: usize = 16;

/// The cells of a segment.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// As many as may be written without growth. Cells behind the last known one have no value.
    pub(super) cells: Pages<Cell>,
    /// The end of the cells that were read or written.
    pub(crate) taken: usize,
}

impl Segment {
    /// A cell, whether it is there or not.
    #[inline(always)]
    pub(crate) fn get(&self, offset: usize) -> Cell {
        self.cells.get(offset).copied().unwrap_or_default()
    }

    /// Its cells, and the end of those that were read or written.
    #[inline(always)]
    pub(super) fn open(&mut self) -> (&mut [Cell], &mut usize) {
        (&mut self.cells, &mut self.taken)
    }

    /// Its cells.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The number of its cells.
    pub(crate) fn length(&self) -> usize {
        self.cells.len()
    }

    /// All cells that may have a value.
    fn written(&self) -> &[Cell] {
        &self.cells[..self.taken.min(self.cells.len())]
    }

    /// The cells up to the last one with a value.
    pub(super) fn used(&self) -> usize {
        self.written().iter().rposition(|cell| cell.is_known()).map_or(0, |last| last + 1)
    }
}

/// The parts of a memory that the loop over steps holds.
pub(super) struct Open<'a> {
    /// The cells of the stack, and the end of those that were read or written.
    pub(super) stack: &'a mut [Cell],
    pub(super) taken: &'a mut usize,
    pub(super) program: &'a mut Segment,
    /// The segments behind the stack.
    pub(super) others: &'a mut [Segment],
    /// Where temporary segments go.
    pub(super) moves: &'a [Option<Pointer>],
}

/// The memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) segments: Vec<Segment>,
    pub(crate) temporary: Vec<Segment>,
    /// Where temporary segments go, by their number from 0 on.
    moves: Vec<Option<Pointer>>,
    /// Offsets are below it.
    pub(super) most: usize,
    /// The cells of all segments, those behind the last known ones included.
    cells: usize,
}

impl Memory {
    /// An empty one, of segments with fewer addresses than these.
    pub(super) fn new(most: usize) -> Self {
        Self { segments: Vec::new(), temporary: Vec::new(), moves: Vec::new(), most, cells: 0 }
    }

    /// The index of the stack, and its cells, behind zeros for the program. None are left.
    pub(crate) fn take_stack(&mut self) -> (usize, Pages<Cell>) {
        (STACK, self.segments.get_mut(STACK).map(|stack| std::mem::take(&mut stack.cells)).unwrap_or_default())
    }

    /// A new segment.
    pub(crate) fn add(&mut self) -> Pointer {
        self.segments.push(Segment::default());
        Pointer { segment: self.segments.len() as i64 - 1, offset: 0 }
    }

    /// A new segment, with room for so many cells before its first one.
    pub(super) fn add_behind(&mut self, cells: usize) -> Pointer {
        let start = self.add();
        self.segments[start.segment as usize].cells = Pages::behind(cells);
        start
    }

    /// The parts that the loop over steps holds.
    pub(super) fn open(&mut self) -> Result<Open<'_>, Stop> {
        let [program, stack, others @ ..] = &mut self.segments[..] else {
            return Err(Stop::Fails("there is no stack"));
        };
        let (stack, taken) = stack.open();
        Ok(Open { stack, taken, program, others, moves: &self.moves })
    }

    /// A new temporary segment.
    pub(crate) fn add_temporary(&mut self) -> Pointer {
        self.temporary.push(Segment::default());
        Pointer { segment: -(self.temporary.len() as i64), offset: 0 }
    }

    #[inline(always)]
    fn segment(&self, index: i64) -> Option<&Segment> {
        match usize::try_from(index) {
            Ok(index) => self.segments.get(index),
            Err(_) => self.temporary.get(!index as usize),
        }
    }

    #[inline(always)]
    fn segment_mut(&mut self, index: i64) -> Option<&mut Segment> {
        match usize::try_from(index) {
            Ok(index) => self.segments.get_mut(index),
            Err(_) => self.temporary.get_mut(!index as usize),
        }
    }

    /// The cell at a place. A pointer into a temporary segment whose place is known points to that place.
    #[inline(always)]
    pub(crate) fn get(&self, at: Pointer) -> Cell {
        let cell = self.segment(at.segment).map_or(Cell::default(), |segment| segment.get(at.offset as usize));
        if cell.is_temporary() { cell.resolved(&self.moves) } else { cell }
    }

    /// Takes the addresses of a segment up to a place, which is read or written.
    pub(super) fn take(&mut self, at: Pointer) -> Result<(), Stop> {
        let most = self.most;
        let segment = self.segment_mut(at.segment).ok_or(NOWHERE)?;
        let offset = at.offset as usize;
        if offset >= segment.taken {
            if offset >= most {
                return Err(BEYOND);
            }
            segment.taken = offset + 1;
        }
        Ok(())
    }

    /// Writes a cell. One that has another value already is an error.
    pub(crate) fn write(&mut self, at: Pointer, value: Cell) -> Result<(), Stop> {
        self.take(at)?;
        self.make_room(at)?;
        let offset = at.offset as usize;
        let segment = self.segment_mut(at.segment).ok_or(NOWHERE)?;
        let cell = &mut segment.cells[offset];
        if !cell.is_known() {
            *cell = value;
        } else if *cell != value {
            return Err(Stop::Fails("a cell has another value already"));
        }
        Ok(())
    }

    /// Writes cells, at offsets of a segment up to `last`. One that has another value already is an error.
    pub(crate) fn write_part(
        &mut self,
        last: Pointer,
        cells: impl Iterator<Item = Option<(Pointer, Cell)>>,
    ) -> Result<(), Stop> {
        const NO_PLACE: Stop = Stop::Fails("a cell of a task has no place, or a pointer of it");
        self.take(last)?;
        self.make_room(last)?;
        let segment = self.segment_mut(last.segment).ok_or(NO_PLACE)?;
        for cell in cells {
            let (at, value) = cell.filter(|(at, _)| at.segment == last.segment).ok_or(NO_PLACE)?;
            let cell = segment.cells.get_mut(at.offset as usize).ok_or(NO_PLACE)?;
            if !cell.is_known() {
                *cell = value;
            } else if *cell != value {
                return Err(Stop::Fails("a cell has another value already"));
            }
        }
        Ok(())
    }

    /// Makes room for a cell, whose address is not taken by that.
    pub(super) fn make_room(&mut self, at: Pointer) -> Result<(), Stop> {
        let length = self.segment(at.segment).ok_or(NOWHERE)?.cells.len();
        if (at.offset as usize) < length { Ok(()) } else { self.grow(at) }
    }

    /// Makes room in a segment, up to a cell at least, and never beyond the addresses that it may have.
    #[cold]
    fn grow(&mut self, at: Pointer) -> Result<(), Stop> {
        const NONE: Stop = Stop::Fails("there is no memory for a segment");
        let (index, offset) = (at.segment, at.offset as usize);
        if offset >= self.most {
            return Err(BEYOND);
        }
        let number = self.segments.len() + self.temporary.len();
        // No more than half of what was taken is there beside it.
        let most = self.most.saturating_mul(2).saturating_add(LEAST_GROWTH * number);
        let length = self.segment(index).ok_or(NOWHERE)?.cells.len();
        let wanted = (length / 4).max(LEAST_GROWTH).min(self.most - length);
        let more = wanted.max(offset + 1 - length);
        let cells = self.cells.saturating_add(more);
        if cells > most {
            return Err(NONE);
        }
        self.cells = cells;
        self.segment_mut(index).and_then(|segment| segment.cells.try_grow(length + more)).ok_or(NONE)
    }

    /// The addresses that were taken, and one for each segment.
    pub(crate) fn taken(&self) -> usize {
        let segments = self.segments.iter().chain(&self.temporary);
        segments.fold(0, |sum, segment| sum.saturating_add(segment.taken).saturating_add(1))
    }

    /// Lets a temporary segment become part of another one in the end.
    pub(crate) fn add_move(&mut self, source: Pointer, target: Pointer) -> Result<(), Stop> {
        let Ok(index) = usize::try_from(!source.segment) else {
            return Err(Stop::Fails("only a temporary segment is moved"));
        };
        if self.moves.len() <= index {
            self.moves.resize(index + 1, None);
        }
        if source.offset != 0 || self.moves[index].is_some() {
            return Err(Stop::Fails("a temporary segment is moved once, and from its start"));
        }
        self.moves[index] = Some(target);
        Ok(())
    }

    /// The highest offset of a place that a temporary segment goes to.
    pub(super) fn highest_move(&self) -> u64 {
        self.moves.iter().flatten().map(|target| target.offset).max().unwrap_or(0)
    }

    /// Moves all temporary segments that have a place to it. They may go into each other.
    pub(super) fn settle(&mut self) -> Result<(), Stop> {
        if self.temporary.is_empty() || self.moves.iter().all(Option::is_none) {
            return Ok(());
        }
        self.flatten()?;
        let memory = &*self;
        let settled = |segment: &Segment| -> Vec<(usize, Cell)> {
            let cells = segment.written().iter().enumerate().filter(|(_, cell)| cell.is_temporary());
            cells.map(|(offset, cell)| (offset, cell.resolved(&memory.moves))).collect()
        };
        let lasting: Vec<_> = memory.segments.iter().map(settled).collect();
        let temporary: Vec<_> = memory.temporary.iter().map(settled).collect();
        let segments = self.segments.iter_mut().zip(lasting).chain(self.temporary.iter_mut().zip(temporary));
        for (segment, cells) in segments {
            cells.into_iter().for_each(|(offset, cell)| segment.cells[offset] = cell);
        }
        for index in (0..self.temporary.len()).rev() {
            let Some(target) = self.moves.get(index).copied().flatten() else { continue };
            let segment = std::mem::take(&mut self.temporary[index]);
            for (offset, cell) in segment.written().iter().enumerate().filter(|(_, cell)| cell.is_known()) {
                self.write(target.at(offset as i64).ok_or(Stop::Fails("a segment goes beyond all addresses"))?, *cell)?;
            }
        }
        Ok(())
    }

    /// Follows places in temporary segments to lasting ones.
    fn flatten(&mut self) -> Result<(), Stop> {
        for index in 0..self.moves.len() {
            let Some(mut target) = self.moves[index] else { continue };
            let mut hops = 0;
            while target.segment < 0 {
                let next = self.moves.get(!target.segment as usize).copied().flatten();
                let next = next.and_then(|next| next.at(i64::try_from(target.offset).ok()?));
                hops += 1;
                target = next
                    .filter(|_| hops <= self.moves.len())
                    .ok_or(Stop::Fails("a temporary segment goes into one that has no place"))?;
            }
            self.moves[index] = Some(target);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(segment: i64, offset: u64) -> Pointer {
        Pointer { segment, offset }
    }

    fn cell(segment: i64, offset: u64) -> Cell {
        Cell::pointer(at(segment, offset))
    }

    fn memory() -> Memory {
        let mut memory = Memory::new(100);
        assert_eq!([memory.add(), memory.add()], [at(0, 0), at(1, 0)]);
        assert_eq!([memory.add_temporary(), memory.add_temporary()], [at(-1, 0), at(-2, 0)]);
        memory
    }

    #[test]
    fn a_cell_keeps_its_value() {
        let mut memory = memory();
        assert_eq!(memory.write(at(1, 7), Cell::small(5)), Ok(()));
        assert_eq!(memory.write(at(1, 7), Cell::small(5)), Ok(()));
        assert!(memory.write(at(1, 7), Cell::small(6)).is_err());
        assert_eq!((memory.get(at(1, 7)), memory.get(at(1, 6))), (Cell::small(5), Cell::default()));
        assert_eq!((memory.segments[1].used(), memory.segments[1].taken, memory.taken()), (8, 8, 8 + 4));
        for nowhere in [at(2, 0), at(-3, 0), at(1, 100), at(1, u64::MAX)] {
            assert!(memory.write(nowhere, Cell::small(1)).is_err(), "{nowhere:?}");
        }
    }

    #[test]
    fn temporary_segments_go_into_each_other() {
        let mut memory = memory();
        memory.write(at(-1, 1), Cell::small(5)).unwrap();
        memory.write(at(-2, 0), cell(-1, 1)).unwrap();
        memory.write(at(0, 0), cell(-2, 3)).unwrap();
        assert_eq!(memory.get(at(0, 0)), cell(-2, 3));
        // The first goes behind the second, and that into segment 1.
        memory.add_move(at(-1, 0), at(-2, 4)).unwrap();
        memory.add_move(at(-2, 0), at(1, 10)).unwrap();
        assert_eq!(memory.get(at(0, 0)), cell(1, 13), "as it is read from then on");
        for wrong in [at(-1, 0), at(-2, 1), at(1, 0)] {
            assert!(memory.add_move(wrong, at(1, 0)).is_err(), "{wrong:?}");
        }
        memory.settle().unwrap();
        assert_eq!(memory.highest_move(), 14, "the places of both, added");
        assert_eq!(memory.get(at(0, 0)), cell(1, 13));
        assert_eq!([memory.get(at(1, 10)), memory.get(at(1, 15))], [cell(1, 15), Cell::small(5)]);
    }

    #[test]
    fn segments_that_go_in_circles_have_no_place() {
        let mut memory = memory();
        memory.add_move(at(-1, 0), at(-2, 0)).unwrap();
        memory.add_move(at(-2, 0), at(-1, 0)).unwrap();
        assert!(memory.settle().is_err());
    }
}
