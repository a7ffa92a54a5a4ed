//! Trees of hints: the leaves that an update changes, and the preimages of a tree's nodes.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::context::At;
use crate::vm::hints::error::custom;

/// The children of a node by its hash: left and right, or of an edge its length, its path and the node below.
pub(super) type Preimage = Rc<HashMap<Felt252, Vec<Felt252>>>;

/// The name of the preimages in a scope.
pub(super) const PREIMAGE: &str = "preimage";
/// The name of the node of a scope, an `Option<Node>`.
pub(super) const NODE: &str = "node";

/// Cells of an access of a dictionary; where its new value is.
pub(super) const ACCESS: usize = 3;
pub(super) const NEW_VALUE: usize = 2;

/// Levels of the highest tree: felts name leaves of no other.
pub(super) const MAX_HEIGHT: usize = 251;

/// A subtree of the update: it has a leaf that changes.
#[derive(Clone)]
pub(super) struct Node {
    /// Key and new value of all leaves that change, by key.
    leaves: Rc<[(Felt252, Felt252)]>,
    /// The leaves below this node.
    below: Range<usize>,
    height: usize,
}

/// The children of a node that have changing leaves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Case {
    Leaf,
    Left,
    Right,
    Both,
}

impl Node {
    /// The root above the updates at `update_ptr`. The last update of a leaf counts. `None` if there are none.
    pub(super) fn root(at: &mut At<'_>) -> Result<Option<Self>, HintError> {
        let (height, count, start) = (height(at)?, at.count("n_updates")?, at.pointer("update_ptr")?);
        let mut leaves: Vec<(Felt252, Felt252)> = Vec::new();
        for index in 0..count {
            at.work(1)?;
            // Overflow would need as many cells before.
            let access = index.saturating_mul(ACCESS);
            leaves.push((at.read(start, access)?, at.read(start, access.saturating_add(NEW_VALUE))?));
        }
        leaves.reverse();
        leaves.sort_by_key(|(key, _)| *key);
        leaves.dedup_by_key(|(key, _)| *key);
        match leaves.last() {
            None => Ok(None),
            Some((key, _)) if key.bits() > height => {
                Err(custom(format!("a tree of {height} levels has no leaf {key}")))
            }
            Some(_) => Ok(Some(Self { below: 0..leaves.len(), leaves: leaves.into(), height })),
        }
    }

    /// The changing children of an inner node.
    pub(super) fn children(&self) -> Result<[Option<Self>; 2], HintError> {
        let height = self.height.checked_sub(1).ok_or_else(|| custom("a leaf of the tree has no children"))?;
        let below = &self.leaves[self.below.clone()];
        let is_left = |(key, _): &(Felt252, Felt252)| !key.to_biguint().bit(height as u64);
        let middle = self.below.start + below.partition_point(is_left);
        Ok([self.below.start..middle, middle..self.below.end]
            .map(|below| (!below.is_empty()).then(|| Self { leaves: self.leaves.clone(), below, height })))
    }

    /// The value that a leaf gets.
    pub(super) fn leaf(&self) -> Option<Felt252> {
        (self.height == 0).then(|| self.leaves[self.below.start].1)
    }
}

/// The height `ids.height` of a tree.
pub(super) fn height(at: &At<'_>) -> Result<usize, HintError> {
    let height = at.count("height")?;
    match height <= MAX_HEIGHT {
        true => Ok(height),
        false => Err(custom(format!("a tree of {height} levels has more leaves than felts can name"))),
    }
}

/// The node of the scope.
pub(super) fn node(at: &At<'_>) -> Result<Node, HintError> {
    let node: Option<Node> = at.scopes.get(NODE)?;
    node.ok_or_else(|| custom("no leaf below this node is updated"))
}

/// Sets `left_child`, `right_child` and `case` from the node of the scope.
pub(super) fn decode(at: &mut At<'_>) -> Result<Case, HintError> {
    let [left, right] = node(at)?.children()?;
    let case = match (&left, &right) {
        (Some(_), Some(_)) => Case::Both,
        (Some(_), None) => Case::Left,
        _ => Case::Right,
    };
    at.scopes.insert_value("left_child", left);
    at.scopes.insert_value("right_child", right);
    set_case(at, case);
    Ok(case)
}

/// Sets `case`.
pub(super) fn set_case(at: &mut At<'_>, case: Case) {
    at.scopes.insert_value("case", case);
}

/// `case`, as it was set last.
pub(super) fn case(at: &At<'_>) -> Result<Case, HintError> {
    at.scopes.get("case")
}

/// Nothing, if `case` is this one.
pub(super) fn assert_case(at: &At<'_>, expected: Case) -> Result<(), HintError> {
    match case(at)? == expected {
        true => Ok(()),
        false => Err(custom("the leaves that are updated are not where the program looks for them")),
    }
}

/// The preimages of the scope.
pub(super) fn preimage(at: &At<'_>) -> Result<Preimage, HintError> {
    at.scopes.get(PREIMAGE)
}

/// The preimage of a node, if it has `N` parts.
pub(super) fn parts<const N: usize>(preimage: &Preimage, node: &Felt252) -> Result<[Felt252; N], HintError> {
    let parts = preimage.get(node).and_then(|parts| parts.as_slice().try_into().ok());
    parts.ok_or_else(|| custom(format!("no preimage of {N} numbers is known of the node {node:#x}")))
}
