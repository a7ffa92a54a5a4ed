//! The parameter block of a generated kernel: data that the interpreter reads from buffers and that is the same on all
//! rows (constants, loads, groups), if there is room.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::piece::Piece;
use super::run::{GROUP_WORDS, LOAD_WORDS, Run};
use super::values::Source;

/// The part of a kernel's parameter block behind the fields of the interpreter's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Words.
    pub words: Vec<u64>,
    /// Base elements, behind the words.
    pub elements: Vec<u64>,
}

/// The parameter block of a kernel; `None` if it reads from buffers, as the interpreter does.
pub fn parameters(run: &Run<'_>, piece: &Piece) -> Option<Parameters> {
    let part = Part { run, piece };
    part.is_in_params().then(|| {
        let mut elements: Vec<u64> = piece.constants.iter().map(|at| run.encoded.constants[*at]).collect();
        elements.resize(part.known_length(), 0);
        Parameters { words: part.arrays().concat(), elements }
    })
}

/// The part of a program in one kernel.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) piece: &'a Piece,
}

impl Part<'_> {
    /// Whether the parameter block has the parts that are the same on all rows.
    pub(super) fn is_in_params(&self) -> bool {
        self.piece.fits_params(self.run.dialect, self.run.slots.len(), 0, self.run.element)
    }

    /// Words of the arrays that the parameter block has beside constants. None is empty.
    pub(super) fn array_lengths(&self) -> [usize; 3] {
        self.piece.array_lengths(self.run.slots.len())
    }

    /// Elements of the array of constants.
    pub(super) fn known_length(&self) -> usize {
        self.piece.known_length()
    }

    /// These arrays: the column of every load, the second word of a load of every table, groups.
    fn arrays(&self) -> [Vec<u64>; 3] {
        let mut arrays = self.array_lengths().map(|length| vec![0; length]);
        let [columns, heights, groups] = &mut arrays;
        for (load, column) in self.piece.loads.iter().zip(columns) {
            let (table, ..) = self.run.encoded.loads[*load];
            (*column, heights[table]) = (self.run.loads[load * LOAD_WORDS], self.run.loads[load * LOAD_WORDS + 1]);
        }
        for (group, words) in self.piece.groups.iter().zip(groups.chunks_exact_mut(GROUP_WORDS)) {
            words.copy_from_slice(&self.run.groups[group.number * GROUP_WORDS..][..GROUP_WORDS]);
        }
        arrays
    }

    /// An element of a field of the parameter block, or of a buffer, which has the elements that all kernels of the
    /// program use.
    fn word(&self, field: (&str, usize), buffer: (&str, usize)) -> String {
        let ((name, at), prefix) = if self.is_in_params() { (field, "p.") } else { (buffer, "") };
        format!("{prefix}{name}[{at}]")
    }

    pub(super) fn column(&self, load: u32) -> String {
        self.word(("column", place(&self.piece.loads, load as usize)), ("loads", load as usize * LOAD_WORDS))
    }

    /// A word with the height of the table of a load.
    pub(super) fn height(&self, load: usize) -> String {
        let (table, ..) = self.run.encoded.loads[load];
        self.word(("height", table), ("loads", load * LOAD_WORDS + 1))
    }

    /// A word of a group, which is the `nth` of the kernel.
    pub(super) fn group(&self, nth: usize, word: usize) -> String {
        let number = self.piece.groups[nth].number;
        self.word(("group", nth * GROUP_WORDS + word), ("groups", number * GROUP_WORDS + word))
    }

    pub(super) fn base(&self, source: Source) -> String {
        match source {
            Source::Value(value) => format!("r{value}"),
            Source::Constant(at) if self.run.encoded.in_text.get(at) == Some(&true) => {
                format!("(Base)0x{:x}", self.run.encoded.constants[at])
            }
            Source::Constant(at) => self.word(("known", place(&self.piece.constants, at)), ("constants", at)),
            Source::None => unreachable!("an operand that the operation does not have"),
        }
    }

    pub(super) fn ext(&self, source: Source) -> String {
        match source {
            Source::Value(value) => format!("x{value}"),
            Source::Constant(at) => self.ext_constant(at),
            Source::None => unreachable!("an operand that the operation does not have"),
        }
    }

    pub(super) fn ext_constant(&self, at: usize) -> String {
        if self.is_in_params() {
            format!("EXT_OF(p.known, {})", place(&self.piece.constants, at))
        } else {
            format!("EXT_OF(constants, {at})")
        }
    }
}

/// Where a sorted list has something that it has.
fn place(list: &[usize], of: usize) -> usize {
    list.binary_search(&of).unwrap_or_else(|_| unreachable!("a piece knows all that its instructions use"))
}
