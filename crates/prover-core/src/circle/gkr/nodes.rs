//! The nodes of a layer on a device, and on the host once they are few.

use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{CircleStark, Columns, HalError, MapArgs, RunningForm, RunningRequest, StarkBackend, Table};
use sumcheck::gkr::{Gate, HostNodes, Mask, Nodes, round_polynomial};
use sumcheck::multilinear;
use sumcheck::{Polynomial, Univariate};

use super::arithmetic::DEGREE;
use super::eq::{Eq, LOG_FEW};
use super::programs::{GatePrograms, ONE, children_columns};

/// The nodes of a layer as a polynomial.
pub(super) enum DeviceNodes<'a, B: StarkBackend> {
    Many(Many<'a, B>),
    Few(HostNodes<'a, QM31>),
}

/// Nodes on the device.
pub(super) struct Many<'a, B: StarkBackend> {
    pub(super) on: &'a B,
    pub(super) programs: &'a GatePrograms<B>,
    pub(super) gate: Gate,
    /// The children of the nodes, cut into halves.
    pub(super) halves: Table<B::T>,
    pub(super) eq: &'a Eq<B>,
    /// `eq` of the fixed variables.
    pub(super) factor: QM31,
    pub(super) lambda: QM31,
}

impl<B: StarkBackend<P = CircleStark>> Many<'_, B> {
    fn variables(&self) -> usize {
        self.halves.log_height as usize + 1
    }

    /// The weighted sums of the nodes' values where the first variable has these values, of 0, 1 and 2.
    fn sums<const N: usize>(&self, at: [usize; N]) -> Result<[QM31; N], HalError> {
        let others = self.halves.log_height;
        let (columns, params) = ([self.halves.as_ref(), self.eq.table(others as usize)], [self.lambda]);
        let fractions = at.map(|at| [(at, ONE)]);
        let requests: Vec<RunningRequest<'_, B::T>> = fractions
            .iter()
            .map(|fraction| RunningRequest {
                program: &self.programs.sum,
                columns: &columns,
                log_height: others,
                params: &params,
                form: RunningForm::Logup(fraction),
            })
            .collect();
        let made = self.on.running(&requests)?;
        Ok(std::array::from_fn(|index| made[index].total))
    }

    fn sum(&self, claim: QM31) -> Result<Univariate<QM31>, HalError> {
        let y = self.eq.host.coordinate(self.halves.log_height as usize);
        // The sum at 1 is what the claim leaves, where it counts.
        let [at_0, at_2] = self.sums([0, 2])?;
        let at_1 = match (self.factor * y).inverse() {
            Some(inverse) => (claim - self.factor * (QM31::ONE - y) * at_0) * inverse,
            None => self.sums([1])?[0],
        };
        Ok(round_polynomial([at_0, at_1, at_2], self.factor, y))
    }

    /// The children with the first variable bound.
    fn bound(&self, challenge: QM31) -> Result<Table<B::T>, HalError> {
        let challenge = self.on.upload(challenge.coordinates(), DEGREE, 0)?;
        let outputs: Vec<usize> = (0..children_columns(self.gate)).collect();
        self.on.map(&MapArgs {
            program: &self.programs.bind,
            columns: &[self.halves.as_ref(), challenge.as_ref()],
            log_height: self.halves.log_height,
            outputs: &outputs,
        })
    }
}

/// The columns of a gate of children on the device: rows `first..2 first` of a table of children.
pub(super) fn downloaded<B: StarkBackend<P = CircleStark>>(
    on: &B,
    gate: Gate,
    children: Columns<&B::Buffer>,
    rows: std::ops::Range<usize>,
) -> Result<Vec<Vec<QM31>>, HalError> {
    let count = rows.len();
    let values: Vec<M31> = on.download(children, rows)?;
    let element =
        |column: usize, row: usize| QM31(std::array::from_fn(|at| values[(column * DEGREE + at) * count + row]));
    let columns = gate.columns();
    let of = |column| (0..count).flat_map(move |row| [element(column, row), element(columns + column, row)]).collect();
    Ok((0..columns).map(of).collect())
}

impl<B: StarkBackend<P = CircleStark>> Polynomial<QM31> for DeviceNodes<'_, B> {
    type Error = HalError;

    fn variables(&self) -> usize {
        match self {
            Self::Many(nodes) => nodes.variables(),
            Self::Few(nodes) => nodes.variables(),
        }
    }

    fn sum(&self, claim: QM31) -> Result<Univariate<QM31>, HalError> {
        match self {
            Self::Many(nodes) => nodes.sum(claim),
            Self::Few(nodes) => Ok(nodes.sum(claim).unwrap_or_else(|never| match never {})),
        }
    }

    fn bind(&mut self, challenge: QM31) -> Result<(), HalError> {
        match self {
            Self::Few(nodes) => {
                nodes.bind(challenge).unwrap_or_else(|never| match never {});
            }
            Self::Many(nodes) => {
                let left = nodes.variables() - 1;
                let bound = nodes.bound(challenge)?;
                nodes.factor *= multilinear::eq(&[challenge], &[nodes.eq.host.coordinate(left)]);
                if left > LOG_FEW {
                    nodes.halves = nodes.on.split(bound.as_ref(), 2, bound.log_height - 1)?;
                } else {
                    let columns = downloaded(nodes.on, nodes.gate, bound.as_ref(), 0..bound.height())?;
                    *self = Self::Few(HostNodes::new(nodes.gate, columns, &nodes.eq.host, nodes.factor, nodes.lambda));
                }
            }
        }
        Ok(())
    }
}

impl<B: StarkBackend<P = CircleStark>> Nodes<QM31> for DeviceNodes<'_, B> {
    fn mask(self) -> Result<Mask<QM31>, HalError> {
        match self {
            // Only nodes with variables are many.
            Self::Many(nodes) => unreachable!("{} variables are not fixed", nodes.variables()),
            Self::Few(nodes) => Ok(nodes.mask().unwrap_or_else(|never| match never {})),
        }
    }
}
