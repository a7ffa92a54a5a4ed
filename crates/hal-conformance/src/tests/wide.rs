//! Trees with nodes whose hashes have one of the two words that large trees reduce wrongly
//! ([`gpu_hal::HashFn::tree_leaf`]): one node in `2^28` has, so no random tree.

use field::PrimeField;
use gpu_hal::{Columns, HashFn, LeafLayout, OpenRequest, Operation, StarkBackend};

use crate::failure::ensure;
use crate::{Suite, TestProtocol};

/// Leaves of one element whose hash has a word `2^32 - 2`, and `2^32 - 1`.
const WIDE_LEAVES: [u64; 2] = [1_755_014_235, 1_209_039_381];
/// Leaves of 0 and of one of these.
const WIDE_PAIRS: [u64; 2] = [239_518_703, 109_623_137];
/// Leaves of one element whose parent has, if the leaf on the left is that of 0.
const WIDE_RIGHTS: [u64; 2] = [400_577_733, 10_237_472];

/// Log2 of the heights of columns, with the elements that they repeat.
type Heights<'a> = &'a [(u32, &'a [u64])];

/// Trees on both sides of sixteen leaves and sixteen nodes, small ones and one whose lowest levels may be dropped;
/// their paths.
pub(super) fn trees<P: TestProtocol>(suite: &Suite<P>, hashes: &[HashFn]) {
    if !hashes.contains(&HashFn::Blake2sM31) || suite.single().is_some() {
        return;
    }
    let [a, b] = WIDE_LEAVES;
    let [c, d] = WIDE_RIGHTS;
    let [e, f] = WIDE_PAIRS;
    let leaves = [a, b, 0, c, 0, d, 5, 6];
    suite.check(1..=1, 1..=1, Operation::Merkle, |_| {
        let cases: [(Heights<'_>, LeafLayout); 10] = [
            (&[(3, &leaves)], LeafLayout::new(1)),
            (&[(4, &leaves)], LeafLayout::new(1)),
            (&[(5, &leaves)], LeafLayout::new(1)),
            (&[(15, &leaves)], LeafLayout::new(1)),
            (&[(4, &leaves)], LeafLayout::lifted(6)),
            (&[(4, &[0, e, 0, f])], LeafLayout::new(2)),
            (&[(5, &[0, e, 0, f])], LeafLayout::new(2)),
            // The lowest table says how leaves are made.
            (&[(3, &[0]), (6, &[e, f])], LeafLayout::new(1)),
            (&[(4, &[0]), (6, &[e, f])], LeafLayout::new(1)),
            (&[(3, &[0]), (15, &[e, f])], LeafLayout::new(1)),
        ];
        for (columns, layout) in cases {
            let mut tables = Vec::new();
            for (log, elements) in columns {
                let elements = elements.iter().cycle().take(1 << log).map(|element| P::Base::from_u64(*element));
                tables.push(suite.dual.upload(&elements.collect::<Vec<_>>(), 1, *log)?);
            }
            let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
            let tree = suite.dual.merkle(&columns, layout, HashFn::Blake2sM31)?;
            // Both backends must have the same.
            suite.dual.root(&tree)?;
            if suite.has(Operation::Open) {
                let request = OpenRequest { columns: &columns, tree: &tree, rows: &[], leaves: &[0, 1, 3, 5, 7] };
                let paths = suite.dual.open(&[request])?.remove(0).paths;
                ensure(paths.len() == 5, || format!("{} paths for 5 leaves", paths.len()))?;
            }
        }
        Ok(())
    });
}
