//! Sixteen lanes in an array: plain code that compilers turn into the vector instructions that every machine of an
//! architecture has (SSE2, NEON). The larger operations are calls: in line they would take compilers minutes.

use super::{LANES, Lanes, P};

/// Sixteen u32.
#[derive(Clone, Copy)]
pub(crate) struct Portable([u32; LANES]);

#[inline(always)]
fn zip(a: Portable, b: Portable, f: impl Fn(u32, u32) -> u32) -> Portable {
    Portable(std::array::from_fn(|lane| f(a.0[lane], b.0[lane])))
}

#[inline(always)]
fn fold(x: u64) -> u64 {
    (x & u64::from(P)) + (x >> 31)
}

#[inline(always)]
fn below_two_p(x: u32) -> u32 {
    x.min(x.wrapping_sub(P))
}

impl Lanes for Portable {
    type Products = [u64; LANES / 2];

    #[inline(always)]
    fn splat(value: u32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { source.cast::<[u32; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe { target.cast::<[u32; LANES]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        zip(self, other, u32::wrapping_add)
    }

    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        zip(self, other, u32::wrapping_sub)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        zip(self, other, u32::min)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        zip(self, other, |a, b| a & b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        zip(self, other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|lane| lane.rotate_right(BITS)))
    }

    #[inline(always)]
    fn odds(self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane | 1]))
    }

    #[inline(always)]
    fn mul_even(self, other: Self) -> Self::Products {
        std::array::from_fn(|at| u64::from(self.0[2 * at]) * u64::from(other.0[2 * at]))
    }

    #[inline(always)]
    fn no_products() -> Self::Products {
        [0; LANES / 2]
    }

    #[inline(always)]
    fn add_products(a: Self::Products, b: Self::Products) -> Self::Products {
        std::array::from_fn(|at| a[at].wrapping_add(b[at]))
    }

    #[inline(always)]
    fn fold(products: Self::Products) -> Self::Products {
        products.map(fold)
    }

    #[inline(never)]
    fn join(even: Self::Products, odd: Self::Products) -> Self {
        Self(std::array::from_fn(|lane| {
            let products = if lane % 2 == 0 { even } else { odd };
            below_two_p(fold(products[lane / 2]) as u32)
        }))
    }

    #[inline(never)]
    fn mul_prepared(self, even: Self, odd: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let twice = if lane % 2 == 0 { even.0[lane] } else { odd.0[lane - 1] };
            let product = u64::from(self.0[lane]) * u64::from(twice);
            below_two_p((product as u32 >> 1).wrapping_add((product >> 32) as u32))
        }))
    }

    #[inline(never)]
    fn interleave(self, other: Self) -> (Self, Self) {
        let all = |lane: usize| if lane.is_multiple_of(2) { self.0[lane / 2] } else { other.0[lane / 2] };
        (Self(std::array::from_fn(all)), Self(std::array::from_fn(|lane| all(lane + LANES))))
    }

    #[inline(never)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        let all = |lane: usize| if lane < LANES { self.0[lane] } else { other.0[lane - LANES] };
        (Self(std::array::from_fn(|lane| all(2 * lane))), Self(std::array::from_fn(|lane| all(2 * lane + 1))))
    }
}
