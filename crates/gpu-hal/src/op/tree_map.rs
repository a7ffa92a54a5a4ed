//! Outputs of programs at the nodes of a tree as columns.

use super::cost::rows;
use super::*;
use crate::ir::{Group, Kind, NodeOp};
use crate::{ConstraintProgram, TreeMapArgs};

op! {
    /// [`crate::StarkBackend::tree_map`].
    TreeMap(request: &'a TreeMapArgs<'a, T>) -> NewTable;

    check(_) { tree(request) }
    reads(on) { on.tables(request.columns) }
    makes(on) {
        let &&TreeMapArgs { leaf, node, columns, log_height, width } = request;
        let made = on.table(width, log_height);
        on.beside(&Footprint::TreeMap { leaf, node, tables: &shapes(columns), log_height, width });
        made
    }
    cost() {
        // One half of the rows are leaves. Values that go up are written and read, too.
        let rows = rows(request.log_height.saturating_sub(1));
        let of = |program: &ConstraintProgram<T::P>| {
            let written = rows * program.outputs().len() as f64;
            let cost = Cost::program(program, rows);
            Cost { moved: cost.moved + written, ..cost }
        };
        let (leaves, nodes) = (of(request.leaf.program()), of(request.node.program()));
        Cost {
            moved: leaves.moved + nodes.moved,
            products: leaves.products + nodes.products,
            ext_products: leaves.ext_products + nodes.ext_products,
            operations: leaves.operations + nodes.operations,
            ..Cost::default()
        }
    }
    through(on, see) {
        let &mut &TreeMapArgs { leaf, node, columns, log_height, width } = request;
        let (leaf, node, columns) = (see.program(leaf)?, see.program(node)?, &see.tables(columns)?);
        on.tree_map(&TreeMapArgs { leaf, node, columns, log_height, width })
    }
    run(on) { on.tree_map(request) }
}

/// Whether the programs are of leaves and nodes of one tree.
fn tree<T: Types>(request: &TreeMapArgs<'_, T>) -> Result<()> {
    let (op, leaf, node) = (Operation::TreeMap, request.leaf.program(), request.node.program());
    let outputs = leaf.outputs().len();
    check::countable::<BaseOf<T>>(op, outputs, request.log_height)?;
    check::inputs(op, leaf, request.columns, leaf.params(), request.log_height)?;
    require!(request.log_height > 0, op, "a single row has no root: a tree takes two rows or more");
    let (of_node, width) = (node.outputs().len(), request.width);
    let goes_up = "as many of both, at least one column, and at least one value that goes up";
    let fits = width > 0 && outputs > width && of_node == outputs;
    require!(fits, op, "{outputs} outputs of a leaf and {of_node} of a node for {width} columns: {goes_up}");
    for program in [leaf, node] {
        (0..outputs).try_for_each(|index| check::base_output(op, program, index))?;
    }
    let values = 2 * (outputs - request.width);
    let children = Group { width: values, kind: Kind::Base };
    let is_node = node.groups().split_last() == Some((&children, leaf.groups()));
    require!(is_node, op, "the groups of a node are not those of a leaf and one of {values} base columns");
    let last = leaf.groups().len();
    let is_shifted = node.nodes().iter().any(|node| match node.op {
        NodeOp::Load { group, offset, .. } => group as usize == last && offset != 0,
        _ => false,
    });
    require!(!is_shifted, op, "a node reads what goes up to another: no row offset there");
    Ok(())
}
