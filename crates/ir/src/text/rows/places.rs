//! Where a kernel's words are.

use field::PrimeField;

use crate::RowProgram;

/// The layout of the words by which a kernel finds columns in buffers: three for each part of the source (where it
/// begins, log2 of its height, its entries), two for each table (where it begins, log2 of its height), one for each
/// list (where it begins), two for each counter (its first tally, its tallies).
#[derive(Clone, Copy, Debug)]
pub struct Places {
    tables: usize,
    lists: usize,
    counters: usize,
    /// How many words there are.
    pub words: usize,
}

impl Places {
    /// The layout for a program on a source of this many parts.
    pub fn new<F: PrimeField>(program: &RowProgram<F>, parts: usize) -> Self {
        let tables = 3 * parts;
        let lists = tables + 2 * program.tables().len();
        let counters = lists + program.lists().len();
        Self { tables, lists, counters, words: counters + 2 * program.counters() }
    }

    /// Number of the first word of a table.
    pub fn table(self, table: u32) -> u32 {
        (self.tables + 2 * table as usize) as u32
    }

    /// Number of the word of a list.
    pub fn list(self, list: u32) -> u32 {
        self.lists as u32 + list
    }

    /// Number of the first word of a counter.
    pub fn counter(self, counter: u32) -> u32 {
        (self.counters + 2 * counter as usize) as u32
    }
}
