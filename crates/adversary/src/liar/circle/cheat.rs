//! Where a prover can depart from the protocol.

use circle_proof::{CircleOptions, Proof};
use field::QM31;

use super::identity::{Identity, PointSamples, Samples};
use super::words::Table;

/// A draw from the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Elements of the AIR, after the root of the main tree.
    Elements,
    /// The weight of the constraints, after the root of the interaction tree.
    Alpha,
    /// The out-of-domain point, after the root of the composition tree.
    Point,
    /// The weight of the quotients, after the out-of-domain values.
    Beta,
    /// The factor of the first fold, after the root of the first layer.
    Fold,
    /// The queries, after the last layer.
    Queries,
}

/// Where a prover departs from the protocol. Words are on the common domain in storage order.
pub trait Cheat {
    /// The options of the work; the options that the proof names are mixed.
    fn options(&mut self, _options: &mut CircleOptions) {}
    /// Whether something is drawn before that is mixed which it must depend on: zeros are mixed in its place.
    fn is_early(&self, _round: Round) -> bool {
        false
    }
    /// The words of the main columns, before they are committed.
    fn main(&mut self, _words: &mut Table) {}
    /// How often each layer is folded.
    fn folds(&mut self, _steps: &mut Vec<u32>) {}
    /// The claimed sums of the finished proof.
    fn claim(&mut self, _sums: &mut Vec<QM31>) {}
    /// The statement's words, before they are mixed.
    fn words(&mut self, _words: &mut Vec<u32>) {}
    /// The preprocessed columns by row.
    fn preprocessed(&mut self, _columns: &mut Table) {}
    /// The claimed sums and the interaction columns by row, before they are mixed and committed.
    fn interaction(&mut self, _sums: &mut Vec<QM31>, _columns: &mut Table) {}
    /// The eight words of the composition, before they are committed; `all` is the sum of the constraints, divided.
    fn composition(&mut self, _all: &[QM31], _halves: &mut Table) {}
    /// The out-of-domain values, before they are mixed.
    fn out_of_domain(&mut self, _identity: &Identity<'_>, _values: &mut Samples) {}
    /// The words of the composition, once the point is known, and whether they changed: then the proof has the root of
    /// these, and the transcript that from before.
    fn at_point(&mut self, _identity: &Identity<'_>, _values: &Samples, _halves: &mut Table) -> bool {
        false
    }
    /// The claimed sums, once everything is known that they enter: the transcript has the earlier ones. `missing` is
    /// what the claimed composition lacks with other sums.
    fn after_point(&mut self, _missing: &dyn Fn(&[QM31]) -> QM31, _sums: &mut Vec<QM31>) {}
    /// The out-of-domain values, once the weight of the quotients is known: the transcript has the earlier ones.
    fn after_beta(&mut self, _beta: QM31, _identity: &Identity<'_>, _values: &mut Samples) {}
    /// The samples that the quotient is made of; the verifier makes it of the claimed values at the right points.
    fn samples(&mut self, _samples: &mut PointSamples) {}
    /// A layer of FRI, before it is committed: 0 is the quotient.
    fn layer(&mut self, _layer: usize, _word: &mut Vec<QM31>) {}
    /// Whether leaves hold four values where the protocol has one, and one where it has four.
    fn packs_otherwise(&self) -> bool {
        false
    }
    /// The factor with which a layer is folded.
    fn factor(&mut self, _layer: usize, alpha: QM31) -> QM31 {
        alpha
    }
    /// All coefficients of the last layer in natural order; the first of them are taken.
    fn last(&mut self, _coefficients: &mut Vec<QM31>) {}
    /// The first nonce that may be tried.
    fn first_nonce(&mut self) -> u64 {
        0
    }
    /// Whether to look for one that does not do the work.
    fn is_lazy(&self) -> bool {
        false
    }
    /// The positions to open.
    fn positions(&mut self, _positions: &mut Vec<usize>) {}
    /// The whole proof.
    fn finish(&mut self, _proof: &mut Proof) {}
}

/// Follows the protocol.
pub struct Honest;
impl Cheat for Honest {}
