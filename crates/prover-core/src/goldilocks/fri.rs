//! The commit phase of FRI: goldilocks.md, section 9.

use goldilocks_proof::rounds::{Folding, ProofOfWork};
use goldilocks_proof::{Part, ProofOptions};
use gpu_hal::{CosetProtocol, Digest, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
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

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S, ProofOptions> {
    /// Folds the DEEP quotient as the format has it; each layer but the last is committed.
    pub(crate) fn fold(
        &self,
        quotient: Table<B>,
        mut transcript: Folding,
    ) -> Result<(Fri<B>, ProofOfWork), ProveError> {
        let format = self.options.suite.format();
        let mut steps = format.fold_steps(self.domains.log_trace);
        let mut layers: Vec<Committed<B>> = Vec::with_capacity(format.layers(self.domains.log_trace));
        let mut domain = self.domains.lde;
        let mut quotient = Some(quotient);
        let (last, transcript) = loop {
            go_on(self.observer, Phase::Fri)?;
            let (folded, zeta) = transcript.zeta::<Ext<B>>();
            self.observer.values("fri_zeta", &[zeta]);
            let previous = layers.last().map(|layer| &layer.lde).or(quotient.as_ref());
            let previous = previous.expect("the quotient is kept until a layer follows it");
            let step = steps.next().expect("the last fold ends the loop");
            let values;
            (values, domain) = fold(self.backend, previous.as_ref(), domain, zeta, step)?;
            // Nothing of the quotient is opened: the verifier rebuilds it.
            quotient = None;
            if steps.len() == 0 {
                break (values, folded);
            }
            let layer = self.commit(Part::Fri(layers.len() + 1), values)?;
            transcript = folded.layer(&layer.root);
            layers.push(layer);
        };
        let last_value = self.last_value(&last)?;
        self.observer.values("fri_last_value", &[last_value]);
        Ok((Fri { layers, last_value }, transcript.last(&last_value)))
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
