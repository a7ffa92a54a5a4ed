//! Nodes of constraint programs, renumbered: those alone that something needs.

use field::{ExtensionField, PrimeField};
use gpu_hal::ir::{NodeId, NodeOp};
use gpu_hal::{ConstraintProgram, Protocol};

use crate::Node;

/// Collects nodes of several programs.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

impl Graph {
    /// Adds what these outputs of a program need; returns their nodes. `table` says the number of a group's table.
    pub(crate) fn add<P: Protocol>(
        &mut self,
        program: &ConstraintProgram<P>,
        outputs: &[usize],
        table: impl Fn(usize) -> usize,
    ) -> Vec<usize> {
        let roots: Vec<usize> = outputs.iter().map(|output| program.outputs()[*output].index()).collect();
        let mut needed = vec![false; program.nodes().len()];
        roots.iter().for_each(|root| needed[*root] = true);
        for (index, node) in program.nodes().iter().enumerate().rev() {
            if needed[index] {
                node.op.operands().for_each(|operand| needed[operand.index()] = true);
            }
        }
        let mut numbers = vec![usize::MAX; needed.len()];
        for (index, node) in program.nodes().iter().enumerate().filter(|(index, _)| needed[*index]) {
            let get = |operand: NodeId| numbers[operand.index()];
            let made = match &node.op {
                NodeOp::ConstBase(value) => Node::Const(value.as_u64()),
                NodeOp::ConstExt(value) => Node::Ext(value.coordinates().iter().map(|x| x.as_u64()).collect()),
                NodeOp::Param(param) => Node::Param(*param as usize),
                NodeOp::Load { group, column, offset } => {
                    Node::Load { table: table(*group as usize), column: *column as usize, offset: i64::from(*offset) }
                }
                NodeOp::Add(a, b) => Node::Add(get(*a), get(*b)),
                NodeOp::Sub(a, b) => Node::Sub(get(*a), get(*b)),
                NodeOp::Mul(a, b) => Node::Mul(get(*a), get(*b)),
                NodeOp::Neg(a) => Node::Neg(get(*a)),
            };
            numbers[index] = self.nodes.len();
            self.nodes.push(made);
        }
        roots.into_iter().map(|root| numbers[root]).collect()
    }
}
