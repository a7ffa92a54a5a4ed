//! Trees of digests: subtrees by task, so that nodes are hashed while their children are in cache.

use gpu_hal::{CancelToken, Digest};
use rayon::prelude::*;

use crate::work_done;

/// Most leaves of a subtree that one task hashes: its digests take 64 KiB.
const MAX_SUBTREE: usize = 1 << 10;
/// Fewest leaves of a subtree: below, starting a task costs more than it saves.
pub(crate) const MIN_SUBTREE: usize = 1 << 5;
/// Tasks wanted for each thread, so that an uneven machine stays busy.
const TASKS_PER_THREAD: usize = 8;

/// Elements that a task absorbs between two looks at whether the tree is still wanted: tenths of a second where hashes
/// are slow. The number is so large that only rows of thousands of columns are taken in more than one part.
const MAX_ABSORBED: usize = 1 << 22;
/// Fewest leaves of such a part: one that is short leaves lanes without work.
const MIN_PART: usize = 1 << 7;

/// Levels that a large tree is kept without: an eighth of its memory is left, and a path takes eight leaves to make.
const DROPPED: u32 = 3;
/// Smaller trees are kept whole: they take a mebibyte at most, and a path of a wide table is dear to make.
const MIN_LOG_LEAVES: u32 = 15;

/// Levels, the leaves first, that a tree is kept without.
pub(crate) fn dropped_levels(log_leaves: u32) -> u32 {
    if log_leaves < MIN_LOG_LEAVES { 0 } else { DROPPED }
}

/// A tree's leaves and its hash function. Results must not depend on how a range of leaves or nodes is divided into
/// calls.
pub(crate) trait TreeHash: Sync {
    /// Number of leaves, a power of two.
    fn count(&self) -> usize;

    /// Elements of a leaf.
    fn elements(&self) -> usize;

    /// The digests of leaves `first..first + out.len()`.
    fn leaves(&self, first: usize, out: &mut [Digest]);

    /// The digests of `out.len()` pairs of digests, some of the nodes of a level that has `of_level`.
    fn nodes(&self, children: &[Digest], out: &mut [Digest], of_level: usize);

    /// The nodes `height` levels above the leaves from `first` on; `scratch` has room for the levels below.
    fn bottom(&self, first: usize, height: u32, out: &mut [Digest], scratch: &mut [Digest]) {
        if height == 0 {
            return self.leaves(first, out);
        }
        let (below, rest) = scratch.split_at_mut(2 * out.len());
        self.bottom(first, height - 1, below, rest);
        self.nodes(below, out, self.count() >> height);
    }
}

/// Fills the nodes of the tree above its lowest `dropped` levels (a task's subtree has more): `2 (L >> dropped) - 1` of
/// them for L leaves.
pub(crate) fn build(hash: &impl TreeHash, dropped: u32, nodes: &mut [Digest]) {
    let count = hash.count();
    // From the lowest to the root.
    let mut levels = Vec::new();
    let mut rest = nodes;
    while !rest.is_empty() {
        let (above, level) = rest.split_at_mut(rest.len() / 2);
        levels.push(level);
        rest = above;
    }

    let wanted_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
    let subtree = (count / wanted_tasks.next_power_of_two()).clamp(MIN_SUBTREE, MAX_SUBTREE).min(count);
    let lowest = subtree >> dropped;
    let depth = lowest.trailing_zeros() as usize;
    {
        let mut tasks: Vec<Vec<&mut [Digest]>> = (0..count / subtree).map(|_| Vec::with_capacity(depth + 1)).collect();
        for (height, level) in levels[..=depth].iter_mut().enumerate() {
            for (task, part) in tasks.iter_mut().zip(level.chunks_exact_mut(lowest >> height)) {
                task.push(part);
            }
        }
        // The dropped levels pass through memory that stays in cache.
        let scratch = || vec![Digest::default(); 2 * (subtree - lowest)];
        let part = (MAX_ABSORBED / hash.elements().max(1)).max(MIN_PART).next_power_of_two().min(subtree) >> dropped;
        let stop = CancelToken::here();
        tasks.into_par_iter().enumerate().for_each_init(scratch, |scratch, (index, mut parts)| {
            for (number, nodes) in parts[0].chunks_mut(part).enumerate() {
                if stop.is_stopped() {
                    return;
                }
                hash.bottom(index * subtree + ((number * part) << dropped), dropped, nodes, scratch);
            }
            for height in 1..parts.len() {
                let (below, level) = parts.split_at_mut(height);
                hash.nodes(below[height - 1], level[0], count >> dropped >> height);
            }
            work_done::count(subtree * hash.elements());
        });
    }
    for height in depth + 1..levels.len() {
        let (below, level) = levels.split_at_mut(height);
        let (children, parents) = (&*below[height - 1], &mut *level[0]);
        let (part, of_level) = (MAX_SUBTREE / 2, parents.len());
        if parents.len() <= part {
            hash.nodes(children, parents, of_level);
        } else {
            children
                .par_chunks(2 * part)
                .zip(parents.par_chunks_mut(part))
                .for_each(|(children, parents)| hash.nodes(children, parents, of_level));
        }
    }
}

/// The siblings of a leaf and of its ancestors in the lowest `height` levels, the leaf's first.
pub(crate) fn siblings(hash: &impl TreeHash, leaf: usize, height: u32) -> Vec<Digest> {
    let mut at = leaf & ((1 << height) - 1);
    let mut level = vec![Digest::default(); 1 << height];
    hash.leaves(leaf - at, &mut level);
    let mut siblings = Vec::with_capacity(height as usize);
    for below in 0..height {
        siblings.push(level[at ^ 1]);
        let mut above = vec![Digest::default(); level.len() / 2];
        hash.nodes(&level, &mut above, hash.count() >> (below + 1));
        (level, at) = (above, at / 2);
    }
    siblings
}
