//! What is opened at the queries (circle.md, section 13).

use circle_air::{base, secure};
use circle_proof::positions::{layer_opening, preprocessed_positions};
use field::{ExtensionField, M31, QM31};
use gpu_hal::{CircleStark, Columns, Digest, OpenRequest, Opened, StarkBackend};
use rayon::prelude::*;
use stwo::core::fields::m31::BaseField;
use stwo::core::fri::FriLayerProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLifted;

use super::ProveError;
use super::fri::Layer;
use super::tree::Tree;
use crate::stage::Stage;

/// Fewest columns that are worth a task of their own.
const LEAST_COLUMNS: usize = 256;

type Decommitment = MerkleDecommitmentLifted<Blake2sMerkleHasher>;
type LayerProof = FriLayerProof<Blake2sMerkleHasher>;

/// Everything opened, in the order of the proof.
pub(crate) struct Openings {
    pub(crate) decommitments: Vec<Decommitment>,
    /// By tree, column and query.
    pub(crate) queried: Vec<Vec<Vec<BaseField>>>,
    pub(crate) layers: Vec<LayerProof>,
}

/// So many positions below `2^log_size`, as far apart as can be, ascending and each once: fewer if there are fewer.
pub(crate) fn spaced(count: usize, log_size: u32) -> Vec<usize> {
    let count = count.min(1 << log_size);
    (0..count).map(|index| (index << log_size) / count).collect()
}

/// What is wanted of one tree.
struct Wanted {
    rows: Vec<usize>,
    leaves: Vec<usize>,
}

/// Opens all trees in one call.
pub(crate) fn open<B: StarkBackend<P = CircleStark>>(
    stage: impl Stage<B>,
    backend: &B,
    trees: &[&Tree<B>],
    layers: &[Layer<B>],
    positions: &[usize],
    log_domain: u32,
) -> Result<Openings, ProveError> {
    let mut wanted = Vec::with_capacity(trees.len() + layers.len());
    for (number, tree) in trees.iter().enumerate() {
        let rows = match number {
            0 => stage.either(
                || preprocessed_positions(positions, log_domain, tree.height),
                || Ok(spaced(positions.len(), tree.height)),
            )?,
            _ => positions.to_vec(),
        };
        let mut leaves = rows.clone();
        leaves.dedup();
        wanted.push(Wanted { rows, leaves });
    }
    let mut queries = positions.to_vec();
    for layer in layers {
        // A rehearsal opens as much as can be: every query in a group of its own.
        let log_groups = layer.values.log_height - layer.step;
        let apart = || spaced(positions.len(), log_groups).into_iter().map(|group| group << layer.step).collect();
        queries = stage.either(|| queries, apart);
        let opening = layer_opening(&queries, layer.values.log_height, layer.step);
        let groups = opening.next.iter().flat_map(|group| (group << layer.step)..((group + 1) << layer.step));
        let rows = groups.filter(|position| queries.binary_search(position).is_err()).collect();
        wanted.push(Wanted { rows, leaves: opening.leaves });
        queries = opening.next;
    }

    let mut columns: Vec<Vec<Columns<&B::Buffer>>> =
        trees.iter().map(|tree| tree.tables.iter().map(Columns::as_ref).collect()).collect();
    columns.extend(layers.iter().map(|layer| vec![layer.values.as_ref()]));
    let device_trees = trees.iter().map(|tree| tree.tree.as_ref()).chain(layers.iter().map(|layer| Some(&layer.tree)));
    // A tree without columns is not on the device, and nothing of it is opened.
    let requests: Vec<OpenRequest<'_, B::T>> = device_trees
        .zip(&wanted)
        .zip(&columns)
        .filter_map(|((tree, wanted), columns)| {
            Some(OpenRequest { columns, tree: tree?, rows: &wanted.rows, leaves: &wanted.leaves })
        })
        .collect();
    let mut opened = backend.open(&requests)?.into_iter();
    let mut result = Openings { decommitments: Vec::new(), queried: Vec::new(), layers: Vec::new() };
    for (tree, wanted) in trees.iter().zip(&wanted) {
        let opened = match tree.tree {
            Some(_) => opened.next().expect("one answer for each request"),
            None => Opened { rows: Vec::new(), paths: Vec::new() },
        };
        result.decommitments.push(decommitment(&wanted.leaves, &opened.paths));
        result.queried.push(by_column(tree, &opened.rows));
    }
    for ((layer, wanted), opened) in layers.iter().zip(&wanted[trees.len()..]).zip(opened) {
        result.layers.push(LayerProof {
            fri_witness: opened.rows.iter().map(|row| secure(element(row))).collect(),
            decommitment: decommitment(&wanted.leaves, &opened.paths),
            commitment: Blake2sHash(layer.root),
        });
    }
    Ok(result)
}

/// The value whose coordinates a row has.
fn element(row: &[M31]) -> QM31 {
    row.iter().enumerate().map(|(c, value)| <QM31 as ExtensionField<M31>>::basis(c) * *value).sum()
}

/// The values of every column, in the order of the tree, at each query.
fn by_column<B: StarkBackend>(tree: &Tree<B>, rows: &[Vec<M31>]) -> Vec<Vec<BaseField>> {
    let mut first = Vec::with_capacity(tree.tables.len());
    let mut width = 0;
    for table in &tree.tables {
        first.push(width);
        width += table.width;
    }
    let value = |row: &Vec<M31>, (table, column): (usize, usize)| base(row[first[table] + column]);
    let column = |place: &(usize, usize)| rows.iter().map(|row| value(row, *place)).collect();
    tree.places.par_iter().with_min_len(LEAST_COLUMNS).map(column).collect()
}

/// From the leaf level upward, in the order of positions: the siblings that are not among the opened nodes themselves.
fn decommitment(leaves: &[usize], paths: &[Vec<Digest>]) -> Decommitment {
    let mut hash_witness = Vec::new();
    // A node and a leaf below it.
    let mut nodes: Vec<(usize, usize)> = leaves.iter().copied().zip(0..).collect();
    let sibling = |leaf: usize, level: usize| Blake2sHash(paths[leaf][level]);
    for level in 0..paths.first().map_or(0, Vec::len) {
        let mut parents: Vec<(usize, usize)> = Vec::with_capacity(nodes.len());
        for (at, &(node, leaf)) in nodes.iter().enumerate() {
            let has_left = node % 2 == 1 && at > 0 && nodes[at - 1].0 == node - 1;
            let has_right = node % 2 == 0 && nodes.get(at + 1).is_some_and(|next| next.0 == node + 1);
            if !has_left && !has_right {
                hash_witness.push(sibling(leaf, level));
            }
            if !has_left {
                parents.push((node / 2, leaf));
            }
        }
        nodes = parents;
    }
    Decommitment { hash_witness }
}
