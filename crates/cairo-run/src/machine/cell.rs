//! A cell of memory in 32 bytes: nothing yet, a felt, or a pointer.
//!
//! A felt stands as a number of four limbs, the least significant first, not in Montgomery form: most steps compare,
//! copy and add. Its top four bits are 0, and two of them say which of the three a cell is.

use field::stark252::MODULUS;
use field::stark252::lazy::{montgomery, plus, product, reduced};
use starknet_types_core::felt::{Felt, NonZeroFelt};

use crate::Words;

const TAG: u64 = 3 << 62;
const FELT: u64 = 1 << 62;
const POINTER: u64 = 2 << 62;
const TEMPORARY: u64 = 3 << 62;

/// The upper limb of the prime `2^251 + 17 * 2^192 + 1`. The limbs below it are 0, 0 and 1.
const PRIME_HIGH: u64 = MODULUS[3];

/// A place in memory. Temporary segments count down from -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pointer {
    pub(crate) segment: i64,
    pub(crate) offset: u64,
}

impl Pointer {
    /// The place so many cells behind it, or before it. `None` if no offset is so large, or below 0.
    pub(super) fn at(self, offset: i64) -> Option<Self> {
        Some(Self { offset: self.offset.checked_add_signed(offset)?, ..self })
    }
}

/// The words of limbs.
#[inline(always)]
fn words([a, b, c, d]: [u64; 4]) -> Words {
    let high = |limb: u64| (limb >> 32) as u32;
    [a as u32, high(a), b as u32, high(b), c as u32, high(c), d as u32, high(d)]
}

/// A cell. The default has no value yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Cell([u64; 4]);

impl Cell {
    /// A number below the prime.
    pub(super) const fn number(limbs: [u64; 4]) -> Self {
        Self([limbs[0], limbs[1], limbs[2], limbs[3] | FELT])
    }

    /// A number of one limb.
    pub(super) const fn small(number: u64) -> Self {
        Self([number, 0, 0, FELT])
    }

    /// A felt.
    pub(crate) fn felt(felt: &Felt) -> Self {
        Self::number(felt.to_le_digits())
    }

    /// A pointer.
    pub(crate) fn pointer(to: Pointer) -> Self {
        match u64::try_from(to.segment) {
            Ok(segment) => Self([to.offset, segment, 0, POINTER]),
            Err(_) => Self([to.offset, !to.segment as u64, 0, TEMPORARY]),
        }
    }

    /// Whether it has a value.
    #[inline(always)]
    pub(crate) fn is_known(self) -> bool {
        self.0[3] != 0
    }

    /// Whether it has a number.
    #[inline(always)]
    pub(super) fn is_number(self) -> bool {
        self.0[3] & TAG == FELT
    }

    /// Whether it points into a temporary segment.
    #[inline(always)]
    pub(super) fn is_temporary(self) -> bool {
        self.0[3] == TEMPORARY
    }

    /// Whether it is the number 0.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        self.0 == [0, 0, 0, FELT]
    }

    /// The number, if it is one of 64 bits.
    #[inline(always)]
    pub(super) fn to_u64(self) -> Option<u64> {
        (self.0[1] | self.0[2] | (self.0[3] ^ FELT) == 0).then_some(self.0[0])
    }

    /// The limbs of the number, if it is one.
    #[inline(always)]
    pub(super) fn to_limbs(self) -> Option<[u64; 4]> {
        self.is_number().then(|| [self.0[0], self.0[1], self.0[2], self.0[3] & !TAG])
    }

    /// The felt, if it is one.
    pub(crate) fn to_felt(self) -> Option<Felt> {
        let limbs = self.to_limbs()?;
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(8).zip(limbs).for_each(|(bytes, limb)| bytes.copy_from_slice(&limb.to_le_bytes()));
        Some(Felt::from_bytes_le(&bytes))
    }

    /// The words of the number, if it is one.
    pub(crate) fn to_words(self) -> Option<Words> {
        self.to_limbs().map(words)
    }

    /// The words of its value, 0 if it has none, where `address` says those of pointers.
    #[inline(always)]
    pub(crate) fn to_value(self, address: impl FnOnce(Pointer) -> Option<u32>) -> Option<Words> {
        match self.to_pointer() {
            // Without a value all of it is 0.
            None => Some(words([self.0[0], self.0[1], self.0[2], self.0[3] & !TAG])),
            Some(pointer) => Some([address(pointer)?, 0, 0, 0, 0, 0, 0, 0]),
        }
    }

    /// The pointer, if it is one.
    #[inline(always)]
    pub(crate) fn to_pointer(self) -> Option<Pointer> {
        match self.0[3] {
            POINTER => Some(Pointer { segment: self.0[1] as i64, offset: self.0[0] }),
            TEMPORARY => Some(Pointer { segment: !(self.0[1] as i64), offset: self.0[0] }),
            _ => None,
        }
    }

    /// The pointer that a pointer into a temporary segment stands for, if there is a place that this goes to.
    #[cold]
    pub(super) fn resolved(self, moves: &[Option<Pointer>]) -> Self {
        let moved = self.to_pointer().and_then(|pointer| {
            let target = moves.get(!pointer.segment as usize).copied().flatten()?;
            target.at(i64::try_from(pointer.offset).ok()?)
        });
        moved.map_or(self, Self::pointer)
    }

    /// The pointer into a lasting segment, if it is one: segment and offset.
    #[inline(always)]
    pub(super) fn to_place(self) -> Option<(usize, usize)> {
        (self.0[3] == POINTER).then_some((self.0[1] as usize, self.0[0] as usize))
    }

    /// The sum, if it is one of numbers, or of a pointer and a number.
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        match (self.is_number(), other.is_number()) {
            (true, true) => Some(self.sum(other)),
            (false, true) => self.moved(|offset| offset.sum(other)),
            (true, false) => other.moved(|offset| offset.sum(self)),
            _ => None,
        }
    }

    /// The difference, if it is one of numbers, of pointers into one segment, or of a pointer and a number.
    pub(super) fn minus(self, other: Self) -> Option<Self> {
        match (self.is_number(), other.is_number()) {
            (true, true) => Some(self.difference(other)),
            (false, true) => self.moved(|offset| offset.difference(other)),
            (false, false) => {
                let (left, right) = (self.to_pointer()?, other.to_pointer()?);
                let distance = || Self::small(left.offset).difference(Self::small(right.offset));
                (left.segment == right.segment).then(distance)
            }
            _ => None,
        }
    }

    /// A pointer at another offset, if that has 64 bits.
    #[inline(always)]
    fn moved(self, to: impl FnOnce(Self) -> Self) -> Option<Self> {
        self.to_pointer()?;
        let offset = to(Self::small(self.0[0])).to_u64()?;
        Some(Self([offset, self.0[1], 0, self.0[3]]))
    }

    /// The product of two numbers.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Option<Self> {
        if let (Some(left), Some(right)) = (self.to_u64(), other.to_u64()) {
            let product = u128::from(left) * u128::from(right);
            return Some(Self([product as u64, (product >> 64) as u64, 0, FELT]));
        }
        let (left, right) = (self.to_limbs()?, other.to_limbs()?);
        Some(Self::number(reduced(product(montgomery(left), right))))
    }

    /// The quotient of two numbers, if the divisor is not 0.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        let divisor = NonZeroFelt::try_from(other.to_felt()?).ok()?;
        Some(Self::felt(&self.to_felt()?.field_div(&divisor)))
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        let (s0, carry) = self.0[0].overflowing_add(other.0[0]);
        if self.0[1] | self.0[2] | other.0[1] | other.0[2] | (self.0[3] ^ FELT) | (other.0[3] ^ FELT) == 0 {
            return Self([s0, u64::from(carry), 0, FELT]);
        }
        let (s1, carry) = self.0[1].carrying_add(other.0[1], carry);
        let (s2, carry) = self.0[2].carrying_add(other.0[2], carry);
        let s3 = (self.0[3] & !TAG) + (other.0[3] & !TAG) + u64::from(carry);
        Self::number(reduced([s0, s1, s2, s3]))
    }

    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        let (d0, borrow) = self.0[0].overflowing_sub(other.0[0]);
        let (d1, borrow) = self.0[1].borrowing_sub(other.0[1], borrow);
        let (d2, borrow) = self.0[2].borrowing_sub(other.0[2], borrow);
        let (d3, borrow) = (self.0[3] & !TAG).borrowing_sub(other.0[3] & !TAG, borrow);
        let difference = [d0, d1, d2, d3];
        Self::number(if borrow { plus(difference, MODULUS) } else { difference })
    }

    /// Whether it is a number below 2^29.
    #[inline(always)]
    pub(super) fn is_below_2_29(self) -> bool {
        self.0[0] >> 29 | self.0[1] | self.0[2] | (self.0[3] ^ FELT) == 0
    }

    /// Whether its address, or the number, can be an operand of a small sum. A pointer can, if the addresses are few
    /// enough.
    #[inline(always)]
    pub(super) fn is_small_summand(self) -> bool {
        const MINUS_ONE: Cell = Cell::number([0, 0, 0, PRIME_HIGH]);
        const BELOW_MINUS_ONE: u64 = FELT | (PRIME_HIGH - 1);
        let [low, second, third, high] = self.0;
        self.is_below_2_29()
            || high & POINTER != 0
            || self == MINUS_ONE
            || second & third == u64::MAX && high == BELOW_MINUS_ONE && low >= 0xffff_ffff_e000_0000
    }

    /// Whether the number can be a factor of a small product.
    #[inline(always)]
    pub(super) fn is_small_factor(self) -> bool {
        self.to_u64().is_some_and(|number| number < 1 << 36)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::felt::{felts, to_words};
    use crate::run::memory::{is_small_factor, is_small_summand};

    proptest! {
        #[test]
        fn arithmetic_is_that_of_felts(left in felts(), right in felts()) {
            let (a, b) = (Cell::felt(&left), Cell::felt(&right));
            prop_assert_eq!((a.to_felt(), a.to_words()), (Some(left), Some(to_words(&left))));
            prop_assert_eq!(a.plus(b), Some(Cell::felt(&(left + right))));
            prop_assert_eq!(a.minus(b), Some(Cell::felt(&(left - right))));
            prop_assert_eq!(a.times(b), Some(Cell::felt(&(left * right))));
            let quotient = NonZeroFelt::try_from(right).ok().map(|right| Cell::felt(&left.field_div(&right)));
            prop_assert_eq!(a.over(b), quotient);
            prop_assert_eq!(a.is_small_summand(), is_small_summand(&to_words(&left)));
            prop_assert_eq!(a.is_small_factor(), is_small_factor(&to_words(&left)));
            prop_assert_eq!((a.is_zero(), a == b), (left == Felt::ZERO, left == right));
        }

        #[test]
        fn pointers_move_by_numbers(segment in -3i64..3, offset in any::<u64>(), by in any::<u64>()) {
            let pointer = Cell::pointer(Pointer { segment, offset });
            prop_assert_eq!(pointer.to_pointer(), Some(Pointer { segment, offset }));
            let by_cell = Cell::small(by);
            let up = offset.checked_add(by).map(|offset| Cell::pointer(Pointer { segment, offset }));
            let down = offset.checked_sub(by).map(|offset| Cell::pointer(Pointer { segment, offset }));
            prop_assert_eq!((pointer.plus(by_cell), by_cell.plus(pointer)), (up, up));
            prop_assert_eq!(pointer.minus(by_cell), down);
            prop_assert_eq!(pointer.plus(Cell::small(0).minus(by_cell).unwrap()), down);
            if let Some(up) = up {
                prop_assert_eq!(up.minus(pointer), Some(by_cell));
                prop_assert_eq!(pointer.minus(up), Cell::small(0).minus(by_cell));
            }
            prop_assert!(pointer.plus(pointer).is_none() && by_cell.minus(pointer).is_none());
            prop_assert!(pointer.times(by_cell).is_none() && pointer.is_known() && !pointer.is_number());
            prop_assert!(pointer.is_small_summand() && !pointer.is_small_factor());
        }
    }
}
