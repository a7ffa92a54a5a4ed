//! The transcript of a proof, and the challenges that come out of it, in every format.

use alloc::vec::Vec;
use core::slice;

use air::RecordedAir;
use goldilocks_proof::rounds::{Main, Work};
use goldilocks_proof::{Draw, FormatOptions};
use gpu_hal::{CosetProtocol, Digest, NonceSearch};

use crate::VerifyError;

/// All of a proof that the transcript absorbs. The lengths were checked.
pub(crate) struct Messages<'a, E> {
    /// Root of the main tree.
    pub(crate) main: &'a Digest,
    /// Root of the auxiliary tree, if there is one.
    pub(crate) aux: Option<&'a Digest>,
    /// Root of the composition tree.
    pub(crate) composition: &'a Digest,
    /// Values out of the domain, in the order of the format.
    pub(crate) out_of_domain: &'a [E],
    /// Roots of the layers.
    pub(crate) layers: &'a [Digest],
    /// The last layer.
    pub(crate) last: &'a [E],
    /// The nonces, in the order of the draws that have work.
    pub(crate) nonces: &'a [u64],
}

/// All that the verifier draws.
pub(crate) struct Challenges<P: CosetProtocol> {
    /// Challenges of the AIR.
    pub(crate) air: Vec<P::Ext>,
    /// Combines the constraints.
    pub(crate) beta: P::Ext,
    /// The out-of-domain point.
    pub(crate) z: P::Ext,
    /// The second one, if there are two.
    pub(crate) second: Option<P::Ext>,
    /// Combines the DEEP terms.
    pub(crate) gamma: P::Ext,
    /// One for each fold; zero for the first, if it is none.
    pub(crate) zetas: Vec<P::Ext>,
    /// Query indices in order, duplicates kept.
    pub(crate) queries: Vec<u64>,
}

/// The error of a nonce before a draw that does not do so many bits of work.
pub(crate) type Refusal = fn(draw: Draw, nonce: u64, bits: u32) -> VerifyError;

struct Nonces<'a> {
    left: slice::Iter<'a, u64>,
    refusal: Refusal,
}

impl Work for Nonces<'_> {
    type Error = VerifyError;

    fn nonce(&mut self, draw: Draw, search: &NonceSearch) -> Result<u64, VerifyError> {
        let nonce = self.left.next().copied().unwrap_or_default();
        if search.is_work(nonce) { Ok(nonce) } else { Err((self.refusal)(draw, nonce, search.bits)) }
    }
}

/// Replays the transcript, which starts with these bytes, and checks the proofs of work.
pub(crate) fn replay<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &impl FormatOptions,
    start: &[u8],
    messages: &Messages<'_, P::Ext>,
    refusal: Refusal,
) -> Result<Challenges<P>, VerifyError> {
    let layout = air.layout();
    let work = &mut Nonces { left: messages.nonces.iter(), refusal };
    let main = Main::begin(start, options, air.log_trace_length());
    let (auxiliary, challenges) = main.challenges(messages.main, layout.challenges, work)?;
    let (composition, beta) = auxiliary.beta(messages.aux, work)?;
    let (out_of_domain, z, second) = composition.points(messages.composition, layout.composition_parts, work)?;
    let (quotient, gamma) = out_of_domain.gamma(messages.out_of_domain, work)?;
    let (mut folded, zeta) = quotient.zeta(work)?;
    let mut zetas = Vec::with_capacity(messages.layers.len() + 1);
    zetas.push(zeta.unwrap_or_default());
    for root in messages.layers {
        let zeta;
        (folded, zeta) = folded.zeta(root, work)?;
        zetas.push(zeta);
    }
    let queries = folded.queries(messages.last, work)?;
    Ok(Challenges { air: challenges, beta, z, second, gamma, zetas, queries })
}
