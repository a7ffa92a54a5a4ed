//! The opened positions (section 6.6), and openings of sets of leaves (section 5).

use alloc::vec::Vec;

use gpu_hal::{Digest, HashFn};

use super::Options;

/// The opened positions of all domains: `I_1`, which are leaves of the first trees, to `I_{r+1}`. Each set is
/// ascending, without repeats.
pub fn positions(options: &Options, mut queries: Vec<u64>) -> Vec<Vec<u64>> {
    queries.sort_unstable();
    queries.dedup();
    let mut sets = Vec::with_capacity(options.folds.len());
    sets.push(queries);
    for &step in options.folds.iter().skip(1) {
        let mut next: Vec<u64> = sets[sets.len() - 1].iter().map(|position| position >> step).collect();
        next.dedup();
        sets.push(next);
    }
    sets
}

/// The positions of the leaves of a layer whose values are sent: those that the verifier does not know.
pub fn unknown<'a>(known: &'a [u64], leaves: &'a [u64], step: u32) -> impl Iterator<Item = u64> + 'a {
    let all = leaves.iter().flat_map(move |leaf| leaf << step..(leaf + 1) << step);
    all.filter(|position| known.binary_search(position).is_err())
}

/// Goes from a set of leaves, ascending and without repeats, up to the root of a tree of this depth: `sibling` gives
/// the node of a level at an index that no known leaf leads to, `parent` that above two. `None` if one of them gives
/// none, or if there is no leaf.
fn climb<T>(
    leaves: impl IntoIterator<Item = (u64, T)>,
    depth: u32,
    mut sibling: impl FnMut(u32, u64) -> Option<T>,
    mut parent: impl FnMut(T, T) -> Option<T>,
) -> Option<T> {
    let mut known: Vec<(u64, T)> = leaves.into_iter().collect();
    for level in 0..depth {
        let mut above = Vec::with_capacity(known.len());
        let mut nodes = known.into_iter().peekable();
        while let Some((index, node)) = nodes.next() {
            let other = match nodes.next_if(|(next, _)| *next == index ^ 1) {
                Some((_, other)) => other,
                None => sibling(level, index ^ 1)?,
            };
            let (left, right) = if index & 1 == 0 { (node, other) } else { (other, node) };
            above.push((index >> 1, parent(left, right)?));
        }
        known = above;
    }
    known.pop().map(|(_, root)| root)
}

/// The nodes whose digests an opening has, in order: level, from the leaves, and index.
pub fn siblings(leaves: &[u64], depth: u32) -> Vec<(u32, u64)> {
    let mut siblings = Vec::new();
    let mut sibling = |level, index| {
        siblings.push((level, index));
        Some(())
    };
    climb(leaves.iter().map(|leaf| (*leaf, ())), depth, &mut sibling, |(), ()| Some(()));
    siblings
}

/// The root that leaves and the digests of their opening lead to; `None` if there are not as many digests as there must
/// be. Leaves are ascending, without repeats.
pub fn root(
    hash: HashFn,
    leaves: impl IntoIterator<Item = (u64, Digest)>,
    depth: u32,
    digests: &[Digest],
) -> Option<Digest> {
    let mut rest = digests.iter();
    let root = climb(leaves, depth, |_, _| rest.next().copied(), |left, right| hash.parent(&left, &right))?;
    rest.next().is_none().then_some(root)
}
