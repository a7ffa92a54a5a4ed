//! Linear recurrences: traces, or columns of them, that take a few numbers to write down.

use alloc::vec::Vec;

use field::Field;

/// A linear recurrence over the base field, `f(r + k) = sum over i < k of coefficients[i] * f(r + i)` with `k` the
/// order. It may start anew: rows before a start do not know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearRecurrence<F> {
    /// Factors of the `k` rows before, the earliest first; 1 to 4 of them.
    pub coefficients: Vec<F>,
    /// The first `k` rows.
    pub initial: Vec<F>,
    /// Where the sequence starts anew: a row, and the `k` values from there on. Rows ascend, from 1 to the last; values
    /// beyond the next start or the end are dropped.
    pub restarts: Vec<(usize, Vec<F>)>,
    /// Log2 of the number of rows.
    pub log_height: u32,
}

impl<F> LinearRecurrence<F> {
    /// Every start: its row and its values. The first is row 0 with the initial values.
    pub fn starts(&self) -> impl Iterator<Item = (usize, &[F])> {
        let restarts = self.restarts.iter().map(|(row, values)| (*row, values.as_slice()));
        core::iter::once((0, self.initial.as_slice())).chain(restarts)
    }
}

impl<F: Field> LinearRecurrence<F> {
    /// Whether all rows are zero because all starts are.
    pub fn is_zero(&self) -> bool {
        self.starts().all(|(_, values)| values.iter().all(F::is_zero))
    }

    /// `M^(2^j)` for `j < count`, each row after row. The companion matrix `M` takes a state
    /// `(f(r), ..., f(r + k - 1))` to the next, so `r` rows on is a product of these, one for each bit of `r`.
    pub fn powers(&self, count: u32) -> Vec<Vec<F>> {
        let k = self.coefficients.len();
        let mut companion: Vec<F> =
            (0..k * k.saturating_sub(1)).map(|at| if at % k == at / k + 1 { F::ONE } else { F::ZERO }).collect();
        companion.extend(&self.coefficients);
        let square =
            |m: &Vec<F>| (0..k * k).map(|at| (0..k).map(|j| m[at / k * k + j] * m[j * k + at % k]).sum()).collect();
        core::iter::successors(Some(companion), |matrix| Some(square(matrix))).take(count as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use field::Goldilocks;

    use super::*;

    #[test]
    fn powers_of_the_fibonacci_matrix_hold_fibonacci_numbers() {
        let powers = |coefficients: &[u64], count| -> Vec<Vec<Goldilocks>> {
            let coefficients: Vec<Goldilocks> = coefficients.iter().copied().map(Goldilocks::new).collect();
            let initial = coefficients.clone();
            LinearRecurrence { coefficients, initial, restarts: Vec::new(), log_height: 0 }.powers(count)
        };
        // M^n = (f(n - 1), f(n); f(n), f(n + 1)) with f = 0, 1, 1, 2, 3, 5, 8, 13, 21, 34.
        let expected = [[0, 1, 1, 1], [1, 1, 1, 2], [2, 3, 3, 5], [13, 21, 21, 34]].map(|m| m.map(Goldilocks::new));
        assert_eq!(powers(&[1, 1], 4), expected);
        assert_eq!(powers(&[3], 3), [3, 9, 81].map(|x| [Goldilocks::new(x)]));
    }
}
