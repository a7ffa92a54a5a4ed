//! The kinds of tuples among lookups.

use circle_air::TupleKind;
use field::PrimeField;

use crate::Node;

/// The number of the kind of a tuple.
pub(crate) fn kind_of(kinds: &[TupleKind], relation: usize, values: &[usize], nodes: &[Node]) -> Option<usize> {
    let first = values.first().and_then(|value| match nodes[*value] {
        Node::Const(value) => Some(value),
        _ => None,
    });
    kinds
        .iter()
        .position(|kind| kind.relation == relation && kind.kind.is_none_or(|number| Some(number.as_u64()) == first))
}

/// The values of a tuple behind its kind.
pub(crate) fn values<'v>(kind: &TupleKind, values: &'v [usize]) -> &'v [usize] {
    if kind.kind.is_some() { values.get(1..).unwrap_or_default() } else { values }
}
