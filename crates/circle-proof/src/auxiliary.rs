//! The auxiliary data that stwo's prover returns beside a proof: positions of the queries as they were drawn, nodes of
//! the opened parts of trees, values of the opened groups of FRI layers. Verifiers in circuits are built from them.
//!
//! All of it follows from the proof, so that any proof can be extended, also one of another prover.

use std::collections::BTreeMap;

use field::{M31, QM31};
use gpu_hal::{Digest, HashFn, Leaves, Shape};

use crate::layout::Layout;
use crate::positions::{is_packed, preprocessed_positions};
use crate::replay::{Replayed, check_replayed};
use crate::rounds::Composition;
use crate::stwo_verifier::{Domain, quotients};
use crate::{FriLayer, Proof, Suite, VerifyError, WideNode};

/// The nodes of the opened part of a tree: a map for each level, from the leaves up to the children of the root, from
/// the position of a node on its level to its digest. There are both children of each parent on a path.
pub type Nodes = Vec<BTreeMap<usize, Digest>>;

/// The data that follow from a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auxiliary {
    /// The positions of the queries in the order in which they were drawn, with repeats.
    pub drawn_queries: Vec<usize>,
    /// By tree: preprocessed, main, interaction if there is one, composition.
    pub trees: Vec<Nodes>,
    /// By layer of FRI, the first one first.
    pub layers: Vec<AuxiliaryLayer>,
}

/// The opened part of an FRI layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuxiliaryLayer {
    /// The values of the opened groups by position.
    pub values: BTreeMap<usize, QM31>,
    /// The nodes of its tree.
    pub nodes: Nodes,
}

/// The auxiliary data of a proof of that layout, whose elements are canonical, in a state in which all traces are
/// committed. It costs as much as a verification without the constraints.
///
/// # Errors
/// As [`crate::check`]; [`VerifyError::Opening`] if an opened part of a tree does not lead to its root, and
/// [`VerifyError::WideNode`] if it does as provers make nodes, but not as verifiers do.
pub fn auxiliary(layout: &Layout, proof: &Proof, rounds: Composition) -> Result<Auxiliary, VerifyError> {
    let replayed = check_replayed(layout, proof, rounds)?;
    Ok(Auxiliary {
        trees: trees(layout, proof, &replayed.positions)?,
        layers: layers(layout, proof, &replayed)?,
        drawn_queries: replayed.drawn,
    })
}

/// The tree that a refused proof opens at a node that verifiers compute otherwise than provers do, if that is why it is
/// refused. The arguments are those of [`auxiliary`].
pub fn wide_node(layout: &Layout, proof: &Proof, rounds: Composition) -> Option<WideNode> {
    // No other hash function has such nodes.
    let may_have = layout.options.suite.tree() == HashFn::Blake2sM31;
    match may_have.then(|| auxiliary(layout, proof, rounds))? {
        Err(VerifyError::WideNode(node)) => Some(node),
        _ => None,
    }
}

fn trees(layout: &Layout, proof: &Proof, positions: &[usize]) -> Result<Vec<Nodes>, VerifyError> {
    let suite = layout.options.suite;
    let mut trees = Vec::with_capacity(layout.trees.len());
    for (index, tree) in layout.trees.iter().enumerate() {
        let positions = match index {
            0 => preprocessed_positions(positions, layout.log_domain, tree.height)?,
            _ => positions.to_vec(),
        };
        // A row is hashed in ascending order of sizes.
        let mut columns: Vec<usize> = (0..tree.columns.len()).collect();
        columns.sort_by_key(|&column| tree.columns[column].log_size);
        let values = &proof.queried_values[index];
        let row = |query: usize| columns.iter().map(move |&column| values[column][query]);
        let leaves = |is_wide| {
            let leaf = |(query, &at): (usize, &usize)| (at, suite.tree().tree_leaf::<M31>(row(query), is_wide));
            let mut leaves: Vec<_> = positions.iter().enumerate().map(leaf).collect();
            leaves.dedup_by_key(|(at, _)| *at);
            leaves
        };
        let columns: Vec<_> = tree.columns.iter().map(|column| Shape::new((), 1, column.log_size)).collect();
        let of = Leaves { rows_per_leaf: 1, log_height: tree.height, log_parts: 0 };
        let (siblings, root) = (&proof.decommitments[index], &proof.commitments[index]);
        let opened = Opened { of, has_wide_leaves: of.has_wide_leaves(&columns), siblings, root };
        trees.push(opened.nodes(suite, leaves, || format!("tree {index}"))?);
    }
    Ok(trees)
}

/// The opened part of a tree.
struct Opened<'a> {
    of: Leaves,
    has_wide_leaves: bool,
    siblings: &'a [Digest],
    root: &'a Digest,
}

impl Opened<'_> {
    /// The nodes over opened leaves, which are given wide or as verifiers have them, in ascending order, each once. A
    /// tree of height 0 has none.
    fn nodes(
        &self,
        suite: Suite,
        leaves: impl Fn(bool) -> Vec<(usize, Digest)>,
        tree: impl Fn() -> String,
    ) -> Result<Nodes, VerifyError> {
        let hash = suite.tree();
        if let Some(nodes) = self.over(leaves(false), |left, right, _| hash.parent(left, right)) {
            return Ok(nodes);
        }
        let made = |left: &_, right: &_, nodes| hash.tree_parent(left, right, self.of.is_wide(nodes));
        Err(match self.over(leaves(self.has_wide_leaves), made) {
            Some(_) => WideNode { tree: tree(), suite }.into(),
            None => VerifyError::Opening { tree: tree() },
        })
    }

    /// The nodes by a function of two nodes and of the number of nodes on their parent's level; `None` if they do not
    /// lead to the root.
    fn over(
        &self,
        leaves: Vec<(usize, Digest)>,
        parent: impl Fn(&Digest, &Digest, usize) -> Option<Digest>,
    ) -> Option<Nodes> {
        let mut siblings = self.siblings.iter();
        let (mut level, mut nodes) = (leaves, Nodes::new());
        for log_nodes in (0..self.of.log_leaves()).rev() {
            let mut here = BTreeMap::new();
            let mut parents = Vec::with_capacity(level.len());
            for children in level.chunk_by(|left, right| left.0 ^ 1 == right.0) {
                let (at, first) = children[0];
                let second = children.get(1).map_or_else(|| siblings.next(), |(_, digest)| Some(digest))?;
                let [left, right] = if at & 1 == 0 { [first, *second] } else { [*second, first] };
                parents.push((at >> 1, parent(&left, &right, 1 << log_nodes)?));
                here.extend([(at & !1, left), (at | 1, right)]);
            }
            nodes.push(here);
            level = parents;
        }
        let leads = level.iter().all(|(_, digest)| digest == self.root) && siblings.next().is_none();
        (leads || self.of.log_leaves() == 0).then_some(nodes)
    }
}

fn layers(layout: &Layout, proof: &Proof, replayed: &Replayed) -> Result<Vec<AuxiliaryLayer>, VerifyError> {
    let suite = layout.options.suite;
    let (mut positions, mut values) = (replayed.positions.clone(), quotients(layout, proof, replayed)?);
    let mut domain = Domain::first(layout.log_domain);
    let mut layers = Vec::new();
    let steps = layout.options.fold_steps(layout.log_domain);
    for (index, ((layer, step), &factor)) in proof.fri_proof.layers().zip(steps).zip(&replayed.factors).enumerate() {
        let name = || format!("FRI layer {index}");
        let groups = groups(&positions, &values, layer, step);
        let groups = groups.ok_or_else(|| VerifyError::Opening { tree: name() })?;
        let log_size = domain.log_size();
        let log_leaf = if is_packed(log_size, step) { 2 } else { 0 };
        let opened = groups.iter().flat_map(|(at, group)| group.chunks(1 << log_leaf).zip((at << step) >> log_leaf..));
        let leaf =
            |leaf: &[QM31], is_wide| suite.tree().tree_leaf::<M31>(leaf.iter().flat_map(|value| value.0), is_wide);
        let leaves = |is_wide| opened.clone().map(|(values, at)| (at, leaf(values, is_wide))).collect();
        let of = Leaves { rows_per_leaf: 1 << log_leaf, log_height: log_size, log_parts: 0 };
        let has_wide_leaves = of.is_wide(1 << of.log_leaves());
        let tree = Opened { of, has_wide_leaves, siblings: &layer.decommitment, root: &layer.commitment };
        layers.push(AuxiliaryLayer {
            values: groups.iter().flat_map(|(at, group)| (at << step..).zip(group.iter().copied())).collect(),
            nodes: tree.nodes(suite, leaves, name)?,
        });
        values = groups.iter().map(|(at, group)| domain.fold(at << step, group, factor)).collect();
        positions = groups.into_iter().map(|(at, _)| at).collect();
        domain = domain.folded(step);
    }
    Ok(layers)
}

/// The opened groups of `2^step` values by their number: values of queries, and between them the proof's.
fn groups(positions: &[usize], values: &[QM31], layer: &FriLayer, step: u32) -> Option<Vec<(usize, Vec<QM31>)>> {
    let mut queried = positions.iter().zip(values).peekable();
    let mut witness = layer.fri_witness.iter();
    let mut numbers: Vec<usize> = positions.iter().map(|position| position >> step).collect();
    numbers.dedup();
    let mut value = |position: usize| match queried.next_if(|(queried, _)| **queried == position) {
        Some((_, value)) => Some(*value),
        None => witness.next().copied(),
    };
    let group = |at: usize| Some((at, (at << step..(at + 1) << step).map(&mut value).collect::<Option<_>>()?));
    numbers.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of sixteen leaves, two of which have a hash with a word that provers and verifiers reduce differently.
    #[test]
    fn a_node_that_verifiers_have_otherwise_is_named() {
        let (suite, of) = (Suite::Blake2sM31, Leaves { rows_per_leaf: 1, log_height: 4, log_parts: 0 });
        let hash = suite.tree();
        let mut elements: Vec<u32> = (0..16).collect();
        // To p - 1, and to p, which is no digest.
        (elements[5], elements[9]) = (1_755_014_235, 1_209_039_381);
        let leaf = |at: usize, is_wide| hash.tree_leaf([M31::new(elements[at])], is_wide);
        let mut levels = vec![(0..16).map(|at| leaf(at, true)).collect::<Vec<_>>()];
        for _ in 0..4 {
            let below = levels[levels.len() - 1].as_chunks::<2>().0;
            let parent = |[left, right]: &[Digest; 2]| hash.tree_parent(left, right, of.is_wide(below.len())).unwrap();
            let next = below.iter().map(parent).collect();
            levels.push(next);
        }
        let root = levels[4][0];
        let opened = |at: usize, root: &Digest| {
            let siblings: Vec<_> = (0..4).map(|level| levels[level][at >> level ^ 1]).collect();
            let opened = Opened { of, has_wide_leaves: true, siblings: &siblings, root };
            opened.nodes(suite, |is_wide| vec![(at, leaf(at, is_wide))], || "tree 1".to_owned())
        };
        for at in [0, 4, 15] {
            assert_eq!(opened(at, &root).unwrap().len(), 4, "leaf {at}");
        }
        // The second beside a leaf that is opened, too.
        for at in [5, 9, 8] {
            let refused = opened(at, &root).unwrap_err();
            assert!(matches!(&refused, VerifyError::WideNode(node) if node.tree == "tree 1"), "leaf {at}: {refused}");
            let text = refused.to_string();
            assert!(text.starts_with("tree 1 is opened at a node") && text.contains("with another salt"), "{text}");
            assert!(matches!(opened(at, &[1; 32]), Err(VerifyError::Opening { .. })), "leaf {at}");
        }
    }
}
