//! The proofs of work of a proof, one before each draw.

use goldilocks_proof::compact::rounds::Work;
use goldilocks_proof::compact::{Draw, Options};
use gpu_hal::{CosetProtocol, NonceSearch, StarkBackend};

use crate::goldilocks::ProveError;
use crate::goldilocks::context::Context;
use crate::grinding::grind;
use crate::observer::Phase;

/// Looks for nonces, and keeps them in order.
pub(super) struct Nonces<'a, 'c, B: StarkBackend<P: CosetProtocol>, S> {
    context: &'a Context<'c, B, S, Options>,
    pub(super) found: Vec<u64>,
}

impl<'a, 'c, B: StarkBackend<P: CosetProtocol>, S> Nonces<'a, 'c, B, S> {
    pub(super) fn new(context: &'a Context<'c, B, S, Options>) -> Self {
        Self { context, found: Vec::new() }
    }
}

impl<B: StarkBackend<P: CosetProtocol>, S> Work for Nonces<'_, '_, B, S> {
    type Error = ProveError;

    fn nonce(&mut self, draw: Draw, search: &NonceSearch) -> Result<u64, ProveError> {
        let phase = match draw {
            Draw::Challenges => Phase::Main,
            Draw::Constraints => Phase::Composition,
            Draw::Points => Phase::OutOfDomain,
            Draw::Terms => Phase::Deep,
            Draw::Fold(_) => Phase::Fri,
            Draw::Queries => Phase::Grinding,
        };
        let nonce: Result<_, ProveError> = grind(self.context.backend, search, self.context.observer, phase);
        let nonce = nonce?.ok_or(ProveError::Grinding(search.bits))?;
        self.found.push(nonce);
        Ok(nonce)
    }
}
