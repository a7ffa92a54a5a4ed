//! Multilinear polynomials by their values on the corners of a hypercube (section 2).
//!
//! A table of `2^n` values is a polynomial of `n` variables `x_0 .. x_(n-1)`, of degree one in each. The value at a
//! corner is at the index whose highest bit is `x_0` and whose lowest is `x_(n-1)`: the first variable tells the halves
//! of a table apart, the last one neighbours.

use alloc::vec::Vec;

use field::Field;

/// The polynomial with its first variable fixed: half a table.
///
/// # Panics
/// If the length of the table is odd.
pub fn bind<E: Field>(table: &[E], challenge: E) -> Vec<E> {
    let (low, high) = table.split_at(table.len() / 2);
    assert_eq!(low.len(), high.len(), "a table of {} values has no halves", table.len());
    low.iter().zip(high).map(|(low, high)| line(*low, *high, challenge)).collect()
}

/// [`bind`] in the memory of the table.
pub(crate) fn bind_in_place<E: Field>(table: &mut Vec<E>, challenge: E) {
    let left = table.len() / 2;
    let (low, high) = table.split_at_mut(left);
    low.iter_mut().zip(high).for_each(|(low, high)| *low = line(*low, *high, challenge));
    table.truncate(left);
}

/// The value at a point, the first variable first.
///
/// # Panics
/// If the table has not `2^n` values for the `n` coordinates of the point.
pub fn evaluate<E: Field>(table: &[E], point: &[E]) -> E {
    assert_eq!(table.len(), 1 << point.len(), "a point of {} variables", point.len());
    let Some((first, rest)) = point.split_first() else { return table[0] };
    let mut bound = bind(table, *first);
    for challenge in rest {
        bound = bind(&bound, *challenge);
    }
    bound[0]
}

/// `prod x_i y_i + (1 - x_i)(1 - y_i)`: 1 at a corner that is `y`, 0 at all others.
///
/// # Panics
/// If the points have not as many coordinates.
pub fn eq<E: Field>(x: &[E], y: &[E]) -> E {
    assert_eq!(x.len(), y.len(), "eq of points of different spaces");
    x.iter().zip(y).map(|(x, y)| *x * *y + (E::ONE - *x) * (E::ONE - *y)).product()
}

/// The value at `x` of the line through `low` at 0 and `high` at 1.
pub(crate) fn line<E: Field>(low: E, high: E, x: E) -> E {
    low + x * (high - low)
}

/// Tables of `eq(x, y)` for all corners `x`, of the last variables of a point `y`: none, one, two, and so on.
#[derive(Clone, Debug)]
pub struct EqTables<E> {
    point: Vec<E>,
    tables: Vec<Vec<E>>,
}

impl<E: Field> EqTables<E> {
    /// The tables of a point of up to `most` variables, and never the one of all: a sum-check has its first variable
    /// apart.
    pub fn new(point: &[E], most: usize) -> Self {
        let mut tables = Vec::new();
        let mut last = alloc::vec![E::ONE];
        for y in point.iter().skip(1).rev().take(most) {
            let high: Vec<E> = last.iter().map(|value| *value * *y).collect();
            let next = last.iter().zip(&high).map(|(value, high)| *value - *high).chain(high.iter().copied()).collect();
            tables.push(core::mem::replace(&mut last, next));
        }
        tables.push(last);
        Self { point: point.to_vec(), tables }
    }

    /// The table of the last `variables` coordinates.
    ///
    /// # Panics
    /// If it was not made.
    pub fn table(&self, variables: usize) -> &[E] {
        &self.tables[variables]
    }

    /// The coordinate that `variables` others follow.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn coordinate(&self, variables: usize) -> E {
        self.point[self.point.len() - 1 - variables]
    }
}

#[cfg(test)]
mod tests {
    use field::{Goldilocks, PrimeField, SplitMix64};

    use super::*;

    fn random(count: usize, seed: u64) -> Vec<Goldilocks> {
        let mut random = SplitMix64::new(seed);
        (0..count).map(|_| Goldilocks::from_u64(random.word())).collect()
    }

    fn corner(index: usize, variables: usize) -> Vec<Goldilocks> {
        (0..variables).rev().map(|bit| Goldilocks::from_u64((index >> bit & 1) as u64)).collect()
    }

    #[test]
    fn a_table_has_its_values_at_corners() {
        let table = random(16, 1);
        for (index, value) in table.iter().enumerate() {
            assert_eq!(evaluate(&table, &corner(index, 4)), *value, "{index}");
        }
    }

    #[test]
    fn a_value_is_the_sum_of_corners_by_eq() {
        let (table, point) = (random(16, 1), random(4, 2));
        let sum = table.iter().enumerate().map(|(index, value)| *value * eq(&corner(index, 4), &point)).sum();
        assert_eq!(evaluate(&table, &point), sum);
    }

    #[test]
    fn tables_of_eq_are_those_of_the_last_variables() {
        let point = random(4, 3);
        let tables = EqTables::new(&point, 9);
        for variables in 0..4 {
            let last = &point[4 - variables..];
            let expected: Vec<_> = (0..1 << variables).map(|index| eq(&corner(index, variables), last)).collect();
            assert_eq!(tables.table(variables), expected, "{variables}");
            assert_eq!(tables.coordinate(variables), point[3 - variables]);
        }
        assert_eq!(EqTables::new(&point, 2).table(2), tables.table(2));
        assert_eq!(EqTables::<Goldilocks>::new(&[], 9).table(0), [Goldilocks::ONE]);
    }
}
