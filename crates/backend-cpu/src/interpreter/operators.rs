//! The operations of programs that have two operands.

use crate::lanes::{ExtLanes, FieldLanes};

/// An operation with two operands, in every combination of fields.
pub(super) trait Binary {
    fn base<F, V: FieldLanes<F>>(a: V, b: V) -> V;
    fn ext<V, L: ExtLanes<V>>(a: L, b: L) -> L;
    fn ext_base<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: L, b: V) -> L;
    fn base_ext<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: V, b: L) -> L;
}

pub(super) struct Plus;
pub(super) struct Minus;
pub(super) struct Times;

impl Binary for Plus {
    #[inline(always)]
    fn base<F, V: FieldLanes<F>>(a: V, b: V) -> V {
        a.add(b)
    }
    #[inline(always)]
    fn ext<V, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.add(b)
    }
    #[inline(always)]
    fn ext_base<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.add_base(b)
    }
    #[inline(always)]
    fn base_ext<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: V, b: L) -> L {
        b.add_base(a)
    }
}

impl Binary for Minus {
    #[inline(always)]
    fn base<F, V: FieldLanes<F>>(a: V, b: V) -> V {
        a.sub(b)
    }
    #[inline(always)]
    fn ext<V, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.sub(b)
    }
    #[inline(always)]
    fn ext_base<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.add_base(b.neg())
    }
    #[inline(always)]
    fn base_ext<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: V, b: L) -> L {
        L::from_base(a).sub(b)
    }
}

impl Binary for Times {
    #[inline(always)]
    fn base<F, V: FieldLanes<F>>(a: V, b: V) -> V {
        a.mul(b)
    }
    #[inline(always)]
    fn ext<V, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.mul(b)
    }
    #[inline(always)]
    fn ext_base<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.mul_base(b)
    }
    #[inline(always)]
    fn base_ext<F, V: FieldLanes<F>, L: ExtLanes<V>>(a: V, b: L) -> L {
        b.mul_base(a)
    }
}
