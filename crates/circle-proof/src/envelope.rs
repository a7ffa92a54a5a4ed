//! What goes into the channel and what is drawn from it, in which order (sections 4, 8 to 12 and 17): the one place that says
//! so, for the prover and for the verifier.
//!
//! Each round consumes the state and returns the next, so that none can be left out, repeated or moved.
//!
//! | state | step | mixed | drawn |
//! |---|---|---|---|
//! | | [`Envelope::begin`] | what the statement mixes, configuration, roots of trees 0 and 1: see there | |
//! | [`Committed`] | [`Committed::draw`] | nonce, if the statement asks for work here | elements of the AIR |
//! | [`Envelope`] | [`Envelope::close`] | with logup: claimed sums, root of tree 2 | |
//! | [`Rounds`] | [`Rounds::composition`] | | weight of the constraints |
//! | [`OutOfDomain`] | [`OutOfDomain::point`] | root of the composition tree | out-of-domain point |
//! | [`Sampled`] | [`Sampled::quotients`] | sampled values | weight of the quotients |
//! | [`Folding`] | [`Folding::layer`], for each layer | root of the layer | factor of its folds |
//! | [`Folding`] | [`Folding::last`] | last layer | |
//! | [`ProofOfWork`] | [`ProofOfWork::queries`] | nonce | query positions |

use circle_air::{Mix, Mixes};
use stwo::core::channel::{Blake2sChannel, Channel, MerkleChannel};
use stwo::core::circle::CirclePoint;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo::core::queries::{Queries, draw_queries};
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleChannel;

use crate::CircleOptions;

/// A round was given what the statement does not have, or not what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the statement draws {draws} elements, so there must be {} interaction tree", if *.draws == 0 { "no" } else { "an" })]
pub struct InteractionError {
    /// Elements that the statement draws after tree 1.
    pub draws: usize,
}

/// The statement is mixed, the main trace is committed.
#[derive(Clone, Debug)]
pub struct Committed {
    channel: Blake2sChannel,
}

impl Committed {
    /// The digest of the channel, on which the work is done.
    pub fn digest(&self) -> [u8; 32] {
        self.channel.digest().0
    }

    /// Whether the nonce does that much work.
    pub fn is_done(&self, bits: u32, nonce: u64) -> bool {
        self.channel.verify_pow_nonce(bits, nonce)
    }

    /// Mixes the nonce, which is there if the statement asks for work, and draws the `draws` elements of the AIR: none means that there
    /// is no tree 2.
    pub fn draw(mut self, nonce: Option<u64>, draws: usize) -> (Envelope, Vec<SecureField>) {
        if let Some(nonce) = nonce {
            self.channel.mix_u64(nonce);
        }
        let drawn = if draws == 0 { Vec::new() } else { self.channel.draw_secure_felts(draws) };
        (Envelope { channel: self.channel, draws }, drawn)
    }
}

/// The elements of the AIR are drawn.
#[derive(Clone, Debug)]
pub struct Envelope {
    channel: Blake2sChannel,
    draws: usize,
}

impl Envelope {
    /// A fresh channel with, in this order: what the statement mixes before the configuration, the configuration, what it mixes before the
    /// root of tree 0, that root, what it mixes before the root of tree 1, that root. Both roots are there even if the trees have no
    /// columns.
    pub fn begin(options: &CircleOptions, mixes: &Mixes, preprocessed: Blake2sHash, main: Blake2sHash) -> Committed {
        let mut channel = Blake2sChannel::default();
        let Mixes { before_config, before_preprocessed, before_main } = mixes;
        mix(&mut channel, before_config);
        PcsConfig::from(*options).mix_into(&mut channel);
        mix(&mut channel, before_preprocessed);
        mix_root(&mut channel, preprocessed);
        mix(&mut channel, before_main);
        mix_root(&mut channel, main);
        Committed { channel }
    }

    /// Mixes the claimed sums, in component order, and the root of tree 2; neither if the AIR draws nothing.
    ///
    /// # Errors
    /// If there is an interaction tree although the AIR draws nothing, or none although it does.
    pub fn close(mut self, interaction: Option<(&[SecureField], Blake2sHash)>) -> Result<Rounds, InteractionError> {
        if interaction.is_some() != (self.draws > 0) {
            return Err(InteractionError { draws: self.draws });
        }
        if let Some((claimed_sums, root)) = interaction {
            self.channel.mix_felts(claimed_sums);
            mix_root(&mut self.channel, root);
        }
        Ok(Rounds { channel: self.channel })
    }
}

/// All traces are committed. From here on the order is stwo's.
#[derive(Clone, Debug)]
pub struct Rounds {
    channel: Blake2sChannel,
}

impl Rounds {
    /// The state that stwo's verifier starts from.
    pub fn channel(&self) -> Blake2sChannel {
        self.channel.clone()
    }

    /// Draws alpha, whose powers weigh the constraints.
    pub fn composition(mut self) -> (OutOfDomain, SecureField) {
        let alpha = self.channel.draw_secure_felt();
        (OutOfDomain { channel: self.channel }, alpha)
    }
}

/// The composition polynomial is to be committed.
#[derive(Clone, Debug)]
pub struct OutOfDomain {
    channel: Blake2sChannel,
}

impl OutOfDomain {
    /// Mixes the root of the composition tree and draws z. There is none, with probability `2^-123`, if the parameter t that
    /// was drawn is a root of `1 + t^2`.
    pub fn point(mut self, root: Blake2sHash) -> (Sampled, Option<CirclePoint<SecureField>>) {
        mix_root(&mut self.channel, root);
        let t = self.channel.draw_secure_felt();
        let (square, one) = (t.square(), SecureField::from(BaseField::from_u32_unchecked(1)));
        let denominator = one + square;
        let point = (denominator != SecureField::default()).then(|| {
            let inverse = denominator.inverse();
            CirclePoint { x: (one - square) * inverse, y: (t + t) * inverse }
        });
        (Sampled { channel: self.channel }, point)
    }
}

/// The columns are to be sampled.
#[derive(Clone, Debug)]
pub struct Sampled {
    channel: Blake2sChannel,
}

impl Sampled {
    /// Mixes all sampled values, by tree, column and point, and draws beta, whose powers weigh the quotients.
    pub fn quotients(mut self, values: &[SecureField]) -> (Folding, SecureField) {
        self.channel.mix_felts(values);
        let beta = self.channel.draw_secure_felt();
        (Folding { channel: self.channel }, beta)
    }
}

/// The layers of FRI are to be committed.
#[derive(Clone, Debug)]
pub struct Folding {
    channel: Blake2sChannel,
}

impl Folding {
    /// Mixes the root of the next layer and draws the factor of its first fold; the factors of its other folds are its
    /// squares, one after the other.
    pub fn layer(&mut self, root: Blake2sHash) -> SecureField {
        mix_root(&mut self.channel, root);
        self.channel.draw_secure_felt()
    }

    /// Mixes the coefficients of the last layer, in stored order.
    pub fn last(mut self, coefficients: &[SecureField]) -> ProofOfWork {
        self.channel.mix_felts(coefficients);
        ProofOfWork { channel: self.channel }
    }
}

/// A nonce is to be found.
#[derive(Clone, Debug)]
pub struct ProofOfWork {
    channel: Blake2sChannel,
}

impl ProofOfWork {
    /// The digest of the channel, on which the work is done.
    pub fn digest(&self) -> [u8; 32] {
        self.channel.digest().0
    }

    /// Whether the nonce does that much work.
    pub fn is_done(&self, bits: u32, nonce: u64) -> bool {
        self.channel.verify_pow_nonce(bits, nonce)
    }

    /// Mixes the nonce and draws the positions of the queries on a domain of `2^log_domain` points: ascending, each once.
    pub fn queries(mut self, nonce: u64, log_domain: u32, queries: u32) -> Vec<usize> {
        self.channel.mix_u64(nonce);
        let drawn = draw_queries(&mut self.channel, log_domain, queries as usize);
        Queries::new(&drawn, log_domain).positions
    }
}

fn mix(channel: &mut Blake2sChannel, messages: &[Mix]) {
    for message in messages {
        match message {
            Mix::Words(words) => channel.mix_u32s(words),
            Mix::Felts(felts) => channel.mix_felts(felts),
            Mix::Root(root) => mix_root(channel, *root),
        }
    }
}

fn mix_root(channel: &mut Blake2sChannel, root: Blake2sHash) {
    Blake2sMerkleChannel::mix_root(channel, root);
}
