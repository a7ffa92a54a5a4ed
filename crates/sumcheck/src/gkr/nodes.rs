//! The nodes of a layer on the host.

use alloc::vec::Vec;
use core::convert::Infallible;

use field::Field;

use super::gate::Gate;
use super::proof::Mask;
use super::prove::Nodes;
use crate::multilinear::{EqTables, bind, eq, line};
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

    /// The values of a child of node `at` if the first variable is `x`, by their values at 0 and 1.
    fn child(&self, at: usize, right: usize, x: E) -> Vec<E> {
        let half = self.columns[0].len() / 2;
        let index = 2 * at + right;
        self.columns.iter().map(|column| line(column[index], column[half + index], x)).collect()
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

    fn sum(&self, _claim: E) -> Result<Univariate<E>, Infallible> {
        let others = self.variables() - 1;
        let values = [E::ZERO, E::ONE, E::ONE.double()].map(|x| {
            let terms = self.eq.table(others).iter().enumerate();
            let value = |at| self.gate.combined(&self.child(at, 0, x), &self.child(at, 1, x), self.lambda);
            terms.map(|(at, eq)| *eq * value(at)).sum()
        });
        Ok(round_polynomial(values, self.factor, self.eq.coordinate(others)))
    }

    fn bind(&mut self, challenge: E) -> Result<(), Infallible> {
        self.factor *= eq(&[challenge], &[self.eq.coordinate(self.variables() - 1)]);
        for column in &mut self.columns {
            *column = bind(column, challenge);
        }
        Ok(())
    }
}

/// The polynomial `factor eq(t, y) f(t)` for the polynomial `f` of degree two with these values at 0, 1 and 2.
pub fn round_polynomial<E: Field>([at_0, at_1, at_2]: [E; 3], factor: E, y: E) -> Univariate<E> {
    let square = (at_2 - at_1.double() + at_0) * E::ONE.double().inverse_or_zero();
    let linear = at_1 - at_0 - square;
    // eq(t, y) = (1 - y) + (2 y - 1) t.
    let (constant, slope) = (factor * (E::ONE - y), factor * (y.double() - E::ONE));
    let coefficients =
        [constant * at_0, constant * linear + slope * at_0, constant * square + slope * linear, slope * square];
    Univariate::trimmed(coefficients.to_vec())
}
