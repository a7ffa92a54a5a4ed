//! A proof, round by round. The order of absorbing and drawing is [`goldilocks_proof::rounds`]'s.

use goldilocks_proof::rounds::{Main, ProofOfWork};
use goldilocks_proof::{OodTable, Part, Proof};
use gpu_hal::{CosetProtocol, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::witness::Witness;
use crate::grinding::grind;
use crate::mode::ModeOn;
use crate::observer::{Phase, begin};
use crate::table::Ext;

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S> {
    /// Proves; the transcript begins with the seed.
    pub(crate) fn prove(&self, witness: Witness<'_>, seed: &[u8]) -> Result<Proof<B::P>, ProveError> {
        let (mode, observer, layout, domains) = (self.mode, self.observer, self.recorded.layout(), &self.domains);
        let transcript = Main::begin(seed, self.options, domains.log_trace);

        // Round 1.
        let span = begin(mode, observer, Phase::Main)?;
        let (main_rows, main) = self.main_columns(witness)?;
        let main = self.commit(Part::Main, main)?;
        drop(span);
        let (transcript, challenges) = transcript.challenges::<Ext<B>>(&main.root, layout.challenges);
        observer.values("rap_challenges", &challenges);
        let (aux_rows, aux) = if layout.aux_columns == 0 {
            (None, None)
        } else {
            let _span = begin(mode, observer, Phase::Auxiliary)?;
            let rows = self.auxiliary(witness, &main_rows, &challenges)?;
            let lde = self.backend.lde(rows.as_ref(), domains.rows(), domains.lde)?;
            (Some(rows), Some(self.commit(Part::Aux, lde)?))
        };

        // Round 2.
        let span = begin(mode, observer, Phase::Composition)?;
        let (transcript, beta) = transcript.beta::<Ext<B>>(aux.as_ref().map(|aux| &aux.root));
        observer.values("beta", &[beta]);
        let params = self.recorded.params(&challenges)?;
        let combination = self.recorded.combination(beta);
        let composition = self.composition(&main, aux.as_ref(), &params, &combination)?;
        let composition = self.commit(Part::Composition, composition)?;
        drop(span);

        // Round 3.
        let span = begin(mode, observer, Phase::OutOfDomain)?;
        let (transcript, z) = transcript.point::<Ext<B>>(&composition.root);
        observer.values("z", &[z]);
        let (frame, parts) = self.values_at(&main_rows, aux_rows.as_ref(), &composition, z)?;
        frame.iter().for_each(|row| observer.values("trace_ood_row", row));
        observer.values("composition_ood", &parts);
        mode.either(|| self.check_identity(&params, &combination, z, &frame, &parts), || Ok(()))?;
        drop((main_rows, aux_rows));
        drop(span);

        // Round 4.
        let span = begin(mode, observer, Phase::Deep)?;
        let width = layout.main_columns + layout.aux_columns;
        let trace_ood = OodTable { width: width as u64, height: layout.frame_rows as u64, data: frame.concat() };
        let (transcript, gamma) = transcript.gamma::<Ext<B>>(width, &trace_ood.data, &parts);
        observer.values("deep_gamma", &[gamma]);
        let quotient = self.deep(&main, aux.as_ref(), &composition, gamma, z, &frame, &parts)?;
        drop(span);
        let span = begin(mode, observer, Phase::Fri)?;
        let (fri, transcript) = self.fold(quotient, transcript)?;
        drop(span);
        let span = begin(mode, observer, Phase::Grinding)?;
        let nonce = self.grind(&transcript)?;
        drop(span);
        let _span = begin(mode, observer, Phase::Openings)?;
        let queries = transcript.queries(nonce);
        observer.queries(&queries.iter().map(|query| *query as usize).collect::<Vec<_>>());
        let opened = self.open(&main, aux.as_ref(), &composition, &fri, &queries)?;
        Ok(Proof {
            trace_length: 1 << domains.log_trace,
            main_root: main.root,
            aux_root: aux.as_ref().map(|aux| aux.root),
            trace_ood,
            composition_root: composition.root,
            composition_ood: parts,
            fri_roots: fri.roots(),
            fri_last_value: fri.last_value,
            fri_decommitments: opened.fri,
            deep_openings: opened.deep,
            nonce,
        })
    }

    fn grind(&self, transcript: &ProofOfWork) -> Result<Option<u64>, ProveError> {
        let bits = self.options.grinding;
        if bits == 0 {
            return Ok(None);
        }
        let nonce: Result<_, ProveError> = grind(self.backend, &transcript.search(), self.observer, Phase::Grinding);
        nonce?.ok_or(ProveError::Grinding(bits)).map(Some)
    }
}
