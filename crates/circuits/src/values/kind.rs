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

/// The operands of a step, and those of the steps behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands<'o> {
    pub(super) writes: &'o [u32],
    pub(super) reads: &'o [u32],
    pub(super) rest: &'o [u32],
}

impl Kind {
    /// The operands of a step of this kind that `operands` begin with.
    #[inline]
    pub(super) fn split(self, operands: &[u32]) -> Operands<'_> {
        let (writes, read, operands) = match self {
            Self::Sum | Self::Difference | Self::Product | Self::Pointwise | Self::Quotient => (1, 2, operands),
            Self::Halves | Self::Inverses | Self::LowBits => (1, 1, operands),
            Self::TripleXor => (1, 3, operands),
            Self::BlakeG => (4, 6, operands),
            Self::Sorted => (operands[0] as usize, operands[0] as usize, &operands[1..]),
        };
        let (writes, others) = operands.split_at(writes);
        let (reads, rest) = others.split_at(read);
        Operands { writes, reads, rest }
    }

    /// About how long it takes, in sums.
    pub(super) fn cost(self) -> u64 {
        match self {
            Self::Sum | Self::Difference => 1,
            Self::Pointwise | Self::TripleXor | Self::Halves | Self::LowBits => 2,
            Self::Product => 4,
            Self::BlakeG => 12,
            Self::Quotient | Self::Inverses => 40,
            Self::Sorted => 50,
        }
    }
}
