//! A compact proof, round by round. The order of absorbing and drawing is [`goldilocks_proof::rounds`]'s.

use goldilocks_proof::Part;
use goldilocks_proof::compact::opening::positions;
use goldilocks_proof::compact::{AirDigest, Head, Options, Proof, statement};
use goldilocks_proof::rounds::Main;
use gpu_hal::{CosetProtocol, StarkBackend};

use super::fri::Fri;
use super::sizes;
use crate::goldilocks::ProveError;
use crate::goldilocks::context::Context;
use crate::goldilocks::deep::Points;
use crate::goldilocks::witness::Witness;
use crate::goldilocks::work::Nonces;
use crate::mode::ModeOn;
use crate::observer::{Phase, begin};
use crate::table::Ext;

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S, Options> {
    /// Proves.
    pub(super) fn prove(&self, witness: Witness<'_>, digest: AirDigest<'_>) -> Result<Proof<B::P>, ProveError> {
        let digest = digest.bytes(|| self.recorded.digest());
        let inputs = self.recorded.public_inputs();
        let start = statement::<B::P>(&digest, &sizes(self.recorded), inputs, self.options);
        let masks = self.mask_seed.map(|seed| seed.of_statement(&start));
        Context { masks, ..*self }.prove_statement(witness, &start)
    }

    /// Proves the statement of these bytes.
    fn prove_statement(&self, witness: Witness<'_>, start: &[u8]) -> Result<Proof<B::P>, ProveError> {
        let (mode, observer, recorded) = (self.mode, self.observer, self.recorded);
        let (sizes, work) = (sizes(recorded), &mut Nonces::new(self));
        let transcript = Main::begin(start, self.options, sizes.log_rows);

        // Section 6.1.
        let span = begin(mode, observer, Phase::Main)?;
        let (main_rows, main) = self.main_columns(witness)?;
        let main = self.commit(Part::Main, main)?;
        let (transcript, challenges) = transcript.challenges::<Ext<B>, _>(&main.root, sizes.challenges, work)?;
        drop(span);
        observer.values("rap_challenges", &challenges);
        let (aux_rows, aux) = self.commit_auxiliary(witness, &main_rows, &challenges)?.unzip();

        // Section 6.2.
        let span = begin(mode, observer, Phase::Composition)?;
        let (transcript, beta) = transcript.beta::<Ext<B>, _>(aux.as_ref().map(|aux| &aux.root), work)?;
        observer.values("beta", &[beta]);
        let params = recorded.params(&challenges)?;
        let combination = recorded.combination(beta);
        let composition = self.composition(&main, aux.as_ref(), &params, &combination)?;
        let word = self.mask_word(&main_rows)?;
        let composition = self.commit_beside(Part::Composition, composition, word)?;
        drop(span);

        // Section 6.3.
        let span = begin(mode, observer, Phase::OutOfDomain)?;
        let (transcript, z, second) = transcript.points::<Ext<B>, _>(&composition.root, sizes.parts, work)?;
        observer.values("z", &[z]);
        let (rows, parts) = self.values_at(&main_rows, aux_rows.as_ref(), &composition, z, second)?;
        rows.iter().for_each(|row| observer.values("trace_ood_row", row));
        observer.values("composition_ood", &parts);
        // The value of the first part is not sent: it is the one with which this identity holds.
        mode.either(|| self.check_identity(&params, &combination, z, &rows, &parts), || Ok(()))?;
        drop((main_rows, aux_rows));
        let sent = rows.iter().flatten().chain(parts.iter().skip(1));
        let out_of_domain: Vec<Ext<B>> = sent.copied().collect();
        drop(span);

        // Section 6.4.
        let span = begin(mode, observer, Phase::Deep)?;
        let (transcript, gamma) = transcript.gamma(&out_of_domain, work)?;
        observer.values("deep_gamma", &[gamma]);
        let points = Points { z, second, rows: &rows, parts: &parts };
        let quotient = self.deep(&main, aux.as_ref(), &composition, gamma, &points)?;
        drop(span);

        // Section 6.5.
        let span = begin(mode, observer, Phase::Fri)?;
        let (Fri { layers, last }, transcript) = self.fold_to_last(quotient, transcript, work)?;
        drop(span);

        // Section 6.6.
        let span = begin(mode, observer, Phase::Grinding)?;
        let queries = transcript.queries(&last, work)?;
        drop(span);
        let _span = begin(mode, observer, Phase::Openings)?;
        let queries = mode.either(|| queries, || self.spread());
        observer.queries(&queries.iter().map(|query| *query as usize).collect::<Vec<_>>());
        let positions = positions(self.options, queries);
        let openings = self.open_all(&main, aux.as_ref(), &composition, &layers, &positions)?;
        let head = Head {
            main_root: main.root,
            aux_root: aux.as_ref().map(|aux| aux.root),
            composition_root: composition.root,
            out_of_domain,
            layers: layers.iter().map(|layer| layer.root).collect(),
            last,
            nonces: std::mem::take(&mut work.found),
        };
        Ok(Proof { head, openings })
    }

    /// As many different queries as there can be, as far from each other as they can be: of no proof more is opened.
    fn spread(&self) -> Vec<u64> {
        let leaves = 1 << (self.domains.log_lde() - self.options.log_leaf());
        let queries = u64::from(self.options.queries);
        (0..queries).map(|query| query * leaves / queries).collect()
    }
}
