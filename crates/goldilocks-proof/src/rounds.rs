//! The order of all that the transcript absorbs and of all that is drawn from it (sections 6 to 9) in proofs of
//! [`Format::Lambdaworks`]: the one place that says so, for the prover and for the verifier.
//!
//! Each round consumes the state and returns the next, so no round can be left out, repeated or moved.
//!
//! | state | step | absorbed | drawn |
//! |---|---|---|---|
//! | | [`Main::begin`] | the seed | |
//! | [`Main`] | [`Main::challenges`] | root of the main tree | challenges of the AIR |
//! | [`Auxiliary`] | [`Auxiliary::beta`] | root of the auxiliary tree, if there is one | weight of the constraints |
//! | [`Composition`] | [`Composition::point`] | root of the composition tree | out-of-domain point |
//! | [`OutOfDomain`] | [`OutOfDomain::gamma`] | values at the point | weight of the DEEP terms |
//! | [`Folding`] | [`Folding::zeta`], for each fold | | factor of the fold |
//! | [`Folded`] | [`Folded::layer`], after each fold but the last | root of the layer | |
//! | [`Folded`] | [`Folded::last`] | the last value | |
//! | [`ProofOfWork`] | [`ProofOfWork::queries`] | the nonce, if there is one | query indices |

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::{Digest, NonceSearch};

use crate::transcript::Transcript;
use crate::{Format, ProofOptions, grinding};

/// The transcript, and the sizes that its draws depend on.
#[derive(Clone, Debug)]
struct State {
    transcript: Transcript,
    options: ProofOptions,
    log_trace: u32,
}

/// The main columns are to be committed.
#[derive(Clone, Debug)]
pub struct Main(State);

impl Main {
    /// A fresh transcript that has absorbed the seed.
    pub fn begin(seed: &[u8], options: &ProofOptions, log_trace: u32) -> Self {
        let Format::Lambdaworks = options.suite.format();
        Self(State { transcript: Transcript::new(seed), options: *options, log_trace })
    }

    /// Absorbs the root of the main tree and draws the challenges of the AIR.
    pub fn challenges<E: ExtensionField<Goldilocks>>(mut self, root: &Digest, count: usize) -> (Auxiliary, Vec<E>) {
        self.0.transcript.append_bytes(root);
        let challenges = (0..count).map(|_| self.0.transcript.sample_element()).collect();
        (Auxiliary(self.0), challenges)
    }
}

/// The auxiliary columns are to be committed.
#[derive(Clone, Debug)]
pub struct Auxiliary(State);

impl Auxiliary {
    /// Absorbs the root of the auxiliary tree, if there is one, and draws beta, whose powers weigh the constraints.
    pub fn beta<E: ExtensionField<Goldilocks>>(mut self, root: Option<&Digest>) -> (Composition, E) {
        if let Some(root) = root {
            self.0.transcript.append_bytes(root);
        }
        let beta = self.0.transcript.sample_element();
        (Composition(self.0), beta)
    }
}

/// The composition parts are to be committed.
#[derive(Clone, Debug)]
pub struct Composition(State);

impl Composition {
    /// Absorbs the root of the composition tree and draws the out-of-domain point.
    pub fn point<E: ExtensionField<Goldilocks>>(mut self, root: &Digest) -> (OutOfDomain, E) {
        let State { transcript, options, log_trace } = &mut self.0;
        transcript.append_bytes(root);
        let z = transcript.sample_out_of_domain(*log_trace, options.log_lde(*log_trace), options.offset());
        (OutOfDomain(self.0), z)
    }
}

/// The columns are to be evaluated at the point.
#[derive(Clone, Debug)]
pub struct OutOfDomain(State);

impl OutOfDomain {
    /// Absorbs the values of the AIR's `width` trace columns, given row by row, column by column, and the values of the
    /// parts; draws gamma, whose powers weigh the DEEP terms.
    pub fn gamma<E: ExtensionField<Goldilocks>>(mut self, width: usize, frame: &[E], parts: &[E]) -> (Folding, E) {
        for column in 0..width {
            for value in frame.iter().skip(column).step_by(width) {
                self.0.transcript.append_element(value);
            }
        }
        parts.iter().for_each(|value| self.0.transcript.append_element(value));
        let gamma = self.0.transcript.sample_element();
        (Folding(self.0), gamma)
    }
}

/// A layer is to be folded.
#[derive(Clone, Debug)]
pub struct Folding(State);

impl Folding {
    /// Draws the factor of the fold.
    pub fn zeta<E: ExtensionField<Goldilocks>>(mut self) -> (Folded, E) {
        let zeta = self.0.transcript.sample_element();
        (Folded(self.0), zeta)
    }
}

/// A folded layer is to be committed, or given as a value if it is the last.
#[derive(Clone, Debug)]
pub struct Folded(State);

impl Folded {
    /// Absorbs the root of the layer's tree.
    pub fn layer(mut self, root: &Digest) -> Folding {
        self.0.transcript.append_bytes(root);
        Folding(self.0)
    }

    /// Absorbs the value of the last layer.
    pub fn last<E: ExtensionField<Goldilocks>>(mut self, value: &E) -> ProofOfWork {
        self.0.transcript.append_element(value);
        ProofOfWork(self.0)
    }
}

/// A nonce is to be found, if the options ask for work.
#[derive(Clone, Debug)]
pub struct ProofOfWork(State);

impl ProofOfWork {
    /// The search for a nonce.
    pub fn search(&self) -> NonceSearch {
        grinding::search(&self.0.transcript.state(), self.0.options.grinding)
    }

    /// Absorbs the nonce, if there is one, and draws the query indices, below half the points of the LDE domain; some
    /// may be equal.
    pub fn queries(mut self, nonce: Option<u64>) -> Vec<u64> {
        let State { transcript, options, log_trace } = &mut self.0;
        if let Some(nonce) = nonce {
            transcript.append_bytes(&nonce.to_be_bytes());
        }
        let half = 1 << (options.log_lde(*log_trace) - 1);
        (0..options.queries).map(|_| transcript.sample_u64(half)).collect()
    }
}
