//! The kinds of steps.

/// A step, by which its operands are read: first the wires that it writes, then the wires that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Sum,
    Difference,
    Product,
    /// Word by word.
    Pointwise,
    TripleXor,
    /// The halves of a number.
    Halves,
    BlakeG,
    Quotient,
    /// Word by word, 0 of 0.
    Inverses,
    /// Word by word.
    LowBits,
    /// As many wires as it reads, in the order of their third words. Before them stands their number.
    Sorted,
}
