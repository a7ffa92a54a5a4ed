//! Trees of digests: subtrees by task, so that nodes are hashed while their children are in cache.

use gpu_hal::Digest;
use rayon::prelude::*;

use super::leaves::Leaves;

/// Most leaves of a subtree that one task hashes: its digests take 64 KiB.
const MAX_SUBTREE: usize = 1 << 10;
/// Fewest leaves of a subtree: below, starting a task costs more than it saves.
const MIN_SUBTREE: usize = 1 << 5;
/// Tasks wanted for each thread, so that an uneven machine stays busy.
const TASKS_PER_THREAD: usize = 8;

/// A hash function of trees. Results must not depend on how a range of leaves or nodes is divided into calls.
pub(super) trait TreeHash: Sync {
    /// The digests of leaves `first..first + out.len()`.
    fn leaves(&self, leaves: Leaves<'_>, first: usize, out: &mut [Digest]);

    /// The digests of `out.len()` pairs of digests.
    fn nodes(&self, children: &[Digest], out: &mut [Digest]);
}

/// Fills the `2 L - 1` nodes of the tree, as [`super::merkle_tree_into`] says.
pub(super) fn build(hash: &impl TreeHash, leaves: Leaves<'_>, nodes: &mut [Digest]) {
    let count = leaves.count();
    // From the leaves to the root.
    let mut levels = Vec::new();
    let mut rest = nodes;
    while !rest.is_empty() {
        let (above, level) = rest.split_at_mut(rest.len() / 2);
        levels.push(level);
        rest = above;
    }

    let wanted_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
    let subtree = (count / wanted_tasks.next_power_of_two()).clamp(MIN_SUBTREE, MAX_SUBTREE).min(count);
    let depth = subtree.trailing_zeros() as usize;
    {
        let mut tasks: Vec<Vec<&mut [Digest]>> = (0..count / subtree).map(|_| Vec::with_capacity(depth + 1)).collect();
        for (height, level) in levels[..=depth].iter_mut().enumerate() {
            for (task, part) in tasks.iter_mut().zip(level.chunks_exact_mut(subtree >> height)) {
                task.push(part);
            }
        }
        tasks.into_par_iter().enumerate().for_each(|(index, mut parts)| {
            hash.leaves(leaves, index * subtree, parts[0]);
            for height in 1..parts.len() {
                let (below, level) = parts.split_at_mut(height);
                hash.nodes(below[height - 1], level[0]);
            }
        });
    }
    for height in depth + 1..levels.len() {
        let (below, level) = levels.split_at_mut(height);
        let (children, parents) = (&*below[height - 1], &mut *level[0]);
        let part = MAX_SUBTREE / 2;
        if parents.len() <= part {
            hash.nodes(children, parents);
        } else {
            children
                .par_chunks(2 * part)
                .zip(parents.par_chunks_mut(part))
                .for_each(|(children, parents)| hash.nodes(children, parents));
        }
    }
}
