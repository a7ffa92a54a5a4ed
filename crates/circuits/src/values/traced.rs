//! Values that are not known, and remember how the builder of a circuit guesses them.
//!
//! A builder computes the values of gates, which the gates say again, and guesses others: inverses, bits, an order. No
//! gate says how those are computed, so that [`Traced`] notes it.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Sub};

use circuits_core::blake::HashValue;
use circuits_core::ivalue::IValue;
use stwo::core::fields::qm31::SecureField;

/// A value by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced(pub(super) u32);

/// How a value is guessed, from values by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// The first divided by the second.
    Quotient([u32; 2]),
    /// The inverse of each word, 0 of 0.
    Inverses(u32),
    /// The lowest bit of each word.
    LowBits(u32),
    /// One of several values, ordered by their third word: the values, and its place.
    Sorted(Vec<u32>, usize),
    /// A hash, which no builder guesses.
    Hash,
}

/// The hints of the values that were made since [`start`].
#[derive(Default)]
pub(super) struct Tape {
    /// How many values there are.
    pub(super) values: u32,
    pub(super) hints: Vec<(u32, Hint)>,
}

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::default();
}

/// Builds with a tape of its own, and gives it.
pub(super) fn traced<T>(build: impl FnOnce() -> T) -> (T, Tape) {
    let outer = TAPE.take();
    let built = build();
    (built, TAPE.replace(outer))
}

impl Traced {
    /// A value that a gate says, or that is given.
    pub(super) fn new() -> Self {
        TAPE.with_borrow_mut(|tape| {
            tape.values += 1;
            Self(tape.values - 1)
        })
    }

    fn guessed(hint: Hint) -> Self {
        let value = Self::new();
        TAPE.with_borrow_mut(|tape| tape.hints.push((value.0, hint)));
        value
    }
}

macro_rules! of_gates {
    ($($trait:ident $method:ident),*) => {
        $(impl $trait for Traced {
            type Output = Self;

            fn $method(self, _: Self) -> Self {
                Self::new()
            }
        })*
    };
}
of_gates!(Add add, Sub sub, Mul mul);

impl Div for Traced {
    type Output = Self;

    fn div(self, by: Self) -> Self {
        Self::guessed(Hint::Quotient([self.0, by.0]))
    }
}

impl IValue for Traced {
    fn from_qm31(_: SecureField) -> Self {
        Self::new()
    }

    fn placeholder() -> Self {
        Self::new()
    }

    fn pointwise_mul(_: Self, _: Self) -> Self {
        Self::new()
    }

    fn pointwise_inv_or_zero(&self) -> Self {
        Self::guessed(Hint::Inverses(self.0))
    }

    fn pointwise_lsb(&self) -> Self {
        Self::guessed(Hint::LowBits(self.0))
    }

    fn blake(_: &[Self], _: usize) -> HashValue<Self> {
        HashValue(Self::guessed(Hint::Hash), Self::guessed(Hint::Hash))
    }

    fn sort_by_u_coordinate(input: &[Self]) -> Vec<Self> {
        let numbers: Vec<u32> = input.iter().map(|value| value.0).collect();
        (0..input.len()).map(|place| Self::guessed(Hint::Sorted(numbers.clone(), place))).collect()
    }

    fn m31_to_u32(&self) -> Self {
        Self::new()
    }

    fn pack_u32(_: u32) -> Self {
        Self::new()
    }

    /// Only gates have results of it.
    fn unpack_u32(&self) -> u32 {
        0
    }
}
