//! Extension elements on SIMD lanes, for every extension that the backend runs.

use field::{ExtensionField, Field, Fp3, Goldilocks};

use crate::goldilocks::arith::{Packed, PackedFp3};

/// Largest degree of an extension here.
pub(crate) const MAX_DEGREE: usize = 3;
/// Largest number of lanes of any level.
pub(crate) const MAX_LANES: usize = 8;

/// Where the coordinates of a run of values are read: one address per coordinate, the first `DEGREE` count. Elements are u64
/// that may be lazy (see [`Packed`]).
pub(crate) type Sources = [*const u64; MAX_DEGREE];
/// Where the coordinates of a run of values are written.
pub(crate) type Targets = [*mut u64; MAX_DEGREE];

/// The fields of challenges that this backend has.
pub(crate) trait LaneField: ExtensionField<Goldilocks> {
    /// `V::LANES` elements.
    type Lanes<V: Packed>: ExtLanes<V, Scalar = Self>;

    /// What does not depend on `x` in the inverse of `x - point`.
    type Pole: Copy + Send + Sync;

    /// Makes ready for [`Self::adjugate`].
    fn pole(point: Self) -> Self::Pole;

    /// `(a, n)` with `(x - point) * a = n` in the base field, and `n = 0` only for `x = point`: the inverse is `a / n`.
    fn adjugate<V: Packed>(pole: &Self::Pole, x: V) -> (Self::Lanes<V>, V);
}

impl LaneField for Goldilocks {
    type Lanes<V: Packed> = PackedBase<V>;
    type Pole = Goldilocks;

    fn pole(point: Self) -> Goldilocks {
        point
    }

    #[inline(always)]
    fn adjugate<V: Packed>(pole: &Goldilocks, x: V) -> (PackedBase<V>, V) {
        (PackedBase(V::splat_raw(1)), x.sub_canonical(V::splat(*pole)))
    }
}

/// With `y = x - z0`, the element `x - z` is `(y, -z1, -z2)`: its adjugate is `(y^2 - 2 z1 z2, 2 z2^2 + y z1, z1^2 + y z2)` and its
/// norm `y (y^2 - 6 z1 z2) - (2 z1^3 + 4 z2^3)`.
#[derive(Clone, Copy)]
pub(crate) struct Pole3 {
    z: [Goldilocks; 3],
    twice_z1_z2: Goldilocks,
    six_z1_z2: Goldilocks,
    twice_z2_squared: Goldilocks,
    z1_squared: Goldilocks,
    cubes: Goldilocks,
}

impl LaneField for Fp3 {
    type Lanes<V: Packed> = PackedFp3<V>;
    type Pole = Pole3;

    fn pole(point: Self) -> Pole3 {
        let z = point.0;
        let product = z[1] * z[2];
        let twice_z2_squared = z[2].square().double();
        Pole3 {
            z,
            twice_z1_z2: product.double(),
            six_z1_z2: product.double().double() + product.double(),
            twice_z2_squared,
            z1_squared: z[1].square(),
            cubes: (z[1].square() * z[1] + twice_z2_squared * z[2]).double(),
        }
    }

    #[inline(always)]
    fn adjugate<V: Packed>(pole: &Pole3, x: V) -> (PackedFp3<V>, V) {
        let y = x.sub_canonical(V::splat(pole.z[0]));
        let square = y.square();
        let a0 = square.sub_canonical(V::splat(pole.twice_z1_z2));
        let a1 = y.mul(V::splat(pole.z[1])).add_canonical(V::splat(pole.twice_z2_squared));
        let a2 = y.mul(V::splat(pole.z[2])).add_canonical(V::splat(pole.z1_squared));
        let norm = y.mul(square.sub_canonical(V::splat(pole.six_z1_z2))).sub_canonical(V::splat(pole.cubes));
        (PackedFp3([a0, a1, a2]), norm)
    }
}

/// `V::LANES` extension elements, one register a coordinate, lazy like [`Packed`].
pub(crate) trait ExtLanes<V: Packed>: Copy {
    /// The element type.
    type Scalar: ExtensionField<Goldilocks>;

    /// Every lane set to `value`.
    fn splat(value: Self::Scalar) -> Self;

    /// Lanes of base elements.
    fn from_base(value: V) -> Self;

    /// Lanes at element `at` of the columns.
    ///
    /// # Safety
    /// The first `DEGREE` addresses must be readable for `at + LANES` elements.
    unsafe fn load(sources: Sources, at: usize) -> Self;

    /// Lanes, as they are, to element `at` of the columns.
    ///
    /// # Safety
    /// The first `DEGREE` addresses must be writable for `at + LANES` elements.
    unsafe fn store(self, targets: Targets, at: usize);

    /// Each lane with coordinates in `[0, p)`.
    fn canonical(self) -> Self;

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self - other`.
    fn sub(self, other: Self) -> Self;

    /// `-self`.
    fn neg(self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self * other` for base lanes.
    fn mul_base(self, other: V) -> Self;

    /// `self + other` for base lanes.
    fn add_base(self, other: V) -> Self;

    /// `(a, n)` with `self * a = n` in the base field, and `n = 0` only for zero: the inverse is `a / n`.
    fn adjugate(self) -> (Self, V);

    /// The sum of all lanes.
    fn sum(self) -> Self::Scalar;
}

/// The sum of a register's lanes.
#[inline(always)]
pub(crate) fn sum_lanes<V: Packed>(value: V) -> Goldilocks {
    let mut lanes = [0u64; MAX_LANES];
    // SAFETY: the array has room for the widest register.
    unsafe { value.store_raw(lanes.as_mut_ptr()) };
    let mut sum = Goldilocks::ZERO;
    for lane in &lanes[..V::LANES] {
        sum += Goldilocks::new(*lane);
    }
    sum
}

/// The base field as its own extension.
#[derive(Clone, Copy)]
pub(crate) struct PackedBase<V>(V);

impl<V: Packed> ExtLanes<V> for PackedBase<V> {
    type Scalar = Goldilocks;

    #[inline(always)]
    fn splat(value: Goldilocks) -> Self {
        Self(V::splat(value))
    }

    #[inline(always)]
    fn from_base(value: V) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load(sources: Sources, at: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { V::load_raw(sources[0].add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, targets: Targets, at: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.store_raw(targets[0].add(at)) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        Self(self.0.canonical())
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.neg())
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0.mul(other.0))
    }

    #[inline(always)]
    fn mul_base(self, other: V) -> Self {
        Self(self.0.mul(other))
    }

    #[inline(always)]
    fn add_base(self, other: V) -> Self {
        Self(self.0.add(other))
    }

    #[inline(always)]
    fn adjugate(self) -> (Self, V) {
        (Self(V::splat_raw(1)), self.0)
    }

    #[inline(always)]
    fn sum(self) -> Goldilocks {
        sum_lanes(self.0)
    }
}

impl<V: Packed> ExtLanes<V> for PackedFp3<V> {
    type Scalar = Fp3;

    #[inline(always)]
    fn splat(value: Fp3) -> Self {
        PackedFp3::splat(value)
    }

    #[inline(always)]
    fn from_base(value: V) -> Self {
        PackedFp3::from_base(value)
    }

    #[inline(always)]
    unsafe fn load(sources: Sources, at: usize) -> Self {
        let [c0, c1, c2] = sources;
        // SAFETY: the caller's promise.
        unsafe { Self([V::load_raw(c0.add(at)), V::load_raw(c1.add(at)), V::load_raw(c2.add(at))]) }
    }

    #[inline(always)]
    unsafe fn store(self, targets: Targets, at: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0[0].store_raw(targets[0].add(at));
            self.0[1].store_raw(targets[1].add(at));
            self.0[2].store_raw(targets[2].add(at));
        }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let [c0, c1, c2] = self.0;
        Self([c0.canonical(), c1.canonical(), c2.canonical()])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        PackedFp3::add(self, other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        PackedFp3::sub(self, other)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        PackedFp3::neg(self)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        PackedFp3::mul(self, other)
    }

    #[inline(always)]
    fn mul_base(self, other: V) -> Self {
        PackedFp3::mul_base(self, other)
    }

    #[inline(always)]
    fn add_base(self, other: V) -> Self {
        PackedFp3::add_base(self, other)
    }

    /// `a = (c0^2 - 2 c1 c2, 2 c2^2 - c0 c1, c1^2 - c0 c2)`, `n = c0 a0 + 2 (c2 a1 + c1 a2)`.
    #[inline(always)]
    fn adjugate(self) -> (Self, V) {
        let [c0, c1, c2] = self.0;
        let a0 = c0.square().sub(c1.mul(c2).double());
        let a1 = c2.square().double().sub(c0.mul(c1));
        let a2 = c1.square().sub(c0.mul(c2));
        let norm = c0.mul(a0).add(c2.mul(a1).add(c1.mul(a2)).double());
        (Self([a0, a1, a2]), norm)
    }

    #[inline(always)]
    fn sum(self) -> Fp3 {
        let [c0, c1, c2] = self.0;
        Fp3::new(sum_lanes(c0), sum_lanes(c1), sum_lanes(c2))
    }
}
