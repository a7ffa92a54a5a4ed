//! Constraints that are boundaries: a cell of the first or the last row has a value.

use p3_air::{BaseAir, BoundaryEnd};

use crate::graph::{Graph, Id, Node};
use crate::selectors::Place;
use crate::symbolic::{Constraint, Counts};
use crate::{P3Error, P3Field};

/// A main column that has a value on the first or the last row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    pub(crate) column: usize,
    pub(crate) end: BoundaryEnd,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Public(usize),
    Constant(u64),
}

/// The boundary constraint that a constraint on the first or last row is, if it says that a cell of that row is a
/// constant or a public value.
pub(crate) fn boundary(graph: &Graph, constraint: &Constraint) -> Option<Boundary> {
    let end = match constraint.place {
        Place::First => BoundaryEnd::First,
        Place::Last => BoundaryEnd::Last,
        Place::All | Place::AllButLast => return None,
    };
    let value = |id: Id| match graph.node(id) {
        Node::Public(index) => Some(Value::Public(index)),
        Node::Constant(value) => Some(Value::Constant(value)),
        _ => None,
    };
    let (cell, value) = match graph.node(constraint.root) {
        Node::Sub(a, b) => value(b).map(|value| (a, value)).or_else(|| value(a).map(|value| (b, value)))?,
        Node::Neg(a) => (a, Value::Constant(0)),
        _ => (constraint.root, Value::Constant(0)),
    };
    match graph.node(cell) {
        Node::Main { column, offset: 0 } => Some(Boundary { column, end, value }),
        _ => None,
    }
}

/// The cells that the AIR lists as public.
pub(crate) fn cells<F: P3Field, A: BaseAir<F>>(air: &A, counts: &Counts) -> Result<Vec<Boundary>, P3Error> {
    let boundary = |(number, cell): (usize, &p3_air::BoundaryPublic)| {
        let known = [("column", cell.column, counts.main), ("public value", cell.public_value, counts.public)];
        match known.into_iter().find(|(_, index, count)| index >= count) {
            Some((what, index, count)) => Err(P3Error::BoundaryCell { cell: number, what, index, count }),
            None => Ok(Boundary { column: cell.column, end: cell.end, value: Value::Public(cell.public_value) }),
        }
    };
    air.public_boundary_io().iter().enumerate().map(boundary).collect()
}
