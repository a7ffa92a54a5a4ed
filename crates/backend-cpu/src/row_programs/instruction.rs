//! What a thread does for a block of rows, one after the other.

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Single words.
    Word,
    /// Felts in Montgomery form.
    Felt,
    /// Elements of the base field.
    Element,
}

/// An operation on two words.
#[derive(Clone, Copy, Debug)]
pub(super) enum VectorOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Eq,
    Lt,
}

/// A shift of a word.
#[derive(Clone, Copy, Debug)]
pub(super) enum ShiftOp {
    Left,
    Right,
    Signed,
}

/// An operation on two felts.
#[derive(Clone, Copy, Debug)]
pub(super) enum FeltOp {
    Add,
    Sub,
    Mul,
}

/// An operation on two elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldOp {
    Add,
    Sub,
    Mul,
}

/// How a word becomes an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is below the field's order.
    Small,
    /// Any word.
    Unsigned,
    /// Any word, as a signed number.
    Signed,
}

/// Bits of an integer that begin in a word: `(low >> shift | high << (32 - shift)) & mask`, without the high word where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub(super) shift: u32,
    pub(super) mask: u32,
}

/// What a digit gives to a word: its bits in the mask, shifted to the left, or to the right where that is negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinPart {
    pub(super) mask: u32,
    pub(super) shift: i32,
}

/// What an instruction does. Its operands and results are of one class each.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// The row's number.
    Row,
    /// A value of the source entry.
    Input(u32),
    /// Of an index and perhaps a condition.
    Read {
        table: u32,
        column: u32,
    },
    /// Of as many words as results, then of as many again.
    Vector(VectorOp),
    Shift(ShiftOp, u32),
    /// Of a condition, then of as many words as results, then of as many again.
    Select,
    /// Of all operands.
    Sum,
    /// Of so many words and the others.
    Convolve(usize),
    /// Of the low word and perhaps the high one.
    Digit(Digit),
    /// Of one digit for each part.
    Join(Box<[JoinPart]>),
    /// Of two integers of one length, as the next two.
    IntAdd,
    IntSub,
    IntLt,
    /// Of an integer of so many words and another, as the next.
    IntMul(usize),
    IntDivRem(usize),
    /// To Montgomery form.
    FeltFrom,
    /// From Montgomery form.
    FeltTo,
    Felt(FeltOp),
    FeltInv,
    FromWord(Form),
    ToWord,
    Field(FieldOp),
    FieldInv,
    /// To a column: an element.
    Column(usize),
    /// To a column: a word.
    ColumnOfWord(usize, Form),
    /// If a word may be no element, that is looked at.
    Emit {
        list: u32,
        site: u32,
        checked: bool,
    },
    /// Of the places, and then the condition if there is one.
    Count {
        counter: u32,
        conditional: bool,
    },
    /// Of a word.
    Assert {
        claim: u32,
    },
}

/// An operation, the numbers of its operands and results, and what a fault of it is ordered by.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) order: u32,
    pub(super) operands: Box<[u32]>,
    pub(super) results: Box<[u32]>,
    /// Whether it does something beside its results: an effect, or what may find a fault.
    pub(super) acts: bool,
}

impl Op {
    /// What its operands are and what its results are.
    pub(super) fn classes(&self) -> [Class; 2] {
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
    pub(super) fn is_word_by_word(&self) -> bool {
        matches!(self, Self::Vector(_) | Self::Shift(..) | Self::Select)
    }
}
