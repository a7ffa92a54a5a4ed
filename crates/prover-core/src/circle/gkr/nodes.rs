//! The nodes of a layer on a device, and on the host once they are few.

use std::rc::Rc;
use std::slice;

use field::{Field, M31, QM31};
use gpu_hal::{
    BindRequest, BindSumRequest, CircleStark, HalError, Multilinear, StarkBackend, SumRequest, Table, Types,
};
use sumcheck::gkr::{Gate, HostNodes, Mask, Nodes, Round};
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
    /// The value of the children's first variable, once it is known. It is bound when the next sums are found, so that
    /// the device reads the children once for both.
    pub(super) challenge: Option<QM31>,
    pub(super) eq: &'a Eq<B>,
    /// `eq` of the fixed variables.
    pub(super) factor: QM31,
    pub(super) lambda: QM31,
}

impl<B: StarkBackend<P = CircleStark>> Many<'_, B> {
    fn variables(&self) -> usize {
        self.children.values().variables as usize - usize::from(self.challenge.is_some())
    }

    fn round(&self, claim: QM31) -> Round<QM31> {
        Round::new(claim, self.factor, self.eq.host.coordinate(self.variables() - 1))
    }

    /// The weights of the corners of a round.
    fn weights(&self) -> [Multilinear<'_, B::T>; 2] {
        self.eq.weights(self.variables() - 1)
    }

    fn bind(&mut self, challenge: QM31) -> Result<(), HalError> {
        if let Some(challenge) = self.challenge {
            let bound = self.on.bind(&[BindRequest { values: self.children.values(), challenge }])?;
            bound.into_iter().for_each(|table| self.children = Children::Bound(table));
        }
        self.factor *= multilinear::eq(&[challenge], &[self.eq.host.coordinate(self.variables() - 1)]);
        self.challenge = Some(challenge);
        Ok(())
    }
}

/// A round of nodes on a device: their number in the list of all, and the sums that it needs.
struct Job<'m, 'a, B: StarkBackend> {
    number: usize,
    nodes: &'m mut Many<'a, B>,
    round: Round<QM31>,
}

/// The sums of rounds of which nothing is bound yet.
fn sums<B: StarkBackend<P = CircleStark>>(jobs: &[Job<'_, '_, B>]) -> Result<Vec<Vec<QM31>>, HalError> {
    let Some(Job { nodes: Many { on, .. }, .. }) = jobs.first() else { return Ok(Vec::new()) };
    let values: Vec<_> = jobs.iter().map(|job| [job.nodes.children.values()]).collect();
    let mut requests: Vec<SumRequest<'_, B::T>> = Vec::with_capacity(jobs.len());
    for (Job { nodes, round, .. }, values) in jobs.iter().zip(&values) {
        requests.push(SumRequest {
            program: nodes.program,
            values,
            params: slice::from_ref(&nodes.lambda),
            outputs: round.places(),
            weights: nodes.weights(),
        });
    }
    on.sum(&requests)
}

/// The sums of rounds of which the variable before is not bound yet. It is bound by the way.
fn bind_sums<B: StarkBackend<P = CircleStark>>(jobs: &mut [Job<'_, '_, B>]) -> Result<Vec<Vec<QM31>>, HalError> {
    let Some(Job { nodes: Many { on, .. }, .. }) = jobs.first() else { return Ok(Vec::new()) };
    let mut requests: Vec<BindSumRequest<'_, B::T>> = Vec::with_capacity(jobs.len());
    for Job { nodes, round, .. } in &*jobs {
        let Some(challenge) = nodes.challenge else { unreachable!("only rounds with a challenge come here") };
        requests.push(BindSumRequest {
            challenge,
            program: nodes.program,
            values: nodes.children.values(),
            params: slice::from_ref(&nodes.lambda),
            outputs: round.places(),
            weights: nodes.weights(),
        });
    }
    let made = on.bind_sum(&requests)?;
    let mut sums = Vec::with_capacity(jobs.len());
    for (job, made) in jobs.iter_mut().zip(made) {
        job.nodes.children = Children::Bound(made.values);
        job.nodes.challenge = None;
        sums.push(made.sums);
    }
    Ok(sums)
}

/// Nodes that are few, once what is known of them is bound, come to the host.
fn to_host<B: StarkBackend<P = CircleStark>>(nodes: &mut [(&mut DeviceNodes<'_, B>, QM31)]) -> Result<(), HalError> {
    let (mut requests, mut few, mut device) = (Vec::new(), Vec::new(), None);
    for (number, (nodes, _)) in nodes.iter().enumerate() {
        if let DeviceNodes::Many(many) = &**nodes
            && let Some(challenge) = many.challenge
            && many.variables() <= LOG_FEW
        {
            requests.push(BindRequest { values: many.children.values(), challenge });
            few.push(number);
            device = Some(many.on);
        }
    }
    let Some(device) = device else { return Ok(()) };
    let tables = device.bind(&requests)?;
    for (number, table) in few.into_iter().zip(tables) {
        let nodes = &mut *nodes[number].0;
        let DeviceNodes::Many(Many { gate, eq, factor, lambda, .. }) = nodes else { continue };
        let (gate, eq, factor, lambda) = (*gate, *eq, *factor, *lambda);
        let columns = downloaded(device, gate, Multilinear::all(table.as_ref()))?;
        *nodes = DeviceNodes::Few(HostNodes::new(gate, columns, &eq.host, factor, lambda));
    }
    Ok(())
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

    fn sum(&mut self, claim: QM31) -> Result<Univariate<QM31>, GkrError> {
        Ok(Self::sums(&mut [(self, claim)])?.remove(0))
    }

    fn sums(nodes: &mut [(&mut Self, QM31)]) -> Result<Vec<Univariate<QM31>>, GkrError> {
        to_host(nodes)?;
        let (mut found, mut begun, mut others) = (Vec::with_capacity(nodes.len()), Vec::new(), Vec::new());
        for (number, (nodes, claim)) in nodes.iter_mut().enumerate() {
            match &mut **nodes {
                Self::Few(nodes) => found.push(nodes.sum(*claim).ok()),
                Self::Many(nodes) => {
                    found.push(None);
                    let round = nodes.round(*claim);
                    let jobs = if nodes.challenge.is_some() { &mut begun } else { &mut others };
                    jobs.push(Job { number, nodes, round });
                }
            }
        }
        if let Some(Job { nodes, .. }) = begun.first().or(others.first()) {
            go_on(nodes.observer, Phase::Sumchecks)?;
        }
        let of_others = sums(&others)?;
        let of_begun = bind_sums(&mut begun)?;
        for (Job { number, round, .. }, sums) in begun.iter().chain(&others).zip(of_begun.iter().chain(&of_others)) {
            let at = |place| round.places().iter().position(|of| *of == place);
            found[*number] = Some(round.polynomial(|place| at(place).map_or(QM31::ZERO, |at| sums[at])));
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn bind(&mut self, challenge: QM31) -> Result<(), GkrError> {
        match self {
            Self::Few(nodes) => nodes.bind(challenge).unwrap_or_else(|never| match never {}),
            Self::Many(nodes) => nodes.bind(challenge)?,
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
