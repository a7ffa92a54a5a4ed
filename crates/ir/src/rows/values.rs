//! Values of a row program while it is recorded.

use alloc::borrow::ToOwned;
use alloc::format;
use core::fmt;
use core::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr, Sub};

use field::PrimeField;

use super::program::RowOp;
use super::recorder::RowRecorder;
use super::sizes::FELT_WORDS;
use crate::program::NodeId;

/// A vector of words inside a program.
pub struct Words<'r, F> {
    pub(super) recorder: &'r RowRecorder<F>,
    pub(super) node: NodeId,
    pub(super) len: u32,
}

/// An element of the base field inside a program.
pub struct Element<'r, F> {
    pub(super) recorder: &'r RowRecorder<F>,
    pub(super) node: NodeId,
}

impl<F> Clone for Words<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Words<'_, F> {}

impl<F> Clone for Element<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Element<'_, F> {}

impl<F> fmt::Debug for Words<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({}; {})", self.node.0, self.len)
    }
}

impl<F> fmt::Debug for Element<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Element({})", self.node.0)
    }
}

type Binary<F> = fn(NodeId, NodeId) -> RowOp<F>;

#[allow(clippy::len_without_is_empty, reason = "there is no empty value")]
impl<'r, F: PrimeField> Words<'r, F> {
    /// Number of words.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// The recorder that it belongs to.
    pub fn recorder(self) -> &'r RowRecorder<F> {
        self.recorder
    }

    /// Word `index`.
    pub fn at(self, index: usize) -> Self {
        self.slice(index, 1)
    }

    /// `len` words from `from` on.
    pub fn slice(self, from: usize, len: usize) -> Self {
        self.recorder.require(from + len <= self.len(), || format!("words {from}..{} of {}", from + len, self.len));
        if (from, len) == (0, self.len()) {
            return self;
        }
        self.recorder.words_of(len, RowOp::Slice { of: self.node, from: from as u32, len: len as u32 })
    }

    /// Its words.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        (0..self.len()).map(move |index| self.at(index))
    }

    fn vector(self, other: Self, op: Binary<F>) -> Self {
        let fits = self.len == other.len || self.len == 1 || other.len == 1;
        self.recorder.require(fits, || format!("an operation on {} and {} words", self.len, other.len));
        self.recorder.words_of(self.len().max(other.len()), op(self.node, other.node))
    }

    /// Shift to the right that keeps the sign.
    pub fn sar(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Sar)
    }

    fn shift(self, bits: u32, op: fn(NodeId, u32) -> RowOp<F>) -> Self {
        self.recorder.require(bits < 32, || format!("a shift by {bits}"));
        self.recorder.words_of(self.len(), op(self.node, bits))
    }

    /// 1 where words are equal, else 0.
    pub fn equal(self, other: Self) -> Self {
        self.vector(other, RowOp::Eq)
    }

    /// 1 where words are this one, else 0.
    pub fn is(self, value: u32) -> Self {
        self.equal(self.recorder.word(value))
    }

    /// 1 where words are less, unsigned, else 0.
    pub fn less(self, other: Self) -> Self {
        self.vector(other, RowOp::Lt)
    }

    /// 1 if all words are equal, else 0.
    pub fn same(self, other: Self) -> Self {
        let differing = self.equal(other).sum();
        differing.is(self.len.max(other.len))
    }

    /// Sum of all words.
    pub fn sum(self) -> Self {
        if self.len == 1 { self } else { self.recorder.words_of(1, RowOp::Sum(self.node)) }
    }

    /// Product of polynomials.
    pub fn convolve(self, other: Self) -> Self {
        self.recorder.words_of(self.len() + other.len() - 1, RowOp::Convolve(self.node, other.node))
    }

    /// Digits in base `2^bits`.
    pub fn split(self, bits: u32, count: usize) -> Self {
        self.recorder.require((1..=32).contains(&bits), || format!("digits of {bits} bits"));
        self.recorder.words_of(count, RowOp::Split { of: self.node, bits, count: count as u32 })
    }

    /// The integer of these digits in base `2^bits`.
    pub fn join(self, bits: u32, words: usize) -> Self {
        self.recorder.require((1..=32).contains(&bits), || format!("digits of {bits} bits"));
        self.recorder.words_of(words, RowOp::Join { of: self.node, bits, words: words as u32 })
    }

    fn same_length(self, other: Self) {
        self.recorder.require(self.len == other.len, || format!("integers of {} and {} words", self.len, other.len));
    }

    /// Sum of integers.
    pub fn int_add(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(self.len() + 1, RowOp::IntAdd(self.node, other.node))
    }

    /// Difference of integers.
    pub fn int_sub(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(self.len(), RowOp::IntSub(self.node, other.node))
    }

    /// Whether an integer is less.
    pub fn int_less(self, other: Self) -> Self {
        self.same_length(other);
        self.recorder.words_of(1, RowOp::IntLt(self.node, other.node))
    }

    /// Product of integers.
    pub fn int_mul(self, other: Self) -> Self {
        self.recorder.words_of(self.len() + other.len(), RowOp::IntMul(self.node, other.node))
    }

    /// Quotient and remainder of integers.
    pub fn int_div_rem(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.len(), other.len());
        let both = self.recorder.words_of(a + b, RowOp::IntDivRem(self.node, other.node));
        (both.slice(0, a), both.slice(a, b))
    }

    fn felt(self, other: Self, op: Binary<F>) -> Self {
        self.recorder.require(self.recorder.has_modulus(), || "felts in a program without a modulus".to_owned());
        let lengths = [self.len(), other.len()];
        self.recorder.require(lengths == [FELT_WORDS; 2], || format!("felts of {lengths:?} words"));
        self.recorder.words_of(FELT_WORDS, op(self.node, other.node))
    }

    /// Sum of felts.
    pub fn felt_add(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltAdd)
    }

    /// Difference of felts.
    pub fn felt_sub(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltSub)
    }

    /// Product of felts.
    pub fn felt_mul(self, other: Self) -> Self {
        self.felt(other, RowOp::FeltMul)
    }

    /// Inverse of a felt.
    pub fn felt_inverse(self) -> Self {
        self.felt(self, |a, _| RowOp::FeltInv(a))
    }

    /// The element that the word is.
    pub fn element(self) -> Element<'r, F> {
        self.recorder.require(self.len == 1, || "an element of several words".to_owned());
        self.recorder.element_of(RowOp::FromWord(self.node))
    }

    /// The element that the word is, as a signed number.
    pub fn signed(self) -> Element<'r, F> {
        self.recorder.require(self.len == 1, || "an element of several words".to_owned());
        self.recorder.element_of(RowOp::FromSigned(self.node))
    }
}

impl<'r, F: PrimeField> Element<'r, F> {
    /// The word that the element is.
    pub fn word(self) -> Words<'r, F> {
        self.recorder.words_of(1, RowOp::ToWord(self.node))
    }

    /// Its inverse; zero's is zero.
    pub fn inverse(self) -> Self {
        self.recorder.element_of(RowOp::FieldInv(self.node))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident),+) => {$(
        impl<'r, F: PrimeField> $operator for Words<'r, F> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.vector(other, RowOp::$op)
            }
        }

        impl<'r, F: PrimeField> $operator<u32> for Words<'r, F> {
            type Output = Self;

            fn $method(self, other: u32) -> Self {
                self.vector(self.recorder.word(other), RowOp::$op)
            }
        }
    )+};
}

operators!(Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl<F: PrimeField> Shl<u32> for Words<'_, F> {
    type Output = Self;

    fn shl(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Shl)
    }
}

impl<F: PrimeField> Shr<u32> for Words<'_, F> {
    type Output = Self;

    fn shr(self, bits: u32) -> Self {
        self.shift(bits, RowOp::Shr)
    }
}

macro_rules! element_operators {
    ($($operator:ident $method:ident $op:ident),+) => {$(
        impl<'r, F: PrimeField> $operator for Element<'r, F> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.recorder.element_of(RowOp::$op(self.node, other.node))
            }
        }
    )+};
}

element_operators!(Add add FieldAdd, Sub sub FieldSub, Mul mul FieldMul);
