//! The programs of trees: a gate is data, so that a device knows none.
//!
//! A table of *children* has the columns of a layer twice: of the left children of all nodes, then of the right ones,
//! each the coordinates of its columns. Cut into halves by [`split`](gpu_hal::StarkBackend::split) it has the values at
//! 0 of the first variable, then those at 1.

use field::{Field, M31};
use gpu_hal::ir::{Group, Kind as GroupKind, NodeId, ProgramError};
use gpu_hal::{CircleStark, ConstraintProgram, HalError, StarkBackend};
use sumcheck::gkr::{Gate, Kind};

use super::arithmetic::{Arithmetic, Builder, Coordinates, DEGREE, node};

/// Base columns of a table of children.
pub(super) const fn children_columns(gate: Gate) -> usize {
    2 * gate.columns() * DEGREE
}

/// The output of a program of sums that is one, behind those of the sums at 0, 1 and 2.
pub(super) const ONE: usize = 3;

/// The programs of a gate.
pub(super) struct GatePrograms<B: StarkBackend> {
    /// Sums of halves, weighted by a table of `eq`, at 0, 1 and 2; the parameter is `lambda`.
    pub(super) sum: B::Program,
    /// Binds halves to a challenge, which is a table of one row.
    pub(super) bind: B::Program,
}

impl<B: StarkBackend<P = CircleStark>> GatePrograms<B> {
    pub(super) fn new(backend: &B, gate: Gate) -> Result<Self, HalError> {
        Ok(Self { sum: backend.prepare(&finished(sum(gate)))?, bind: backend.prepare(&finished(bind(gate)))? })
    }
}

/// The programs that make the layers of a kind of trees.
pub(super) struct TreePrograms<B: StarkBackend> {
    pub(super) leaf: B::Program,
    pub(super) node: B::Program,
}

impl<B: StarkBackend<P = CircleStark>> TreePrograms<B> {
    pub(super) fn new(backend: &B, kind: Kind) -> Result<Self, HalError> {
        Ok(Self { leaf: backend.prepare(&finished(leaf(kind)))?, node: backend.prepare(&finished(inner(kind)))? })
    }
}

/// Doubles a table of `eq`: of the table, of a column that is 0 in its lower half and 1 in its upper, and of the
/// coordinate, a table of one row.
pub(super) fn eq<B: StarkBackend<P = CircleStark>>(backend: &B) -> Result<B::Program, HalError> {
    let mut builder = Builder::new(vec![base(DEGREE), base(1), base(DEGREE)], 0);
    let (table, y) = (element(&mut builder, 0, 0), element(&mut builder, 2, 0));
    let is_high = builder.load(1, 0, 0);
    // (1 - y) + b (2 y - 1).
    let factor = std::array::from_fn(|at| {
        let one = builder.constant(if at == 0 { M31::ONE } else { M31::ZERO });
        let low = builder.sub(one, y[at]);
        let slope = builder.sub(y[at], low);
        let step = builder.mul(is_high, slope);
        builder.add(low, step)
    });
    let values = Coordinates(&mut builder).mul(table, factor);
    outputs(&mut builder, values);
    backend.prepare(&finished(builder.finish()))
}

/// The program, whose loads and parameters are those that it declares.
fn finished(program: Result<ConstraintProgram<CircleStark>, ProgramError>) -> ConstraintProgram<CircleStark> {
    program.expect("a program of declared columns")
}

const fn base(width: usize) -> Group {
    Group { width, kind: GroupKind::Base }
}

/// Element number `index` of a group of coordinates.
fn element(builder: &mut Builder, group: usize, index: usize) -> [NodeId; DEGREE] {
    std::array::from_fn(|at| builder.load(group, index * DEGREE + at, 0))
}

fn elements(builder: &mut Builder, group: usize, first: usize, count: usize) -> Vec<[NodeId; DEGREE]> {
    (first..first + count).map(|index| element(builder, group, index)).collect()
}

fn outputs(builder: &mut Builder, nodes: impl IntoIterator<Item = NodeId>) {
    nodes.into_iter().for_each(|node| {
        builder.output(node);
    });
}

/// A leaf has no children: it hands up the columns of the gate.
fn leaf(kind: Kind) -> Result<ConstraintProgram<CircleStark>, ProgramError> {
    let given = kind.base_columns(DEGREE);
    let mut builder = Builder::new(vec![base(given)], 0);
    let zero = builder.constant(M31::ZERO);
    let one = builder.constant(M31::ONE);
    outputs(&mut builder, std::iter::repeat_n(zero, children_columns(kind.gate())));
    let loads: Vec<NodeId> = (0..given).map(|column| builder.load(0, column, 0)).collect();
    let numerators = match kind {
        Kind::GrandProduct | Kind::LogUp => vec![],
        Kind::LogUpMultiplicities => vec![loads[0], zero, zero, zero],
        Kind::LogUpSingles => vec![one, zero, zero, zero],
    };
    let given = if kind == Kind::LogUpMultiplicities { &loads[1..] } else { &loads[..] };
    outputs(&mut builder, numerators.into_iter().chain(given.iter().copied()));
    builder.finish()
}

/// An inner row has the values of its children as columns, and hands up its own.
fn inner(kind: Kind) -> Result<ConstraintProgram<CircleStark>, ProgramError> {
    let (gate, width) = (kind.gate(), children_columns(kind.gate()));
    let mut builder = Builder::new(vec![base(kind.base_columns(DEGREE)), base(width)], 0);
    let (left, right) = {
        let count = gate.columns();
        (elements(&mut builder, 1, 0, count), elements(&mut builder, 1, count, count))
    };
    outputs(&mut builder, left.iter().chain(&right).flatten().copied());
    let own = node(gate, &mut Coordinates(&mut builder), &left, &right);
    outputs(&mut builder, own.into_iter().flatten());
    builder.finish()
}

fn sum(gate: Gate) -> Result<ConstraintProgram<CircleStark>, ProgramError> {
    let (count, ext) = (gate.columns(), |width| Group { width, kind: GroupKind::Ext });
    let mut builder = Builder::new(vec![ext(4 * count), ext(1)], 1);
    let load = |builder: &mut Builder, half: usize| -> Vec<NodeId> {
        (0..2 * count).map(|column| builder.load(0, 2 * count * half + column, 0)).collect()
    };
    let (low, high) = (load(&mut builder, 0), load(&mut builder, 1));
    // 2 high - low.
    let at_2: Vec<NodeId> = low
        .iter()
        .zip(&high)
        .map(|(low, high)| {
            let difference = builder.sub(*high, *low);
            builder.add(*high, difference)
        })
        .collect();
    let (eq, lambda) = (builder.load(1, 0, 0), builder.param(0));
    for children in [low, high, at_2] {
        let (left, right) = children.split_at(count);
        let values = node(gate, &mut builder, left, right);
        let combined = values.into_iter().rev().reduce(|sum, value| {
            let weighted = builder.mul(lambda, sum);
            builder.add(value, weighted)
        });
        let weighted = builder.mul(eq, combined.expect("a gate has a column"));
        builder.output(weighted);
    }
    let one = builder.constant(M31::ONE);
    builder.output(one);
    builder.finish()
}

fn bind(gate: Gate) -> Result<ConstraintProgram<CircleStark>, ProgramError> {
    let count = 2 * gate.columns();
    let mut builder = Builder::new(vec![base(2 * count * DEGREE), base(DEGREE)], 0);
    let challenge = element(&mut builder, 1, 0);
    let (low, high) = (elements(&mut builder, 0, 0, count), elements(&mut builder, 0, count, count));
    for (low, high) in low.into_iter().zip(high) {
        let bound = Coordinates(&mut builder).line(low, high, challenge);
        outputs(&mut builder, bound);
    }
    builder.finish()
}
