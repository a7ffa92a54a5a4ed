//! Words: values on the common domain in storage order; polynomials, and trees over words. Plain host code from the
//! text of the protocol, which shares nothing with the prover of this workspace but indices of points.

use field::circle::{CanonicDomain, CirclePoint, Coset, coset_row_to_storage, lift_index};
use field::{ExtensionField, Field, M31, QM31, bit_reverse};
use gpu_hal::{Digest, HashFn};

/// Columns, each a list of values.
pub type Table = Vec<Vec<M31>>;

/// The divisor of a pair in each layer of a transform, by layer and block: of a circle domain, `y`, then `x` and its
/// doublings.
fn circle_twiddle(log_size: u32) -> impl Fn(u32, usize) -> M31 {
    let domain = CanonicDomain::new(log_size);
    move |layer, block| {
        let point = domain.at_storage(block << (layer + 1));
        if layer == 0 { point.y } else { CirclePoint::repeated_double_x(point.x, layer - 1) }
    }
}

/// The same of a line domain: `x` and its doublings.
fn line_twiddle(log_size: u32) -> impl Fn(u32, usize) -> M31 {
    move |layer, block| CirclePoint::repeated_double_x(line_x(log_size, block << (layer + 1)), layer)
}

/// The point of a line domain at a storage index.
fn line_x(log_size: u32, index: usize) -> M31 {
    Coset::half_odds(log_size).at(bit_reverse(index, log_size)).x
}

fn inverse(value: M31) -> M31 {
    value.inverse().expect("no point of a domain is on an axis")
}

fn interpolate<E: ExtensionField<M31>>(values: &[E], twiddle: impl Fn(u32, usize) -> M31) -> Vec<E> {
    let (mut values, log_size) = (values.to_vec(), values.len().ilog2());
    for layer in 0..log_size {
        for (block, pairs) in values.chunks_mut(2 << layer).enumerate() {
            let divisor = inverse(twiddle(layer, block));
            let (low, high) = pairs.split_at_mut(1 << layer);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, (*a - *b) * divisor);
            }
        }
    }
    // 2^(31 - n) is the inverse of 2^n.
    let scale = M31::new(1 << (31 - log_size));
    values.into_iter().map(|value| value * scale).collect()
}

/// Coefficients of the function on `D_n` with these values.
///
/// # Panics
/// If there is no power of two of them.
pub fn coefficients<E: ExtensionField<M31>>(values: &[E]) -> Vec<E> {
    interpolate(values, circle_twiddle(values.len().ilog2()))
}

/// Coefficients of the function on a line domain with these values.
pub(super) fn line_coefficients(values: &[QM31]) -> Vec<QM31> {
    interpolate(values, line_twiddle(values.len().ilog2()))
}

/// The values on `D_n` of a function with at most `2^n` coefficients.
pub fn evaluate<E: ExtensionField<M31>>(coefficients: &[E], log_size: u32) -> Vec<E> {
    let (mut values, twiddle) = (coefficients.to_vec(), circle_twiddle(log_size));
    values.resize(1 << log_size, E::ZERO);
    for layer in (0..log_size).rev() {
        for (block, pairs) in values.chunks_mut(2 << layer).enumerate() {
            let factor = twiddle(layer, block);
            let (low, high) = pairs.split_at_mut(1 << layer);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b * factor, *a - *b * factor);
            }
        }
    }
    values
}

/// A function with these coefficients at a point.
pub fn at(coefficients: &[M31], point: CirclePoint<QM31>) -> QM31 {
    let mut values: Vec<QM31> = coefficients.iter().map(|&value| value.into()).collect();
    let (mut factor, mut x) = (point.y, point.x);
    while values.len() > 1 {
        values = values.chunks_exact(2).map(|pair| pair[0] + factor * pair[1]).collect();
        (factor, x) = (x, CirclePoint::double_x(x));
    }
    values[0]
}

/// The word of a column: extended from its rows, however many there are, by the blowup, then lifted.
pub fn extend(rows: &[M31], log_blowup: u32, log_domain: u32) -> Vec<M31> {
    let log_rows = rows.len().ilog2();
    let mut stored = vec![M31::ZERO; rows.len()];
    rows.iter().enumerate().for_each(|(row, &value)| stored[coset_row_to_storage(row, log_rows)] = value);
    let log_size = log_rows + log_blowup;
    let extended = evaluate(&coefficients(&stored), log_size);
    (0..1 << log_domain).map(|index| extended[lift_index(index, log_size, log_domain)]).collect()
}

/// One fold by two of a layer; the first layer is on the circle.
pub fn fold(word: &[QM31], alpha: QM31, is_first: bool) -> Vec<QM31> {
    let log_size = word.len().ilog2();
    let coordinate = |index: usize| {
        if is_first { CanonicDomain::new(log_size).at_storage(index).y } else { line_x(log_size, index) }
    };
    let pairs = word.chunks_exact(2).enumerate();
    pairs.map(|(i, pair)| pair[0] + pair[1] + alpha * ((pair[0] - pair[1]) * inverse(coordinate(2 * i)))).collect()
}

/// A Merkle tree, leaves first.
pub(super) struct Tree(Vec<Vec<Digest>>);

impl Tree {
    /// The tree whose leaf `i` hashes `values(i)`.
    pub(super) fn new(hash: HashFn, height: u32, values: impl Fn(usize) -> Vec<M31>) -> Self {
        let mut levels = vec![(0..1 << height).map(|index| hash.leaf(values(index))).collect::<Vec<_>>()];
        for level in 0..height as usize {
            let nodes = levels[level].chunks_exact(2);
            levels.push(nodes.map(|pair| hash.parent(&pair[0], &pair[1]).expect("two digests")).collect());
        }
        Self(levels)
    }

    /// A tree without columns.
    pub(super) fn empty(root: Digest) -> Self {
        Self(vec![vec![root]])
    }

    pub(super) fn root(&self) -> Digest {
        self.0[self.0.len() - 1][0]
    }

    pub(super) fn height(&self) -> u32 {
        self.0.len() as u32 - 1
    }

    /// The siblings that opening these leaves takes; ascending, maybe repeated.
    pub(super) fn siblings(&self, leaves: &[usize]) -> Vec<Digest> {
        let (mut siblings, mut nodes) = (Vec::new(), leaves.to_vec());
        for level in &self.0[..self.0.len() - 1] {
            nodes.dedup();
            let alone = nodes.iter().filter(|&&node| nodes.binary_search(&(node ^ 1)).is_err());
            siblings.extend(alone.map(|&node| level[node ^ 1]));
            nodes.iter_mut().for_each(|node| *node >>= 1);
        }
        siblings
    }
}
