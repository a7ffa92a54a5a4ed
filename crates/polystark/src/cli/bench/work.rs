//! What an operation must move and compute at least, whoever does it. The formulas are in docs/benchmarks.md, "Floors: formulas".

use std::collections::BTreeSet;
use std::ops::Add;

use polystark::Goldilocks3;
use polystark::HashFn;
use polystark::hal::{Combination, ConstraintProgram, Kind, Op, Protocol};

/// Bytes of an element and of a digest.
pub(super) const ELEMENT: u64 = 8;
pub(super) const DIGEST: u64 = 32;
/// Base columns of a column over the extension.
pub(super) const DEGREE: u64 = <Goldilocks3 as Protocol>::DEGREE as u64;

/// Costs in products of the base field, by the instructions that they take on a GPU: 19 a product, 142 a product of the extension,
/// about half a product for one that is added to an unreduced sum.
const EXT_PRODUCT: f64 = 142.0 / 19.0;
const MAC: f64 = 0.5;
/// Levels that a radix-16 butterfly does by shifts alone.
const SHIFT_LEVELS: u32 = 4;
/// Poseidon2 of width 8: 8 full rounds of 8 S-boxes, 22 partial rounds of one, four products each; of 14 instructions, as what lies
/// between need not be canonical.
const POSEIDON2_PRODUCTS: f64 = 344.0 * 14.0 / 19.0;
/// Lowest levels of a tree that an opening can make again from the rows.
const TREE_LEVELS: u32 = 3;
/// Elements between two permutations.
const KECCAK_RATE: u64 = 17;
const POSEIDON2_RATE: u64 = 4;

/// The least work of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Bytes read from and written to the device's memory.
    pub(super) bytes: f64,
    /// Bytes between host and device.
    pub(super) link_bytes: f64,
    /// Products of the base field.
    pub(super) products: f64,
    /// Permutations Keccak-f[1600].
    pub(super) keccak: f64,
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            link_bytes: self.link_bytes + other.link_bytes,
            products: self.products + other.products,
            keccak: self.keccak + other.keccak,
        }
    }
}

fn table(width: u64, log_height: u32) -> f64 {
    width as f64 * rows(log_height)
}

fn rows(log_height: u32) -> f64 {
    2f64.powi(log_height as i32)
}

/// How often a transform of `2^log` points reads and writes its column, `levels` levels at a time.
fn passes(log: u32, levels: u32) -> f64 {
    f64::from(log.div_ceil(levels).max(1))
}

/// Products an element: twiddles between two groups of levels that shifts do.
fn twiddles(log: u32) -> f64 {
    f64::from(log.div_ceil(SHIFT_LEVELS).saturating_sub(1))
}

/// Between host and device.
pub(super) fn transfer(width: u64, log_height: u32) -> Work {
    Work { link_bytes: ELEMENT as f64 * table(width, log_height), ..Work::default() }
}

/// Reading one table and writing another.
pub(super) fn copy(elements_read: f64, elements_written: f64) -> Work {
    Work { bytes: ELEMENT as f64 * (elements_read + elements_written), ..Work::default() }
}

/// A transform in place; `levels` as in [`super::floor::Machine`].
pub(super) fn ntt(width: u64, log: u32, levels: u32) -> Work {
    let elements = table(width, log);
    Work { products: elements * twiddles(log), ..copy(elements * passes(log, levels), elements * passes(log, levels)) }
}

/// An extension; from values, the last pass of the inverse is the first of the forward transform.
pub(super) fn lde(width: u64, log_from: u32, log_to: u32, from_values: bool, levels: u32) -> Work {
    let (small, large) = (table(width, log_from), table(width, log_to));
    let first = copy(small, large);
    let later = (passes(log_to, levels) - 1.0) * large;
    // The power of the shift that every coefficient is multiplied by.
    let forward = Work { products: small + large * twiddles(log_to), ..copy(later, later) } + first;
    if !from_values {
        return forward;
    }
    let earlier = (passes(log_from, levels) - 1.0) * small;
    forward + Work { products: small * twiddles(log_from), ..copy(earlier, earlier) }
}

/// A tree over leaves of `elements` elements; the digests of its lowest levels need not be kept.
pub(super) fn merkle(hash: HashFn, elements: u64, log_leaves: u32) -> Work {
    let leaves = rows(log_leaves);
    let kept = 2.0 * rows(log_leaves.saturating_sub(TREE_LEVELS)) - 1.0;
    let bytes = ELEMENT as f64 * elements as f64 * leaves + DIGEST as f64 * kept;
    let permutations = permutations(hash, elements, log_leaves);
    match hash {
        HashFn::Poseidon2 => Work { bytes, products: permutations * POSEIDON2_PRODUCTS, ..Work::default() },
        _ => Work { bytes, keccak: permutations, ..Work::default() },
    }
}

/// Permutations of a tree: those of the leaves and one a node above them.
pub(super) fn permutations(hash: HashFn, elements: u64, log_leaves: u32) -> f64 {
    let leaf = match hash {
        HashFn::Poseidon2 => elements.div_ceil(POSEIDON2_RATE),
        // The padding takes a byte at least.
        _ => elements / KECCAK_RATE + 1,
    };
    rows(log_leaves) * (leaf as f64 + 1.0) - 1.0
}

/// Values of `width` base columns of `2^log` rows at `points` points.
pub(super) fn eval_at(width: u64, log: u32, points: u64, from_values: bool) -> Work {
    // A weight is a power of the point; of values x/(z - x), inverted in batches: three products and the one by x.
    let weight = if from_values { 3.0 * EXT_PRODUCT + DEGREE as f64 } else { EXT_PRODUCT };
    let products = points as f64 * rows(log) * (weight + (width * DEGREE) as f64 * MAC);
    Work { products, ..copy(table(width, log), 0.0) }
}

/// The DEEP quotient of `width` base columns; `weights` over all `terms`.
pub(super) fn deep(width: u64, log: u32, weights: u64, terms: u64) -> Work {
    // A term: three products of the inversion in batches, one by the sum.
    let row = (weights * DEGREE) as f64 * MAC + terms as f64 * 4.0 * EXT_PRODUCT;
    Work { products: rows(log) * row, ..copy(table(width, log), table(DEGREE, log)) }
}

/// A fold of `2^log` values to half as many.
pub(super) fn fold(log: u32) -> Work {
    let folded = rows(log) / 2.0;
    Work { products: folded * (EXT_PRODUCT + DEGREE as f64), ..copy(table(DEGREE, log), DEGREE as f64 * folded) }
}

/// A search that succeeds at `nonce`, the first.
pub(super) fn grind(nonce: u64) -> Work {
    Work { keccak: nonce as f64 + 1.0, ..Work::default() }
}

/// Running columns: `columns` of them over the outputs of a program on `2^log` rows.
pub(super) fn running(program: &ConstraintProgram<Goldilocks3>, columns: u64, log: u32) -> Work {
    // Inversion in batches, the ratio, the scan.
    let row = row_products(program) + columns as f64 * 5.0 * EXT_PRODUCT;
    Work { products: rows(log) * row, ..copy(loaded(program) as f64 * rows(log), table(DEGREE * columns, log)) }
}

/// A linear recurrence of an order as a column.
pub(super) fn recurrence(order: u64, log: u32) -> Work {
    Work { products: order as f64 * rows(log), ..copy(0.0, rows(log)) }
}

/// Outputs of a program as base columns.
pub(super) fn map(program: &ConstraintProgram<Goldilocks3>, outputs: u64, log: u32) -> Work {
    let read = loaded(program) as f64 * rows(log);
    Work { products: rows(log) * row_products(program), ..copy(read, table(outputs, log)) }
}

/// A combination of a program's outputs on `2^log` points.
pub(super) fn constraint_eval(
    program: &ConstraintProgram<Goldilocks3>,
    combination: &Combination<Goldilocks3>,
    log: u32,
) -> Work {
    let weighted: f64 = combination
        .groups
        .iter()
        .flat_map(|group| &group.terms)
        .map(|(output, _)| match program.nodes()[program.outputs()[*output].index()].kind {
            Kind::Base => DEGREE as f64 * MAC,
            Kind::Ext => (DEGREE * DEGREE) as f64 * MAC,
        })
        .sum();
    let row = row_products(program) + weighted + (combination.groups.len() as u64 * DEGREE) as f64;
    Work { products: rows(log) * row, ..copy(loaded(program) as f64 * rows(log), table(DEGREE, log)) }
}

/// Products of a row of a program; sums are not counted.
fn row_products(program: &ConstraintProgram<Goldilocks3>) -> f64 {
    let kind = |node: &polystark::hal::NodeId| program.nodes()[node.index()].kind;
    let product = |op: &Op<Goldilocks3>| match op {
        Op::Mul(a, b) => match (kind(a), kind(b)) {
            (Kind::Base, Kind::Base) => 1.0,
            (Kind::Ext, Kind::Ext) => EXT_PRODUCT,
            _ => DEGREE as f64,
        },
        _ => 0.0,
    };
    program.nodes().iter().map(|node| product(&node.op)).sum()
}

/// Base columns that a program reads, each once: at another row offset they are read by another row too.
fn loaded(program: &ConstraintProgram<Goldilocks3>) -> u64 {
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
        Kind::Ext => DEGREE,
    };
    columns.iter().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^28 elements.
    const ELEMENTS: f64 = (1u64 << 28) as f64;

    #[test]
    fn transforms_take_whole_passes() {
        let three = ntt(16, 24, 8);
        assert_eq!(three.bytes, 3.0 * 2.0 * 8.0 * ELEMENTS);
        assert_eq!(three.products, 5.0 * ELEMENTS);
        assert_eq!(ntt(256, 20, 8).bytes, three.bytes);
        assert_eq!(ntt(1, 3, 8).bytes, 2.0 * 8.0 * 8.0);
        assert_eq!(ntt(1, 16, 16).bytes, 2.0 * 8.0 * 65536.0);
    }

    #[test]
    fn an_extension_reads_only_what_is_there() {
        let coefficients = lde(64, 20, 22, false, 8);
        // A quarter read, all written, then two passes.
        assert_eq!(coefficients.bytes, 8.0 * ELEMENTS * (0.25 + 1.0 + 4.0));
        let values = lde(64, 20, 22, true, 8);
        assert_eq!(values.bytes, coefficients.bytes + 8.0 * ELEMENTS * 0.25 * 4.0);
    }

    #[test]
    fn trees_count_permutations() {
        let leaves = 1024.0;
        assert_eq!(permutations(HashFn::Keccak256, 8, 10), 2.0 * leaves - 1.0);
        assert_eq!(permutations(HashFn::Keccak256, 17, 10), 3.0 * leaves - 1.0);
        assert_eq!(permutations(HashFn::Poseidon2, 8, 10), 3.0 * leaves - 1.0);
        assert_eq!(merkle(HashFn::Keccak256, 8, 10).bytes, 64.0 * leaves + 32.0 * (leaves / 4.0 - 1.0));
        assert_eq!(merkle(HashFn::Poseidon2, 4, 0).products, 344.0 * 14.0 / 19.0);
    }
}
