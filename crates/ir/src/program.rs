//! Constraints as data: a typed expression graph that any backend interprets or compiles.

use alloc::vec::Vec;

use field::{ExtensionField, PrimeField};

use field::protocol::Protocol;

/// The field a value lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The base field.
    Base,
    /// The extension.
    Ext,
}

/// Index of a node; nodes refer only to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As an index into [`ConstraintProgram::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One table of inputs: `width` columns of one kind. A group of [`Kind::Ext`] is `width * DEGREE` base columns on a
/// device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Number of columns.
    pub width: usize,
    /// Their field.
    pub kind: Kind,
}

/// The computation of a node. An operation on a base and an extension value gives an extension value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeOp<P: Protocol> {
    /// A base constant.
    ConstBase(P::Base),
    /// An extension constant that is not in the base field.
    ConstExt(P::Ext),
    /// A parameter: one extension value for all rows, given when the program runs.
    Param(u32),
    /// A column at a row offset.
    Load {
        /// Group.
        group: u32,
        /// Column of the group.
        column: u32,
        /// Rows ahead (negative: behind), cyclic in the trace length.
        offset: i32,
    },
    /// Sum.
    Add(NodeId, NodeId),
    /// Difference.
    Sub(NodeId, NodeId),
    /// Product.
    Mul(NodeId, NodeId),
    /// Negation.
    Neg(NodeId),
}

impl<P: Protocol> NodeOp<P> {
    /// The nodes it reads.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> {
        let (a, b) = match *self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (Some(a), Some(b)),
            Self::Neg(a) => (Some(a), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A node with the field of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node<P: Protocol> {
    /// Field of the value.
    pub kind: Kind,
    /// How it is computed.
    pub op: NodeOp<P>,
}

/// An expression graph in single-assignment form: input tables, parameters, nodes, outputs. Made by
/// [`crate::ProgramBuilder`], which shares common subexpressions and folds constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintProgram<P: Protocol> {
    pub(crate) groups: Vec<Group>,
    pub(crate) params: usize,
    pub(crate) nodes: Vec<Node<P>>,
    pub(crate) outputs: Vec<NodeId>,
}

impl<P: Protocol> ConstraintProgram<P> {
    /// The input tables.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The same without the groups that have no columns; the others keep their order.
    #[must_use]
    pub fn without_empty_groups(&self) -> Self {
        let mut program = self.clone();
        program.groups.retain(|group| group.width > 0);
        for node in &mut program.nodes {
            if let NodeOp::Load { group, .. } = &mut node.op {
                *group -= self.groups[..*group as usize].iter().filter(|before| before.width == 0).count() as u32;
            }
        }
        program
    }

    /// Number of parameters.
    pub fn params(&self) -> usize {
        self.params
    }

    /// The nodes, operands before users.
    pub fn nodes(&self) -> &[Node<P>] {
        &self.nodes
    }

    /// About how many sums and products of the base field a row takes: the operations of the nodes, where one over the
    /// extension counts as many as the degree, and the operations of a combination of the results.
    pub fn operations(&self) -> u64 {
        let cost = |kind| if kind == Kind::Ext { P::DEGREE as u64 } else { 1 };
        let is_computed = |node: &&Node<P>| node.op.operands().next().is_some();
        let nodes: u64 = self.nodes.iter().filter(is_computed).map(|node| cost(node.kind)).sum();
        nodes + self.outputs.len() as u64 * P::DEGREE as u64
    }

    /// The nodes that are results.
    pub fn outputs(&self) -> &[NodeId] {
        &self.outputs
    }

    /// Number of base columns that group `index` takes on a device.
    pub fn base_width(&self, index: usize) -> usize {
        let group = &self.groups[index];
        match group.kind {
            Kind::Base => group.width,
            Kind::Ext => group.width * P::DEGREE,
        }
    }

    /// Smallest and largest row offset of the loads, `(0, 0)` without loads.
    pub fn offsets(&self) -> (i32, i32) {
        self.nodes.iter().fold((0, 0), |(low, high), node| match node.op {
            NodeOp::Load { offset, .. } => (low.min(offset), high.max(offset)),
            _ => (low, high),
        })
    }

    /// Degree of every output, a loaded column counting 1.
    pub fn output_degrees(&self) -> Vec<usize> {
        let mut degrees: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let degree = match node.op {
                NodeOp::ConstBase(_) | NodeOp::ConstExt(_) | NodeOp::Param(_) => 0,
                NodeOp::Load { .. } => 1,
                NodeOp::Add(a, b) | NodeOp::Sub(a, b) => degrees[a.index()].max(degrees[b.index()]),
                NodeOp::Mul(a, b) => degrees[a.index()].saturating_add(degrees[b.index()]),
                NodeOp::Neg(a) => degrees[a.index()],
            };
            degrees.push(degree);
        }
        self.outputs.iter().map(|output| degrees[output.index()]).collect()
    }

    /// Values of all outputs, every input taken as an extension value: at a point outside the domain, or on one row.
    /// `load(group, column, offset)` gives the inputs; `params` has [`Self::params`] elements.
    pub fn evaluate(&self, params: &[P::Ext], mut load: impl FnMut(usize, usize, i32) -> P::Ext) -> Vec<P::Ext> {
        assert_eq!(params.len(), self.params, "number of parameters");
        let mut values: Vec<P::Ext> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match &node.op {
                NodeOp::ConstBase(c) => P::Ext::from(*c),
                NodeOp::ConstExt(c) => *c,
                NodeOp::Param(i) => params[*i as usize],
                NodeOp::Load { group, column, offset } => load(*group as usize, *column as usize, *offset),
                NodeOp::Add(a, b) => values[a.index()] + values[b.index()],
                NodeOp::Sub(a, b) => values[a.index()] - values[b.index()],
                NodeOp::Mul(a, b) => values[a.index()] * values[b.index()],
                NodeOp::Neg(a) => -values[a.index()],
            };
            values.push(value);
        }
        self.outputs.iter().map(|output| values[output.index()]).collect()
    }

    /// A canonical byte encoding, for digests and cache keys: equal programs, equal bytes, and no two programs share
    /// one.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let word = |out: &mut Vec<u8>, value: u64| out.extend_from_slice(&value.to_le_bytes());
        out.extend_from_slice(P::NAME.as_bytes());
        word(&mut out, P::Base::ORDER);
        word(&mut out, P::DEGREE as u64);
        word(&mut out, self.groups.len() as u64);
        for group in &self.groups {
            word(&mut out, group.width as u64);
            out.push(group.kind as u8);
        }
        word(&mut out, self.params as u64);
        word(&mut out, self.nodes.len() as u64);
        for node in &self.nodes {
            match &node.op {
                NodeOp::ConstBase(c) => {
                    out.push(0);
                    word(&mut out, c.as_u64());
                }
                NodeOp::ConstExt(c) => {
                    out.push(1);
                    c.coordinates().iter().for_each(|x| word(&mut out, x.as_u64()));
                }
                NodeOp::Param(i) => {
                    out.push(2);
                    word(&mut out, u64::from(*i));
                }
                NodeOp::Load { group, column, offset } => {
                    out.push(3);
                    word(&mut out, u64::from(*group));
                    word(&mut out, u64::from(*column));
                    word(&mut out, *offset as i64 as u64);
                }
                NodeOp::Add(a, b) | NodeOp::Sub(a, b) | NodeOp::Mul(a, b) => {
                    out.push(match node.op {
                        NodeOp::Add(..) => 4,
                        NodeOp::Sub(..) => 5,
                        _ => 6,
                    });
                    word(&mut out, u64::from(a.0));
                    word(&mut out, u64::from(b.0));
                }
                NodeOp::Neg(a) => {
                    out.push(7);
                    word(&mut out, u64::from(a.0));
                }
            }
        }
        word(&mut out, self.outputs.len() as u64);
        self.outputs.iter().for_each(|output| word(&mut out, u64::from(output.0)));
        out
    }
}
