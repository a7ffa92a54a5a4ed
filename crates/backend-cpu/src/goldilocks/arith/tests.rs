//! Every level against p3-goldilocks and lambdaworks, on lazy lanes too.

use field::{Field, Fp3, Goldilocks};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::goldilocks::registers::P;
use crate::lanes::ExtLanes;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

type Peer = p3_goldilocks::Goldilocks;

/// Every u64 near a carry, a borrow or the modulus, then random ones; a multiple of 8 in number.
fn samples() -> Vec<u64> {
    let mut values = Vec::new();
    for centre in [0, 1 << 32, P, 1 << 63, P - EPSILON, 1 << 16, 1 << 40, 1 << 48, u64::MAX << 32] {
        for delta in [-2i64, -1, 0, 1, 2] {
            values.push(u64::wrapping_add_signed(centre, delta));
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    while values.len() < 64 {
        values.push(rng.random());
    }
    values
}

/// Applies one operation to lanes.
trait Operation {
    fn apply<V: Packed>(&self, a: V, b: V) -> V;
}

struct Apply<'a, O> {
    operation: &'a O,
    a: &'a [u64],
    b: &'a [u64],
    out: &'a mut [Goldilocks],
}

impl<O: Operation> Kernel for Apply<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for at in (0..self.a.len()).step_by(I::Goldilocks::LANES) {
            let end = at + I::Goldilocks::LANES;
            // SAFETY: the slices just taken have LANES elements.
            let (a, b) = unsafe {
                (I::Goldilocks::load_raw(self.a[at..end].as_ptr()), I::Goldilocks::load_raw(self.b[at..end].as_ptr()))
            };
            let out = &mut self.out[at..end];
            // SAFETY: the slice has `LANES` elements.
            unsafe { self.operation.apply(a, b).canonical().store_raw(out.as_mut_ptr().cast()) };
        }
    }
}

/// Checks `operation` on all pairs of samples at all levels.
fn check<O: Operation>(name: &str, operation: O, expected: impl Fn(Peer, Peer) -> Peer) {
    let samples = samples();
    for level in SimdLevel::available() {
        for rotation in 0..samples.len() {
            let mut b = samples.clone();
            b.rotate_left(rotation);
            let mut out = vec![Goldilocks::ZERO; samples.len()];
            dispatch(level, Apply { operation: &operation, a: &samples, b: &b, out: &mut out });
            for i in 0..samples.len() {
                let wanted = expected(Peer::from_u64(samples[i]), Peer::from_u64(b[i]));
                assert_eq!(out[i].value(), wanted.as_canonical_u64(), "{name} {level:?} {:#x} {:#x}", samples[i], b[i]);
            }
        }
    }
}

macro_rules! operations {
    ($($name:ident: |$a:ident, $b:ident| $ours:expr, $theirs:expr;)*) => {$(
        #[test]
        fn $name() {
            struct It;
            impl Operation for It {
                #[inline(always)]
                fn apply<V: Packed>(&self, $a: V, $b: V) -> V {
                    let _ = $b;
                    $ours
                }
            }
            check(stringify!($name), It, |$a: Peer, $b: Peer| { let _ = $b; $theirs });
        }
    )*};
}

operations! {
    add: |a, b| a.add(b), a + b;
    sub: |a, b| a.sub(b), a - b;
    mul: |a, b| a.mul(b), a * b;
    square: |a, b| a.square(), a * a;
    negate: |a, b| a.neg(), -a;
    twice: |a, b| a.double(), a + a;
    butterfly_sum: |a, b| a.butterfly(b).0, a + b;
    butterfly_difference: |a, b| a.butterfly(b).1, a - b;
    times_2exp12: |a, b| a.mul_2exp12(), a * Peer::from_u64(1 << 12);
    times_2exp36: |a, b| a.mul_2exp36(), a * Peer::from_u64(1 << 36);
    times_2exp60: |a, b| a.mul_2exp60(), a * Peer::from_u64(1 << 60);
    times_2exp84: |a, b| a.mul_2exp84(), a * Peer::from_u64(1 << 60) * Peer::from_u64(1 << 24);
    times_2exp24: |a, b| a.mul_2exp24(), a * Peer::from_u64(1 << 24);
    times_2exp48: |a, b| a.mul_2exp48(), a * Peer::from_u64(1 << 48);
    times_2exp72: |a, b| a.mul_2exp72(), a * Peer::from_u64(1 << 48) * Peer::from_u64(1 << 24);
    // Lazy results feed the next operation, as they do in the transforms.
    chained: |a, b| a.mul(b).add(a).sub(b).mul(a.sub(b).neg()), (a * b + a - b) * (b - a);
    add_of_canonical: |a, b| a.add_canonical(b.canonical()), a + b;
    sub_of_canonical: |a, b| a.sub_canonical(b.canonical()), a - b;
}

struct Transpose<'a>(&'a mut [u64; 64]);

impl Kernel for Transpose<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self) -> usize {
        let mut x = [I::Goldilocks::splat_raw(0); 8];
        for (r, x) in x.iter_mut().enumerate() {
            // SAFETY: r LANES + LANES <= 64.
            *x = unsafe { I::Goldilocks::load_raw(self.0.as_ptr().add(r * I::Goldilocks::LANES)) };
        }
        I::Goldilocks::transpose(&mut x);
        for (r, x) in x.into_iter().enumerate() {
            // SAFETY: r LANES + LANES <= 64.
            unsafe { x.store_raw(self.0.as_mut_ptr().add(r * I::Goldilocks::LANES)) };
        }
        I::Goldilocks::LANES
    }
}

#[test]
fn transposes_each_group_of_registers() {
    for level in SimdLevel::available() {
        let mut data: [u64; 64] = std::array::from_fn(|i| i as u64);
        let lanes = dispatch(level, Transpose(&mut data));
        for register in 0..8 {
            for lane in 0..lanes {
                let group = register / lanes * lanes;
                let source = (group + lane) * lanes + register % lanes;
                assert_eq!(data[register * lanes + lane], source as u64, "{level:?}");
            }
        }
    }
}

struct Cubic<'a> {
    a: &'a [Fp3; 8],
    b: &'a [Fp3; 8],
    out: [[Goldilocks; 8]; 3],
    which: usize,
}

impl Kernel for Cubic<'_> {
    type Output = [[Goldilocks; 8]; 3];

    #[inline(always)]
    fn run<I: Isa>(mut self) -> Self::Output {
        let mut a = [[Goldilocks::ZERO; 8]; 3];
        let mut b = a;
        for i in 0..8 {
            for c in 0..3 {
                a[c][i] = self.a[i].0[c];
                b[c][i] = self.b[i].0[c];
            }
        }
        let places = |columns: &[[Goldilocks; 8]; 3]| {
            let [c0, c1, c2] = columns.each_ref().map(|column| column.as_ptr().cast::<u64>());
            [c0, c1, c2, std::ptr::null()]
        };
        let (a, b) = (places(&a), places(&b));
        let [c0, c1, c2] = self.out.each_mut().map(|column| column.as_mut_ptr().cast::<u64>());
        for at in (0..8).step_by(I::Goldilocks::LANES) {
            // SAFETY: `at + LANES` is at most 8, the length of every column.
            let x = unsafe { PackedFp3::<I::Goldilocks>::load(a, at) };
            // SAFETY: as above.
            let y = unsafe { PackedFp3::<I::Goldilocks>::load(b, at) };
            let result = match self.which {
                0 => x.add(y),
                1 => x.sub(y),
                2 => x.mul(y),
                3 => x.neg(),
                4 => x.mul_base(y.0[1]),
                5 => x.add_base(y.0[1]),
                6 => PackedFp3::from_base(x.0[2]).mul(y),
                _ => PackedFp3::splat(self.b[0]).mul(x),
            };
            // SAFETY: as above.
            unsafe { result.canonical().store([c0, c1, c2, std::ptr::null_mut()], at) };
        }
        self.out
    }
}

/// The scalar extension is checked against other people's code in its own crate.
#[test]
fn cubic_extension_matches_the_scalar_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let edges = [0, 1, P - 1, EPSILON, 1 << 32, P - EPSILON];
    let mut element = || {
        Fp3(std::array::from_fn(|_| {
            let random = rng.random::<u64>();
            Goldilocks::new(if random % 3 == 0 { edges[(random >> 8) as usize % edges.len()] } else { random })
        }))
    };
    for _ in 0..200 {
        let a: [Fp3; 8] = std::array::from_fn(|_| element());
        let b: [Fp3; 8] = std::array::from_fn(|_| element());
        for level in SimdLevel::available() {
            for which in 0..8 {
                let out = dispatch(level, Cubic { a: &a, b: &b, out: [[Goldilocks::ZERO; 8]; 3], which });
                for i in 0..8 {
                    let (x, y) = (a[i], b[i]);
                    let wanted = match which {
                        0 => x + y,
                        1 => x - y,
                        2 => x * y,
                        3 => -x,
                        4 => x * y.0[1],
                        5 => x + Fp3::from(y.0[1]),
                        6 => y * x.0[2],
                        _ => b[0] * x,
                    };
                    let found = Fp3([out[0][i], out[1][i], out[2][i]]);
                    assert_eq!(found, wanted, "{level:?} operation {which}");
                }
            }
        }
    }
}
