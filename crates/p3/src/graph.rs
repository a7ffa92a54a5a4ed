//! Expressions without selectors, each once.

use std::collections::HashMap;

/// Number of a [`Node`].
pub(crate) type Id = u32;

/// An expression over columns and public values; operands are earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A main column, this row (0) or the next (1).
    Main {
        column: usize,
        offset: usize,
    },
    /// A preprocessed column, this row (0) or the next (1).
    Preprocessed {
        column: usize,
        offset: usize,
    },
    /// A periodic column, this row.
    Periodic(usize),
    /// A public value.
    Public(usize),
    /// A base field element, canonical.
    Constant(u64),
    Add(Id, Id),
    Sub(Id, Id),
    Mul(Id, Id),
    Neg(Id),
}

impl Node {
    /// The operands.
    pub(crate) fn operands(self) -> impl Iterator<Item = Id> {
        let (a, b) = match self {
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (Some(a), Some(b)),
            Self::Neg(a) => (Some(a), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// Nodes in an order in which operands come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Node, Id>,
}

impl Graph {
    /// All nodes.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// The node, a new one if it is not there yet.
    pub(crate) fn add(&mut self, node: Node) -> Id {
        *self.known.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("2^32 distinct expressions are more than memory holds")
        })
    }

    /// `a + b`.
    pub(crate) fn sum(&mut self, a: Id, b: Id) -> Id {
        match (self.is(a, 0), self.is(b, 0)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.add(Node::Add(a, b)),
        }
    }

    /// `a - b`.
    pub(crate) fn difference(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return self.add(Node::Constant(0));
        }
        match (self.is(a, 0), self.is(b, 0)) {
            (_, true) => a,
            (true, _) => self.add(Node::Neg(b)),
            _ => self.add(Node::Sub(a, b)),
        }
    }

    /// `a * b`.
    pub(crate) fn product(&mut self, a: Id, b: Id) -> Id {
        if self.is(a, 0) || self.is(b, 1) {
            return a;
        }
        if self.is(b, 0) || self.is(a, 1) {
            return b;
        }
        self.add(Node::Mul(a, b))
    }

    /// `-a`.
    pub(crate) fn negation(&mut self, a: Id) -> Id {
        if self.is(a, 0) { a } else { self.add(Node::Neg(a)) }
    }

    /// Whether this is that constant.
    pub(crate) fn is(&self, id: Id, value: u64) -> bool {
        self.node(id) == Node::Constant(value)
    }

    /// The nodes that the given ones are made of, themselves included.
    pub(crate) fn needed(&self, roots: impl Iterator<Item = Id>) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        roots.for_each(|root| needed[root as usize] = true);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[index] {
                node.operands().for_each(|operand| needed[operand as usize] = true);
            }
        }
        needed
    }

    /// The degree of every node, given the degrees of all that is no constant and no public value.
    pub(crate) fn degrees(&self, of_leaf: impl Fn(Node) -> u64) -> Vec<u64> {
        let mut degrees: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let at = |id: Id| degrees[id as usize];
            let degree = match node {
                Node::Public(_) | Node::Constant(_) => 0,
                Node::Add(a, b) | Node::Sub(a, b) => at(a).max(at(b)),
                Node::Mul(a, b) => at(a).saturating_add(at(b)),
                Node::Neg(a) => at(a),
                leaf => of_leaf(leaf),
            };
            degrees.push(degree);
        }
        degrees
    }
}
