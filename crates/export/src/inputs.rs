//! The inputs of a row: the nodes that are the same in two rows that ought to be the same.

use std::collections::BTreeSet;

use circle_air::{Link, TupleKind};
use field::{M31, PrimeField};

use crate::promises::values;
use crate::{Component, Lookup, Node, Role};

/// The component with its inputs, ascending:
///
/// * cells of preprocessed and periodic columns;
/// * cells of main columns that are read ahead of, in all rows but the last that a constraint reads of the column;
/// * how often each lookup is made, without a sign before it;
/// * of tuples that the row yields, the keys, or all values where the prover chooses them;
/// * of a chain, the tuple that the row takes: a row at neither end has no constant for the number of the step.
pub(crate) fn with_inputs(mut component: Component, kinds: &[TupleKind]) -> Component {
    let mut inputs = BTreeSet::new();
    for (index, node) in component.nodes.iter().enumerate() {
        if let Node::Load { table, column, offset } = node {
            let table = &component.tables[*table];
            let is_input = match table.role {
                Role::Preprocessed | Role::Periodic(_) => true,
                Role::Main => table.columns[*column].offsets.iter().any(|other| other > offset),
                Role::Interaction | Role::Auxiliary => false,
            };
            if is_input {
                inputs.insert(index);
            }
        }
    }
    for lookup in &component.lookups {
        inputs.insert(match component.nodes[lookup.multiplicity] {
            Node::Neg(times) => times,
            _ => lookup.multiplicity,
        });
        if let Some(kind) = lookup.kind {
            inputs.extend(given(&component, lookup, &kinds[kind]));
        }
    }
    inputs.retain(|node| !matches!(component.nodes[*node], Node::Const(_)));
    component.inputs = inputs.into_iter().collect();
    component
}

/// The values of a tuple that say what the row is about.
fn given(component: &Component, lookup: &Lookup, kind: &TupleKind) -> Vec<usize> {
    let tuple = values(kind, &lookup.values);
    match kind.promise.link {
        Link::Function { keys, is_chosen } if yields(component, lookup) => {
            tuple[..if is_chosen { tuple.len() } else { keys.min(tuple.len()) }].to_vec()
        }
        Link::Chain { step } if !yields(component, lookup) => {
            let number = step.and_then(|step| tuple.get(step));
            let is_end = number.is_some_and(|number| matches!(component.nodes[*number], Node::Const(_)));
            if is_end { Vec::new() } else { tuple.to_vec() }
        }
        _ => Vec::new(),
    }
}

/// Whether a lookup's multiplicity is written as a negative.
pub(crate) fn yields(component: &Component, lookup: &Lookup) -> bool {
    match component.nodes[lookup.multiplicity] {
        Node::Neg(_) => true,
        // A constant above the middle of the field is a negative.
        Node::Const(value) => value > M31::ORDER / 2,
        _ => false,
    }
}
