//! The instructions for a row, one after the other.

use alloc::boxed::Box;

/// The class of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Single words.
    Word,
    /// Felts in Montgomery form.
    Felt,
    /// Elements of the base field.
    Element,
}

/// An operation on two words.
#[derive(Clone, Copy, Debug)]
pub enum VectorOp {
    /// Sum modulo 2^32.
    Add,
    /// Difference modulo 2^32.
    Sub,
    /// Product modulo 2^32.
    Mul,
    /// Bits that both have.
    And,
    /// Bits that either has.
    Or,
    /// Bits in which they differ.
    Xor,
    /// 1 if they are equal, else 0.
    Eq,
    /// 1 if the first is less, else 0.
    Lt,
}

/// A shift of a word.
#[derive(Clone, Copy, Debug)]
pub enum ShiftOp {
    /// To the left.
    Left,
    /// To the right, zeros from the left.
    Right,
    /// To the right, keeping the sign.
    Signed,
}

/// An operation on two felts.
#[derive(Clone, Copy, Debug)]
pub enum FeltOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
}

/// An operation on two elements.
#[derive(Clone, Copy, Debug)]
pub enum FieldOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
}

/// How a word becomes an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is below the field's order.
    Small,
    /// Any word.
    Unsigned,
    /// Any word, as a signed number.
    Signed,
}

/// Bits of an integer that begin in a word: `(low >> shift | high << (32 - shift)) & mask`, without the high word where
/// there is none.
#[derive(Clone, Copy, Debug)]
pub struct Digit {
    /// Bits of the low word before it.
    pub shift: u32,
    /// Ones of its length.
    pub mask: u32,
}

/// The contribution of a digit to a word: its bits in the mask, shifted to the left, or to the right if the shift is
/// negative.
#[derive(Clone, Copy, Debug)]
pub struct JoinPart {
    /// Ones of the length of a digit; equal in all parts of a word.
    pub mask: u32,
    /// Where the digit's first bit is in the word; from part to part it grows by the length of a digit.
    pub shift: i32,
}

/// The operation of an instruction. Its operands and results are of one class each.
#[derive(Clone, Debug)]
pub enum Op {
    /// The row's number.
    Row,
    /// A value of the source entry.
    Input(u32),
    /// Operands: an index and perhaps a condition.
    Read {
        /// Number of the table.
        table: u32,
        /// Column of the table.
        column: u32,
    },
    /// Operands: as many words as results, then as many again.
    Vector(VectorOp),
    /// By a number of bits, less than 32.
    Shift(ShiftOp, u32),
    /// Operands: a condition, then as many words as results, then as many again.
    Select,
    /// Operands: any number.
    Sum,
    /// Operands: that many words and the others.
    Convolve(usize),
    /// Operands: the low word and perhaps the high one.
    Digit(Digit),
    /// Operands: one digit for each part.
    Join(Box<[JoinPart]>),
    /// Operands: two integers of one length, as for the next two.
    IntAdd,
    /// Their difference.
    IntSub,
    /// Whether the first is less.
    IntLt,
    /// Operands: an integer of that many words and another, as for the next.
    IntMul(usize),
    /// Their quotient and remainder.
    IntDivRem(usize),
    /// To Montgomery form, of [`crate::FELT_WORDS`] words.
    FeltFrom,
    /// From Montgomery form.
    FeltTo,
    /// On two felts.
    Felt(FeltOp),
    /// The inverse, or zero.
    FeltInv,
    /// The element of a word.
    FromWord(Form),
    /// The word of an element.
    ToWord,
    /// On two elements.
    Field(FieldOp),
    /// The inverse, or zero.
    FieldInv,
    /// To a column: an element.
    Column(usize),
    /// To a column: a word.
    ColumnOfWord(usize, Form),
    /// If a word may be no element, that is looked at.
    Emit {
        /// Number of the list.
        list: u32,
        /// The call site.
        site: u32,
        /// Whether a word may be no element.
        checked: bool,
    },
    /// Operands: the places, and then the condition if there is one.
    Count {
        /// Number of the counter.
        counter: u32,
        /// Whether the last operand is a condition.
        conditional: bool,
    },
    /// Operand: a word.
    Assert {
        /// Index of the text.
        claim: u32,
    },
}

/// An operation, the numbers of its operands and results, and the order of its faults.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its operation.
    pub op: Op,
    /// The order of its faults: the number of its node, or the number of nodes plus the number of its effect.
    pub order: u32,
    /// Registers that it reads.
    pub operands: Box<[u32]>,
    /// Registers that it writes: none that it reads.
    pub results: Box<[u32]>,
    /// Whether it does something beside its results: an effect, or a check that may find a fault.
    pub acts: bool,
}

impl Op {
    /// The classes of its operands and of its results.
    pub fn classes(&self) -> [Class; 2] {
        match self {
            Self::FeltFrom => [Class::Word, Class::Felt],
            Self::FeltTo => [Class::Felt, Class::Word],
            Self::Felt(_) | Self::FeltInv => [Class::Felt; 2],
            Self::FromWord(_) => [Class::Word, Class::Element],
            Self::ToWord => [Class::Element, Class::Word],
            Self::Field(_) | Self::FieldInv | Self::Column(_) => [Class::Element; 2],
            _ => [Class::Word; 2],
        }
    }

    /// Whether word `k` of the results is made of words `k` alone.
    pub fn is_word_by_word(&self) -> bool {
        matches!(self, Self::Vector(_) | Self::Shift(..) | Self::Select)
    }
}
