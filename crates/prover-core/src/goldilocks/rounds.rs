//! A proof of the lambdaworks format, round by round. The order of absorbing and drawing is
//! [`goldilocks_proof::rounds`]'s.

use goldilocks_proof::rounds::Main;
use goldilocks_proof::{FormatOptions, OodTable, Part, Proof, Seed, lambdaworks};
use gpu_hal::{CosetProtocol, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use super::deep::Points;
use super::masks::Stream;
use super::witness::Witness;
use super::work::Nonces;
use crate::mode::ModeOn;
use crate::observer::{Phase, begin};
use crate::table::{Ext, Table};

/// A table in row order, and committed.
type Rows<B> = (Table<B>, Committed<B>);

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>, F: FormatOptions> Context<'_, B, S, F> {
    /// The auxiliary columns in row order, and committed, if there are any.
    pub(crate) fn commit_auxiliary(
        &self,
        witness: Witness<'_>,
        main_rows: &Table<B>,
        challenges: &[Ext<B>],
    ) -> Result<Option<Rows<B>>, ProveError> {
        if self.recorded.layout().aux_columns == 0 {
            return Ok(None);
        }
        let _span = begin(self.mode, self.observer, Phase::Auxiliary)?;
        let mut rows = self.auxiliary(witness, main_rows, challenges)?;
        self.mask_rows(&mut rows, Stream::Aux)?;
        let lde = self.backend.lde(rows.as_ref(), self.domains.rows(), self.domains.lde)?;
        Ok(Some((rows, self.commit(Part::Aux, lde)?)))
    }
}

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S, lambdaworks::Options> {
    /// Proves; the transcript begins with the seed.
    pub(crate) fn prove(&self, witness: Witness<'_>, seed: Seed<'_>) -> Result<Proof<B::P>, ProveError> {
        let (mode, observer, layout, domains) = (self.mode, self.observer, self.recorded.layout(), &self.domains);
        let (recorded, rows) = (self.recorded, 1 << domains.log_trace);
        let seed = seed.bytes::<B::P>(&recorded.digest(), rows, recorded.public_inputs(), self.options);
        let (transcript, work) = (Main::begin(&seed, self.options, domains.log_trace), &mut Nonces::new(self));

        // Round 1.
        let span = begin(mode, observer, Phase::Main)?;
        let (main_rows, main) = self.main_columns(witness)?;
        let main = self.commit(Part::Main, main)?;
        drop(span);
        let (transcript, challenges) = transcript.challenges::<Ext<B>, _>(&main.root, layout.challenges, work)?;
        observer.values("rap_challenges", &challenges);
        let (aux_rows, aux) = self.commit_auxiliary(witness, &main_rows, &challenges)?.unzip();

        // Round 2.
        let span = begin(mode, observer, Phase::Composition)?;
        let (transcript, beta) = transcript.beta::<Ext<B>, _>(aux.as_ref().map(|aux| &aux.root), work)?;
        observer.values("beta", &[beta]);
        let params = self.recorded.params(&challenges)?;
        let combination = self.recorded.combination(beta);
        let composition = self.composition(&main, aux.as_ref(), &params, &combination)?;
        let composition = self.commit(Part::Composition, composition)?;
        drop(span);

        // Round 3.
        let span = begin(mode, observer, Phase::OutOfDomain)?;
        let (transcript, z, second) =
            transcript.points::<Ext<B>, _>(&composition.root, layout.composition_parts, work)?;
        observer.values("z", &[z]);
        let (frame, parts) = self.values_at(&main_rows, aux_rows.as_ref(), &composition, z, second)?;
        frame.iter().for_each(|row| observer.values("trace_ood_row", row));
        observer.values("composition_ood", &parts);
        mode.either(|| self.check_identity(&params, &combination, z, &frame, &parts), || Ok(()))?;
        drop((main_rows, aux_rows));
        drop(span);

        // Round 4.
        let span = begin(mode, observer, Phase::Deep)?;
        let width = layout.main_columns + layout.aux_columns;
        let trace_ood = OodTable { width: width as u64, height: layout.frame_rows as u64, data: frame.concat() };
        let (transcript, gamma) = transcript.gamma(&trace_ood.in_order(&parts), work)?;
        observer.values("deep_gamma", &[gamma]);
        let points = Points { z, second, rows: &frame, parts: &parts };
        let quotient = self.deep(&main, aux.as_ref(), &composition, gamma, &points)?;
        drop(span);
        let span = begin(mode, observer, Phase::Fri)?;
        let (fri, transcript) = self.fold(quotient, transcript, work)?;
        drop(span);
        let span = begin(mode, observer, Phase::Grinding)?;
        let queries = transcript.queries(&[fri.last_value], work)?;
        drop(span);
        let _span = begin(mode, observer, Phase::Openings)?;
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
            nonce: work.found.pop(),
        })
    }
}
