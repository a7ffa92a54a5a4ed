//! Hades on lanes of 64 bits that multiply 52 (AVX-512 IFMA), sixteen permutations at a time.
//!
//! A number is `x 2^260 mod p` in five limbs of 52 bits. Between products limbs are signed and unnormalized, so that
//! sums need no carries, and numbers are between small multiples of p, which the comments say. A product takes limbs
//! of 52 bits of numbers that are not negative; of `a < A p` and `b < B p` it is below `(1 + A B / 512) p`.
#![expect(clippy::needless_range_loop, reason = "limbs and registers are numbered, and loops over them are unrolled")]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64,
    _mm512_storeu_si512, _mm512_sub_epi64,
};
use std::sync::LazyLock;

use field::stark252::hades::State;
use field::stark252::lazy::Number;
use gpu_hal::hash::poseidon252::{
    CONSTANTS, Felt252, HALF_FULL_ROUNDS, MODULUS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};

/// Registers of a limb: products wait for each other, so there are two at a time.
const REGISTERS: usize = 2;
const LANES: usize = 8;
/// States of a call.
pub(super) const STATES: usize = REGISTERS * LANES;
const LIMBS: usize = 5;
const BITS: u32 = 52;
const MASK: u64 = (1 << BITS) - 1;

/// p is `1 + THIRD 2^156 + FOURTH 2^208`.
const THIRD: u64 = 17 << 36;
const FOURTH: u64 = 1 << 43;

/// Multiples of p that are added with a constant, so that the sum is not negative: in full rounds, where elements are
/// above -4p, and in partial ones, where the third is above -8p.
const FULL_BIAS: u64 = 4;
const PARTIAL_BIAS: u64 = 8;
/// Partial rounds between two folds of the first two elements, which grow by five times or less in each.
const FOLD: usize = 3;

type Limbs = [u64; LIMBS];
type Lanes = [__m512i; REGISTERS];
type Felts = [Lanes; LIMBS];

struct Tables {
    /// The constants of the rounds and their multiples of p, in limbs that are not normalized.
    constants: [Limbs; CONSTANTS],
    /// `2^520 mod p`.
    square: Limbs,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut radix = Felt252::ONE;
    (0..260).for_each(|_| radix += radix);
    let partial = WIDTH * HALF_FULL_ROUNDS..WIDTH * HALF_FULL_ROUNDS + PARTIAL_ROUNDS;
    let constants = std::array::from_fn(|at| {
        let bias = if partial.contains(&at) { PARTIAL_BIAS } else { FULL_BIAS };
        let mut limbs = limbs((ROUND_CONSTANTS[at] * radix).limbs());
        limbs.iter_mut().zip([1, 0, 0, THIRD, FOURTH]).for_each(|(limb, of_p)| *limb += bias * of_p);
        limbs
    });
    Tables { constants, square: limbs((radix * radix).limbs()) }
});

/// A number in limbs of 52 bits.
fn limbs(number: Number) -> Limbs {
    std::array::from_fn(|limb| {
        let (word, shift) = (limb * 52 / 64, limb * 52 % 64);
        let next = number.get(word + 1).map_or(0, |next| u128::from(*next) << 64);
        ((u128::from(number[word]) | next) >> shift) as u64 & MASK
    })
}

/// The number of limbs of 52 bits, which is p at most, mod p.
fn number(limbs: Limbs) -> Number {
    let [a, b, c, d, e] = limbs;
    let number = [a | b << 52, b >> 12 | c << 40, c >> 24 | d << 28, d >> 36 | e << 16];
    if number == MODULUS { [0; 4] } else { number }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn splat(limbs: &Limbs) -> [__m512i; LIMBS] {
    limbs.map(|limb| _mm512_set1_epi64(limb as i64))
}

/// Carries to the next limb, so that all but the highest have 52 bits.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn normalized(mut a: Felts) -> Felts {
    let mask = _mm512_set1_epi64(MASK as i64);
    for limb in 0..LIMBS - 1 {
        for r in 0..REGISTERS {
            a[limb + 1][r] = _mm512_add_epi64(a[limb + 1][r], _mm512_srai_epi64::<BITS>(a[limb][r]));
            a[limb][r] = _mm512_and_si512(a[limb][r], mask);
        }
    }
    a
}

/// The sum of limbs.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn plus(mut a: Felts, b: &Felts) -> Felts {
    for limb in 0..LIMBS {
        for r in 0..REGISTERS {
            a[limb][r] = _mm512_add_epi64(a[limb][r], b[limb][r]);
        }
    }
    a
}

/// The difference of limbs.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn minus(mut a: Felts, b: &Felts) -> Felts {
    for limb in 0..LIMBS {
        for r in 0..REGISTERS {
            a[limb][r] = _mm512_sub_epi64(a[limb][r], b[limb][r]);
        }
    }
    a
}

/// The sum with a constant, normalized.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn plus_constant(mut a: Felts, constant: &Limbs) -> Felts {
    let constant = splat(constant);
    for limb in 0..LIMBS {
        for r in 0..REGISTERS {
            a[limb][r] = _mm512_add_epi64(a[limb][r], constant[limb]);
        }
    }
    normalized(a)
}

/// A number between -100p and 100p to one between -0.1p and 1.1p, in limbs of 52 bits and a sign.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn folded(a: Felts) -> Felts {
    let mut a = normalized(a);
    for r in 0..REGISTERS {
        let times = _mm512_srai_epi64::<43>(a[4][r]);
        a[4][r] = _mm512_sub_epi64(a[4][r], _mm512_slli_epi64::<43>(times));
        // 17 2^36 times.
        let third = _mm512_add_epi64(_mm512_slli_epi64::<40>(times), _mm512_slli_epi64::<36>(times));
        a[3][r] = _mm512_sub_epi64(a[3][r], third);
        a[0][r] = _mm512_sub_epi64(a[0][r], times);
    }
    a
}

/// A product in ten columns, divided by `2^260` mod p: multiples of p make the lowest five columns 0. Normalized.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn reduced(mut t: [Lanes; 2 * LIMBS]) -> Felts {
    let mask = _mm512_set1_epi64(MASK as i64);
    let (third, fourth) = (_mm512_set1_epi64(THIRD as i64), _mm512_set1_epi64(FOURTH as i64));
    for i in 0..LIMBS {
        for r in 0..REGISTERS {
            // The lowest limb of p is 1.
            let times = _mm512_and_si512(_mm512_sub_epi64(_mm512_setzero_si512(), t[i][r]), mask);
            let carry = _mm512_srli_epi64::<BITS>(_mm512_add_epi64(t[i][r], times));
            t[i + 1][r] = _mm512_add_epi64(t[i + 1][r], carry);
            t[i + 3][r] = _mm512_madd52lo_epu64(t[i + 3][r], times, third);
            t[i + 4][r] = _mm512_madd52hi_epu64(t[i + 4][r], times, third);
            t[i + 4][r] = _mm512_madd52lo_epu64(t[i + 4][r], times, fourth);
            t[i + 5][r] = _mm512_madd52hi_epu64(t[i + 5][r], times, fourth);
        }
    }
    normalized([t[5], t[6], t[7], t[8], t[9]])
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn product(a: &Felts, b: &Felts) -> Felts {
    let mut t = [[_mm512_setzero_si512(); REGISTERS]; 2 * LIMBS];
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            for r in 0..REGISTERS {
                t[i + j][r] = _mm512_madd52lo_epu64(t[i + j][r], a[i][r], b[j][r]);
                t[i + j + 1][r] = _mm512_madd52hi_epu64(t[i + j + 1][r], a[i][r], b[j][r]);
            }
        }
    }
    reduced(t)
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn square(a: &Felts) -> Felts {
    let mut t = [[_mm512_setzero_si512(); REGISTERS]; 2 * LIMBS];
    for i in 0..LIMBS {
        for j in i + 1..LIMBS {
            for r in 0..REGISTERS {
                t[i + j][r] = _mm512_madd52lo_epu64(t[i + j][r], a[i][r], a[j][r]);
                t[i + j + 1][r] = _mm512_madd52hi_epu64(t[i + j + 1][r], a[i][r], a[j][r]);
            }
        }
    }
    for column in &mut t {
        for sum in column {
            *sum = _mm512_add_epi64(*sum, *sum);
        }
    }
    for i in 0..LIMBS {
        for r in 0..REGISTERS {
            t[2 * i][r] = _mm512_madd52lo_epu64(t[2 * i][r], a[i][r], a[i][r]);
            t[2 * i + 1][r] = _mm512_madd52hi_epu64(t[2 * i + 1][r], a[i][r], a[i][r]);
        }
    }
    reduced(t)
}

/// Takes numbers below 45p; the result is below 1.5p.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn cube(a: &Felts) -> Felts {
    product(&square(a), a)
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn matrix([a, b, c]: [Felts; WIDTH]) -> [Felts; WIDTH] {
    let ab = plus(a, &b);
    let ac = plus(a, &c);
    [plus(plus(ab, &c), &plus(a, &a)), minus(ac, &b), minus(minus(ab, &c), &c)]
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn full_rounds(mut state: [Felts; WIDTH], constants: &[Limbs]) -> [Felts; WIDTH] {
    for round in constants.as_chunks::<WIDTH>().0 {
        for (x, constant) in state.iter_mut().zip(round) {
            *x = cube(&plus_constant(*x, constant));
        }
        state = matrix(state);
    }
    state
}

/// Element `element` of all states.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn load(states: &[State; STATES], element: usize) -> Felts {
    let mut lanes = [[0u64; STATES]; LIMBS];
    for (lane, state) in states.iter().enumerate() {
        for (limb, lanes) in limbs(state[element]).into_iter().zip(&mut lanes) {
            lanes[lane] = limb;
        }
    }
    // SAFETY: eight words each, within sixteen.
    lanes.map(|lanes| std::array::from_fn(|r| unsafe { _mm512_loadu_si512(lanes[r * LANES..].as_ptr().cast()) }))
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn store(felts: &Felts, states: &mut [State; STATES], element: usize) {
    let mut lanes = [[0u64; STATES]; LIMBS];
    for (felts, lanes) in felts.iter().zip(&mut lanes) {
        for (register, lanes) in felts.iter().zip(lanes.as_chunks_mut::<LANES>().0) {
            // SAFETY: eight words.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), *register) };
        }
    }
    for (lane, state) in states.iter_mut().enumerate() {
        state[element] = number(std::array::from_fn(|limb| lanes[limb][lane]));
    }
}

/// The permutation; any numbers in, numbers below p out.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn permute(states: &mut [State; STATES]) {
    let tables = &*TABLES;
    let (first, rest) = tables.constants.split_at(WIDTH * HALF_FULL_ROUNDS);
    let (partial, last) = rest.split_at(PARTIAL_ROUNDS);
    let of = |limbs: &Limbs| splat(limbs).map(|limb| [limb; REGISTERS]);
    let square = of(&tables.square);
    let state = std::array::from_fn(|element| product(&load(states, element), &square));
    let [a, b, mut c] = full_rounds(state, first);
    let [mut a, mut b] = [folded(a), folded(b)];
    for constants in partial.chunks(FOLD) {
        for constant in constants {
            [a, b, c] = matrix([a, b, cube(&plus_constant(c, constant))]);
        }
        (a, b) = (folded(a), folded(b));
    }
    let state = full_rounds([a, b, c], last);
    let (one, bias) = (of(&[1, 0, 0, 0, 0]), [1, 0, 0, THIRD, FOURTH].map(|limb| FULL_BIAS * limb));
    for (element, felts) in state.into_iter().enumerate() {
        store(&product(&plus_constant(felts, &bias), &one), states, element);
    }
}
