//! Every level against the scalar field.

use field::{Field, M31, QM31, batch_inverse as scalar_batch_inverse};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{LANES, Lanes, P, QLanes, batch_inverse, dot, transpose};
use crate::lanes::ExtLanes;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

fn element(rng: &mut ChaCha8Rng) -> u32 {
    match rng.random_range(0..6) {
        0 => rng.random_range(0..3),
        1 => P - rng.random_range(1..4),
        _ => rng.random_range(0..P),
    }
}

fn elements(rng: &mut ChaCha8Rng) -> [u32; LANES] {
    std::array::from_fn(|_| element(rng))
}

struct Arithmetic {
    a: [[u32; LANES]; 4],
    b: [[u32; LANES]; 4],
}

fn put<V: Lanes>(out: &mut Vec<[u32; LANES]>, lanes: V) {
    let mut words = [0; LANES];
    // SAFETY: sixteen words.
    unsafe { lanes.store(words.as_mut_ptr()) };
    out.push(words);
}

impl Kernel for Arithmetic {
    type Output = Vec<[u32; LANES]>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        let mut out = Vec::new();
        // SAFETY: sixteen words each.
        let [a, b] = unsafe {
            [self.a, self.b].map(|x| {
                QLanes([
                    I::M31::load(x[0].as_ptr()),
                    I::M31::load(x[1].as_ptr()),
                    I::M31::load(x[2].as_ptr()),
                    I::M31::load(x[3].as_ptr()),
                ])
            })
        };
        for value in [a.0[0].add(b.0[0]), a.0[0].sub(b.0[0]), a.0[0].mul(b.0[0]), a.0[0].neg()] {
            put(&mut out, value);
        }
        let (adjugate, norm) = a.adjugate();
        for q in [a.mul(b), a.mul_complex(b.0[0], b.0[1]), a.mul_base(b.0[0]), a.mul(adjugate), QLanes::from_base(norm)]
        {
            for value in q.0 {
                put(&mut out, value);
            }
        }
        out
    }
}

#[test]
fn arithmetic() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..200 {
        let (a, b): ([[u32; LANES]; 4], [[u32; LANES]; 4]) =
            (std::array::from_fn(|_| elements(&mut rng)), std::array::from_fn(|_| elements(&mut rng)));
        let scalar = |x: &[[u32; LANES]; 4], lane: usize| QM31(std::array::from_fn(|k| M31::new(x[k][lane])));
        for level in SimdLevel::available() {
            let out = dispatch(level, Arithmetic { a, b });
            for lane in 0..LANES {
                let (x, y) = (scalar(&a, lane), scalar(&b, lane));
                let (x0, y0) = (x.0[0], y.0[0]);
                let base = [x0 + y0, x0 - y0, x0 * y0, -x0].map(M31::value);
                assert_eq!(std::array::from_fn(|at| out[at][lane]), base, "{level:?}");
                let q = |at: usize| QM31(std::array::from_fn(|k| M31::new(out[4 + 4 * at + k][lane])));
                assert_eq!(q(0), x * y, "{level:?}");
                assert_eq!(q(1), x * y.z0(), "{level:?}");
                assert_eq!(q(2), x * y0, "{level:?}");
                assert_eq!(q(3), q(4), "{level:?}: an element times its adjugate is its norm");
                assert_eq!(q(4).is_zero(), x.is_zero());
                assert!(out.iter().all(|words| words[lane] < P), "{level:?}: canonical");
            }
        }
    }
}

struct Moves([[u32; LANES]; LANES]);

impl Kernel for Moves {
    type Output = Vec<[u32; LANES]>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        let mut out = Vec::new();
        let mut registers = [I::M31::splat(0); LANES];
        for (register, words) in registers.iter_mut().zip(&self.0) {
            // SAFETY: sixteen words.
            *register = unsafe { I::M31::load(words.as_ptr()) };
        }
        for register in transpose(registers) {
            put(&mut out, register);
        }
        let (a, b) = registers[0].deinterleave(registers[1]);
        let (c, d) = a.interleave(b);
        // SAFETY: sixteen words, of which some are read.
        let repeated =
            unsafe { [I::M31::load_repeated::<8>(self.0[0].as_ptr()), I::M31::load_repeated::<2>(self.0[0].as_ptr())] };
        for register in [a, b, c, d, repeated[0], repeated[1], registers[0].rotate_right::<7>()] {
            put(&mut out, register);
        }
        out
    }
}

#[test]
fn moves() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let square: [[u32; LANES]; LANES] = std::array::from_fn(|_| rng.random());
    for level in SimdLevel::available() {
        let out = dispatch(level, Moves(square));
        for (row, words) in out[..LANES].iter().enumerate() {
            assert_eq!(*words, std::array::from_fn(|column| square[column][row]), "{level:?}");
        }
        let both = [square[0], square[1]].concat();
        let every = |first: usize| std::array::from_fn(|lane| both[first + 2 * lane]);
        assert_eq!(out[LANES..LANES + 4], [every(0), every(1), square[0], square[1]], "{level:?}");
        assert_eq!(out[LANES + 4], std::array::from_fn(|lane| square[0][lane % 8]), "{level:?}");
        assert_eq!(out[LANES + 5], std::array::from_fn(|lane| square[0][lane % 2]), "{level:?}");
        assert_eq!(out[LANES + 6], square[0].map(|word| word.rotate_right(7)), "{level:?}");
    }
}

struct Sums<'a> {
    columns: &'a [Vec<u32>],
    weights: &'a [QM31],
}

impl Kernel for Sums<'_> {
    type Output = [Vec<u32>; 4];

    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        let rows = self.columns[0].len();
        let mut out = std::array::from_fn(|_| vec![0; rows]);
        let mut places = [std::ptr::null(); 16];
        for (place, column) in places.iter_mut().zip(self.columns) {
            *place = column.as_ptr();
        }
        let [a, b, c, d] = &mut out;
        let to = [a.as_mut_ptr(), b.as_mut_ptr(), c.as_mut_ptr(), d.as_mut_ptr()];
        // SAFETY: all have `rows` words.
        unsafe { dot::<I::M31>(&places[..self.columns.len()], self.weights, rows, to) };
        out
    }
}

#[test]
fn sums_of_the_largest_products() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for width in 1..=16 {
        let largest = width % 2 == 0;
        let mut pick = || if largest { P - 1 } else { element(&mut rng) };
        let columns: Vec<Vec<u32>> = (0..width).map(|_| (0..48).map(|_| pick()).collect()).collect();
        let weights: Vec<QM31> = (0..width).map(|_| QM31(std::array::from_fn(|_| M31::new(pick())))).collect();
        for level in SimdLevel::available() {
            let out = dispatch(level, Sums { columns: &columns, weights: &weights });
            for row in 0..48 {
                let sum: QM31 = columns.iter().zip(&weights).map(|(c, w)| *w * M31::new(c[row])).sum();
                assert_eq!(QM31(std::array::from_fn(|k| M31::new(out[k][row]))), sum, "{level:?} {width}");
            }
        }
    }
}

struct Inverses<'a>(&'a mut [u32]);

impl Kernel for Inverses<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let mut before = vec![0; self.0.len()];
        batch_inverse::<I::M31>(self.0, &mut before);
    }
}

#[test]
fn inverses() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for registers in 0..10 {
        let values: Vec<u32> = (0..registers * LANES).map(|_| element(&mut rng)).collect();
        let mut wanted: Vec<M31> = values.iter().map(|value| M31::new(*value)).collect();
        scalar_batch_inverse(&mut wanted);
        for level in SimdLevel::available() {
            let mut found = values.clone();
            dispatch(level, Inverses(&mut found));
            assert!(found.iter().zip(&wanted).all(|(found, wanted)| *found == wanted.value()), "{level:?}");
        }
    }
}
