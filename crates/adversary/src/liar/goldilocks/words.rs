//! Words on a coset in natural order, and trees over them: plain host code, quadratic where that is simpler.

use std::iter::successors;

use field::{ExtensionField, Field, Fp3, Goldilocks, TwoAdicField, bit_reverse, powers};
use goldilocks_proof::merkle::leaf_digest;
use goldilocks_proof::{HashFn, Opening, Path};
use gpu_hal::Digest;

/// Columns, each a list of values.
pub type Table<E> = Vec<Vec<E>>;

/// A coset in natural order.
#[derive(Clone, Copy)]
pub struct Domain {
    /// Its first point.
    pub shift: Goldilocks,
    /// Log2 of its points.
    pub log_size: u32,
}

impl Domain {
    /// Number of points.
    pub fn size(self) -> usize {
        1 << self.log_size
    }

    /// The points.
    pub fn points(self) -> impl Iterator<Item = Goldilocks> {
        powers(Goldilocks::two_adic_generator(self.log_size)).take(self.size()).map(move |power| power * self.shift)
    }

    /// Storage index to natural index.
    pub fn natural(self, index: usize) -> usize {
        bit_reverse(index, self.log_size)
    }

    /// The polynomial of degree below the size with these values.
    ///
    /// # Panics
    /// Never: no point is zero.
    pub fn coefficients<E: ExtensionField<Goldilocks>>(self, values: &[E]) -> Vec<E> {
        let inverse = |x: Goldilocks| x.inverse().expect("no point is zero");
        let root = inverse(Goldilocks::two_adic_generator(self.log_size));
        let scale = inverse(Goldilocks::new(self.size() as u64));
        powers(root)
            .zip(powers(inverse(self.shift)))
            .take(self.size())
            .map(|(step, shift)| {
                let sum = values.iter().zip(powers(step)).fold(E::ZERO, |sum, (&value, power)| sum + value * power);
                sum * (scale * shift)
            })
            .collect()
    }

    /// The polynomial on this domain.
    pub fn evaluate<E: ExtensionField<Goldilocks>>(self, coefficients: &[E]) -> Vec<E> {
        self.points().map(|x| coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * x + c)).collect()
    }
}

/// The value of a polynomial.
pub fn at<E: ExtensionField<Goldilocks> + Into<Fp3>>(coefficients: &[E], point: Fp3) -> Fp3 {
    coefficients.iter().rev().fold(Fp3::ZERO, |sum, &c| sum * point + c.into())
}

/// A Merkle tree, leaves first.
pub(super) struct Tree(Vec<Vec<Digest>>);

impl Tree {
    pub(super) fn new(hash: HashFn, leaves: Vec<Digest>) -> Self {
        let node = |pair: &[Digest]| hash.parent(&pair[0], &pair[1]).expect("digests of this function");
        let up = |level: &Vec<Digest>| (level.len() > 1).then(|| level.chunks_exact(2).map(node).collect());
        Self(successors(Some(leaves), up).collect())
    }

    pub(super) fn root(&self) -> Digest {
        self.0[self.0.len() - 1][0]
    }

    pub(super) fn path(&self, leaf: usize) -> Path {
        self.0[..self.0.len() - 1].iter().enumerate().map(|(level, nodes)| nodes[(leaf >> level) ^ 1]).collect()
    }
}

/// A tree over the columns, with as many points to a leaf, in storage order.
pub(super) fn commit<E: ExtensionField<Goldilocks>>(
    hash: HashFn,
    domain: Domain,
    columns: &[Vec<E>],
    points: usize,
) -> Tree {
    let row = |index: usize| columns.iter().map(move |column| column[domain.natural(index)]);
    let leaf = |leaf: usize| {
        let values: Vec<E> = (0..points).flat_map(|k| row(leaf * points + k)).collect();
        leaf_digest(hash, &values)
    };
    Tree::new(hash, (0..domain.size() / points).map(leaf).collect())
}

/// Both points of a query.
pub(super) fn opening<E: ExtensionField<Goldilocks>>(
    domain: Domain,
    columns: &[Vec<E>],
    query: usize,
    path: Path,
    path_sym: Path,
) -> Opening<E> {
    let row = |index: usize| columns.iter().map(|column| column[domain.natural(index)]).collect();
    Opening { path, path_sym, evaluations: row(2 * query), evaluations_sym: row(2 * query + 1) }
}

/// `(p(x) + p(-x)) + zeta (p(x) - p(-x))/x`.
///
/// # Panics
/// If x is zero.
pub fn fold_pair(at_x: Fp3, at_minus_x: Fp3, x: Goldilocks, zeta: Fp3) -> Fp3 {
    (at_x + at_minus_x) + zeta * ((at_x - at_minus_x) * x.inverse().expect("no point is zero"))
}

/// One fold of a word.
pub fn fold(domain: Domain, word: &[Fp3], zeta: Fp3) -> (Domain, Vec<Fp3>) {
    let (low, high) = word.split_at(word.len() / 2);
    let folded = domain.points().zip(low.iter().zip(high)).map(|(x, (&p, &q))| fold_pair(p, q, x, zeta)).collect();
    (Domain { shift: domain.shift.square(), log_size: domain.log_size - 1 }, folded)
}
