//! The nodes of a layer on the host.

use alloc::vec::Vec;
use core::convert::Infallible;

use field::Field;

use super::gate::Gate;
use super::proof::Mask;
use super::prove::Nodes;
use crate::multilinear::{EqTables, bind_in_place, eq};
use crate::{Polynomial, Univariate};

/// The nodes of a layer as a polynomial by the values of their children: `eq(x, y) (v_0(x) + lambda v_1(x))`. The last
/// variable of a column tells a node's children apart, and is none of the polynomial's.
#[derive(Clone, Debug)]
pub struct HostNodes<'a, E> {
    gate: Gate,
    columns: Vec<Vec<E>>,
    /// The tables of the point `y`; a smaller tree takes its last coordinates.
    eq: &'a EqTables<E>,
    /// `eq` of the fixed variables.
    factor: E,
    lambda: E,
}

impl<'a, E: Field> HostNodes<'a, E> {
    /// Nodes of which some variables may be fixed: `factor` is `eq` of these.
    pub const fn new(gate: Gate, columns: Vec<Vec<E>>, eq: &'a EqTables<E>, factor: E, lambda: E) -> Self {
        Self { gate, columns, eq, factor, lambda }
    }

    /// The sums over all corners of the other variables where the first is 0, 1 and 2; only those in `places` are
    /// found.
    fn sums(&self, places: &[usize]) -> [E; 3] {
        match &self.columns[..] {
            [values] => self.sums_of([values], places),
            [numerators, denominators] => self.sums_of([numerators, denominators], places),
            columns => unreachable!("{} columns of a gate", columns.len()),
        }
    }

    /// The same, of a number of columns that is known.
    fn sums_of<const COLUMNS: usize>(&self, columns: [&[E]; COLUMNS], places: &[usize]) -> [E; 3] {
        let halves = columns.map(|column| column.split_at(column.len() / 2));
        let mut sums = [E::ZERO; 3];
        for (at, weight) in self.eq.table(self.variables() - 1).iter().enumerate() {
            // By the place, by the child, by the column.
            let mut values = [[[E::ZERO; COLUMNS]; 2]; 3];
            for (number, (low, high)) in halves.iter().enumerate() {
                for child in 0..2 {
                    let (low, high) = (low[2 * at + child], high[2 * at + child]);
                    values[0][child][number] = low;
                    values[1][child][number] = high;
                    values[2][child][number] = high + (high - low);
                }
            }
            for place in places {
                let [left, right] = &values[*place];
                sums[*place] += *weight * self.gate.combined(left, right, self.lambda);
            }
        }
        sums
    }
}

impl<E: Field> Nodes<E> for HostNodes<'_, E> {
    fn mask(self) -> Result<Mask<E>, Infallible> {
        Ok(Mask(self.columns.iter().map(|column| [column[0], column[1]]).collect()))
    }
}

impl<E: Field> Polynomial<E> for HostNodes<'_, E> {
    type Error = Infallible;

    fn variables(&self) -> usize {
        self.columns[0].len().ilog2() as usize - 1
    }

    fn sum(&mut self, claim: E) -> Result<Univariate<E>, Infallible> {
        let round = Round::new(claim, self.factor, self.eq.coordinate(self.variables() - 1));
        let sums = self.sums(round.places());
        Ok(round.polynomial(|place| sums[place]))
    }

    fn bind(&mut self, challenge: E) -> Result<(), Infallible> {
        self.factor *= eq(&[challenge], &[self.eq.coordinate(self.variables() - 1)]);
        self.columns.iter_mut().for_each(|column| bind_in_place(column, challenge));
        Ok(())
    }
}

/// A round of the sum-check of nodes: its polynomial is `factor eq(t, y) f(t)`, of which two values of `f` are enough,
/// mostly.
#[derive(Clone, Debug)]
pub struct Round<E> {
    claim: E,
    factor: E,
    y: E,
    /// The inverse of the factor of `f(1)` in the claim, if it has one.
    inverse: Option<E>,
}

impl<E: Field> Round<E> {
    /// The round of a claim, after variables whose `eq` is `factor`, of a variable of coordinate `y`.
    pub fn new(claim: E, factor: E, y: E) -> Self {
        Self { claim, factor, y, inverse: (factor * y).inverse() }
    }

    /// Where `f` has to be known: at 0 and 2, and at 1 where the claim does not say it.
    pub const fn places(&self) -> &'static [usize] {
        if self.inverse.is_some() { &[0, 2] } else { &[0, 2, 1] }
    }

    /// The polynomial, by the values of `f` at these places.
    pub fn polynomial(&self, f: impl Fn(usize) -> E) -> Univariate<E> {
        let (at_0, at_2) = (f(0), f(2));
        let at_1 = match self.inverse {
            Some(inverse) => (self.claim - self.factor * (E::ONE - self.y) * at_0) * inverse,
            None => f(1),
        };
        round_polynomial([at_0, at_1, at_2], self.factor, self.y)
    }
}

/// The polynomial `factor eq(t, y) f(t)` for the polynomial `f` of degree two with these values at 0, 1 and 2.
fn round_polynomial<E: Field>([at_0, at_1, at_2]: [E; 3], factor: E, y: E) -> Univariate<E> {
    let square = (at_2 - at_1.double() + at_0) * E::ONE.double().inverse_or_zero();
    let linear = at_1 - at_0 - square;
    // eq(t, y) = (1 - y) + (2 y - 1) t.
    let (constant, slope) = (factor * (E::ONE - y), factor * (y.double() - E::ONE));
    let coefficients =
        [constant * at_0, constant * linear + slope * at_0, constant * square + slope * linear, slope * square];
    Univariate::trimmed(coefficients.to_vec())
}
