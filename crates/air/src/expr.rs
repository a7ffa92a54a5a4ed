//! Expressions as values: `Copy`, with operators.

use core::fmt;
use core::ops::{Add, Mul, Neg, Sub};

use field::PrimeField;
use gpu_hal::Protocol;

use crate::AirBuilder;

/// An expression of an [`AirBuilder`].
///
/// Expressions of two builders cannot meet: a builder lives in one call of [`crate::Air::define`], and an AIR, being
/// `Sync`, cannot hold an expression of another.
#[derive(Clone, Copy)]
pub struct Expr<'b, P: Protocol> {
    pub(crate) builder: &'b AirBuilder<P>,
    pub(crate) index: u32,
}

/// A periodic column of an [`AirBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Periodic(pub(crate) usize);

/// An expression; operands are indices of earlier ones.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expression<P: Protocol> {
    Main { column: usize, offset: usize },
    Aux { column: usize, offset: usize },
    Periodic { index: usize, offset: usize },
    Challenge(usize),
    Base(P::Base),
    Ext(P::Ext),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Neg(u32),
}

impl<P: Protocol> Expression<P> {
    pub(crate) fn operands(&self) -> impl Iterator<Item = u32> + use<P> {
        let (a, b) = match *self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (Some(a), Some(b)),
            Self::Neg(a) => (Some(a), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }
}

impl<P: Protocol> fmt::Debug for Expr<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expr").field(&self.index).finish()
    }
}

impl<'b, P: Protocol> Expr<'b, P> {
    /// `self * self`.
    pub fn square(self) -> Self {
        self * self
    }

    /// `self^exponent`, by squaring; `x^0 = 1`.
    pub fn pow(self, mut exponent: u64) -> Self {
        let mut power = self;
        let mut result: Option<Self> = None;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = Some(result.map_or(power, |r| r * power));
            }
            exponent >>= 1;
            if exponent > 0 {
                power = power.square();
            }
        }
        result.unwrap_or_else(|| self.builder.number(1))
    }

    fn number(self, value: u64) -> Self {
        self.builder.constant(P::Base::from_u64(value))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<'b, P: Protocol> $trait for Expr<'b, P> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.builder.push(Expression::$trait(self.index, other.index))
            }
        }
        impl<'b, P: Protocol> $trait<u64> for Expr<'b, P> {
            type Output = Self;
            fn $method(self, other: u64) -> Self {
                $trait::$method(self, self.number(other))
            }
        }
        impl<'b, P: Protocol> $trait<Expr<'b, P>> for u64 {
            type Output = Expr<'b, P>;
            fn $method(self, other: Expr<'b, P>) -> Expr<'b, P> {
                $trait::$method(other.number(self), other)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl<'b, P: Protocol> Neg for Expr<'b, P> {
    type Output = Self;
    fn neg(self) -> Self {
        self.builder.push(Expression::Neg(self.index))
    }
}
