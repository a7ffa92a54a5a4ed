//! Elements of the Stark field.
//!
//! An element is kept in Montgomery form, `x 2^256 mod p`, in four limbs of 64 bits, least significant first. The
//! lowest limb of p is 1 and the two above it are 0, so a step of Montgomery's reduction multiplies one limb.

use core::ops::{Add, AddAssign, Mul, Sub};

/// The highest limb of p; below it are 0, 0 and 1.
pub(super) const TOP: u64 = 0x0800_0000_0000_0011;
/// p.
pub const MODULUS: [u64; 4] = [1, 0, 0, TOP];
/// `2^512 mod p`, by which a product takes a number into Montgomery form.
pub(super) const SQUARE: [u64; 4] =
    [0xFFFF_FD73_7E00_0401, 0x0000_0001_330F_FFFF, 0xFFFF_FFFF_FF6F_8000, 0x07FF_D4AB_5E00_8810];

/// An element of the Stark field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Felt252([u64; 4]);

impl Felt252 {
    /// 0.
    pub const ZERO: Self = Self([0; 4]);
    /// 1.
    pub const ONE: Self = Self::reduced([1, 0, 0, 0]);
    /// 2.
    pub const TWO: Self = Self::reduced([2, 0, 0, 0]);

    /// The element of a number below `2^256`, reduced.
    pub const fn reduced(number: [u64; 4]) -> Self {
        Self(product(number, SQUARE))
    }

    /// The element of a number; `None` if it is p or more.
    pub const fn from_limbs(number: [u64; 4]) -> Option<Self> {
        if subtracted(number, MODULUS).1 { Some(Self::reduced(number)) } else { None }
    }

    /// The element as a number below p.
    pub const fn limbs(self) -> [u64; 4] {
        product(self.0, [1, 0, 0, 0])
    }

    /// The Montgomery form, for devices and [`super::lazy`].
    pub const fn montgomery(self) -> [u64; 4] {
        self.0
    }

    /// The element of 32 little-endian bytes; `None` if they are no number below p.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Self::from_limbs(from_le_bytes(bytes))
    }

    /// The element of 32 little-endian bytes, any number, reduced.
    pub fn from_bytes_reduced(bytes: &[u8; 32]) -> Self {
        Self::reduced(from_le_bytes(bytes))
    }

    /// The element as 32 little-endian bytes.
    pub fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (bytes, limb) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.limbs()) {
            *bytes = limb.to_le_bytes();
        }
        bytes
    }
}

impl From<u64> for Felt252 {
    fn from(number: u64) -> Self {
        Self::reduced([number, 0, 0, 0])
    }
}

fn from_le_bytes(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}

/// `a - b mod 2^256`, and whether a is less.
const fn subtracted(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], bool) {
    let (mut out, mut borrow, mut at) = ([0; 4], false, 0);
    while at < 4 {
        let (low, less) = a[at].overflowing_sub(b[at]);
        let (low, once_more) = low.overflowing_sub(borrow as u64);
        (out[at], borrow) = (low, less || once_more);
        at += 1;
    }
    (out, borrow)
}

/// `a + b`, which is below `2^256`.
const fn added(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let (mut out, mut carry, mut at) = ([0; 4], 0, 0);
    while at < 4 {
        let sum = a[at] as u128 + b[at] as u128 + carry;
        (out[at], carry) = (sum as u64, sum >> 64);
        at += 1;
    }
    out
}

/// A number below 2p to one below p.
const fn below_modulus(a: [u64; 4]) -> [u64; 4] {
    match subtracted(a, MODULUS) {
        (_, true) => a,
        (difference, false) => difference,
    }
}

/// `a b / 2^256 mod p`, below p, of any `a` and of `b < p`: after each limb of a, the sum gets the multiple of p that
/// makes its lowest limb 0, which is dropped.
const fn product(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let (mut sum, mut step) = ([0u64; 5], 0);
    while step < 4 {
        let (mut carry, mut at) = (0u128, 0);
        while at < 4 {
            let term = a[step] as u128 * b[at] as u128 + sum[at] as u128 + carry;
            (sum[at], carry) = (term as u64, term >> 64);
            at += 1;
        }
        sum[4] += carry as u64;
        let multiple = sum[0].wrapping_neg();
        let one = sum[1] as u128 + (sum[0] != 0) as u128;
        let two = sum[2] as u128 + (one >> 64);
        let three = multiple as u128 * TOP as u128 + sum[3] as u128 + (two >> 64);
        let four = sum[4] as u128 + (three >> 64);
        sum = [one as u64, two as u64, three as u64, four as u64, (four >> 64) as u64];
        step += 1;
    }
    below_modulus([sum[0], sum[1], sum[2], sum[3]])
}

impl Add for Felt252 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(below_modulus(added(self.0, other.0)))
    }
}

impl AddAssign for Felt252 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Felt252 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        match subtracted(self.0, other.0) {
            (difference, false) => Self(difference),
            (difference, true) => Self(added(difference, MODULUS)),
        }
    }
}

impl Mul for Felt252 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(product(self.0, other.0))
    }
}
