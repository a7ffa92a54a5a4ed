//! Zero knowledge by counting, over small fields: all masks, and what a proof shows of a column with each of them
//! (goldilocks-compact.md, 14.2 and 14.3).

/// The field of 17 elements, of which 8 are roots of order 8; squares of the others are no eighth roots.
const P: u64 = 17;
/// Roots of order 4 and 8.
const G: u64 = 13;
const ROOT_8: u64 = 9;
/// `E = F[w]/(w^2 - 3)`: an element is two coordinates.
type E = [u64; 2];

fn power(base: u64, exponent: u64, p: u64) -> u64 {
    (0..exponent).fold(1, |product, _| product * base % p)
}

fn add(a: E, b: E, p: u64) -> E {
    [(a[0] + b[0]) % p, (a[1] + b[1]) % p]
}

/// `w^2 = square`.
fn mul(a: E, b: E, (p, square): (u64, u64)) -> E {
    [(a[0] * b[0] + square * (a[1] * b[1] % p)) % p, (a[0] * b[1] + a[1] * b[0]) % p]
}

/// The weights by which the values on the `n`-th roots of unity, powers of `g`, give the value at a point outside of
/// them: `(x^n - 1)/n g^i/(x - g^i)`.
fn lagrange(x: E, (g, n): (u64, u64), field: (u64, u64)) -> Vec<E> {
    let (p, square) = field;
    let inverse = |a: E| {
        // a^(p^2 - 2), by the norm.
        let norm = (a[0] * a[0] + (p - square) * (a[1] * a[1] % p)) % p;
        let norm = power(norm, p - 2, p);
        [a[0] * norm % p, (p - a[1]) * norm % p]
    };
    let zerofier = (0..n).fold([1, 0], |product, _| mul(product, x, field));
    let zerofier = add(zerofier, [p - 1, 0], p);
    let scale = power(n % p, p - 2, p);
    let weight = |i: u64| {
        let root = power(g, i, p);
        let factor = mul(zerofier, inverse(add(x, [p - root, 0], p)), field);
        mul(factor, [root * scale % p, 0], field)
    };
    (0..n).map(weight).collect()
}

/// How often each of the values at x, a point of F, and at z, a point of E, is shown when the last `free` of four rows
/// take all values, by `17^2 t(x) + t(z)`.
fn shown(witness: &[u64], free: usize, x: u64, z: E) -> Vec<u32> {
    let field = (P, 3);
    let (at_x, at_z) = (lagrange([x, 0], (G, 4), field), lagrange(z, (G, 4), field));
    let mut counts = vec![0; 17 * 17 * 17];
    for masks in 0..P.pow(free as u32) {
        let column: Vec<u64> =
            (0..4).map(|i| if i < 4 - free { witness[i] } else { masks / P.pow((3 - i) as u32) % P }).collect();
        let at = |weights: &[E]| {
            let products = weights.iter().zip(&column).map(|(weight, value)| mul(*weight, [*value, 0], field));
            products.fold([0, 0], |sum, product| add(sum, product, P))
        };
        let ([x, rest], z) = (at(&at_x), at(&at_z));
        assert_eq!(rest, 0, "a value in F at a point of F");
        counts[(x * 17 * 17 + z[0] * 17 + z[1]) as usize] += 1;
    }
    counts
}

/// One value in F and one in E are three of F: three random rows hide a column, two do not, for every point of the
/// domain and every z.
#[test]
fn as_many_random_rows_as_values_hide_a_column() {
    let mut told = 0;
    for x in (0..8).map(|i| 3 * power(ROOT_8, i, P) % P) {
        assert_ne!(power(x, 8, P), 1, "on the coset");
        for z in [[0, 1], [5, 2], [16, 9]] {
            let (one, other) = (shown(&[1], 3, x, z), shown(&[9], 3, x, z));
            assert!(one.iter().all(|&count| count == 1), "each of the 17^3 values once: {x} {z:?}");
            assert_eq!(one, other);
            let (one, other) = (shown(&[1, 2], 2, x, z), shown(&[1, 3], 2, x, z));
            told += usize::from(one != other);
            assert!(one.iter().filter(|count| **count > 0).count() <= 17 * 17);
        }
    }
    assert_eq!(told, 24, "without a row it is told, everywhere");
}

/// With the mask word: what is shown are values of a column, the combined word p_0, and the mask word at an opened
/// point. The masks, of the column and of the word, and what is shown are one to one for every witness; so a simulator
/// that draws the values and p_0, and computes the rest, has the distribution of the proofs. Here E is F.
#[test]
fn a_random_word_hides_all_folds() {
    let (x, z, gamma) = (3, 7, 5);
    let field = (P, 3);
    let weights =
        |point: u64| -> Vec<u64> { lagrange([point, 0], (G, 4), field).iter().map(|weight| weight[0]).collect() };
    let at = |weights: &[u64], column: &[u64; 4]| weights.iter().zip(column).map(|(a, b)| a * b).sum::<u64>() % P;
    let (at_x, at_z) = (weights(x), weights(z));
    // (t(X) - t(z))/(X - z) by its coefficients, of which three are not zero; the word has four.
    let quotient = |column: &[u64; 4]| -> [u64; 4] {
        let fourth = power(4, P - 2, P);
        let coefficient = |k: u64| {
            let terms = (0..4).map(|i| column[i as usize] * power(G, (16 - i) * k % 4, P));
            terms.sum::<u64>() % P * fourth % P
        };
        // Horner's rule leaves the value as its remainder.
        let mut out = [0; 4];
        for k in (0..3).rev() {
            out[k as usize] = (coefficient(k + 1) + if k < 2 { out[k as usize + 1] * z } else { 0 }) % P;
        }
        out
    };
    for witness in [[1, 2], [9, 3]] {
        let mut seen = vec![false; 17usize.pow(6)];
        for masks in 0..P * P {
            let column = [witness[0], witness[1], masks / P, masks % P];
            let (shown_x, shown_z, rest) = (at(&at_x, &column), at(&at_z, &column), quotient(&column));
            for word in 0..P.pow(4) {
                let word = [word / 4913, word / 289 % 17, word / 17 % 17, word % 17];
                let combined: [u64; 4] = core::array::from_fn(|k| (word[k] + gamma * rest[k]) % P);
                let value = |coefficients: &[u64; 4]| coefficients.iter().rev().fold(0, |sum, c| (sum * x + c) % P);
                // The verifier's equation gives the word at x from what else is shown.
                let pole = power((x + P - z) % P, P - 2, P);
                let term = (shown_x + P - shown_z) * pole % P;
                assert_eq!(value(&word), (value(&combined) + P * P - gamma * term) % P);
                let place = combined.iter().fold(shown_x * P + shown_z, |place, c| place * P + c) as usize;
                assert!(!core::mem::replace(&mut seen[place], true), "shown twice");
            }
        }
        assert!(seen.iter().all(|seen| *seen), "never shown");
    }
}

/// Rank of a matrix over the field of p elements.
fn rank(mut rows: Vec<Vec<u64>>, p: u64) -> usize {
    let (mut rank, columns) = (0, rows.first().map_or(0, Vec::len));
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let inverse = power(rows[rank][column], p - 2, p);
        let pivot: Vec<u64> = rows[rank].iter().map(|value| value * inverse % p).collect();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(value, of_pivot)| *value = (*value + (p - factor) * of_pivot) % p);
        }
        rows[rank] = pivot;
        rank += 1;
    }
    rank
}

/// With two parts and two rows of the frame a query shows the composition at both roots of its point, and so the column
/// at `x`, `y`, `-y`, `gy`, `-gy`: over the field of 97 elements, 16 rows and 32 points. The values there and at the
/// roots of `z^2` are as many as the budget has, for an extension of degree 2, and independent in just as many rows.
#[test]
fn the_budget_counts_what_the_parts_show() {
    let (p, field, n) = (97, (97, 5), 16u64);
    let root_32 = power(28, 3, p);
    let (g, order) = (root_32 * root_32 % p, |a: u64, n| power(a, n, p) == 1);
    assert!(order(root_32, 32) && !order(root_32, 16) && power(5, 48, p) == 96, "a root, and no square");
    let times = |a: E, b: u64| mul(a, [b, 0], field);
    let mut tried = 0;
    for x in (0..32).step_by(5).map(|i| 5 * power(root_32, i, p) % p) {
        assert!(!order(x, 32), "on the coset");
        // A square root of x, in F or a multiple of w, and any z of E.
        let in_base = (0..p).find(|y| y * y % p == x).map(|y| [y, 0]);
        let above = || (0..p).find(|y| 5 * y * y % p == x).map(|y| [0, y]);
        let y = in_base.or_else(above).expect("5 is no square");
        let z: E = [11, 3 + x % 7];
        let conjugate = [z[0], p - z[1]];
        let mut points = vec![[x, 0]];
        for root in [y, z, conjugate] {
            points.extend([1, p - 1, g, p - g].map(|factor| times(root, factor)));
        }
        // q (1 + P R) + 2 P R: the degree is two here.
        let budget = 1 + 4 + 2 * 4;
        assert_eq!(points.len(), budget);
        for free in [budget, budget - 1] {
            let functionals = |point: &E| {
                let weights = &lagrange(*point, (g, n), field)[16 - free..];
                [0, 1].map(|k| weights.iter().map(|weight| weight[k]).collect::<Vec<u64>>())
            };
            let matrix: Vec<Vec<u64>> = points.iter().flat_map(functionals).collect();
            let whole: Vec<Vec<u64>> = points
                .iter()
                .flat_map(|point| {
                    let weights = lagrange(*point, (g, n), field);
                    [0, 1].map(|k| weights.iter().map(|weight| weight[k]).collect::<Vec<u64>>())
                })
                .collect();
            // All that is shown of any column is shown with masks alone, or not.
            assert_eq!(rank(whole, p), budget);
            assert_eq!(rank(matrix, p), free.min(budget));
        }
        tried += 1;
    }
    assert_eq!(tried, 7);
}
