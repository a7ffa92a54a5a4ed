//! A row program: its operations and effects.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use field::PrimeField;

use super::lowered::Schedules;
use super::sizes::FELT_WORDS;
use crate::program::NodeId;

/// The computation of a node of a [`RowProgram`]. *Vector* operations work word by word; a vector of one word stands
/// for as many equal words as the other operand has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowOp<F> {
    /// The row's number: one word.
    Row,
    /// Value `k` of the source entry: one word. An element of 2^32 or more is a fault.
    Input(u32),
    /// Constant words.
    Words(Box<[u32]>),
    /// A constant element.
    Element(F),
    /// Row `index` (one word) of a column of a table: one word. An element of 2^32 or more is a fault, and so is an
    /// index beyond the table. Where `when` (one word) is zero nothing is read and the value is zero.
    Read {
        /// Number of the table.
        table: u32,
        /// Column of the table.
        column: u32,
        /// The row.
        index: NodeId,
        /// Whether to read.
        when: Option<NodeId>,
    },
    /// The words of all these values, one after the other.
    Pack(Box<[NodeId]>),
    /// `len` words of a value from word `from` on.
    Slice {
        /// The value.
        of: NodeId,
        /// First word.
        from: u32,
        /// Number of words.
        len: u32,
    },
    /// Sum modulo 2^32, a vector operation.
    Add(NodeId, NodeId),
    /// Difference modulo 2^32, a vector operation.
    Sub(NodeId, NodeId),
    /// Product modulo 2^32, a vector operation.
    Mul(NodeId, NodeId),
    /// Bits that both have, a vector operation.
    And(NodeId, NodeId),
    /// Bits that either has, a vector operation.
    Or(NodeId, NodeId),
    /// Bits in which they differ, a vector operation.
    Xor(NodeId, NodeId),
    /// Shift to the left by less than 32, a vector operation.
    Shl(NodeId, u32),
    /// Shift to the right by less than 32, zeros from the left, a vector operation.
    Shr(NodeId, u32),
    /// Shift to the right by less than 32 that keeps the sign, a vector operation: division by a power of two, rounded
    /// down.
    Sar(NodeId, u32),
    /// 1 where words are equal, else 0, a vector operation.
    Eq(NodeId, NodeId),
    /// 1 where the first word is less, unsigned, else 0, a vector operation.
    Lt(NodeId, NodeId),
    /// The first value if the condition (one word) is not zero, else the second. Both have one length.
    Select(NodeId, NodeId, NodeId),
    /// Sum of all words modulo 2^32.
    Sum(NodeId),
    /// Products of polynomials whose coefficients are words: word `k` is the sum of `a_i b_j` over `i + j = k`, modulo
    /// 2^32. It has `len(a) + len(b) - 1` words.
    Convolve(NodeId, NodeId),
    /// The digits of an integer in base `2^bits`, `bits <= 32`: `count` words, least significant digit first.
    Split {
        /// The integer.
        of: NodeId,
        /// Bits of a digit.
        bits: u32,
        /// Number of digits; bits beyond them are dropped, digits beyond the integer are zero.
        count: u32,
    },
    /// The integer whose digits in base `2^bits`, `bits <= 32`, these words are: `words` words. Bits of a word above
    /// `bits` and of the integer beyond its words are dropped.
    Join {
        /// The digits.
        of: NodeId,
        /// Bits of a digit.
        bits: u32,
        /// Words of the integer.
        words: u32,
    },
    /// Sum of two integers of one length, with one word more.
    IntAdd(NodeId, NodeId),
    /// Difference of two integers of one length, modulo `2^(32 len)`.
    IntSub(NodeId, NodeId),
    /// 1 if the first of two integers of one length is less, else 0.
    IntLt(NodeId, NodeId),
    /// Product of two integers: as many words as both have.
    IntMul(NodeId, NodeId),
    /// Quotient of integers, with the words of the first, then remainder, with the words of the second. By zero: zero
    /// and zero.
    IntDivRem(NodeId, NodeId),
    /// Sum in the program's prime field. Elements are [`FELT_WORDS`] words, canonical: another operand is a fault.
    FeltAdd(NodeId, NodeId),
    /// Difference in the program's prime field.
    FeltSub(NodeId, NodeId),
    /// Product in the program's prime field.
    FeltMul(NodeId, NodeId),
    /// Inverse in the program's prime field; that of zero is zero.
    FeltInv(NodeId),
    /// The element that a word is, modulo the order of the base field.
    FromWord(NodeId),
    /// The element that a word is, read as a signed number.
    FromSigned(NodeId),
    /// The word that an element is. One of 2^32 or more is a fault.
    ToWord(NodeId),
    /// Sum in the base field.
    FieldAdd(NodeId, NodeId),
    /// Difference in the base field.
    FieldSub(NodeId, NodeId),
    /// Product in the base field.
    FieldMul(NodeId, NodeId),
    /// Inverse in the base field; that of zero is zero.
    FieldInv(NodeId),
}

impl<F> RowOp<F> {
    /// Calls `each` with every node that it reads.
    pub fn operands(&self, mut each: impl FnMut(NodeId)) {
        match self {
            Self::Row | Self::Input(_) | Self::Words(_) | Self::Element(_) => {}
            Self::Read { index, when, .. } => {
                each(*index);
                when.iter().for_each(|when| each(*when));
            }
            Self::Pack(parts) => parts.iter().for_each(|part| each(*part)),
            Self::Select(c, a, b) => [c, a, b].into_iter().for_each(|node| each(*node)),
            Self::Slice { of, .. } | Self::Split { of, .. } | Self::Join { of, .. } => each(*of),
            Self::Shl(a, _) | Self::Shr(a, _) | Self::Sar(a, _) => each(*a),
            Self::Sum(a) | Self::FeltInv(a) | Self::FieldInv(a) => each(*a),
            Self::FromWord(a) | Self::FromSigned(a) | Self::ToWord(a) => each(*a),
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::And(a, b) | Self::Or(a, b) => {
                [a, b].into_iter().for_each(|node| each(*node));
            }
            Self::Xor(a, b) | Self::Eq(a, b) | Self::Lt(a, b) | Self::Convolve(a, b) => {
                [a, b].into_iter().for_each(|node| each(*node));
            }
            Self::IntAdd(a, b) | Self::IntSub(a, b) | Self::IntLt(a, b) | Self::IntMul(a, b) => {
                [a, b].into_iter().for_each(|node| each(*node));
            }
            Self::IntDivRem(a, b) | Self::FeltAdd(a, b) | Self::FeltSub(a, b) | Self::FeltMul(a, b) => {
                [a, b].into_iter().for_each(|node| each(*node));
            }
            Self::FieldAdd(a, b) | Self::FieldSub(a, b) | Self::FieldMul(a, b) => {
                [a, b].into_iter().for_each(|node| each(*node));
            }
        }
    }
}

/// The kind of a node's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// A number of 32-bit words.
    Words(u32),
    /// An element of the base field.
    Element,
}

/// A node and the kind of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowNode<F> {
    /// Its kind.
    pub kind: RowKind,
    /// How it is computed.
    pub op: RowOp<F>,
}

/// An effect of a row, in the order of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowEffect {
    /// The next column gets this element.
    Column(NodeId),
    /// The words of the value are an entry of a list. It is entry `site * rows + row` of the list. A word that is no
    /// canonical element is a fault.
    Emit {
        /// Number of the list.
        list: u32,
        /// The call site.
        site: u32,
        /// The entry.
        value: NodeId,
    },
    /// Adds one to the element at this place of a counter, for every word of the value; a place is
    /// `column << log_height | row`. A place beyond the counter is a fault.
    Count {
        /// Number of the counter.
        counter: u32,
        /// The places.
        places: NodeId,
        /// A word: where it is zero nothing is counted.
        when: Option<NodeId>,
    },
    /// A word that is zero is a fault, which is named after the text [`RowProgram::claims`] has for it.
    Assert {
        /// Index of the text.
        claim: u32,
        /// The word.
        holds: NodeId,
    },
}

impl RowEffect {
    /// The nodes it reads.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> {
        let (node, when) = match self {
            Self::Column(node) => (*node, None),
            Self::Emit { value, .. } => (*value, None),
            Self::Count { places, when, .. } => (*places, *when),
            Self::Assert { holds, .. } => (*holds, None),
        };
        core::iter::once(node).chain(when)
    }
}

/// A list that a program emits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowList {
    /// Words of an entry.
    pub width: u32,
    /// Entries of a row.
    pub sites: u32,
}

impl RowList {
    /// Columns of the list's table.
    pub fn columns(&self) -> usize {
        self.width as usize * self.sites as usize
    }
}

/// A program that is run for every row. Made by [`crate::RowRecorder`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowProgram<F> {
    pub(super) inputs: u32,
    pub(super) tables: Vec<u32>,
    pub(super) lists: Vec<RowList>,
    pub(super) counters: u32,
    pub(super) modulus: Option<[u32; FELT_WORDS]>,
    pub(super) nodes: Vec<RowNode<F>>,
    pub(super) effects: Vec<RowEffect>,
    pub(super) claims: Vec<String>,
    pub(super) schedules: Schedules<F>,
}

impl<F: PrimeField> RowProgram<F> {
    /// Values of a source entry.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// The tables it reads: columns of each.
    pub fn tables(&self) -> &[u32] {
        &self.tables
    }

    /// The lists it emits to.
    pub fn lists(&self) -> &[RowList] {
        &self.lists
    }

    /// Number of counters.
    pub fn counters(&self) -> usize {
        self.counters as usize
    }

    /// The order of the prime field of felts, least significant word first, if the program has operations on them.
    pub fn modulus(&self) -> Option<&[u32; FELT_WORDS]> {
        self.modulus.as_ref()
    }

    /// The nodes, operands before users.
    pub fn nodes(&self) -> &[RowNode<F>] {
        &self.nodes
    }

    /// The effects in order.
    pub fn effects(&self) -> &[RowEffect] {
        &self.effects
    }

    /// The texts of the assertions, in order.
    pub fn claims(&self) -> &[String] {
        &self.claims
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.effects.iter().filter(|effect| matches!(effect, RowEffect::Column(_))).count()
    }
}
