//! The least that any implementation of an operation must move and compute. The formulas are in docs/benchmarks.md,
//! "Floors: formulas".

use std::collections::BTreeSet;

use gpu_hal::{Combination, ConstraintProgram, HashFn, Kind, NodeId, Op, Permutation};

use crate::amount::Work;
use crate::measurable::Measurable;

/// Bytes of a digest.
pub(crate) const DIGEST: u64 = 32;
/// Poseidon2 of width 8 over Goldilocks: 8 full rounds of 8 S-boxes, 22 partial rounds of one, four products each; of
/// 14 instructions instead of 19, as what lies between need not be canonical.
const POSEIDON2_PRODUCTS: f64 = 344.0 * 14.0 / 19.0;
/// Lowest levels of a tree that an opening can make again from the rows.
const TREE_LEVELS: u32 = 3;

fn table(width: u64, log_height: u32) -> f64 {
    width as f64 * rows(log_height)
}

pub(crate) fn rows(log_height: u32) -> f64 {
    2f64.powi(log_height as i32)
}

/// How often a transform of `2^log` points reads and writes its column, `levels` levels at a time.
fn passes(log: u32, levels: u32) -> f64 {
    f64::from(log.div_ceil(levels).max(1))
}

/// Between host and device.
pub(crate) fn transfer<P: Measurable>(width: u64, log_height: u32) -> Work {
    Work { link_bytes: P::ELEMENT as f64 * table(width, log_height), ..Work::default() }
}

/// Reading one table and writing another.
pub(crate) fn copy<P: Measurable>(elements_read: f64, elements_written: f64) -> Work {
    Work { bytes: P::ELEMENT as f64 * (elements_read + elements_written), ..Work::default() }
}

/// A transform in place; `levels` are the levels of a transform between two trips to memory.
pub(crate) fn ntt<P: Measurable>(width: u64, log: u32, levels: u32) -> Work {
    let elements = table(width, log);
    let moved = elements * passes(log, levels);
    Work { products: elements * P::twiddles(log), ..copy::<P>(moved, moved) }
}

/// An extension; from values, the last pass of the inverse is the first of the forward transform.
pub(crate) fn lde<P: Measurable>(width: u64, log_from: u32, log_to: u32, from_values: bool, levels: u32) -> Work {
    let (small, large) = (table(width, log_from), table(width, log_to));
    let first = copy::<P>(small, large);
    let later = (passes(log_to, levels) - 1.0) * large;
    let products = small * P::SHIFT + large * P::twiddles(log_to);
    let forward = Work { products, ..copy::<P>(later, later) } + first;
    if !from_values {
        return forward;
    }
    let earlier = (passes(log_from, levels) - 1.0) * small;
    forward + Work { products: small * P::twiddles(log_from), ..copy::<P>(earlier, earlier) }
}

/// A tree over leaves of `elements` elements; the digests of its lowest levels need not be kept.
pub(crate) fn merkle<P: Measurable>(hash: HashFn, elements: u64, log_leaves: u32) -> Work {
    let bytes = P::ELEMENT as f64 * table(elements, log_leaves) + digests(log_leaves);
    let permutations = permutations(hash, elements, log_leaves);
    Work { bytes, ..hashed(hash, permutations) }
}

/// A number of permutations of a hash function.
pub(crate) fn hashed(hash: HashFn, permutations: f64) -> Work {
    match hash.permutation() {
        Permutation::Keccak => Work { keccak: permutations, ..Work::default() },
        Permutation::Poseidon2 => Work { products: permutations * POSEIDON2_PRODUCTS, ..Work::default() },
        Permutation::Blake2s => Work { blake2s: permutations, ..Work::default() },
    }
}

/// Elements that a hash function absorbs at once.
pub(crate) fn block(hash: HashFn) -> u64 {
    match hash.permutation() {
        Permutation::Keccak => 17,
        Permutation::Poseidon2 => 4,
        Permutation::Blake2s => 16,
    }
}

/// The tries of a search that ends with `nonce`, one permutation each.
pub(crate) fn tries(hash: HashFn, nonce: u64) -> f64 {
    hash.nonces().number(nonce) as f64 + 1.0
}

/// A search that ends with `nonce`.
pub(crate) fn search(hash: HashFn, nonce: u64) -> Work {
    hashed(hash, tries(hash, nonce))
}

/// Bytes of the digests of a tree that are kept.
pub(crate) fn digests(log_leaves: u32) -> f64 {
    DIGEST as f64 * (2.0 * rows(log_leaves.saturating_sub(TREE_LEVELS)) - 1.0)
}

/// Permutations or compressions of a tree: the leaves', and one for each node above them.
pub(crate) fn permutations(hash: HashFn, elements: u64, log_leaves: u32) -> f64 {
    let block = block(hash);
    let leaf = match hash.permutation() {
        // The padding takes a byte at least.
        Permutation::Keccak => elements / block + 1,
        Permutation::Poseidon2 => elements.div_ceil(block),
        // The last block may be full; of nothing there is one too.
        Permutation::Blake2s => elements.div_ceil(block).max(1),
    };
    rows(log_leaves) * (leaf as f64 + 1.0) - 1.0
}

/// Values of `width` base columns at `points` points, from their values on `2^log` rows.
pub(crate) fn eval_at<P: Measurable>(width: u64, log: u32, points: u64) -> Work {
    // A weight is x/(z - x), inverted in batches: three products and the one by x.
    let weight = 3.0 * P::EXT_PRODUCT + P::COLUMNS as f64;
    let products = points as f64 * rows(log) * (weight + (width * P::COLUMNS) as f64 * P::MAC);
    Work { products, ..copy::<P>(table(width, log), 0.0) }
}

/// The DEEP quotient of `width` base columns; `weights` over all `terms`.
pub(crate) fn deep<P: Measurable>(width: u64, log: u32, weights: u64, terms: u64) -> Work {
    let row = (weights * P::COLUMNS) as f64 * P::MAC + terms as f64 * P::TERM;
    Work { products: rows(log) * row, ..copy::<P>(table(width, log), table(P::COLUMNS, log)) }
}

/// A fold of `2^log` values to half as many.
pub(crate) fn fold<P: Measurable>(log: u32) -> Work {
    let (folded, degree) = (rows(log) / 2.0, P::COLUMNS as f64);
    Work { products: folded * (P::EXT_PRODUCT + degree), ..copy::<P>(table(P::COLUMNS, log), degree * folded) }
}

/// Running columns or columns of fractions: `columns` of them over the outputs of a program on `2^log` rows.
pub(crate) fn running<P: Measurable>(program: &ConstraintProgram<P>, columns: u64, log: u32) -> Work {
    // Inversion in batches, the ratio, the scan.
    let row = row_products(program) + columns as f64 * 5.0 * P::EXT_PRODUCT;
    let read = loaded(program) as f64 * rows(log);
    Work { products: rows(log) * row, ..copy::<P>(read, table(P::COLUMNS * columns, log)) }
}

/// A linear recurrence of an order as a column.
pub(crate) fn recurrence<P: Measurable>(order: u64, log: u32) -> Work {
    Work { products: order as f64 * rows(log), ..copy::<P>(0.0, rows(log)) }
}

/// Outputs of a program as base columns.
pub(crate) fn map<P: Measurable>(program: &ConstraintProgram<P>, outputs: u64, log: u32) -> Work {
    let read = loaded(program) as f64 * rows(log);
    Work { products: rows(log) * row_products(program), ..copy::<P>(read, table(outputs, log)) }
}

/// Outputs of programs at the nodes of a binary tree, half of them leaves; values that go up are written and read too.
pub(crate) fn tree_map<P: Measurable>(programs: [&ConstraintProgram<P>; 2], log: u32) -> Work {
    let [leaves, nodes] = programs.map(|program| map(program, program.outputs().len() as u64, log.saturating_sub(1)));
    leaves + nodes
}

/// A combination of a program's outputs on `2^log` points.
pub(crate) fn constraint_eval<P: Measurable>(
    program: &ConstraintProgram<P>,
    combination: &Combination<P>,
    log: u32,
) -> Work {
    let weighted: f64 = combination
        .groups
        .iter()
        .flat_map(|group| &group.terms)
        .map(|(output, _)| match program.nodes()[program.outputs()[*output].index()].kind {
            Kind::Base => P::COLUMNS as f64 * P::MAC,
            Kind::Ext => (P::COLUMNS * P::COLUMNS) as f64 * P::MAC,
        })
        .sum();
    let row = row_products(program) + weighted + (combination.groups.len() as u64 * P::COLUMNS) as f64;
    Work { products: rows(log) * row, ..copy::<P>(loaded(program) as f64 * rows(log), table(P::COLUMNS, log)) }
}

/// Products of a row of a program; sums are not counted.
fn row_products<P: Measurable>(program: &ConstraintProgram<P>) -> f64 {
    let kind = |node: &NodeId| program.nodes()[node.index()].kind;
    let product = |op: &Op<P>| match op {
        Op::Mul(a, b) => match (kind(a), kind(b)) {
            (Kind::Base, Kind::Base) => 1.0,
            (Kind::Ext, Kind::Ext) => P::EXT_PRODUCT,
            _ => P::COLUMNS as f64,
        },
        _ => 0.0,
    };
    program.nodes().iter().map(|node| product(&node.op)).sum()
}

/// Base columns that a program reads, each once: at another row offset they are read by another row too.
fn loaded<P: Measurable>(program: &ConstraintProgram<P>) -> u64 {
    let columns: BTreeSet<(u32, u32)> = program
        .nodes()
        .iter()
        .filter_map(|node| match node.op {
            Op::Load { group, column, .. } => Some((group, column)),
            _ => None,
        })
        .collect();
    let width = |(group, _): &(u32, u32)| match program.groups()[*group as usize].kind {
        Kind::Base => 1,
        Kind::Ext => P::COLUMNS,
    };
    columns.iter().map(width).sum()
}

#[cfg(test)]
mod tests {
    use crate::Goldilocks3;
    use gpu_hal::CircleStark;

    use super::*;

    /// 2^28 elements.
    const ELEMENTS: f64 = (1u64 << 28) as f64;

    #[test]
    fn transforms_take_whole_passes() {
        let three = ntt::<Goldilocks3>(16, 24, 8);
        assert_eq!(three.bytes, 3.0 * 2.0 * 8.0 * ELEMENTS);
        assert_eq!(three.products, 5.0 * ELEMENTS);
        assert_eq!(ntt::<Goldilocks3>(256, 20, 8).bytes, three.bytes);
        assert_eq!(ntt::<Goldilocks3>(1, 3, 8).bytes, 2.0 * 8.0 * 8.0);
        assert_eq!(ntt::<Goldilocks3>(1, 16, 16).bytes, 2.0 * 8.0 * 65536.0);
    }

    #[test]
    fn an_extension_reads_only_what_is_there() {
        let coefficients = lde::<Goldilocks3>(64, 20, 22, false, 8);
        // A quarter read, all written, then two passes.
        assert_eq!(coefficients.bytes, 8.0 * ELEMENTS * (0.25 + 1.0 + 4.0));
        let values = lde::<Goldilocks3>(64, 20, 22, true, 8);
        assert_eq!(values.bytes, coefficients.bytes + 8.0 * ELEMENTS * 0.25 * 4.0);
    }

    #[test]
    fn trees_count_permutations() {
        let leaves = 1024.0;
        assert_eq!(permutations(HashFn::Keccak256, 8, 10), 2.0 * leaves - 1.0);
        assert_eq!(permutations(HashFn::Keccak256, 17, 10), 3.0 * leaves - 1.0);
        assert_eq!(permutations(HashFn::Poseidon2, 8, 10), 3.0 * leaves - 1.0);
        assert_eq!(merkle::<Goldilocks3>(HashFn::Keccak256, 8, 10).bytes, 64.0 * leaves + 32.0 * (leaves / 4.0 - 1.0));
        assert_eq!(merkle::<Goldilocks3>(HashFn::Poseidon2, 4, 0).products, 344.0 * 14.0 / 19.0);
        assert_eq!(permutations(HashFn::Blake2s, 16, 10), 2.0 * leaves - 1.0);
        assert_eq!(permutations(HashFn::Blake2s, 17, 10), 3.0 * leaves - 1.0);
    }

    #[test]
    fn searches_count_what_was_tried() {
        assert_eq!(search(HashFn::Keccak256, 0).keccak, 1.0);
        assert_eq!(search(HashFn::Keccak256, 1 << 33).keccak, 8589934593.0);
        assert_eq!(search(HashFn::Blake2s, (1 << 20) - 1).blake2s, f64::from(1 << 20));
        // After the last low word comes the next high one.
        assert_eq!(search(HashFn::Blake2s, 1 << 32).blake2s, f64::from((1 << 20) + 1));
    }

    #[test]
    fn elements_of_the_circle_are_half_as_long() {
        assert_eq!(ntt::<CircleStark>(16, 24, 8).bytes, 3.0 * 2.0 * 4.0 * ELEMENTS);
        assert_eq!(ntt::<CircleStark>(16, 24, 8).products, 12.0 * ELEMENTS);
        assert_eq!(fold::<CircleStark>(10).bytes, 6.0 * 4.0 * 1024.0);
        assert_eq!(merkle::<CircleStark>(HashFn::Blake2s, 64, 10).bytes, 256.0 * 1024.0 + 32.0 * 255.0);
        assert_eq!(merkle::<CircleStark>(HashFn::Blake2s, 64, 10).blake2s, 5.0 * 1024.0 - 1.0);
    }
}
