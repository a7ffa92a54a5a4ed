//! The nodes of a layer on a device, and on the host once they are few.

use std::rc::Rc;

use field::{Field, M31, QM31};
use gpu_hal::{BindRequest, CircleStark, HalError, Multilinear, StarkBackend, SumRequest, Table, Types};
use sumcheck::gkr::{Gate, HostNodes, Mask, Nodes, round_polynomial};
use sumcheck::multilinear;
use sumcheck::{Polynomial, Univariate};

use super::GkrError;
use super::arithmetic::DEGREE;
use super::eq::{Eq, LOG_FEW};
use crate::observer::{Observer, Phase, go_on};

/// The nodes of a layer as a polynomial.
pub(super) enum DeviceNodes<'a, B: StarkBackend> {
    Many(Many<'a, B>),
    Few(HostNodes<'a, QM31>),
}

/// The children of nodes.
pub(super) enum Children<T: Types> {
    /// A layer of a tree, of nodes of so many variables.
    Layer(Rc<Table<T>>, u32),
    /// All rows of a table.
    Bound(Table<T>),
}

impl<T: Types> Children<T> {
    fn values(&self) -> Multilinear<'_, T> {
        match self {
            Self::Layer(rows, variables) => Multilinear::layer((**rows).as_ref(), *variables),
            Self::Bound(table) => Multilinear::all(table.as_ref()),
        }
    }
}

/// Nodes on the device.
pub(super) struct Many<'a, B: StarkBackend> {
    pub(super) on: &'a B,
    pub(super) observer: &'a dyn Observer<QM31>,
    pub(super) program: &'a B::Program,
    pub(super) gate: Gate,
    pub(super) children: Children<B::T>,
    pub(super) eq: &'a Eq<B>,
    /// `eq` of the fixed variables.
    pub(super) factor: QM31,
    pub(super) lambda: QM31,
}

impl<B: StarkBackend<P = CircleStark>> Many<'_, B> {
    fn variables(&self) -> usize {
        self.children.values().variables as usize
    }

    /// The weighted sums of the nodes' values where the first variable has these values, of 0, 1 and 2.
    fn sums(&self, at: &[usize]) -> Result<Vec<QM31>, HalError> {
        let (values, params) = ([self.children.values()], [self.lambda]);
        let request = SumRequest {
            program: self.program,
            values: &values,
            params: &params,
            outputs: at,
            weights: self.eq.weights(self.variables() - 1),
        };
        Ok(self.on.sum(&[request])?.concat())
    }

    fn sum(&self, claim: QM31) -> Result<Univariate<QM31>, GkrError> {
        go_on(self.observer, Phase::Sumchecks)?;
        let y = self.eq.host.coordinate(self.variables() - 1);
        // The sum at 1 is what the claim leaves, where it counts.
        let inverse = (self.factor * y).inverse();
        let at: &[usize] = if inverse.is_some() { &[0, 2] } else { &[0, 2, 1] };
        let [at_0, at_2, of_1 @ ..] = &self.sums(at)?[..] else { unreachable!("a sum for each place") };
        let at_1 = match inverse {
            Some(inverse) => (claim - self.factor * (QM31::ONE - y) * *at_0) * inverse,
            None => of_1.iter().copied().sum(),
        };
        Ok(round_polynomial([*at_0, at_1, *at_2], self.factor, y))
    }

    /// The children with the first variable bound.
    fn bound(&self, challenge: QM31) -> Result<Table<B::T>, HalError> {
        let made = self.on.bind(&[BindRequest { values: self.children.values(), challenge }])?;
        Ok(made.into_iter().next().expect("a table for each request"))
    }
}

/// The columns of a gate of the children of nodes on the device.
pub(super) fn downloaded<B: StarkBackend<P = CircleStark>>(
    on: &B,
    gate: Gate,
    Multilinear { table, first, variables }: Multilinear<'_, B::T>,
) -> Result<Vec<Vec<QM31>>, HalError> {
    let count = 1 << variables;
    let values: Vec<M31> = on.download(table, first..first + count)?;
    let element =
        |column: usize, row: usize| QM31(std::array::from_fn(|at| values[(column * DEGREE + at) * count + row]));
    let columns = gate.columns();
    let of = |column| (0..count).flat_map(move |row| [element(column, row), element(columns + column, row)]).collect();
    Ok((0..columns).map(of).collect())
}

impl<B: StarkBackend<P = CircleStark>> Polynomial<QM31> for DeviceNodes<'_, B> {
    type Error = GkrError;

    fn variables(&self) -> usize {
        match self {
            Self::Many(nodes) => nodes.variables(),
            Self::Few(nodes) => nodes.variables(),
        }
    }

    fn sum(&self, claim: QM31) -> Result<Univariate<QM31>, GkrError> {
        match self {
            Self::Many(nodes) => nodes.sum(claim),
            Self::Few(nodes) => Ok(nodes.sum(claim).unwrap_or_else(|never| match never {})),
        }
    }

    fn bind(&mut self, challenge: QM31) -> Result<(), GkrError> {
        match self {
            Self::Few(nodes) => {
                nodes.bind(challenge).unwrap_or_else(|never| match never {});
            }
            Self::Many(nodes) => {
                let left = nodes.variables() - 1;
                let bound = nodes.bound(challenge)?;
                nodes.factor *= multilinear::eq(&[challenge], &[nodes.eq.host.coordinate(left)]);
                if left > LOG_FEW {
                    nodes.children = Children::Bound(bound);
                } else {
                    let columns = downloaded(nodes.on, nodes.gate, Multilinear::all(bound.as_ref()))?;
                    *self = Self::Few(HostNodes::new(nodes.gate, columns, &nodes.eq.host, nodes.factor, nodes.lambda));
                }
            }
        }
        Ok(())
    }
}

impl<B: StarkBackend<P = CircleStark>> Nodes<QM31> for DeviceNodes<'_, B> {
    fn mask(self) -> Result<Mask<QM31>, GkrError> {
        match self {
            // Only nodes with variables are many.
            Self::Many(nodes) => unreachable!("{} variables are not fixed", nodes.variables()),
            Self::Few(nodes) => Ok(nodes.mask().unwrap_or_else(|never| match never {})),
        }
    }
}
