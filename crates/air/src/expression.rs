//! Expressions as they are kept.

use gpu_hal::Protocol;

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
