//! Expressions as values: `Copy`, with operators.

use core::cell::RefCell;
use core::fmt;
use core::ops::{Add, Mul, Neg, Sub};

use field::PrimeField;
use gpu_hal::Protocol;

use crate::declared::Declared;
use crate::expression::Expression;

/// An expression of an [`crate::AirBuilder`].
///
/// Expressions of two builders cannot meet: a builder lives in one call of [`crate::Air::define`], and an AIR, being
/// `Sync`, cannot hold an expression of another.
#[derive(Clone, Copy)]
pub struct Expr<'b, P: Protocol> {
    /// The declarations of its builder.
    declared: &'b RefCell<Declared<P>>,
    pub(crate) index: u32,
}

/// A periodic column of an [`crate::AirBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Periodic(pub(crate) usize);

impl<P: Protocol> fmt::Debug for Expr<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expr").field(&self.index).finish()
    }
}

impl<'b, P: Protocol> Expr<'b, P> {
    /// An expression that is declared with it.
    pub(crate) fn new(declared: &'b RefCell<Declared<P>>, expression: Expression<P>) -> Self {
        Self { declared, index: declared.borrow_mut().push(expression) }
    }

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
        result.unwrap_or_else(|| self.number(1))
    }

    fn number(self, value: u64) -> Self {
        Self::new(self.declared, Expression::Base(P::Base::from_u64(value)))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<'b, P: Protocol> $trait for Expr<'b, P> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::new(self.declared, Expression::$trait(self.index, other.index))
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
        Self::new(self.declared, Expression::Neg(self.index))
    }
}
