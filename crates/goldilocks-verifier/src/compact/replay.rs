//! The transcript of a compact proof, and the challenges that come out of it.

use alloc::vec::Vec;

use air::Recorded;
use goldilocks_proof::compact::rounds::{Main, Work};
use goldilocks_proof::compact::{AirDigest, Draw, Head, Options, Sizes};
use gpu_hal::{CosetProtocol, NonceSearch};

use crate::VerifyError;

/// All that the verifier draws.
pub(super) struct Challenges<P: CosetProtocol> {
    /// Challenges of the AIR.
    pub(super) air: Vec<P::Ext>,
    /// Combines the constraints.
    pub(super) beta: P::Ext,
    /// The out-of-domain point.
    pub(super) z: P::Ext,
    /// The second one, if there are two.
    pub(super) second: Option<P::Ext>,
    /// Combines the DEEP terms.
    pub(super) gamma: P::Ext,
    /// One for each fold; zero for the first, if it is none.
    pub(super) zetas: Vec<P::Ext>,
    /// Query indices in order, duplicates kept.
    pub(super) queries: Vec<u64>,
}

/// The nonces of a head, in order.
struct Nonces<'a>(core::slice::Iter<'a, u64>);

impl Work for Nonces<'_> {
    type Error = VerifyError;

    fn nonce(&mut self, draw: Draw, search: &NonceSearch) -> Result<u64, VerifyError> {
        let nonce = self.0.next().copied().unwrap_or_default();
        let bits = search.bits;
        if search.is_work(nonce) { Ok(nonce) } else { Err(VerifyError::Work { draw, nonce, bits }) }
    }
}

/// Replays a head of which the lengths are right, and checks the work of each draw.
pub(super) fn replay<P: CosetProtocol>(
    air: &Recorded<P>,
    digest: AirDigest<'_>,
    sizes: &Sizes,
    options: &Options,
    head: &Head<P::Ext>,
) -> Result<Challenges<P>, VerifyError> {
    let work = &mut Nonces(head.nonces.iter());
    let main = Main::begin::<P>(&digest.bytes(|| air.digest()), sizes, air.public_inputs(), options);
    let (auxiliary, challenges) = main.challenges(&head.main_root, sizes.challenges, work)?;
    let (composition, beta) = auxiliary.beta(head.aux_root.as_ref(), work)?;
    let (out_of_domain, z, second) = composition.points(&head.composition_root, sizes.parts, work)?;
    let (quotient, gamma) = out_of_domain.gamma(&head.out_of_domain, work)?;
    let (mut folded, zeta) = quotient.zeta(work)?;
    let mut zetas = Vec::with_capacity(options.folds.len());
    zetas.push(zeta.unwrap_or_default());
    for root in &head.layers {
        let zeta;
        (folded, zeta) = folded.zeta(root, work)?;
        zetas.push(zeta);
    }
    let queries = folded.queries(&head.last, work)?;
    Ok(Challenges { air: challenges, beta, z, second, gamma, zetas, queries })
}
