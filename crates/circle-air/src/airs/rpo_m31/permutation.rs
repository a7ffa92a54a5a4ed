//! The RPO-M31 permutation (eprint 2024/1635): 24 elements of M31, S-boxes `x^5` and `x^(1/5)`.

use std::ops::Mul;

use stwo::core::fields::m31::BaseField;

use super::constants::{PERIOD, ROUND, ROUNDS, ROW, WIDTH};
use crate::airs::merkle_tree::Element;

/// S-boxes of either kind in one permutation.
pub(super) const SBOXES: usize = WIDTH * ROUNDS;
/// The two S-boxes, each the inverse of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sbox {
    /// `x^5`, in even steps.
    Power,
    /// `x^(1/5)`, in odd steps.
    Root,
}

/// The permutation of a state, with S-boxes of the caller: all else is linear. The state's elements behind `input` are
/// zero.
pub(super) fn permute<T: Element>(input: &[T], sbox: impl FnMut(Sbox, T) -> T) -> [T; WIDTH] {
    permute_with(&ROW, input, sbox)
}

/// [`permute`] with the matrix of another row.
fn permute_with<T: Element>(row: &[u32; PERIOD], input: &[T], mut sbox: impl FnMut(Sbox, T) -> T) -> [T; WIDTH] {
    let [first, rest @ ..] = &ROUND;
    rest.iter().enumerate().fold(mix(row, input, first), |state, (step, constants)| {
        let kind = if step % 2 == 0 { Sbox::Power } else { Sbox::Root };
        mix(row, &state.map(|x| sbox(kind, x)), constants)
    })
}

/// `out_i = constant_i + sum_j row_{j - i mod 32} in_j`.
fn mix<T: Element>(row: &[u32; PERIOD], input: &[T], constants: &[u32; WIDTH]) -> [T; WIDTH] {
    std::array::from_fn(|i| {
        let term = |j: usize| input[j].clone() * BaseField::from(row[(PERIOD + j - i) % PERIOD]);
        let mut sum = (1..input.len()).fold(term(0), |sum, j| sum + term(j));
        sum += BaseField::from(constants[i]);
        sum
    })
}

/// `x^(1/5) = x^1717986917`: 5 times the exponent is 1 modulo `p - 1`, so that every element has one fifth root.
///
/// The exponent is `1100 1100 1100 1100 1100 1100 101` in binary: 30 squares and 7 products.
pub(super) fn fifth_root<T: Clone + Mul<Output = T>>(x: &T) -> T {
    let square = |x: T| x.clone() * x;
    let shift = |x: &T, bits: u32| (0..bits).fold(x.clone(), |x, _| square(x));
    let x2 = square(x.clone());
    let ones = x2.clone() * x.clone();
    let fifth = ones.clone() * x2;
    let bits6 = shift(&ones, 4) * ones.clone();
    let bits14 = shift(&bits6, 8) * bits6.clone();
    let bits22 = shift(&bits14, 8) * bits6;
    let bits26 = shift(&bits22, 4) * ones;
    shift(&bits26, 5) * fifth
}

#[cfg(test)]
pub(super) mod tests {
    use field::{CM31, Field, M31};
    use p3_field::{PrimeCharacteristicRing, PrimeField32};
    use p3_mersenne_31::{MdsMatrixMersenne31, Mersenne31};
    use p3_symmetric::Permutation;
    use sha3::Shake256;
    use sha3::digest::{ExtendableOutput, Update, XofReader};
    use stwo::core::fields::FieldExpOps;
    use stwo::core::fields::m31::P;

    use super::*;

    /// The round constants are the SHAKE-256 of this tag. The hyphen is U+2011, the one that does not break.
    pub(in super::super) const TAG: &str = "RPO\u{2011}M31:p=2147483647,m=24,c=8,n=7";

    fn apply(sbox: Sbox, x: BaseField) -> BaseField {
        match sbox {
            Sbox::Power => x.pow(5),
            Sbox::Root => x.pow(1_717_986_917),
        }
    }

    fn ours(state: [u32; WIDTH]) -> [u32; WIDTH] {
        permute(&state.map(BaseField::from), apply).map(|value| value.0)
    }

    /// Random-looking numbers below `2^31 - 1`.
    fn numbers(seed: u64) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(seed), |x| {
            Some(x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767))
        })
        .skip(1)
        .map(|x| M31::reduce(x >> 20).value())
    }

    /// The results of `RpoMersenne31::from_standard_constants` of p3-rescue 0.8.0. The permutation is a bijection: a
    /// hundred of them end where they should only if each is right.
    #[test]
    fn the_permutation_is_that_of_plonky3() {
        let hundred = [
            1168074756, 1119426326, 926645582, 1237266846, 1483486767, 1748670534, 1708290253, 1025358721, 2109308429,
            298738905, 417772994, 1943132588, 1223485634, 1132070740, 1121620845, 1550398290, 1874958222, 1475517597,
            405159404, 1574497827, 47528774, 88566921, 274508335, 156707824,
        ];
        assert_eq!((0..100).fold(std::array::from_fn(|i| i as u32), |state, _| ours(state)), hundred);
        let ones = [
            2093426447, 1183155379, 747699335, 712939367, 1813038460, 1631782003, 246320473, 715013768, 1240544581,
            1899032423, 1395430798, 1934584028, 1332630718, 618852677, 277103032, 1418972790, 1666045667, 1738535938,
            17703895, 161352574, 1797833045, 274502622, 1347871017, 153297915,
        ];
        assert_eq!(ours([1; WIDTH]), ones);
        let largest = [
            573738267, 346964033, 1299678916, 1776354301, 153074228, 1564186884, 1192768501, 2016807129, 1711715692,
            897142487, 1199490475, 1804163406, 1766821683, 1341378289, 342162879, 591750564, 277814770, 1251992922,
            1480172457, 1498291588, 574105148, 282895513, 1379838265, 909023206,
        ];
        assert_eq!(ours([P - 1; WIDTH]), largest);
    }

    /// The first is in the tests of p3-rescue too, both are the results of a program of 20 lines in Python that takes
    /// the constants from `hashlib.shake_256`.
    #[test]
    fn known_answers() {
        let counting = [
            1990425063, 95513650, 1492148912, 1455268556, 347571427, 1892690094, 34080484, 1175631837, 1348619901,
            1096114017, 310913313, 1912324205, 609442899, 2112777835, 1331189849, 507241525, 1800223977, 568712449,
            2123164950, 86025361, 1585828474, 1334334486, 188486534, 1147991035,
        ];
        assert_eq!(ours(std::array::from_fn(|i| i as u32)), counting);
        assert_eq!(
            ours([0; WIDTH])[..8],
            [733360638, 802179522, 1694472642, 1911748059, 12469393, 1017085347, 1919892517, 1290273531]
        );
        // The input's end stands for zeros.
        assert_eq!(permute(&[BaseField::from(0)], apply).map(|value| value.0), ours([0; WIDTH]));
    }

    #[test]
    fn roots_are_those_of_fifth_powers() {
        for x in numbers(2).take(1000).chain([0, 1, P - 1]).map(BaseField::from) {
            let root = fifth_root(&x);
            assert_eq!((root.pow(5), root), (x, apply(Sbox::Root, x)));
        }
    }

    #[test]
    fn round_constants_are_the_tag_s_hash() {
        let mut hash = Shake256::default();
        hash.update(TAG.as_bytes());
        let mut bytes = hash.finalize_xof();
        for constant in ROUND.as_flattened() {
            let mut number = [0; 8];
            bytes.read(&mut number[..5]);
            assert_eq!(*constant, M31::reduce(u64::from_le_bytes(number)).value());
        }
    }

    /// `(2 - (1 + x)/y)/32` with `x + iy = t^(2k + 1)`, `t` of order 64, except for one entry: see the documentation of
    /// `RpoM31`.
    #[test]
    fn one_entry_of_the_row_is_not_the_formula_s() {
        let t = CM31::new(M31::new(456_695_729), M31::new(1_567_857_810));
        assert_eq!((t.pow(32), t.pow(64)), (-CM31::ONE, CM31::ONE));
        let scale = M31::new(32).inverse().unwrap();
        let formula: [u32; PERIOD] = std::array::from_fn(|k| {
            let point = t.pow(2 * k as u64 + 1);
            let value = M31::new(2) - (M31::ONE + point.re()) * point.im().inverse().unwrap();
            (value * scale).value()
        });
        let differ: Vec<usize> = (0..PERIOD).filter(|&k| formula[k] != ROW[k]).collect();
        assert_eq!(differ, [14]);
        assert_eq!((formula[14], ROW[14]), (163_026_005, 63_026_005));
        // Plonky3's matrix of size 32, which is not for this hash, has the formula's entries in another order.
        let unit = std::array::from_fn(|i| Mersenne31::from_bool(i == 0));
        let mut column = MdsMatrixMersenne31.permute(unit).map(|value: Mersenne31| value.as_canonical_u32());
        let mut sorted = formula;
        column.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(column, sorted);
    }

    fn entry(i: usize, j: usize) -> M31 {
        let mut unit = [BaseField::from(0); WIDTH];
        unit[j] = BaseField::from(1);
        M31::new(mix(&ROW, &unit, &[0; WIDTH])[i].0)
    }

    fn is_singular(mut rows: Vec<Vec<M31>>) -> bool {
        for column in 0..rows.len() {
            let Some(pivot) = (column..rows.len()).find(|&row| !rows[row][column].is_zero()) else { return true };
            rows.swap(column, pivot);
            let (done, below) = rows.split_at_mut(column + 1);
            let inverse = done[column][column].inverse().unwrap();
            for row in below {
                let factor = row[column] * inverse;
                row.iter_mut().zip(&done[column]).for_each(|(value, &above)| *value -= factor * above);
            }
        }
        false
    }

    /// All minors of up to three rows, and samples of larger ones: none is zero.
    #[test]
    fn no_minor_was_found_that_is_zero() {
        let matrix: [[M31; WIDTH]; WIDTH] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        for (i, row) in matrix.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                assert_eq!(value.value(), ROW[(PERIOD + j - i) % PERIOD]);
                assert!(!value.is_zero());
            }
        }
        let m = &matrix;
        for r in 0..WIDTH {
            for s in r + 1..WIDTH {
                let two = |a: usize, b: usize| m[r][a] * m[s][b] - m[r][b] * m[s][a];
                for a in 0..WIDTH {
                    for b in a + 1..WIDTH {
                        assert!(!two(a, b).is_zero(), "rows {r}, {s}, columns {a}, {b}");
                        for c in b + 1..WIDTH {
                            let (ab, ac, bc) = (two(a, b), two(a, c), two(b, c));
                            for (t, row) in matrix.iter().enumerate().skip(s + 1) {
                                let minor = row[a] * bc - row[b] * ac + row[c] * ab;
                                assert!(!minor.is_zero(), "rows {r}, {s}, {t}, columns {a}, {b}, {c}");
                            }
                        }
                    }
                }
            }
        }
        let mut random = numbers(3);
        let mut choose = |count: usize| {
            let mut all: Vec<usize> = (0..WIDTH).collect();
            (0..count).map(|_| all.swap_remove(random.next().unwrap() as usize % all.len())).collect::<Vec<_>>()
        };
        for size in 4..=WIDTH {
            for _ in 0..200 {
                let (rows, columns) = (choose(size), choose(size));
                let minor = rows.iter().map(|&i| columns.iter().map(|&j| matrix[i][j]).collect()).collect();
                assert!(!is_singular(minor), "rows {rows:?}, columns {columns:?}");
            }
        }
        assert!(is_singular(vec![vec![M31::ONE, M31::new(2)], vec![M31::new(3), M31::new(6)]]));
    }

    /// The digest of the bytes `starks` in the description of the crate rpo-xhash-m31 0.1.0, whose row ends after 24
    /// entries.
    #[test]
    fn with_zeros_in_the_matrix_it_is_the_permutation_of_rpo_xhash_m31() {
        let row = std::array::from_fn(|k| if k < WIDTH { ROW[k] } else { 0 });
        let input = [*b"star", *b"ks\0\0"].map(|word| BaseField::from(u32::from_le_bytes(word)));
        let digest: String =
            permute_with(&row, &input, apply)[..16].iter().map(|value| format!("{:08x}", value.0)).collect();
        let expected = "7eddbb721cfcc3ea2401dc0601b966783f350d6814b46f71513485970df4ec80\
                        614d3a3c1537f0262c5c839d05511b011c2b196611613b80383cbd127b95b2a3";
        assert_eq!(digest, expected);
    }
}
