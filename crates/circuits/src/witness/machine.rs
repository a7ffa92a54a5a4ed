//! The common parts of all row programs: wires, and the tables that are looked up.

use std::cell::RefCell;
use std::ops::Range;

use field::M31;
use gpu_hal::RowProgram;
use gpu_hal::ir::{RowProgramError, RowRecorder, Words};

use crate::columns::GATES;

/// A word of a row program.
pub(crate) type W<'r> = Words<'r, M31>;

/// A table that is looked up, of which the rows' uses are counted: the main columns of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Xor8,
    Xor12,
    Xor4,
    Xor7,
    Xor9,
    RangeCheck16,
}

impl Table {
    /// All in the order of their components.
    pub(crate) const ALL: [Self; 6] = [Self::Xor8, Self::Xor12, Self::Xor4, Self::Xor7, Self::Xor9, Self::RangeCheck16];

    /// Number of columns.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Xor8 => 2,
            Self::Xor12 => 16,
            Self::Xor4 | Self::Xor7 | Self::Xor9 | Self::RangeCheck16 => 1,
        }
    }

    /// Log2 of the rows.
    pub(crate) fn log_size(self) -> u32 {
        match self {
            Self::Xor8 | Self::RangeCheck16 => 16,
            Self::Xor12 => 20,
            Self::Xor4 => 8,
            Self::Xor7 => 14,
            Self::Xor9 => 18,
        }
    }
}

/// The program of the rows of a kind of gates, and the meaning of its source and counters.
#[derive(Clone, Debug)]
pub(crate) struct ComponentProgram {
    /// The component's number.
    pub(crate) component: usize,
    /// The preprocessed columns that are the source, in order.
    pub(crate) source: &'static [&'static str],
    pub(crate) program: RowProgram<M31>,
    /// The tables whose uses it counts, by the counter's number.
    pub(crate) counters: Vec<Table>,
}

/// Kinds of rows of `qm31_ops` that begin at a row of their own.
pub(crate) const KINDS: usize = 4;
/// Words of a wire.
pub(crate) const WORDS: usize = 4;

/// Records a program.
pub(crate) struct Machine<'r> {
    recorder: &'r RowRecorder<M31>,
    wires: usize,
    first_rows: usize,
    counters: RefCell<Vec<Table>>,
}

/// Records the program of a component whose rows are about these of its preprocessed columns.
///
/// # Errors
/// A wrong use of the recorder: a mistake of this crate.
pub(crate) fn record(
    component: usize,
    columns: Range<usize>,
    body: impl FnOnce(&Machine<'_>),
) -> Result<ComponentProgram, RowProgramError> {
    let source = &GATES[component][columns];
    let recorder = RowRecorder::new(source.len());
    let machine = Machine {
        recorder: &recorder,
        wires: recorder.table(WORDS),
        first_rows: recorder.table(KINDS),
        counters: RefCell::default(),
    };
    body(&machine);
    let counters = machine.counters.into_inner();
    Ok(ComponentProgram { component, source, program: recorder.finish()?, counters })
}

impl<'r> Machine<'r> {
    /// The recorder.
    pub(crate) fn recorder(&self) -> &'r RowRecorder<M31> {
        self.recorder
    }

    /// Value `k` of the row's preprocessed columns.
    pub(crate) fn input(&self, k: usize) -> W<'r> {
        self.recorder.input(k)
    }

    /// The first row of a kind of `qm31_ops`, by the order of [`crate::Circuit::first_rows`].
    pub(crate) fn first_row(&self, kind: usize) -> W<'r> {
        self.recorder.read(self.first_rows, kind, self.recorder.word(0))
    }

    /// The four words of the wire at an address.
    pub(crate) fn wire(&self, address: W<'r>) -> W<'r> {
        self.recorder.pack(&[0, 1, 2, 3].map(|word| self.recorder.read(self.wires, word, address)))
    }

    /// The words of 32 bits that wires have, whose addresses the inputs from `first` on are. A value of another form
    /// is refused.
    pub(crate) fn words(&self, first: usize, count: usize) -> W<'r> {
        let word = |input: usize| {
            let value = self.wire(self.input(input));
            let is_word = value.slice(0, 2).less(self.recorder.words(&[1 << 16; 2])).sum().is(2);
            let has_no_more = (value.at(2) | value.at(3)).is(0);
            self.recorder.assert("the wires of a gate on words have two halves of 16 bits", is_word & has_no_more);
            value.slice(0, 2).join(16, 1)
        };
        self.recorder.pack(&(first..first + count).map(word).collect::<Vec<_>>())
    }

    /// The gate holds.
    pub(crate) fn holds(&self, gate: W<'r>) {
        self.recorder.assert("the wire that a gate writes has the value that it makes of the others", gate);
    }

    /// The next columns are these words.
    pub(crate) fn columns(&self, words: W<'r>) {
        self.recorder.columns(words);
    }

    /// One use of a row of a table for each of `rows`, in a column of it.
    pub(crate) fn uses(&self, table: Table, column: usize, rows: W<'r>) {
        self.recorder.count(self.counter(table), rows + ((column as u32) << table.log_size()));
    }

    /// One use of the xor of each word of `x` and the same word of `y`, which have `bits` bits. With 8 bits it is in a
    /// column of the table.
    pub(crate) fn uses_xor(&self, bits: u32, column: usize, x: W<'r>, y: W<'r>) {
        let rows = (x << bits) | y;
        match bits {
            4 => self.uses(Table::Xor4, column, rows),
            7 => self.uses(Table::Xor7, column, rows),
            8 => self.uses(Table::Xor8, column, rows),
            9 => self.uses(Table::Xor9, column, rows),
            // The table of 12 bits has a column for each value of the two high bits of both, rows by the ten low ones.
            _ => {
                let columns = ((x >> 10) << 2) | (y >> 10);
                let rows = ((x & 1023) << 10) | (y & 1023);
                self.uses(Table::Xor12, column, (columns << Table::Xor12.log_size()) | rows);
            }
        }
    }

    fn counter(&self, table: Table) -> usize {
        let known = self.counters.borrow().iter().position(|other| *other == table);
        known.unwrap_or_else(|| {
            self.counters.borrow_mut().push(table);
            self.recorder.counter()
        })
    }
}
