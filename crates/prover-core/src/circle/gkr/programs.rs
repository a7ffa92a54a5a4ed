//! The programs of trees: a gate is data, so that a device knows none.
//!
//! A table of *children* has the columns of a layer twice: of the left children of all nodes, then of the right ones,
//! each the coordinates of its columns.

use field::{Field, M31};
use gpu_hal::ir::{Group, Kind as GroupKind, NodeId, ProgramError};
use gpu_hal::{CircleStark, ConstraintProgram, HalError, StarkBackend};
use sumcheck::gkr::{Gate, Kind};

use super::arithmetic::{Builder, Coordinates, DEGREE, node};

/// Base columns of a table of children.
pub(super) const fn children_columns(gate: Gate) -> usize {
    2 * gate.columns() * DEGREE
}

/// The program of a gate: the values of a node, combined, where the first variable is 0, 1 and 2. The parameter is
/// `lambda`.
pub(super) fn sums<B: StarkBackend<P = CircleStark>>(on: &B, gate: Gate) -> Result<B::Program, HalError> {
    on.prepare(&finished(sum(gate)))
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
    let (count, kind) = (2 * gate.columns(), GroupKind::Ext);
    let mut builder = Builder::new(vec![Group { width: count, kind }], 1);
    let [low, high] =
        [0, 1].map(|value| -> Vec<NodeId> { (0..count).map(|column| builder.load(0, column, value)).collect() });
    // 2 high - low.
    let at_2: Vec<NodeId> = low
        .iter()
        .zip(&high)
        .map(|(low, high)| {
            let difference = builder.sub(*high, *low);
            builder.add(*high, difference)
        })
        .collect();
    let lambda = builder.param(0);
    for children in [low, high, at_2] {
        let (left, right) = children.split_at(count / 2);
        let values = node(gate, &mut builder, left, right);
        let combined = values.into_iter().rev().reduce(|sum, value| {
            let weighted = builder.mul(lambda, sum);
            builder.add(value, weighted)
        });
        builder.output(combined.expect("a gate has a column"));
    }
    builder.finish()
}
