//! Openings at the queries (circle.md, section 13).

use circle_proof::positions::{layer_opening, preprocessed_positions};
use circle_proof::{FriLayer, WideNode};
use field::M31;
use gpu_hal::{CircleStark, Columns, Digest, OpenRequest, Opened, StarkBackend};
use rayon::prelude::*;

use super::ProveError;
use super::context::Context;
use super::fri::Layer;
use super::recompute::Recompute;
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
    again: &Recompute<'_, B, S>,
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
        let wanted = &of_trees[number];
        answers[number] = Some(match tree.log_blocks {
            0 => {
                let tree = again.restored(number, tree)?;
                let columns = tree.columns();
                let requests: Vec<_> = tree.blocks.iter().map(|block| wanted.of::<B>(&columns, block)).collect();
                answer(&tree, wanted, backend.open(&requests)?.pop())
            }
            _ => answer(&tree, wanted, Some(by_blocks(again, number, &tree, wanted)?)),
        });
    }

    let trees: Vec<_> = std::iter::once((0, preprocessed)).chain(whole.iter().map(|(at, tree)| (*at, tree))).collect();
    let mut columns: Vec<Vec<Columns<&B::Buffer>>> = trees.iter().map(|(_, tree)| tree.columns()).collect();
    columns.extend(layers.iter().map(|layer| vec![layer.values.as_ref()]));
    // Such trees have one block.
    let of_whole = trees.iter().map(|(number, tree)| (tree.blocks.first(), &of_trees[*number]));
    // A tree without columns is not on the device, and nothing of it is opened.
    let requests: Vec<OpenRequest<'_, B::T>> = of_whole
        .chain(layers.iter().map(|layer| Some(&layer.tree)).zip(of_layers))
        .zip(&columns)
        .filter_map(|((tree, wanted), columns)| Some(wanted.of::<B>(columns, tree?)))
        .collect();
    let mut opened = backend.open(&requests)?.into_iter();
    for (number, tree) in trees {
        let opened = tree.blocks.first().and_then(|_| opened.next());
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

/// Opens a tree whose tables are made again a block of rows at a time.
fn by_blocks<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
    again: &Recompute<'_, B, S>,
    number: usize,
    tree: &Tree<B>,
    wanted: &TreeOpenings,
) -> Result<Opened<M31>, ProveError> {
    let Context { mode, backend, .. } = *again.context;
    let log_block = tree.log_block();
    let top = tree.top.as_ref().expect("all blocks are committed to");
    let mut all = Opened { rows: vec![Vec::new(); wanted.rows.len()], paths: vec![Vec::new(); wanted.leaves.len()] };
    for (number_of_block, block) in tree.blocks.iter().enumerate() {
        // A rehearsal does not know the queries: all may be in any block.
        let mine = |all: &[usize]| -> Vec<usize> {
            let drawn = || (0..all.len()).filter(|at| all[*at] >> log_block == number_of_block).collect();
            mode.either(drawn, || (0..all.len()).collect())
        };
        let (rows, leaves) = (mine(&wanted.rows), mine(&wanted.leaves));
        if rows.is_empty() && leaves.is_empty() {
            continue;
        }
        let tables = again.block(number, tree, number_of_block)?;
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let within = |of: &[usize], all: &[usize]| of.iter().map(|at| all[*at] & ((1 << log_block) - 1)).collect();
        let of_block = TreeOpenings { rows: within(&rows, &wanted.rows), leaves: within(&leaves, &wanted.leaves) };
        for opened in backend.open(&[of_block.of::<B>(&columns, block)])? {
            rows.iter().zip(opened.rows).for_each(|(at, row)| all.rows[*at] = row);
            for (at, path) in leaves.iter().zip(opened.paths) {
                all.paths[*at] = path.into_iter().chain(top.path(number_of_block)).collect();
            }
        }
    }
    Ok(all)
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
