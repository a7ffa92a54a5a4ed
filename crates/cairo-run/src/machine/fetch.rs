//! How the machine finds the instruction at its pc.

use super::cell::{Cell, Pointer};
use super::code::Code;
use super::decode::{Decoded, Kind};
use super::{Machine, PROGRAM, Stop};

/// The least length of a window.
const LEAST_WINDOW: usize = 1 << 12;

impl Machine {
    /// The decoded instruction at a place in the current segment.
    #[cold]
    pub(super) fn decoded(&mut self, pc: usize) -> Result<Decoded, Stop> {
        if pc >= self.code.window {
            return Err(Stop::Lacks("an instruction is no word of the program, or far behind others"));
        }
        if let Some(decoded) = self.code.table.get(pc).filter(|decoded| decoded.kind != Kind::Undecoded) {
            return Ok(*decoded);
        }
        let has_hints = if self.code.segment == PROGRAM {
            self.hinted.get(pc).copied().unwrap_or(false)
        } else {
            self.hinted_outside.contains(&self.place())
        };
        let decoded = Decoded::new(self.word(pc), has_hints)?;
        // There is a word, so there is memory for its instruction.
        let length = self.code.table.len().max(pc + 1);
        self.code.table.resize(length, Decoded::default());
        self.code.table[pc] = decoded;
        let immediate = self.word(pc + 1);
        self.code.immediates.resize(length, Cell::default());
        self.code.immediates[pc] = immediate;
        Ok(decoded)
    }

    /// The place of the instruction at the pc.
    pub(crate) fn place(&self) -> Pointer {
        Pointer { segment: self.code.segment as i64, offset: self.pc as u64 }
    }

    /// Lets hints run before the instruction in a cell outside of the program, from now on.
    pub(crate) fn add_hinted(&mut self, at: Pointer) {
        self.hinted_outside.insert(at);
        let code = usize::try_from(at.segment).ok().and_then(|segment| self.left.get_mut(&segment));
        if let Some(decoded) = code.and_then(|code| code.table.get_mut(at.offset as usize)) {
            decoded.has_hints = true;
        }
    }

    /// The cell at a place in the current segment.
    #[inline(always)]
    pub(super) fn word(&self, pc: usize) -> Cell {
        self.memory.segments[self.code.segment].get(pc)
    }

    /// Goes on in another segment.
    #[cold]
    pub(super) fn enter(&mut self, segment: usize) -> Result<(), Stop> {
        const NONE: Stop = Stop::Lacks("too many instructions are outside of the program");
        let code = match self.left.remove(&segment) {
            Some(code) => code,
            None => {
                let cells = self.memory.segments.get(segment).map_or(0, |segment| segment.length());
                let window = cells.saturating_mul(2).max(LEAST_WINDOW);
                let base = self.next_window;
                let next = u32::try_from(window).ok().and_then(|window| base.checked_add(window));
                self.next_window = next.ok_or(NONE)?;
                self.windows.push((base, segment));
                Code { segment, base, window, table: Vec::new(), immediates: Vec::new() }
            }
        };
        let before = std::mem::replace(&mut self.code, code);
        self.left.insert(before.segment, before);
        Ok(())
    }
}
