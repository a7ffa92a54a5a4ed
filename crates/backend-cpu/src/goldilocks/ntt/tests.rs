//! Against the definition for small sizes, against p3-dft and lambdaworks for larger ones, at every level.

use field::{Field, Goldilocks, PrimeField, TwoAdicField, bit_reverse};
use lambdaworks_math::polynomial::Polynomial;
use p3_dft::{NaiveDft, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

type Peer = p3_goldilocks::Goldilocks;
const P: u64 = Goldilocks::ORDER;

/// Random columns with values at the edges of the field and of 32-bit halves among them.
fn columns(length: usize, seed: u64) -> Vec<Goldilocks> {
    let edges = [0, 1, P - 1, P - 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, P - (1 << 32)];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..length)
        .map(|_| {
            let random: u64 = rng.random();
            Goldilocks::new(if random.is_multiple_of(4) { edges[(random >> 8) as usize % edges.len()] } else { random })
        })
        .collect()
}

fn shifts() -> [Goldilocks; 4] {
    [1, 3, 7, 0x1234_5678_9ABC_DEF0].map(Goldilocks::new)
}

fn evaluate(coefficients: &[Goldilocks], x: Goldilocks) -> Goldilocks {
    coefficients.iter().rev().fold(Goldilocks::ZERO, |sum, c| sum * x + *c)
}

/// Column-major to the row-major matrix that p3 works on.
fn to_peer(columns: &[Goldilocks], width: usize) -> RowMajorMatrix<Peer> {
    let height = columns.len() / width;
    let values = (0..columns.len()).map(|i| Peer::from_u64(columns[i % width * height + i / width].value())).collect();
    RowMajorMatrix::new(values, width)
}

fn from_peer(matrix: &RowMajorMatrix<Peer>) -> Vec<Goldilocks> {
    let (width, height) = (matrix.width(), matrix.height());
    (0..width * height)
        .map(|i| Goldilocks::new(matrix.values[i % height * width + i / height].as_canonical_u64()))
        .collect()
}

fn bit_reversed(columns: &[Goldilocks], log_n: u32) -> Vec<Goldilocks> {
    let n = 1 << log_n;
    (0..columns.len()).map(|i| columns[i / n * n + bit_reverse(i % n, log_n)]).collect()
}

/// The inverse transform in both orders takes evaluations back to the coefficients they came from.
fn check_inverse(
    level: SimdLevel,
    values: &[Goldilocks],
    coefficients: &[Goldilocks],
    width: usize,
    log_n: u32,
    shift: Goldilocks,
) {
    for order in [EvalOrder::BitReversed, EvalOrder::Natural] {
        let mut found = match order {
            EvalOrder::BitReversed => values.to_vec(),
            EvalOrder::Natural => bit_reversed(values, log_n),
        };
        inverse(level, &mut found, width, log_n, shift, order).unwrap();
        assert!(found == coefficients, "{level:?} 2^{log_n} x {width} {order:?}");
    }
}

#[test]
fn small_sizes_match_the_definition() {
    for level in SimdLevel::available() {
        for log_n in 0..=8 {
            let coefficients = columns(1 << log_n, u64::from(log_n));
            for shift in shifts() {
                let mut values = coefficients.clone();
                forward(level, &mut values, 1, log_n, shift).unwrap();
                let root = Goldilocks::two_adic_generator(log_n);
                for (i, value) in values.iter().enumerate() {
                    let x = shift * root.pow(bit_reverse(i, log_n) as u64);
                    assert_eq!(*value, evaluate(&coefficients, x), "{level:?} 2^{log_n} at {i}");
                }
                check_inverse(level, &values, &coefficients, 1, log_n, shift);
            }
        }
    }
}

#[test]
fn matches_p3_on_cosets() {
    for log_n in 0..=16 {
        for width in [1, 2, 3, 9] {
            if log_n > 12 && width == 9 {
                continue;
            }
            let coefficients = columns(width << log_n, 100 + u64::from(log_n));
            let shift = shifts()[(log_n as usize + width) % 4];
            let peer_shift = Peer::from_u64(shift.value());
            let matrix = to_peer(&coefficients, width);
            let expected = if log_n <= 5 {
                NaiveDft.coset_dft_batch(matrix, peer_shift)
            } else {
                Radix2DitParallel::default().coset_dft_batch(matrix, peer_shift).to_row_major_matrix()
            };
            let expected = from_peer(&expected.bit_reverse_rows().to_row_major_matrix());
            for level in SimdLevel::available() {
                let mut values = coefficients.clone();
                forward(level, &mut values, width, log_n, shift).unwrap();
                assert!(values == expected, "{level:?} 2^{log_n} x {width}");
                check_inverse(level, &values, &coefficients, width, log_n, shift);
            }
        }
    }
}

#[test]
fn matches_lambdaworks() {
    use field::lambdaworks::GoldilocksField;
    use lambdaworks_math::field::element::FieldElement;
    for log_n in [1, 6, 7, 10, 14] {
        let coefficients = columns(1 << log_n, 200 + u64::from(log_n));
        let shift = Goldilocks::new(3);
        let peers: Vec<FieldElement<GoldilocksField>> =
            coefficients.iter().map(|c| FieldElement::from(c.value())).collect();
        let values = Polynomial::evaluate_offset_fft::<GoldilocksField>(
            &Polynomial::new(&peers),
            1,
            Some(1 << log_n),
            &FieldElement::from(3),
        )
        .unwrap();
        let natural: Vec<_> = values.iter().map(|v| Goldilocks::from(*v)).collect();
        let expected = bit_reversed(&natural, log_n);
        for level in SimdLevel::available() {
            let mut found = coefficients.clone();
            forward(level, &mut found, 1, log_n, shift).unwrap();
            assert!(found == expected, "{level:?} 2^{log_n}");
        }
    }
}

/// `lde` from each kind of input, against p3's.
fn check_lde(level: SimdLevel, log_n: u32, log_blowup: u32, width: usize, shift: Goldilocks) {
    let trace = columns(width << log_n, u64::from(log_n + 40 * log_blowup));
    let expected = Radix2DitParallel::default().coset_lde_batch(
        to_peer(&trace, width),
        log_blowup as usize,
        Peer::from_u64(shift.value()),
    );
    let expected = from_peer(&expected.bit_reverse_rows().to_row_major_matrix());
    let reversed = bit_reversed(&trace, log_n);
    let mut coefficients = trace.clone();
    inverse(level, &mut coefficients, width, log_n, Goldilocks::ONE, EvalOrder::Natural).unwrap();
    for input in [
        LdeInput::Evaluations(&trace, EvalOrder::Natural),
        LdeInput::Evaluations(&reversed, EvalOrder::BitReversed),
        LdeInput::Coefficients(&coefficients),
    ] {
        // The earlier content of the output must not matter.
        let mut out = vec![Goldilocks::new(P - 1); expected.len()];
        lde(level, input, width, log_n, log_blowup, shift, &mut out).unwrap();
        assert!(out == expected, "{level:?} 2^{log_n} x {width}, blowup 2^{log_blowup}");
    }
}

#[test]
fn extension_matches_p3() {
    for level in SimdLevel::available() {
        for log_n in 1..=13 {
            for (log_blowup, width) in [(1, 1), (2, 3), (3, 9)] {
                let shift = shifts()[(log_n as usize + width) % 4];
                check_lde(level, log_n, log_blowup, width, shift);
            }
        }
        for width in 1..=9 {
            check_lde(level, 7, 2, width, Goldilocks::new(7));
        }
        check_lde(level, 16, 2, 2, Goldilocks::new(3));
    }
}

#[test]
fn blowup_one_and_single_rows_extend() {
    for level in SimdLevel::available() {
        let shift = Goldilocks::new(7);
        for log_n in [0, 3, 6, 9] {
            let trace = columns(1 << log_n, 7);
            let mut expected = trace.clone();
            inverse(level, &mut expected, 1, log_n, Goldilocks::ONE, EvalOrder::Natural).unwrap();
            forward(level, &mut expected, 1, log_n, shift).unwrap();
            let mut out = vec![Goldilocks::ZERO; 1 << log_n];
            let input = LdeInput::Evaluations(&trace, EvalOrder::Natural);
            lde(level, input, 1, log_n, 0, shift, &mut out).unwrap();
            assert_eq!(out, expected);
        }
        let constant = [Goldilocks::new(5)];
        let mut out = [Goldilocks::ZERO; 8];
        let input = LdeInput::Evaluations(&constant, EvalOrder::Natural);
        lde(level, input, 1, 0, 3, shift, &mut out).unwrap();
        assert_eq!(out, [constant[0]; 8]);
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let shift = Goldilocks::new(7);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for level in SimdLevel::available() {
        for (log_n, width) in [(15, 1), (16, 3), (14, 8)] {
            let trace = columns(width << log_n, 300);
            let run = || {
                let mut out = vec![Goldilocks::ZERO; trace.len() * 4];
                let input = LdeInput::Evaluations(&trace, EvalOrder::Natural);
                lde(level, input, width, log_n, 2, shift, &mut out).unwrap();
                let mut back = out.clone();
                inverse(level, &mut back, width, log_n + 2, shift, EvalOrder::BitReversed).unwrap();
                (out, back)
            };
            let one = pool(1).install(run);
            assert!(one == pool(2).install(run), "{level:?}");
            assert!(one == pool(5).install(run), "{level:?}");
            // The extension has degree below n: the upper coefficients vanish.
            for column in one.1.chunks_exact(4 << log_n) {
                assert!(column[1 << log_n..].iter().all(Field::is_zero));
            }
        }
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let level = SimdLevel::detect();
    let mut data = vec![Goldilocks::ONE; 12];
    let shift = Goldilocks::new(7);
    assert!(matches!(
        forward(level, &mut data, 2, 3, shift),
        Err(NttError::Length { what: "columns", expected: 16, found: 12 })
    ));
    assert_eq!(forward(level, &mut data, 1, 33, shift), Err(NttError::TooLarge { log_size: 33 }));
    assert_eq!(forward(level, &mut data, 3, 2, Goldilocks::ZERO), Err(NttError::ZeroShift));
    assert_eq!(inverse(level, &mut data, 3, 2, Goldilocks::ZERO, EvalOrder::Natural), Err(NttError::ZeroShift));
    let input = [Goldilocks::ONE; 4];
    for (log_blowup, expected) in [
        (1, NttError::Length { what: "out", expected: 8, found: 12 }),
        (31, NttError::TooLarge { log_size: 33 }),
        (u32::MAX, NttError::TooLarge { log_size: u32::MAX }),
    ] {
        let found = lde(level, LdeInput::Coefficients(&input), 1, 2, log_blowup, shift, &mut data);
        assert_eq!(found, Err(expected));
    }
    assert!(matches!(
        lde(level, LdeInput::Coefficients(&input), 3, 1, 1, shift, &mut data),
        Err(NttError::Length { what: "input", .. })
    ));
    // No columns: nothing to do.
    forward(level, &mut [], 0, 5, shift).unwrap();
    lde(level, LdeInput::Coefficients(&[]), 0, 5, 1, shift, &mut []).unwrap();
}

#[test]
fn an_unavailable_level_gives_the_same_bytes() {
    let shift = Goldilocks::new(7);
    let coefficients = columns(1 << 9, 1);
    let results: Vec<_> = [SimdLevel::Portable, SimdLevel::Avx2, SimdLevel::Avx512, SimdLevel::Neon]
        .into_iter()
        .map(|level| {
            let mut data = coefficients.clone();
            forward(level, &mut data, 1, 9, shift).unwrap();
            data
        })
        .collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}
