//! The opened positions of each tree, and the opened part of a tree (section 13).

/// The positions of the preprocessed tree are not in ascending order (trap 8). stwo would then open them wrongly, and
/// its verifier leave some of them unchecked, so there is neither a proof nor a verification with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the queries are not in ascending order in the preprocessed tree of height {height}, which is lower than the common domain \
     of 2^{log_domain} points: prove with lifting {log_domain}, which makes all trees equally high"
)]
pub struct UnsortedError {
    /// Height of the preprocessed tree.
    pub height: u32,
    /// Log2 of the points of the common domain.
    pub log_domain: u32,
}

/// Where the preprocessed tree of that height is opened for queries at `positions` of the common domain: one position
/// for each, in ascending order; none if the tree is empty.
///
/// # Errors
/// [`UnsortedError`] if they are not in ascending order. These positions depend on the transcript, so a prover learns
/// them last.
pub fn preprocessed_positions(positions: &[usize], log_domain: u32, height: u32) -> Result<Vec<usize>, UnsortedError> {
    if height == 0 {
        return Ok(Vec::new());
    }
    // Neighbours in storage order are a point and its conjugate: the lowest bit stays.
    let block = |position: usize| match height > log_domain {
        true => position >> 1 << (height - log_domain + 1),
        false => position >> (log_domain - height + 1) << 1,
    };
    let mapped: Vec<usize> = positions.iter().map(|&position| block(position) + (position & 1)).collect();
    if mapped.is_sorted() { Ok(mapped) } else { Err(UnsortedError { height, log_domain }) }
}

/// The cost of opening an FRI layer of `2^log_size` values at some positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerOpening {
    /// Positions of the next layer: ascending, each once.
    pub next: Vec<usize>,
    /// Values that the proof must supply.
    pub witness: usize,
    /// Leaves of the layer's tree that are opened: ascending, each once.
    pub leaves: Vec<usize>,
    /// Height of the layer's tree.
    pub height: u32,
}

/// Whether a layer of `2^log_size` values that is folded `step` times has four values in a leaf (section 11).
pub fn is_packed(log_size: u32, step: u32) -> bool {
    step > 1 && log_size >= 2
}

/// Number of values that the proof must supply for a layer: [`LayerOpening::witness`], without the memory that an
/// opening takes.
pub(crate) fn witness_count(positions: &[usize], step: u32) -> usize {
    let groups = positions.chunk_by(|a, b| a >> step == b >> step).count();
    (groups << step) - positions.len()
}

/// The opening of a layer at `positions`, ascending and each once. Every group of `2^step` values that one of them is
/// in is opened as a whole: with a large step that is a large part of the layer for any number of positions.
pub fn layer_opening(positions: &[usize], log_size: u32, step: u32) -> LayerOpening {
    let mut next: Vec<usize> = positions.iter().map(|position| position >> step).collect();
    next.dedup();
    let packing = if is_packed(log_size, step) { 2 } else { 0 };
    // A packed leaf lies in one group, because a group then has at least four values.
    let leaves_of_group = 1 << (step - packing);
    let leaves = next.iter().flat_map(|group| (0..leaves_of_group).map(move |leaf| group * leaves_of_group + leaf));
    LayerOpening { witness: witness_count(positions, step), leaves: leaves.collect(), height: log_size - packing, next }
}

/// Number of sibling nodes that opening these leaves of a tree takes. Positions are in ascending order and may repeat.
pub fn sibling_count(leaves: &[usize], height: u32) -> usize {
    let mut nodes = leaves.to_vec();
    let mut siblings = 0;
    for _ in 0..height {
        nodes.dedup();
        let parents: Vec<usize> = nodes.iter().map(|node| node >> 1).collect();
        let mut distinct = parents.clone();
        distinct.dedup();
        // Each parent has two children, and children that are not opened themselves are siblings.
        siblings += 2 * distinct.len() - nodes.len();
        nodes = distinct;
    }
    siblings
}

#[cfg(test)]
mod tests {
    use stwo::core::pcs::utils::prepare_preprocessed_query_positions;

    use super::*;

    #[test]
    fn siblings_of_a_small_tree() {
        // Leaves 1, 2 of 8: 0 and 3, then both parents are there, then the other half.
        assert_eq!(sibling_count(&[1, 2], 3), 3);
        assert_eq!(sibling_count(&[1, 1, 2, 2], 3), 3);
        assert_eq!(sibling_count(&[0, 1, 2, 3, 4, 5, 6, 7], 3), 0);
        assert_eq!(sibling_count(&[5], 3), 3);
        assert_eq!(sibling_count(&[], 3), 0);
        assert_eq!(sibling_count(&[], 0), 0);
    }

    #[test]
    fn groups_are_opened_as_a_whole() {
        let opening = layer_opening(&[1, 2, 9], 4, 1);
        assert_eq!((opening.next, opening.witness), (vec![0, 1, 4], 3));
        assert_eq!((opening.leaves, opening.height), (vec![0, 1, 2, 3, 8, 9], 4));
        let opening = layer_opening(&[1, 2, 9], 4, 3);
        assert_eq!((opening.next, opening.witness), (vec![0, 1], 13));
        assert_eq!((opening.leaves, opening.height), (vec![0, 1, 2, 3], 2));
    }

    #[test]
    fn positions_of_the_preprocessed_tree_are_those_of_stwo() {
        for log_domain in 1..=7 {
            let all: Vec<usize> = (0..1 << log_domain).collect();
            for height in 0..=9 {
                let theirs = prepare_preprocessed_query_positions(&all, log_domain, height);
                let ours = |position: &usize| preprocessed_positions(&[*position], log_domain, height).unwrap();
                assert_eq!(all.iter().flat_map(ours).collect::<Vec<_>>(), theirs, "{height} on {log_domain}");
            }
        }
    }

    #[test]
    fn unsorted_positions_are_refused() {
        // Height 3 on 2^5 points: blocks of 8 positions, the lowest bit kept.
        assert_eq!(preprocessed_positions(&[2, 5, 9], 5, 3), Ok(vec![0, 1, 3]));
        assert_eq!(preprocessed_positions(&[3, 4], 5, 3), Err(UnsortedError { height: 3, log_domain: 5 }));
        assert_eq!(preprocessed_positions(&[3, 4], 5, 5), Ok(vec![3, 4]));
        assert_eq!(preprocessed_positions(&[3, 4], 5, 0), Ok(vec![]));
    }
}
