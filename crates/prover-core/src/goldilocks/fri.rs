//! The commit phase of FRI: goldilocks.md, section 9.

use goldilocks_proof::lambdaworks::layout;
use goldilocks_proof::rounds::{Folded, Quotient};
use goldilocks_proof::{Part, lambdaworks};
use gpu_hal::{CosetProtocol, Digest, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use super::work::Nonces;
use crate::folding::fold;
use crate::mode::ModeOn;
use crate::observer::{Phase, go_on};
use crate::table::{Ext, Table, download};

/// The committed layers, and the value of the constant last one.
pub(crate) struct Fri<B: StarkBackend> {
    pub(crate) layers: Vec<Committed<B>>,
    pub(crate) last_value: Ext<B>,
}

impl<B: StarkBackend> Fri<B> {
    /// Roots of the layers.
    pub(crate) fn roots(&self) -> Vec<Digest> {
        self.layers.iter().map(|layer| layer.root).collect()
    }
}

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S, lambdaworks::Options> {
    /// Folds the DEEP quotient as the format has it; each layer but the last is committed.
    pub(crate) fn fold<'o>(
        &self,
        quotient: Table<B>,
        transcript: Quotient<'o, lambdaworks::Options>,
        work: &mut Nonces<'_, '_, B, S, lambdaworks::Options>,
    ) -> Result<(Fri<B>, Folded<'o, lambdaworks::Options>), ProveError> {
        let mut steps = layout::fold_steps(self.domains.log_trace);
        let mut step = || steps.next().expect("one fold for each layer, and the last");
        let mut layers: Vec<Committed<B>> = Vec::with_capacity(layout::layers(self.domains.log_trace));
        go_on(self.observer, Phase::Fri)?;
        let (mut transcript, zeta) = transcript.zeta::<Ext<B>, _>(work)?;
        let zeta = zeta.expect("this format folds the quotient");
        self.observer.values("fri_zeta", &[zeta]);
        let (mut values, mut domain) = fold(self.backend, quotient.as_ref(), self.domains.lde, zeta, step())?;
        // Nothing of the quotient is opened: the verifier rebuilds it.
        drop(quotient);
        for layer in 1..=layout::layers(self.domains.log_trace) {
            let committed = self.commit(Part::Fri(layer), values)?;
            go_on(self.observer, Phase::Fri)?;
            let zeta;
            (transcript, zeta) = transcript.zeta::<Ext<B>, _>(&committed.root, work)?;
            self.observer.values("fri_zeta", &[zeta]);
            (values, domain) = fold(self.backend, committed.lde.as_ref(), domain, zeta, step())?;
            layers.push(committed);
        }
        let last_value = self.last_value(&values)?;
        self.observer.values("fri_last_value", &[last_value]);
        Ok((Fri { layers, last_value }, transcript))
    }

    /// The value that the last layer has everywhere.
    fn last_value(&self, last: &Table<B>) -> Result<Ext<B>, ProveError> {
        let values = download(self.backend, last)?;
        let is_constant = || values.iter().all(|value| *value == values[0]);
        match self.mode.either(is_constant, || true) {
            true => Ok(values[0]),
            false => Err(ProveError::Unsatisfied("the last FRI layer is not constant")),
        }
    }
}
