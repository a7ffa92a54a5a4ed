//! The order of all that goes into the channel and is drawn from it (sections 4, 8 to 12 and 17) in proofs of
//! [`Format::Stwo`]: the one place that says so, for the prover and for the verifier.
//!
//! Each round consumes the state and returns the next, so that none can be left out, repeated or moved.
//!
//! | state | step | mixed | drawn |
//! |---|---|---|---|
//! | | [`Committed::begin`] | the statement's own values, configuration, roots of trees 0 and 1: see there | |
//! | [`Committed`] | [`Committed::draw`] | nonce, if the statement asks for work here | elements of the AIR |
//! | [`Interaction`] | [`Interaction::commit`] | with logup: claimed sums, root of tree 2 | |
//! | [`Composition`] | [`Composition::weight`] | | weight of the constraints |
//! | [`OutOfDomain`] | [`OutOfDomain::point`] | root of the composition tree | out-of-domain point |
//! | [`Samples`] | [`Samples::quotients`] | sampled values | weight of the quotients |
//! | [`Folding`] | [`Folding::layer`], for each layer | root of the layer | factor of its folds |
//! | [`Folding`] | [`Folding::last`] | last layer | |
//! | [`ProofOfWork`] | [`ProofOfWork::queries`] | nonce | query positions |

use circle_air::{Mix, Mixes};
use field::circle::CirclePoint;
use field::{M31, QM31};
use gpu_hal::{Digest, NonceSearch};

use crate::channel::Channel;
use crate::{CircleOptions, Format, Suite};

/// A round was given data that the statement does not have, or lacks data that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the statement draws {draws} elements, so there must be {} interaction tree", if *.draws == 0 { "no" } else { "an" })]
pub struct InteractionError {
    /// Elements that the statement draws after tree 1.
    pub draws: usize,
}

/// The statement is mixed, the main trace is committed.
#[derive(Clone, Debug)]
pub struct Committed {
    channel: Box<dyn Channel>,
}

impl Committed {
    /// A fresh channel with, in this order: the statement's mixes before the configuration, the configuration, the
    /// mixes before the root of tree 0, that root, the mixes before the root of tree 1, that root. Both roots are there
    /// even if the trees have no columns.
    pub fn begin(options: &CircleOptions, mixes: &Mixes, preprocessed: Digest, main: Digest) -> Self {
        let Format::Stwo = options.suite.format();
        let mut channel = options.suite.channel();
        let Mixes { before_config, before_preprocessed, before_main } = mixes;
        mix(&mut *channel, options.suite, before_config);
        channel.mix_felts(&configuration(options));
        mix(&mut *channel, options.suite, before_preprocessed);
        channel.mix_root(&preprocessed);
        mix(&mut *channel, options.suite, before_main);
        channel.mix_root(&main);
        Self { channel }
    }

    /// The search for a nonce with `bits` bits of work.
    pub fn nonce_search(&self, bits: u32) -> NonceSearch {
        self.channel.work(bits)
    }

    /// Whether the nonce does that much work.
    pub fn is_valid_nonce(&self, bits: u32, nonce: u64) -> bool {
        self.channel.work(bits).is_work(nonce)
    }

    /// Mixes the nonce, which is there if the statement asks for work, and draws the `draws` elements of the AIR: none
    /// means that there is no tree 2.
    pub fn draw(mut self, nonce: Option<u64>, draws: usize) -> (Interaction, Vec<QM31>) {
        if let Some(nonce) = nonce {
            self.channel.mix_u64(nonce);
        }
        let drawn = self.channel.draw_felts(draws);
        (Interaction { channel: self.channel, draws }, drawn)
    }
}

/// The elements of the AIR are drawn.
#[derive(Clone, Debug)]
pub struct Interaction {
    channel: Box<dyn Channel>,
    draws: usize,
}

impl Interaction {
    /// Mixes the claimed sums, in component order, and the root of tree 2; neither if the AIR draws nothing.
    ///
    /// # Errors
    /// If there is an interaction tree although the AIR draws nothing, or none although it does.
    pub fn commit(mut self, interaction: Option<(&[QM31], Digest)>) -> Result<Composition, InteractionError> {
        if interaction.is_some() != (self.draws > 0) {
            return Err(InteractionError { draws: self.draws });
        }
        if let Some((claimed_sums, root)) = interaction {
            self.channel.mix_felts(claimed_sums);
            self.channel.mix_root(&root);
        }
        Ok(Composition { channel: self.channel })
    }
}

/// All traces are committed. From here on the order is stwo's.
#[derive(Clone, Debug)]
pub struct Composition {
    channel: Box<dyn Channel>,
}

impl Composition {
    /// The state that stwo's verifier starts from. Nothing was drawn since the last root was mixed.
    pub fn digest(&self) -> Digest {
        self.channel.digest()
    }

    /// Draws alpha, whose powers weigh the constraints.
    pub fn weight(mut self) -> (OutOfDomain, QM31) {
        let alpha = self.channel.draw_felt();
        (OutOfDomain { channel: self.channel }, alpha)
    }
}

/// The composition polynomial is to be committed.
#[derive(Clone, Debug)]
pub struct OutOfDomain {
    channel: Box<dyn Channel>,
}

impl OutOfDomain {
    /// Mixes the root of the composition tree and draws z. There is none, with probability `2^-123`, if the parameter t
    /// that was drawn is a root of `1 + t^2`.
    pub fn point(mut self, root: Digest) -> (Samples, Option<CirclePoint<QM31>>) {
        self.channel.mix_root(&root);
        let point = CirclePoint::from_parameter(self.channel.draw_felt());
        (Samples { channel: self.channel }, point)
    }
}

/// The columns are to be sampled.
#[derive(Clone, Debug)]
pub struct Samples {
    channel: Box<dyn Channel>,
}

impl Samples {
    /// Mixes all sampled values, by tree, column and point, and draws beta, whose powers weigh the quotients.
    pub fn quotients(mut self, values: &[QM31]) -> (Folding, QM31) {
        self.channel.mix_felts(values);
        let beta = self.channel.draw_felt();
        (Folding { channel: self.channel }, beta)
    }
}

/// The layers of FRI are to be committed.
#[derive(Clone, Debug)]
pub struct Folding {
    channel: Box<dyn Channel>,
}

impl Folding {
    /// Mixes the root of the next layer and draws the factor of its first fold; the factors of its other folds are its
    /// squares, one after the other.
    pub fn layer(&mut self, root: Digest) -> QM31 {
        self.channel.mix_root(&root);
        self.channel.draw_felt()
    }

    /// Mixes the coefficients of the last layer, in stored order.
    pub fn last(mut self, coefficients: &[QM31]) -> ProofOfWork {
        self.channel.mix_felts(coefficients);
        ProofOfWork { channel: self.channel }
    }
}

/// A nonce is to be found.
#[derive(Clone, Debug)]
pub struct ProofOfWork {
    channel: Box<dyn Channel>,
}

impl ProofOfWork {
    /// The search for a nonce with `bits` bits of work.
    pub fn nonce_search(&self, bits: u32) -> NonceSearch {
        self.channel.work(bits)
    }

    /// Whether the nonce does that much work.
    pub fn is_valid_nonce(&self, bits: u32, nonce: u64) -> bool {
        self.channel.work(bits).is_work(nonce)
    }

    /// Mixes the nonce and draws the positions of the queries on a domain of `2^log_domain` points: ascending, each
    /// once.
    pub fn queries(self, nonce: u64, log_domain: u32, queries: u32) -> Vec<usize> {
        ascending(self.drawn_queries(nonce, log_domain, queries))
    }

    /// As [`Self::queries`], in the order in which they are drawn, with repeats.
    pub fn drawn_queries(mut self, nonce: u64, log_domain: u32, queries: u32) -> Vec<usize> {
        self.channel.mix_u64(nonce);
        self.channel.draw_positions(log_domain, queries as usize)
    }
}

/// Positions in ascending order, each once.
pub(crate) fn ascending(mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_unstable();
    positions.dedup();
    positions
}

fn mix(channel: &mut dyn Channel, suite: Suite, messages: &[Mix]) {
    for message in messages {
        match message {
            Mix::Words(words) => channel.mix_words(words),
            Mix::Felts(felts) => channel.mix_felts(felts),
            Mix::Leaf(elements) => channel.mix_root(&suite.tree().leaf(elements.iter().copied())),
        }
    }
}

/// The message of the options (section 5).
fn configuration(options: &CircleOptions) -> [QM31; 2] {
    let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite: _ } = *options;
    let felt = |numbers: [u32; 4]| QM31(numbers.map(M31::new));
    [felt([pow_bits, log_blowup, queries, log_last]), felt([fold_step, lifting.unwrap_or(0), 0, 0])]
}
