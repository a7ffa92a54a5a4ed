//! Openings at the queries (circle.md, section 13).

use circle_proof::positions::{layer_opening, preprocessed_positions};
use circle_proof::{FriLayer, WideNode};
use field::M31;
use gpu_hal::{CircleStark, Columns, Digest, OpenRequest, Opened, StarkBackend};
use rayon::prelude::*;

use super::ProveError;
use super::context::Context;
use super::fri::Layer;
use super::recompute::Again;
use super::tree::Tree;
use crate::mode::ModeOn;
use crate::openings::TreeOpenings;
use crate::table::element;

/// Fewest columns that are worth a task of their own.
const LEAST_COLUMNS: usize = 256;

/// Everything opened, in the order of the proof.
pub(crate) struct Openings {
    pub(crate) decommitments: Vec<Vec<Digest>>,
    /// By tree, column and query.
    pub(crate) queried: Vec<Vec<Vec<M31>>>,
    pub(crate) layers: Vec<FriLayer>,
}

/// `count` positions below `2^log_size`, as far apart as can be, ascending and each once; fewer if there are fewer.
pub(crate) fn spaced(count: usize, log_size: u32) -> Vec<usize> {
    let count = count.min(1 << log_size);
    (0..count).map(|index| (index << log_size) / count).collect()
}

/// A proof's part on a tree: the paths, and the values by column and query.
type Answer = (Vec<Digest>, Vec<Vec<M31>>);

/// Opens the preprocessed tree, the proof's own trees, and the layers: in one call, except trees that are not kept
/// whole. These are made again and opened one after the other.
pub(crate) fn open<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
    again: &Again<'_, B, S>,
    preprocessed: &Tree<B>,
    made: Vec<Tree<B>>,
    layers: &[Layer<B>],
    positions: &[usize],
) -> Result<Openings, ProveError> {
    let Context { mode, backend, log_domain, options, .. } = *again.context;
    let mut wanted = Vec::with_capacity(1 + made.len() + layers.len());
    for (number, tree) in std::iter::once(preprocessed).chain(&made).enumerate() {
        let rows = match number {
            0 => mode.either(
                || preprocessed_positions(positions, log_domain, tree.height),
                || Ok(spaced(positions.len(), tree.height)),
            )?,
            _ => positions.to_vec(),
        };
        let mut leaves = rows.clone();
        leaves.dedup();
        wanted.push(TreeOpenings { rows, leaves });
    }
    let mut queries = positions.to_vec();
    for layer in layers {
        // A rehearsal opens as much as can be: every query in a group of its own.
        let log_groups = layer.values.log_height - layer.step;
        let apart = || spaced(positions.len(), log_groups).into_iter().map(|group| group << layer.step).collect();
        queries = mode.either(|| queries, apart);
        let opening = layer_opening(&queries, layer.values.log_height, layer.step);
        let groups = opening.next.iter().flat_map(|group| (group << layer.step)..((group + 1) << layer.step));
        let rows = groups.filter(|position| queries.binary_search(position).is_err()).collect();
        wanted.push(TreeOpenings { rows, leaves: opening.leaves });
        queries = opening.next;
    }

    let (of_trees, of_layers) = wanted.split_at(1 + made.len());
    let mut answers: Vec<Option<Answer>> = of_trees.iter().map(|_| None).collect();
    let mut whole = Vec::with_capacity(made.len());
    for (number, tree) in (1..).zip(made) {
        if tree.is_whole() {
            whole.push((number, tree));
            continue;
        }
        let tree = again.restored(number, tree)?;
        let (columns, wanted) = (tree.columns(), &of_trees[number]);
        let requests: Vec<_> = tree.tree.iter().map(|on_device| wanted.of::<B>(&columns, on_device)).collect();
        answers[number] = Some(answer(&tree, wanted, backend.open(&requests)?.pop()));
    }

    let trees: Vec<_> = std::iter::once((0, preprocessed)).chain(whole.iter().map(|(at, tree)| (*at, tree))).collect();
    let mut columns: Vec<Vec<Columns<&B::Buffer>>> = trees.iter().map(|(_, tree)| tree.columns()).collect();
    columns.extend(layers.iter().map(|layer| vec![layer.values.as_ref()]));
    let of_whole = trees.iter().map(|(number, tree)| (tree.tree.as_ref(), &of_trees[*number]));
    // A tree without columns is not on the device, and nothing of it is opened.
    let requests: Vec<OpenRequest<'_, B::T>> = of_whole
        .chain(layers.iter().map(|layer| Some(&layer.tree)).zip(of_layers))
        .zip(&columns)
        .filter_map(|((tree, wanted), columns)| Some(wanted.of::<B>(columns, tree?)))
        .collect();
    let mut opened = backend.open(&requests)?.into_iter();
    for (number, tree) in trees {
        let opened = tree.tree.as_ref().and_then(|_| opened.next());
        answers[number] = Some(answer(tree, &of_trees[number], opened));
    }
    let (decommitments, queried): (Vec<Vec<Digest>>, _) = answers.into_iter().flatten().unzip();
    let layers = layers.iter().zip(of_layers).zip(opened).map(|((layer, wanted), opened)| FriLayer {
        fri_witness: opened.rows.iter().map(|row| element(row)).collect(),
        decommitment: decommitment(&wanted.leaves, &opened.paths),
        commitment: layer.root,
    });
    let layers: Vec<FriLayer> = layers.collect();
    let of_trees = decommitments.iter().enumerate().map(|(number, nodes)| (format!("tree {number}"), nodes));
    let layered = layers.iter().enumerate().map(|(number, of)| (format!("FRI layer {number}"), &of.decommitment));
    for (tree, nodes) in of_trees.chain(layered) {
        if !nodes.iter().all(|node| options.suite.tree().is_digest(node)) {
            return Err(WideNode { tree, suite: options.suite }.into());
        }
    }
    Ok(Openings { decommitments, queried, layers })
}

/// The opened values and paths of a tree; nothing for one without columns.
fn answer<B: StarkBackend>(tree: &Tree<B>, wanted: &TreeOpenings, opened: Option<Opened<M31>>) -> Answer {
    let opened = opened.unwrap_or(Opened { rows: Vec::new(), paths: Vec::new() });
    (decommitment(&wanted.leaves, &opened.paths), by_column(tree, &opened.rows))
}

/// The values of every column, in the order of the tree, at each query.
fn by_column<B: StarkBackend>(tree: &Tree<B>, rows: &[Vec<M31>]) -> Vec<Vec<M31>> {
    let mut first = Vec::with_capacity(tree.shapes.len());
    let mut width = 0;
    for table in &tree.shapes {
        first.push(width);
        width += table.width;
    }
    let value = |row: &Vec<M31>, (table, column): (usize, usize)| row[first[table] + column];
    let column = |place: &(usize, usize)| rows.iter().map(|row| value(row, *place)).collect();
    tree.places.par_iter().with_min_len(LEAST_COLUMNS).map(column).collect()
}

/// From the leaf level upward, in the order of positions: the siblings that are not among the opened nodes themselves.
fn decommitment(leaves: &[usize], paths: &[Vec<Digest>]) -> Vec<Digest> {
    let mut siblings = Vec::new();
    // A node and a leaf below it.
    let mut nodes: Vec<(usize, usize)> = leaves.iter().copied().zip(0..).collect();
    let sibling = |leaf: usize, level: usize| paths[leaf][level];
    for level in 0..paths.first().map_or(0, Vec::len) {
        let mut parents: Vec<(usize, usize)> = Vec::with_capacity(nodes.len());
        for (at, &(node, leaf)) in nodes.iter().enumerate() {
            let has_left = node % 2 == 1 && at > 0 && nodes[at - 1].0 == node - 1;
            let has_right = node % 2 == 0 && nodes.get(at + 1).is_some_and(|next| next.0 == node + 1);
            if !has_left && !has_right {
                siblings.push(sibling(leaf, level));
            }
            if !has_left {
                parents.push((node / 2, leaf));
            }
        }
        nodes = parents;
    }
    siblings
}
