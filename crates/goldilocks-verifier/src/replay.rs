//! The transcript of a proof, and the challenges that come out of it (sections 6 to 9).

use alloc::vec::Vec;

use air::Recorded;
use goldilocks_proof::{Proof, ProofOptions, rounds};
use gpu_hal::CosetProtocol;

use crate::VerifyError;

/// All that the verifier draws.
pub(crate) struct Challenges<P: CosetProtocol> {
    /// Challenges of the AIR.
    pub(crate) air: Vec<P::Ext>,
    /// Combines the constraints.
    pub(crate) beta: P::Ext,
    /// The out-of-domain point.
    pub(crate) z: P::Ext,
    /// Combines the DEEP terms.
    pub(crate) gamma: P::Ext,
    /// One for each fold, `log n` of them.
    pub(crate) zetas: Vec<P::Ext>,
    /// Query indices below `N/2`, in order, duplicates kept.
    pub(crate) queries: Vec<u64>,
}

/// Replays a proof whose shape was checked, and checks its proof of work.
pub(crate) fn replay<P: CosetProtocol>(
    air: &Recorded<P>,
    options: &ProofOptions,
    seed: &[u8],
    proof: &Proof<P>,
) -> Result<Challenges<P>, VerifyError> {
    let main = rounds::Main::begin(seed, options, air.log_trace_length());
    let (auxiliary, challenges) = main.challenges(&proof.main_root, air.layout().challenges);
    let (composition, beta) = auxiliary.beta(proof.aux_root.as_ref());
    let (out_of_domain, z) = composition.point(&proof.composition_root);
    let width = air.layout().main_columns + air.layout().aux_columns;
    let (mut folding, gamma) = out_of_domain.gamma(width, &proof.trace_ood.data, &proof.composition_ood);
    let mut zetas = Vec::with_capacity(proof.fri_roots.len() + 1);
    for root in &proof.fri_roots {
        let (folded, zeta) = folding.zeta();
        zetas.push(zeta);
        folding = folded.layer(root);
    }
    let (folded, zeta) = folding.zeta();
    zetas.push(zeta);
    let work = folded.last(&proof.fri_last_value);
    if let Some(nonce) = proof.nonce {
        let search = work.search();
        if !search.is_work(nonce) {
            return Err(VerifyError::ProofOfWork { nonce, bits: search.bits });
        }
    }
    let queries = work.queries(proof.nonce);
    Ok(Challenges { air: challenges, beta, z, gamma, zetas, queries })
}
