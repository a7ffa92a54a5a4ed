//! Recording expressions: hash-consing and constant folding.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::HashMap;

#[cfg(not(feature = "std"))]
use hashbrown::HashMap;

use field::{ExtensionField, Field};

use crate::program::{ConstraintProgram, Group, Kind, Node, NodeId, NodeOp};
use field::protocol::Protocol;

/// An expression that a program cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A load outside the declared inputs.
    #[error("load of column {column} of group {group}, which has {width} columns: declare the column in the layout")]
    Column {
        /// Group.
        group: usize,
        /// Column.
        column: usize,
        /// Columns that the group has.
        width: usize,
    },
    /// A parameter that was not declared.
    #[error("parameter {param} used, {params} declared: declare it in the layout")]
    Param {
        /// The parameter.
        param: usize,
        /// How many there are.
        params: usize,
    },
    /// More nodes than a node id can count.
    #[error("the program has more than 2^32 - 1 nodes: split the AIR")]
    TooLarge,
}

/// Builds a [`ConstraintProgram`]. Equal expressions become one node; constants are folded; `x+0`, `x*1`, `x*0`, `x-x`
/// vanish.
#[derive(Clone, Debug)]
pub struct ProgramBuilder<P: Protocol> {
    groups: Vec<Group>,
    params: usize,
    nodes: Vec<Node<P>>,
    known: HashMap<NodeOp<P>, NodeId>,
    outputs: Vec<NodeId>,
    error: Option<ProgramError>,
}

impl<P: Protocol> ProgramBuilder<P> {
    /// A builder for the given inputs.
    pub fn new(groups: Vec<Group>, params: usize) -> Self {
        Self { groups, params, nodes: Vec::new(), known: HashMap::new(), outputs: Vec::new(), error: None }
    }

    /// The program, or the first wrong use of the builder.
    pub fn finish(self) -> Result<ConstraintProgram<P>, ProgramError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(ConstraintProgram {
                groups: self.groups,
                params: self.params,
                nodes: self.nodes,
                outputs: self.outputs,
            }),
        }
    }

    /// Declares a result; returns its index among the outputs.
    pub fn output(&mut self, node: NodeId) -> usize {
        self.outputs.push(node);
        self.outputs.len() - 1
    }

    /// Field of a node's value.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.index()].kind
    }

    /// A base constant.
    pub fn constant(&mut self, value: P::Base) -> NodeId {
        self.insert(Kind::Base, NodeOp::ConstBase(value))
    }

    /// An extension constant; one in the base field becomes a base constant.
    pub fn constant_ext(&mut self, value: P::Ext) -> NodeId {
        match value.as_base() {
            Some(base) => self.constant(base),
            None => self.insert(Kind::Ext, NodeOp::ConstExt(value)),
        }
    }

    /// Parameter `index`.
    pub fn param(&mut self, index: usize) -> NodeId {
        if index >= self.params {
            self.fail(ProgramError::Param { param: index, params: self.params });
            return self.constant(P::Base::ZERO);
        }
        self.insert(Kind::Ext, NodeOp::Param(index as u32))
    }

    /// A column of a group at a row offset.
    pub fn load(&mut self, group: usize, column: usize, offset: i32) -> NodeId {
        let width = self.groups.get(group).map_or(0, |g| g.width);
        if column >= width {
            self.fail(ProgramError::Column { group, column, width });
            return self.constant(P::Base::ZERO);
        }
        let kind = self.groups[group].kind;
        self.insert(kind, NodeOp::Load { group: group as u32, column: column as u32, offset })
    }

    /// `a + b`.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return self.constant_ext(x + y);
        }
        if self.is(a, P::Ext::ZERO) {
            return b;
        }
        if self.is(b, P::Ext::ZERO) {
            return a;
        }
        if let NodeOp::Neg(y) = self.nodes[b.index()].op {
            return self.sub(a, y);
        }
        if let NodeOp::Neg(x) = self.nodes[a.index()].op {
            return self.sub(b, x);
        }
        self.insert(self.join(a, b), NodeOp::Add(a.min(b), a.max(b)))
    }

    /// `a - b`.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return self.constant_ext(x - y);
        }
        if a == b {
            return self.constant(P::Base::ZERO);
        }
        if self.is(b, P::Ext::ZERO) {
            return a;
        }
        if self.is(a, P::Ext::ZERO) {
            return self.neg(b);
        }
        if let NodeOp::Neg(y) = self.nodes[b.index()].op {
            return self.add(a, y);
        }
        self.insert(self.join(a, b), NodeOp::Sub(a, b))
    }

    /// `a * b`.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return self.constant_ext(x * y);
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.is(x, P::Ext::ZERO) {
                return self.constant(P::Base::ZERO);
            }
            if self.is(x, P::Ext::ONE) {
                return y;
            }
            if self.is(x, -P::Ext::ONE) {
                return self.neg(y);
            }
        }
        self.insert(self.join(a, b), NodeOp::Mul(a.min(b), a.max(b)))
    }

    /// `-a`.
    pub fn neg(&mut self, a: NodeId) -> NodeId {
        if let Some(x) = self.value(a) {
            return self.constant_ext(-x);
        }
        match self.nodes[a.index()].op {
            NodeOp::Neg(x) => x,
            NodeOp::Sub(x, y) => self.sub(y, x),
            _ => self.insert(self.kind(a), NodeOp::Neg(a)),
        }
    }

    fn value(&self, node: NodeId) -> Option<P::Ext> {
        match self.nodes[node.index()].op {
            NodeOp::ConstBase(c) => Some(P::Ext::from(c)),
            NodeOp::ConstExt(c) => Some(c),
            _ => None,
        }
    }

    fn is(&self, node: NodeId, value: P::Ext) -> bool {
        self.value(node) == Some(value)
    }

    fn join(&self, a: NodeId, b: NodeId) -> Kind {
        self.kind(a).max(self.kind(b))
    }

    fn fail(&mut self, error: ProgramError) {
        self.error.get_or_insert(error);
    }

    fn insert(&mut self, kind: Kind, op: NodeOp<P>) -> NodeId {
        if let Some(&node) = self.known.get(&op) {
            return node;
        }
        let Ok(index) = u32::try_from(self.nodes.len()) else {
            self.fail(ProgramError::TooLarge);
            return NodeId(0);
        };
        self.nodes.push(Node { kind, op: op.clone() });
        self.known.insert(op, NodeId(index));
        NodeId(index)
    }
}
