//! The commit phase of FRI: goldilocks.md, section 9.

use field::{ExtensionField, Goldilocks};
use gpu_hal::{CosetProtocol, Digest, Domain, Protocol, StarkBackend};
use proof::rounds::{Folding, ProofOfWork};

use super::ProveError;
use super::context::{Committed, Context};
use crate::observer::{Phase, go_on};
use crate::stage::Stage;
use crate::table::{Ext, Table};

/// Layers 1 to log n - 1, and the value of the constant last one.
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

impl<B: StarkBackend<P: CosetProtocol>, S: Stage<B>> Context<'_, B, S> {
    /// Folds the DEEP quotient to a constant: `log n` challenges and folds, `log n - 1` committed layers.
    pub(crate) fn fold(
        &self,
        quotient: Table<B>,
        mut transcript: Folding,
    ) -> Result<(Fri<B>, ProofOfWork), ProveError> {
        let mut domain = self.domains.lde;
        let mut layers: Vec<Committed<B>> = Vec::with_capacity(self.domains.log_trace as usize - 1);
        let mut quotient = Some(quotient);
        let (last, transcript) = loop {
            go_on(self.observer, Phase::Fri)?;
            let (folded, zeta) = transcript.zeta::<Ext<B>>();
            self.observer.values("fri_zeta", &[zeta]);
            let previous = layers.last().map(|layer| &layer.lde).or(quotient.as_ref());
            let previous = previous.expect("the quotient is kept until a layer follows it");
            let values = self.backend.fri_fold(previous.as_ref(), domain, zeta)?;
            domain = domain.folded().expect("the fold was accepted, so the domain has a half");
            // Nothing of the quotient is opened: the verifier rebuilds it.
            quotient = None;
            if layers.len() + 1 == self.domains.log_trace as usize {
                break (values, folded);
            }
            let layer = self.commit("fri", values, 2)?;
            transcript = folded.layer(&layer.root);
            layers.push(layer);
        };
        let last_value = self.last_value(&last)?;
        self.observer.values("fri_last_value", &[last_value]);
        Ok((Fri { layers, last_value }, transcript.last(&last_value)))
    }

    /// The value that the last layer has everywhere.
    fn last_value(&self, last: &Table<B>) -> Result<Ext<B>, ProveError> {
        let height = last.height();
        let values = self.backend.download(last.as_ref(), 0..height)?;
        let at = |row: usize| {
            let coordinates: Vec<Goldilocks> =
                (0..<B::P as Protocol>::DEGREE).map(|c| values[c * height + row]).collect();
            Ext::<B>::from_coordinates(&coordinates).expect("one coordinate per base column")
        };
        let value = at(0);
        let is_constant = || (1..height).all(|row| at(row) == value);
        match self.stage.either(is_constant, || true) {
            true => Ok(value),
            false => Err(ProveError::Unsatisfied("the last FRI layer is not constant")),
        }
    }
}
