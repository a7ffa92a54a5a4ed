//! The record of one run of `evaluate`, and the values it computes with.
//!
//! Operators take no context, so the tape that they write to belongs to the thread. It holds every operation in order,
//! nothing shared and nothing simplified: two runs with other constants give tapes of one shape, and where their
//! constants differ is where the parameters are ([`crate::template`]).

use std::cell::RefCell;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub};
use std::sync::atomic::{AtomicU64, Ordering};

use field::{Field, M31, QM31};
use num_traits::{One, Zero};
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

use super::convert::qm31;
use crate::RecordError;

/// One entry of a tape; operands are earlier entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Constant(QM31),
    Load {
        tree: u32,
        column: u32,
        offset: i32,
    },
    /// The claimed sum divided by the number of rows.
    Shift,
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Neg(u32),
}

impl Entry {
    pub(crate) fn operands(self) -> impl Iterator<Item = u32> {
        let (a, b) = match self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (Some(a), Some(b)),
            Self::Neg(a) => (Some(a), None),
            Self::Constant(_) | Self::Load { .. } | Self::Shift => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A value inside `evaluate`: a constant, or an entry of the tape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Constant(QM31),
    Entry { tape: u64, index: u32 },
}

impl Value {
    /// Its place on the tape; `None` for a constant.
    pub(crate) fn index(self) -> Option<u32> {
        match self {
            Self::Entry { index, .. } => Some(index),
            Self::Constant(_) => None,
        }
    }
}

#[derive(Debug)]
struct Tape {
    id: u64,
    entries: Vec<Entry>,
    error: Option<RecordError>,
}

thread_local! {
    static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

/// No tape has this id: it marks a value that was made where nothing is recorded.
const NO_TAPE: Value = Value::Entry { tape: 0, index: 0 };
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// While it lives, operations on this thread are recorded. A recording inside a recording has a tape of its own.
pub(crate) struct Session {
    outer: Option<Tape>,
}

impl Session {
    pub(crate) fn start() -> Self {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { outer: TAPE.replace(Some(Tape { id, entries: Vec::new(), error: None })) }
    }

    /// The tape, or the first fault.
    pub(crate) fn finish(self) -> Result<Vec<Entry>, RecordError> {
        let tape = TAPE.take().map_or((Vec::new(), Some(RecordError::Foreign)), |tape| (tape.entries, tape.error));
        match tape {
            (entries, None) => Ok(entries),
            (_, Some(error)) => Err(error),
        }
    }
}

/// Also after a panic in `evaluate`.
impl Drop for Session {
    fn drop(&mut self) {
        TAPE.replace(self.outer.take());
    }
}

/// Keeps the first error of the recording.
pub(crate) fn fail(error: RecordError) {
    TAPE.with_borrow_mut(|tape| {
        if let Some(tape) = tape {
            tape.error.get_or_insert(error);
        }
    });
}

/// A new entry.
pub(crate) fn record(entry: Entry) -> Value {
    TAPE.with_borrow_mut(|tape| tape.as_mut().map_or(NO_TAPE, |tape| tape.push(entry)))
}

/// The entry of a value; a constant becomes an entry here.
pub(crate) fn entry(value: Value) -> u32 {
    TAPE.with_borrow_mut(|tape| tape.as_mut().map_or(0, |tape| tape.place(value)))
}

impl Tape {
    fn push(&mut self, entry: Entry) -> Value {
        let Ok(index) = u32::try_from(self.entries.len()) else {
            self.error.get_or_insert(RecordError::Program(gpu_hal::ir::ProgramError::TooLarge));
            return Value::Constant(QM31::ZERO);
        };
        self.entries.push(entry);
        Value::Entry { tape: self.id, index }
    }

    fn place(&mut self, value: Value) -> u32 {
        let constant = match value {
            Value::Entry { tape, index } if tape == self.id => return index,
            Value::Entry { .. } => {
                self.error.get_or_insert(RecordError::Foreign);
                QM31::ZERO
            }
            Value::Constant(value) => value,
        };
        match self.push(Entry::Constant(constant)) {
            Value::Entry { index, .. } => index,
            Value::Constant(_) => 0,
        }
    }
}

fn binary(a: Value, b: Value, entry: fn(u32, u32) -> Entry) -> Value {
    TAPE.with_borrow_mut(|tape| {
        tape.as_mut().map_or(NO_TAPE, |tape| {
            let (a, b) = (tape.place(a), tape.place(b));
            tape.push(entry(a, b))
        })
    })
}

impl Add for Value {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => Self::Constant(a + b),
            _ => binary(self, other, Entry::Add),
        }
    }
}

impl Sub for Value {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => Self::Constant(a - b),
            _ => binary(self, other, Entry::Sub),
        }
    }
}

impl Mul for Value {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => Self::Constant(a * b),
            _ => binary(self, other, Entry::Mul),
        }
    }
}

impl Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Constant(a) => Self::Constant(-a),
            Self::Entry { .. } => {
                let operand = entry(self);
                record(Entry::Neg(operand))
            }
        }
    }
}

/// Operators with a constant on the right.
macro_rules! with_constant {
    ($($constant:ty: $($operator:ident::$method:ident),+;)+) => {$($(
        impl $operator<$constant> for Value {
            type Output = Self;

            fn $method(self, other: $constant) -> Self {
                $operator::$method(self, Self::from(other))
            }
        }
    )+)+};
}

with_constant! {
    BaseField: Add::add, Sub::sub, Mul::mul;
    SecureField: Add::add, Sub::sub, Mul::mul;
}

impl<T> AddAssign<T> for Value
where
    Self: Add<T, Output = Self>,
{
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

impl MulAssign for Value {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl From<BaseField> for Value {
    fn from(value: BaseField) -> Self {
        Self::Constant(QM31::from(M31::new(value.0)))
    }
}

impl From<SecureField> for Value {
    fn from(value: SecureField) -> Self {
        Self::Constant(qm31(value))
    }
}

impl Zero for Value {
    fn zero() -> Self {
        Self::Constant(QM31::ZERO)
    }

    fn is_zero(&self) -> bool {
        match self {
            Self::Constant(value) => Field::is_zero(value),
            Self::Entry { .. } => {
                fail(RecordError::Branch);
                false
            }
        }
    }
}

impl One for Value {
    fn one() -> Self {
        Self::Constant(QM31::ONE)
    }
}

impl FieldExpOps for Value {
    fn inverse(&self) -> Self {
        let inverse = match self {
            Self::Constant(value) => value.inverse().ok_or(RecordError::InverseOfZero),
            Self::Entry { .. } => Err(RecordError::Inverse),
        };
        inverse.map_or_else(
            |error| {
                fail(error);
                Self::one()
            },
            Self::Constant,
        )
    }
}
