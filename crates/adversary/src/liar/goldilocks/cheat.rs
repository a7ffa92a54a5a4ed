//! Where a prover can depart from the protocol.

use field::{Field, Fp3, Goldilocks};
use goldilocks_proof::{HashFn, Proof};

use super::identity::{Cubic, Identity};
use super::words::{Domain, Table, fold_pair};

/// A draw from the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Challenges of the AIR, after the root of the main tree.
    Challenges,
    /// The weight of the constraints, after the root of the auxiliary tree, or of the main tree where there is none.
    Beta,
    /// The out-of-domain point, after the root of the composition tree.
    Point,
    /// The weight of the DEEP terms, after the out-of-domain values.
    Gamma,
    /// The factor of the second fold, after the root of the first layer.
    Zeta,
    /// The queries, after the last value and the nonce.
    Queries,
}

/// The values that the verifier will know when it looks at the queries.
pub struct Drawn {
    /// Challenges of the AIR.
    pub challenges: Vec<Fp3>,
    /// Weighs the constraints.
    pub beta: Fp3,
    /// The out-of-domain point.
    pub z: Fp3,
    /// The factor of each fold.
    pub zetas: Vec<Fp3>,
    /// The positions to open.
    pub queries: Vec<u64>,
    /// The DEEP quotient that it will rebuild, on the LDE domain.
    pub quotient: Vec<Fp3>,
    /// The LDE domain.
    pub domain: Domain,
}

/// Where a prover departs from the protocol. All words are on their domain in natural order.
pub trait Cheat {
    /// The public inputs that go into the default seed.
    fn public_inputs(&mut self, _inputs: &mut Vec<Goldilocks>) {}
    /// The LDE domain that is worked on; the options name another one.
    fn domain(&mut self, domain: Domain) -> Domain {
        domain
    }
    /// The function of the trees.
    fn hash(&mut self, hash: HashFn) -> HashFn {
        hash
    }
    /// Whether something is drawn before that is absorbed which it must depend on.
    fn is_early(&self, _round: Round) -> bool {
        false
    }
    /// The auxiliary columns by row, before they are extended.
    fn auxiliary(&mut self, _columns: &mut Table<Fp3>) {}
    /// The main columns on the LDE domain, before they are committed.
    fn main(&mut self, _domain: Domain, _columns: &mut Table<Goldilocks>) {}
    /// The composition parts on the LDE domain, before they are committed; `all` is the whole composition there.
    fn composition(&mut self, _domain: Domain, _all: &[Fp3], _parts: &mut Table<Fp3>) {}
    /// The out-of-domain values, before they are absorbed.
    fn out_of_domain(&mut self, _identity: &Identity<'_>, _frame: &mut Table<Fp3>, _parts: &mut Vec<Fp3>) {}
    /// The main columns and the parts on the LDE domain, once z is known, and whether they changed: then the proof has
    /// the roots of these, and the transcript the earlier ones. `frame` has the columns' values at the points.
    fn at_point(
        &mut self,
        _identity: &Identity<'_>,
        _domain: Domain,
        _frame: &dyn Fn(&Table<Goldilocks>) -> Table<Fp3>,
        _main: &mut Table<Goldilocks>,
        _parts: &mut Table<Fp3>,
    ) -> bool {
        false
    }
    /// The out-of-domain values, once gamma is known: the transcript has the earlier ones.
    fn after_gamma(&mut self, _gamma: Fp3, _identity: &Identity<'_>, _frame: &mut Table<Fp3>, _parts: &mut Vec<Fp3>) {}
    /// The word that FRI starts from; the verifier will rebuild the quotient itself.
    fn quotient(&mut self, _domain: Domain, _word: &mut Vec<Fp3>) {}
    /// Whether the out-of-domain values are absorbed row by row, and not column by column.
    fn is_by_row(&self) -> bool {
        false
    }
    /// How often the word is folded.
    fn folds(&mut self, log_trace: u32) -> u32 {
        log_trace
    }
    /// The factor of a fold; the transcript gave this one.
    fn factor(&mut self, _fold: u32, zeta: Fp3) -> Fp3 {
        zeta
    }
    /// A layer, from 1, before it is committed.
    fn layer(&mut self, _layer: u32, _word: &mut Vec<Fp3>) {}
    /// Whether to look for a nonce that does not do the work.
    fn is_lazy(&self) -> bool {
        false
    }
    /// The positions to open; they were drawn below half the points.
    fn queries(&mut self, _half: u64, _queries: &mut Vec<u64>) {}
    /// The last value.
    fn last_value(&mut self, word: &[Fp3]) -> Fp3 {
        word[0]
    }
    /// The whole proof, once the queries are known.
    fn finish(&mut self, _proof: &mut Proof<Cubic>, _drawn: &Drawn) {}
}

/// Follows the protocol.
pub struct Honest;
impl Cheat for Honest {}

/// Chooses the opposite values of the last layer so that every query ends in the last value.
///
/// # Panics
/// If the proof has other queries than were drawn.
pub fn end_right(proof: &mut Proof<Cubic>, drawn: &Drawn) {
    let points: Vec<Goldilocks> = drawn.domain.points().collect();
    for (&query, decommitment) in drawn.queries.iter().zip(&mut proof.fri_decommitments) {
        let index = |k: usize| drawn.domain.natural(2 * query as usize + k);
        let mut x = points[index(0)];
        let mut value = fold_pair(drawn.quotient[index(0)], drawn.quotient[index(1)], x, drawn.zetas[0]);
        let layers = decommitment.values.len();
        for (k, opposite) in decommitment.values.iter_mut().enumerate() {
            x = x.square();
            let ratio = drawn.zetas[k + 1] * x.inverse().expect("not zero");
            if k + 1 == layers {
                // last = value (1 + ratio) + opposite (1 - ratio)
                let rest = (Fp3::ONE - ratio).inverse().expect("not one, but with probability 2^-192");
                *opposite = (proof.fri_last_value - value * (Fp3::ONE + ratio)) * rest;
            }
            value = fold_pair(value, *opposite, x, drawn.zetas[k + 1]);
        }
    }
}
