//! The least work of a call.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::ir::{Kind, NodeId, NodeOp};
use crate::{ConstraintProgram, HashFn, Protocol};

/// The least that a call moves and computes on any device, in units of which a device has a price each.
/// docs/benchmarks.md has the formulas ("Floors: formulas").
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Base elements that are read from and written to the device's memory. A transform counts as one pass.
    pub moved: f64,
    /// Base elements that pass between host and device.
    pub transferred: f64,
    /// Digests that are written to the device's memory.
    pub digests: f64,
    /// Products of two base elements; one of a base and an extension element is as many as the degree.
    pub products: f64,
    /// Products of two extension elements.
    pub ext_products: f64,
    /// Products of base elements that are added to a sum which is reduced later.
    pub added_products: f64,
    /// Coefficients that a domain's shift multiplies by its powers.
    pub shifts: f64,
    /// Terms of DEEP quotients at a point, without their weighted sums.
    pub deep_terms: f64,
    /// Transforms.
    pub transforms: Vec<Transform>,
    /// Permutations, and the hash function that they are of.
    pub hashes: Option<(HashFn, f64)>,
    /// The hash function of a search: a permutation for each nonce up to the first that will do.
    pub search: Option<HashFn>,
    /// Sums and products of programs, all of the base field, about ([`ConstraintProgram::operations`]).
    pub operations: f64,
    /// Base elements that a backend counts while it works; 0 for operations that are short.
    pub progress: u64,
}

/// A transform of columns, which takes several passes over them where a column does not fit in fast memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Base elements.
    pub elements: f64,
    /// Log2 of the points of a column.
    pub log_size: u32,
}

impl Cost {
    /// Reads and writes of this many base elements together.
    pub(super) fn moves(elements: usize) -> Self {
        Self { moved: elements as f64, ..Self::default() }
    }

    /// This many base elements between host and device.
    pub(super) fn transfers(elements: usize) -> Self {
        Self { transferred: elements as f64, ..Self::default() }
    }

    /// A program on `rows` rows, without its outputs. Each base column is read once.
    pub(super) fn program<P: Protocol>(program: &ConstraintProgram<P>, rows: f64) -> Self {
        let kind = |node: NodeId| program.nodes()[node.index()].kind;
        let (mut products, mut ext_products, mut columns) = (0usize, 0usize, BTreeSet::new());
        for node in program.nodes() {
            match node.op {
                NodeOp::Mul(a, b) => match (kind(a), kind(b)) {
                    (Kind::Base, Kind::Base) => products += 1,
                    (Kind::Ext, Kind::Ext) => ext_products += 1,
                    _ => products += P::DEGREE,
                },
                NodeOp::Load { group, column, .. } => drop(columns.insert((group, column))),
                _ => {}
            }
        }
        let width = |(group, _): &(u32, u32)| match program.groups()[*group as usize].kind {
            Kind::Base => 1,
            Kind::Ext => P::DEGREE,
        };
        Self {
            moved: rows * columns.iter().map(width).sum::<usize>() as f64,
            products: rows * products as f64,
            ext_products: rows * ext_products as f64,
            operations: rows * program.operations() as f64,
            ..Self::default()
        }
    }
}

/// Rows, as an amount.
pub(super) fn rows(log: u32) -> f64 {
    2f64.powi(log as i32)
}
