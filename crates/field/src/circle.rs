//! The circle group over `M31` and the domains and index maps of the Circle protocol.
//!
//! The points of `x^2 + y^2 = 1` over `M31` form a cyclic group of order `2^31` under
//! `(x1, y1) + (x2, y2) = (x1 x2 - y1 y2, x1 y2 + y1 x2)`. Point index `k` stands for `k` times the generator
//! `(2, 1268011823)`; `g_n`, of index `2^(31-n)`, generates the subgroup of order `2^n`.

mod index;

use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

pub use index::{
    circle_domain_index_to_coset_row, coset_row_to_circle_domain_index, coset_row_to_storage, lift_index,
    neighbour_index, storage_to_coset_row,
};

use crate::{Field, M31, bit_reverse};

/// The group has `2^31` points.
pub const LOG_CIRCLE_ORDER: u32 = 31;

/// The largest domain: its initial point is of order twice its size.
pub const MAX_LOG_DOMAIN: u32 = LOG_CIRCLE_ORDER - 1;

/// A point of the circle `x^2 + y^2 = 1` over `M31` or an extension of it, as an element of the additive group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CirclePoint<F> {
    /// First coordinate.
    pub x: F,
    /// Second coordinate.
    pub y: F,
}

impl CirclePoint<M31> {
    /// The generator of the group of order `2^31`.
    pub const GENERATOR: Self = Self { x: M31::new(2), y: M31::new(1_268_011_823) };
}

impl<F: Field> CirclePoint<F> {
    /// The neutral element `(1, 0)`.
    pub const ZERO: Self = Self { x: F::ONE, y: F::ZERO };

    /// The point `((1 - t^2)/(1 + t^2), 2t/(1 + t^2))`, or `None` if `1 + t^2 = 0`.
    #[must_use]
    pub fn from_parameter(t: F) -> Option<Self> {
        let square = t.square();
        let inverse = (F::ONE + square).inverse()?;
        Some(Self { x: (F::ONE - square) * inverse, y: t.double() * inverse })
    }

    /// `(x, -y)`, which is the inverse.
    #[inline]
    #[must_use]
    pub fn conjugate(self) -> Self {
        Self { x: self.x, y: -self.y }
    }

    /// `self + self = (2x^2 - 1, 2xy)`.
    #[inline]
    #[must_use]
    pub fn double(self) -> Self {
        Self { x: Self::double_x(self.x), y: (self.x * self.y).double() }
    }

    /// `2^times` times this point.
    #[must_use]
    pub fn repeated_double(self, times: u32) -> Self {
        (0..times).fold(self, |point, _| point.double())
    }

    /// The x-coordinate of the doubled point, from the x-coordinate alone: `2x^2 - 1`.
    #[inline]
    #[must_use]
    pub fn double_x(x: F) -> F {
        x.square().double() - F::ONE
    }

    /// [`Self::double_x`] applied `times` times.
    #[must_use]
    pub fn repeated_double_x(x: F, times: u32) -> F {
        (0..times).fold(x, |x, _| Self::double_x(x))
    }

    /// The same point with coordinates in an extension.
    #[must_use]
    pub fn into_extension<E: Field + From<F>>(self) -> CirclePoint<E> {
        CirclePoint { x: self.x.into(), y: self.y.into() }
    }
}

impl<F: Field> Default for CirclePoint<F> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<F: Field> Add for CirclePoint<F> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { x: self.x * other.x - self.y * other.y, y: self.x * other.y + self.y * other.x }
    }
}

impl<F: Field> Neg for CirclePoint<F> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        self.conjugate()
    }
}

impl<F: Field> Sub for CirclePoint<F> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x * other.x + self.y * other.y, y: self.y * other.x - self.x * other.y }
    }
}

/// Scalar multiple, by doubling and adding.
impl<F: Field> Mul<u64> for CirclePoint<F> {
    type Output = Self;

    fn mul(self, mut scalar: u64) -> Self {
        let mut result = Self::ZERO;
        let mut power = self;
        while scalar > 0 {
            if scalar & 1 == 1 {
                result = result + power;
            }
            power = power.double();
            scalar >>= 1;
        }
        result
    }
}

/// The number `k` of the point `k G`, always in `[0, 2^31)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CirclePointIndex(u32);

impl CirclePointIndex {
    const MASK: u64 = (1 << LOG_CIRCLE_ORDER) - 1;

    /// The index of the neutral element.
    pub const ZERO: Self = Self(0);

    /// `value mod 2^31`.
    #[inline]
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Self((value & Self::MASK) as u32)
    }

    /// The index of `g_n`, the generator of the subgroup of order `2^log_size`.
    ///
    /// # Panics
    /// If `log_size > 31`.
    #[must_use]
    pub const fn subgroup_generator(log_size: u32) -> Self {
        assert!(log_size <= LOG_CIRCLE_ORDER, "the circle group has 2^31 points");
        Self::new(1 << (LOG_CIRCLE_ORDER - log_size))
    }

    /// The number itself.
    #[inline]
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// The point: at most 31 doublings and additions.
    #[must_use]
    pub fn to_point(self) -> CirclePoint<M31> {
        CirclePoint::GENERATOR * u64::from(self.0)
    }
}

impl Add for CirclePointIndex {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(u64::from(self.0) + u64::from(other.0))
    }
}

impl Neg for CirclePointIndex {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::new(u64::from(self.0).wrapping_neg())
    }
}

impl Sub for CirclePointIndex {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul<u64> for CirclePointIndex {
    type Output = Self;

    #[inline]
    fn mul(self, scalar: u64) -> Self {
        Self::new(u64::from(self.0).wrapping_mul(scalar))
    }
}

/// The points `initial + k step` for `k` in `[0, 2^log_size)`, where `step` has order `2^log_size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coset {
    /// The first point.
    pub initial: CirclePointIndex,
    /// The difference of neighbours.
    pub step: CirclePointIndex,
    /// Binary logarithm of the number of points.
    pub log_size: u32,
}

impl Coset {
    /// The coset of the subgroup of order `2^log_size` that begins at `initial`.
    ///
    /// # Panics
    /// If `log_size > 31`.
    #[must_use]
    pub const fn new(initial: CirclePointIndex, log_size: u32) -> Self {
        Self { initial, step: CirclePointIndex::subgroup_generator(log_size), log_size }
    }

    /// The canonic coset of size `2^n`: initial point `g_{n+1}`, step `g_n`. The order of its points is the order of
    /// the rows of a component.
    ///
    /// # Panics
    /// If `n > 30`.
    #[must_use]
    pub const fn canonic(n: u32) -> Self {
        Self::new(CirclePointIndex::subgroup_generator(n + 1), n)
    }

    /// Initial point `g_{n+2}`, step `g_n`, size `2^n`: half of the canonic coset of size `2^(n+1)`. Its x-coordinates
    /// are the line domain of log size `n`.
    ///
    /// # Panics
    /// If `n > 29`.
    #[must_use]
    pub const fn half_odds(n: u32) -> Self {
        Self::new(CirclePointIndex::subgroup_generator(n + 2), n)
    }

    /// The number of points.
    #[must_use]
    pub const fn size(&self) -> usize {
        1 << self.log_size
    }

    /// The index of point number `k` (modulo the size).
    #[inline]
    #[must_use]
    pub fn index_at(&self, k: usize) -> CirclePointIndex {
        self.initial + self.step * k as u64
    }

    /// Point number `k` (modulo the size).
    #[must_use]
    pub fn at(&self, k: usize) -> CirclePoint<M31> {
        self.index_at(k).to_point()
    }

    /// The coset of the doubled points, half as large.
    ///
    /// # Panics
    /// If the coset has only one point.
    #[must_use]
    pub fn double(&self) -> Self {
        assert!(self.log_size > 0, "a coset of one point can't be halved");
        Self { initial: self.initial + self.initial, step: self.step + self.step, log_size: self.log_size - 1 }
    }

    /// All points in order: one point addition each.
    pub fn points(&self) -> impl ExactSizeIterator<Item = CirclePoint<M31>> + use<> {
        let step = self.step.to_point();
        let mut next = self.initial.to_point();
        // A range over u32 has an exact length; 2^31 points would not fit it, but no domain is that large.
        (0..1_u32 << self.log_size).map(move |_| {
            let current = next;
            next = next + step;
            current
        })
    }
}

/// The canonic domain `D_n`: a half coset followed by the conjugates of its points in the same order (the *natural*
/// order of the domain).
///
/// **Storage order** is the bit-reversed natural order: there, the points at `2k` and `2k + 1` are conjugates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CanonicDomain {
    half_coset: Coset,
}

impl CanonicDomain {
    /// The domain of size `2^n`: the points of [`Coset::canonic`] in another order.
    ///
    /// # Panics
    /// If `n` is not in `[1, 30]`.
    #[must_use]
    pub const fn new(n: u32) -> Self {
        assert!(n >= 1 && n <= MAX_LOG_DOMAIN, "a circle domain has between 2 and 2^30 points");
        Self { half_coset: Coset::half_odds(n - 1) }
    }

    /// Binary logarithm of the number of points.
    #[must_use]
    pub const fn log_size(&self) -> u32 {
        self.half_coset.log_size + 1
    }

    /// The number of points.
    #[must_use]
    pub const fn size(&self) -> usize {
        1 << self.log_size()
    }

    /// The index of the point at a natural position (modulo the size).
    #[must_use]
    pub fn index_at(&self, position: usize) -> CirclePointIndex {
        let index = self.half_coset.index_at(position);
        if position & self.half_coset.size() == 0 { index } else { -index }
    }

    /// The point at a natural position (modulo the size).
    #[must_use]
    pub fn at(&self, position: usize) -> CirclePoint<M31> {
        self.index_at(position).to_point()
    }

    /// The point at a storage index (modulo the size).
    #[must_use]
    pub fn at_storage(&self, storage: usize) -> CirclePoint<M31> {
        self.at(bit_reverse(storage, self.log_size()))
    }

    /// All points in natural order: one point addition each.
    pub fn points(&self) -> impl Iterator<Item = CirclePoint<M31>> + use<> {
        self.half_coset.points().chain(self.half_coset.points().map(CirclePoint::conjugate))
    }
}
