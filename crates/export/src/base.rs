//! The part of a component that is over the base field, and its cells.

use std::collections::BTreeSet;

use crate::{Component, Constraint, Node, Role};

/// A cell: table, column, rows ahead.
pub(crate) type Cell = (usize, usize, i64);

/// By node, whether it is over the base field: made of no drawn element, and of no column that is made after them.
pub(crate) fn is_base(component: &Component) -> Vec<bool> {
    let mut base: Vec<bool> = Vec::with_capacity(component.nodes.len());
    for node in &component.nodes {
        base.push(match *node {
            Node::Const(_) => true,
            Node::Ext(_) | Node::Param(_) => false,
            Node::Load { table, .. } => !matches!(component.tables[table].role, Role::Interaction | Role::Auxiliary),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => base[a] && base[b],
            Node::Neg(a) => base[a],
        });
    }
    base
}

/// The nodes that are zero and over the base field, in order, and how many constraints are not.
pub(crate) fn zeros(component: &Component, is_base: &[bool]) -> (Vec<usize>, usize) {
    let zero = |constraint: &Constraint| match constraint {
        Constraint::Zero { node, .. } => Some(*node).filter(|node| is_base[*node]),
        Constraint::Batch(_) => None,
    };
    let zeros: Vec<usize> = component.constraints.iter().filter_map(zero).collect();
    let others = component.constraints.len() - zeros.len();
    (zeros, others)
}

/// The cells of a component over the base field: those that every trace shares, and main ones.
pub(crate) fn cells(component: &Component, is_base: &[bool]) -> (BTreeSet<Cell>, BTreeSet<Cell>) {
    let (mut shared, mut main) = (BTreeSet::new(), BTreeSet::new());
    for (node, _) in component.nodes.iter().zip(is_base).filter(|(_, is_base)| **is_base) {
        if let Node::Load { table, column, offset } = *node {
            let cells = if component.tables[table].role == Role::Main { &mut main } else { &mut shared };
            cells.insert((table, column, offset));
        }
    }
    (shared, main)
}

/// The main cells that no input is, columns that are `given` apart.
pub(crate) fn outputs(component: &Component, main: &BTreeSet<Cell>, given: &[usize]) -> Vec<Cell> {
    let inputs: BTreeSet<Cell> = component.inputs.iter().filter_map(|input| cell(&component.nodes[*input])).collect();
    main.iter().filter(|cell| !inputs.contains(cell) && !given.contains(&cell.1)).copied().collect()
}

fn cell(node: &Node) -> Option<Cell> {
    match *node {
        Node::Load { table, column, offset } => Some((table, column, offset)),
        _ => None,
    }
}
