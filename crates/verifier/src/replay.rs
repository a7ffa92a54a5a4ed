//! The transcript of a proof, and the challenges that come out of it (sections 6 to 9).

use air::Recorded;
use gpu_hal::CosetProtocol;
use proof::{Proof, ProofOptions, Transcript, grinding};

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
    let log_trace = air.log_trace_length();
    let log_lde = options.log_lde(log_trace);
    let mut transcript = Transcript::new(seed);

    transcript.append_bytes(&proof.main_root);
    let challenges = (0..air.layout().challenges).map(|_| transcript.sample_element()).collect();
    if let Some(root) = &proof.aux_root {
        transcript.append_bytes(root);
    }
    let beta = transcript.sample_element();
    transcript.append_bytes(&proof.composition_root);
    let z = transcript.sample_out_of_domain(log_trace, log_lde, options.offset());

    // Stored row by row, absorbed column by column.
    let width = air.layout().main_columns + air.layout().aux_columns;
    for column in 0..width {
        for value in proof.trace_ood.data.iter().skip(column).step_by(width) {
            transcript.append_element(value);
        }
    }
    proof.composition_ood.iter().for_each(|value| transcript.append_element(value));

    let gamma = transcript.sample_element();
    let mut zetas = Vec::with_capacity(proof.fri_roots.len() + 1);
    for root in &proof.fri_roots {
        zetas.push(transcript.sample_element());
        transcript.append_bytes(root);
    }
    zetas.push(transcript.sample_element());
    transcript.append_element(&proof.fri_last_value);

    if let Some(nonce) = proof.nonce {
        let bits = options.grinding;
        if !grinding::is_valid(&grinding::inner(&transcript.state(), bits), nonce, bits) {
            return Err(VerifyError::ProofOfWork { nonce, bits });
        }
        transcript.append_bytes(&nonce.to_be_bytes());
    }
    let half = 1 << (log_lde - 1);
    let queries = (0..options.queries).map(|_| transcript.sample_u64(half)).collect();
    Ok(Challenges { air: challenges, beta, z, gamma, zetas, queries })
}
