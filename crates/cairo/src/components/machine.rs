//! The common parts of all components' row programs: memory, limbs, and the tables that are looked up.

use std::cell::RefCell;

use cairo_run::BIG_ID;
use cairo_run::felt::PRIME;
use field::M31;
use gpu_hal::RowProgram;
use gpu_hal::ir::{FELT_WORDS, RowProgramError, RowRecorder, Words};

/// A word of a row program.
pub(crate) type W<'r> = Words<'r, M31>;

/// Bits of a limb; a felt has [`LIMBS`].
pub(crate) const LIMB_BITS: u32 = 9;
/// Limbs of a felt.
pub(crate) const LIMBS: usize = 28;
/// Bits of a word of the memory tables.
pub(crate) const WORD27_BITS: u32 = 27;

/// A table that programs read by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// By address: the id. One column.
    AddressToId,
    /// By id minus 2^30: a big value as ten words of 27 bits.
    Big,
    /// By id: a small value as three words of 27 bits.
    Small,
    /// By address: how often it is used. One column; read once all programs before have counted.
    AddressUses,
    /// By id minus 2^30: how often a big value is used. One column.
    BigUses,
    /// By id: how often a small value is used. One column.
    SmallUses,
    /// By nine bits of an operand, `512 j +` their value for the j-th nine of both: points; a window of 9 or 18 bits
    /// chooses sums of them, x and y as ten words of 27 bits each. 20 columns.
    PedersenPoints,
    /// By round: three round keys of Poseidon as ten words of 27 bits each. 30 columns.
    PoseidonKeys,
    /// By round: the message order of Blake2s. 16 columns.
    BlakeSigma,
    /// One row: how many entries the source of the program has. One column.
    Entries,
}

impl Table {
    /// Number of columns.
    pub fn width(self) -> usize {
        match self {
            Self::AddressToId | Self::AddressUses | Self::BigUses | Self::SmallUses | Self::Entries => 1,
            Self::Big => 10,
            Self::Small => 3,
            Self::PedersenPoints => 20,
            Self::PoseidonKeys => 30,
            Self::BlakeSigma => 16,
        }
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident, $component:expr, $log:expr, $columns:expr;)+) => {
        /// A counter of uses: of memory, or of a table that a component of its own holds. The columns of that component
        /// are the counter's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Counter {
            /// Uses of addresses.
            Address,
            /// Uses of big values, by id minus 2^30.
            Big,
            /// Uses of small values, by id.
            Small,
            $($(#[$doc])* #[doc = $component] $name,)+
        }

        impl Counter {
            /// The counters of fixed tables.
            pub const TABLES: &'static [Self] = &[$(Self::$name,)+];

            /// The component's name, log2 of its rows, its columns; `None` for memory.
            pub fn table(self) -> Option<(&'static str, u32, usize)> {
                match self {
                    Self::Address | Self::Big | Self::Small => None,
                    $(Self::$name => Some(($component, $log, $columns)),)+
                }
            }
        }
    };
}

counters! {
    RangeCheck6, "range_check_6", 6, 1;
    RangeCheck8, "range_check_8", 8, 1;
    RangeCheck11, "range_check_11", 11, 1;
    RangeCheck12, "range_check_12", 12, 1;
    RangeCheck18, "range_check_18", 18, 2;
    RangeCheck20, "range_check_20", 20, 8;
    RangeCheck4x3, "range_check_4_3", 7, 1;
    RangeCheck4x4, "range_check_4_4", 8, 1;
    RangeCheck9x9, "range_check_9_9", 18, 8;
    RangeCheck7x2x5, "range_check_7_2_5", 14, 1;
    RangeCheck3x6x6x3, "range_check_3_6_6_3", 18, 1;
    RangeCheck4x4x4x4, "range_check_4_4_4_4", 16, 1;
    RangeCheck3x3x3x3x3, "range_check_3_3_3_3_3", 15, 1;
    Xor4, "verify_bitwise_xor_4", 8, 1;
    Xor7, "verify_bitwise_xor_7", 14, 1;
    Xor8, "verify_bitwise_xor_8", 16, 2;
    Xor9, "verify_bitwise_xor_9", 18, 1;
    Xor12, "verify_bitwise_xor_12", 20, 16;
    BlakeSigma, "blake_round_sigma", 4, 1;
    PoseidonKeys, "poseidon_round_keys", 6, 1;
    PedersenPoints18, "pedersen_points_table_window_bits_18", 23, 1;
    PedersenPoints9, "pedersen_points_table_window_bits_9", 15, 1;
}

/// A list of entries that one component hands to another, which reads it as its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum List {
    /// To blake_round.
    BlakeRound,
    /// To blake_g.
    BlakeG,
    /// To triple_xor_32.
    TripleXor,
    /// To partial_ec_mul_window_bits_18 or _9.
    PartialEcMulWindow,
    /// To partial_ec_mul_generic.
    PartialEcMulGeneric,
    /// To poseidon_full_round_chain.
    PoseidonFullRound,
    /// To poseidon_3_partial_rounds_chain.
    PoseidonPartialRounds,
    /// To cube_252.
    Cube,
    /// To range_check_252_width_27.
    RangeCheck252,
}

/// The program of a component and the meaning of its tables, counters and lists, by number.
#[derive(Clone, Debug)]
pub struct ComponentProgram {
    /// The program.
    pub program: RowProgram<M31>,
    /// The tables that it reads.
    pub tables: Vec<Table>,
    /// The counters that it adds to.
    pub counters: Vec<Counter>,
    /// The lists that it hands on.
    pub lists: Vec<List>,
}

/// Records the program of a component.
pub(crate) struct Machine<'r> {
    recorder: &'r RowRecorder<M31>,
    names: RefCell<(Vec<Table>, Vec<Counter>, Vec<List>)>,
}

/// Records a component whose source entries have `inputs` values.
///
/// # Errors
/// A wrong use of the recorder: a mistake of this crate.
pub(crate) fn record(inputs: usize, body: impl FnOnce(&Machine<'_>)) -> Result<ComponentProgram, RowProgramError> {
    let recorder = RowRecorder::new(inputs).with_modulus(PRIME);
    let machine = Machine { recorder: &recorder, names: RefCell::default() };
    body(&machine);
    let (tables, counters, lists) = machine.names.into_inner();
    Ok(ComponentProgram { program: recorder.finish()?, tables, counters, lists })
}

impl<'r> Machine<'r> {
    /// The recorder.
    pub(crate) fn recorder(&self) -> &'r RowRecorder<M31> {
        self.recorder
    }

    /// A constant.
    pub(crate) fn word(&self, value: u32) -> W<'r> {
        self.recorder.word(value)
    }

    /// A constant felt, least significant word first.
    pub(crate) fn felt(&self, words: [u32; FELT_WORDS]) -> W<'r> {
        self.recorder.words(&words)
    }

    /// The number of a table.
    pub(crate) fn table(&self, table: Table) -> usize {
        let known = self.names.borrow().0.iter().position(|other| *other == table);
        known.unwrap_or_else(|| {
            self.names.borrow_mut().0.push(table);
            self.recorder.table(table.width())
        })
    }

    /// The number of a counter.
    pub(crate) fn counter(&self, counter: Counter) -> usize {
        let known = self.names.borrow().1.iter().position(|other| *other == counter);
        known.unwrap_or_else(|| {
            self.names.borrow_mut().1.push(counter);
            self.recorder.counter()
        })
    }

    /// The number of a list with entries of `width` words, `sites` for each row. Ask once.
    pub(crate) fn list(&self, list: List, width: usize, sites: usize) -> usize {
        self.names.borrow_mut().2.push(list);
        self.recorder.list(width, sites)
    }

    /// All columns of a row of a table.
    pub(crate) fn row_of(&self, table: Table, index: W<'r>) -> W<'r> {
        let number = self.table(table);
        let words: Vec<_> = (0..table.width()).map(|column| self.recorder.read(number, column, index)).collect();
        self.recorder.pack(&words)
    }

    /// 1 in rows of their own source entry, 0 in padding rows.
    pub(crate) fn enabler(&self) -> W<'r> {
        self.recorder.row().less(self.recorder.read(self.table(Table::Entries), 0, self.word(0)))
    }

    /// The id at an address, and one use of the address.
    pub(crate) fn id(&self, address: W<'r>) -> W<'r> {
        self.recorder.count(self.counter(Counter::Address), address);
        self.id_unused(address)
    }

    /// The id at an address, which is not a use.
    pub(crate) fn id_unused(&self, address: W<'r>) -> W<'r> {
        self.recorder.read(self.table(Table::AddressToId), 0, address)
    }

    /// The value of an id as ten words of 27 bits, and one use of the id.
    pub(crate) fn words27(&self, id: W<'r>) -> W<'r> {
        self.uses_id(id);
        self.words27_unused(id)
    }

    /// One use of an id.
    pub(crate) fn uses_id(&self, id: W<'r>) {
        let (is_big, index) = (id >> 30, id & (BIG_ID - 1));
        self.recorder.count_if(self.counter(Counter::Big), index, is_big);
        self.recorder.count_if(self.counter(Counter::Small), index, is_big ^ 1);
    }

    /// The value of an id as ten words of 27 bits, which is not a use.
    fn words27_unused(&self, id: W<'r>) -> W<'r> {
        self.some_words27_unused(id, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    /// The words with these numbers among the ten words of 27 bits of an id's value; not a use. A word that is not read
    /// costs nothing.
    pub(crate) fn some_words27_unused(&self, id: W<'r>, which: &[usize]) -> W<'r> {
        let (is_big, index) = (id >> 30, id & (BIG_ID - 1));
        let (big, small) = (self.table(Table::Big), self.table(Table::Small));
        let word = |&column: &usize| {
            let of_big = self.recorder.read_if(big, column, index, is_big);
            match column < Table::Small.width() {
                true => of_big | self.recorder.read_if(small, column, index, is_big ^ 1),
                false => of_big,
            }
        };
        let words: Vec<_> = which.iter().map(word).collect();
        self.recorder.pack(&words)
    }

    /// The value of an id as an integer of eight words, and one use of the id.
    pub(crate) fn value(&self, id: W<'r>) -> W<'r> {
        self.words27(id).join(WORD27_BITS, FELT_WORDS)
    }

    /// The first `count` limbs of an integer.
    pub(crate) fn limbs(&self, value: W<'r>, count: usize) -> W<'r> {
        value.split(LIMB_BITS, count)
    }

    /// One use of a table's entry. `letter` is the column of the counter, 0 for the first; `row` the row.
    pub(crate) fn uses(&self, counter: Counter, letter: usize, row: W<'r>) {
        let (_, log, columns) = counter.table().expect("a counter of a fixed table");
        debug_assert!(letter < columns, "letter {letter} of {counter:?}");
        self.recorder.count(self.counter(counter), row + ((letter as u32) << log));
    }

    /// One use of an entry for each of `rows`: of letter 0, 1, 2, ... in turn, from 0 again after the last letter of
    /// the counter.
    pub(crate) fn uses_in_turn(&self, counter: Counter, rows: W<'r>) {
        let (_, log, columns) = counter.table().expect("a counter of a fixed table");
        let letters: Vec<_> = (0..rows.len()).map(|item| ((item % columns) as u32) << log).collect();
        self.recorder.count(self.counter(counter), rows + self.recorder.words(&letters));
    }

    /// The next columns are these words.
    pub(crate) fn columns(&self, words: W<'r>) {
        self.recorder.columns(words);
    }

    /// The next columns are these words as signed numbers.
    pub(crate) fn signed_columns(&self, words: W<'r>) {
        self.recorder.signed_columns(words);
    }
}
