//! The proofs of work of a proof, one before each draw that has work.

use goldilocks_proof::rounds::Work;
use goldilocks_proof::{Draw, FormatOptions};
use gpu_hal::{CosetProtocol, NonceSearch, StarkBackend};

use super::ProveError;
use super::context::Context;
use crate::grinding::grind;
use crate::observer::Phase;

/// Looks for nonces, and keeps them in order.
pub(crate) struct Nonces<'a, 'c, B: StarkBackend<P: CosetProtocol>, S, F> {
    context: &'a Context<'c, B, S, F>,
    pub(crate) found: Vec<u64>,
}

impl<'a, 'c, B: StarkBackend<P: CosetProtocol>, S, F> Nonces<'a, 'c, B, S, F> {
    pub(crate) fn new(context: &'a Context<'c, B, S, F>) -> Self {
        Self { context, found: Vec::new() }
    }
}

impl<B: StarkBackend<P: CosetProtocol>, S, F: FormatOptions> Work for Nonces<'_, '_, B, S, F> {
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
