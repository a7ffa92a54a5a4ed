//! Elements of Goldilocks and of its extensions on lanes.

use field::{ExtensionField, Field, Fp3, Goldilocks};

use super::arith::{Packed, PackedFp3, Register};
use crate::lanes::{ExtLanes, FieldLanes, MAX_LANES, Sources, Targets};

impl<V: Packed> FieldLanes<Goldilocks> for V {
    type Word = u64;
    const LANES: usize = V::LANES;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller's promise.
        unsafe { V::load_raw(source) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { self.store_raw(target) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        Register::canonical(self)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Packed::add(self, other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Packed::sub(self, other)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Packed::neg(self)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Packed::mul(self, other)
    }

    #[inline(always)]
    unsafe fn transpose(source: *const u64, stride: usize, target: *mut u64, target_stride: usize) {
        let mut registers = [V::splat_raw(0); 8];
        for (row, register) in registers.iter_mut().enumerate().take(V::LANES) {
            // SAFETY: the caller's promise.
            *register = unsafe { V::load_raw(source.add(row * stride)) };
        }
        V::transpose(&mut registers);
        for (row, register) in registers.iter().enumerate().take(V::LANES) {
            // SAFETY: the caller's promise.
            unsafe { register.store_raw(target.add(row * target_stride)) };
        }
    }
}

/// The fields of challenges that this backend has.
pub trait LaneField: ExtensionField<Goldilocks> {
    /// `V::LANES` elements.
    type Lanes<V: Packed>: ExtLanes<V, Scalar = Self, Word = u64>;

    /// The part of the inverse of `x - point` that does not depend on `x`.
    type Pole: Copy + Send + Sync;

    /// The sum of all lanes.
    fn sum_lanes<V: Packed>(lanes: Self::Lanes<V>) -> Self;

    /// Makes ready for [`Self::adjugate`].
    fn pole(point: Self) -> Self::Pole;

    /// `(a, n)` with `(x - point) * a = n` in the base field, and `n = 0` only for `x = point`: the inverse is `a / n`.
    fn adjugate<V: Packed>(pole: &Self::Pole, x: V) -> (Self::Lanes<V>, V);
}

impl LaneField for Goldilocks {
    type Lanes<V: Packed> = PackedBase<V>;
    type Pole = Goldilocks;

    #[inline(always)]
    fn sum_lanes<V: Packed>(lanes: PackedBase<V>) -> Self {
        sum_lanes(lanes.0)
    }

    fn pole(point: Self) -> Goldilocks {
        point
    }

    #[inline(always)]
    fn adjugate<V: Packed>(pole: &Goldilocks, x: V) -> (PackedBase<V>, V) {
        (PackedBase(V::splat_raw(1)), x.sub_canonical(V::splat(*pole)))
    }
}

/// With `y = x - z0`, the element `x - z` is `(y, -z1, -z2)`: its adjugate is
/// `(y^2 - 2 z1 z2, 2 z2^2 + y z1, z1^2 + y z2)` and its norm `y (y^2 - 6 z1 z2) - (2 z1^3 + 4 z2^3)`.
#[derive(Clone, Copy)]
pub struct Pole3 {
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

    #[inline(always)]
    fn sum_lanes<V: Packed>(lanes: PackedFp3<V>) -> Self {
        let [c0, c1, c2] = lanes.0;
        Fp3::new(sum_lanes(c0), sum_lanes(c1), sum_lanes(c2))
    }

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

/// The sum of a register's lanes.
#[inline(always)]
fn sum_lanes<V: Packed>(value: V) -> Goldilocks {
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
pub struct PackedBase<V>(V);

impl<V: Packed> ExtLanes<V> for PackedBase<V> {
    type Scalar = Goldilocks;
    type Word = u64;

    #[inline(always)]
    fn splat(value: Goldilocks) -> Self {
        Self(V::splat(value))
    }

    #[inline(always)]
    fn from_base(value: V) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load(sources: Sources<u64>, at: usize) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { V::load_raw(sources[0].add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, targets: Targets<u64>, at: usize) {
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
}
