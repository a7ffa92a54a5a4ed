//! The folds of a compact proof: section 6.5.

use field::Field;
use goldilocks_proof::Part;
use goldilocks_proof::compact::Options;
use goldilocks_proof::rounds::{Folded, Quotient};
use gpu_hal::{Basis, CosetProtocol, EvalOrder, StarkBackend};

use crate::folding::fold;
use crate::goldilocks::ProveError;
use crate::goldilocks::context::{Committed, Context};
use crate::goldilocks::work::Nonces;
use crate::mode::ModeOn;
use crate::observer::{Phase, go_on};
use crate::table::{Domain, Ext, Table, download};

/// The committed layers, and the coefficients of the last one.
pub(super) struct Fri<B: StarkBackend> {
    pub(super) layers: Vec<Committed<B>>,
    pub(super) last: Vec<Ext<B>>,
}

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>> Context<'_, B, S, Options> {
    /// Folds the DEEP quotient down to the last layer; each layer before that is committed.
    pub(super) fn fold_to_last<'o>(
        &self,
        quotient: Table<B>,
        transcript: Quotient<'o, Options>,
        work: &mut Nonces<'_, '_, B, S, Options>,
    ) -> Result<(Fri<B>, Folded<'o, Options>), ProveError> {
        let (backend, folds) = (self.backend, &self.options.folds);
        let (mut values, mut domain) = (quotient, self.domains.lde);
        let (mut transcript, zeta) = transcript.zeta::<Ext<B>, _>(work)?;
        if let Some(zeta) = zeta {
            self.observer.values("fri_zeta", &[zeta]);
            (values, domain) = fold(backend, values.as_ref(), domain, zeta, folds[0])?;
        }
        let mut layers = Vec::with_capacity(self.options.layers());
        for (layer, &step) in folds.iter().enumerate().skip(1) {
            go_on(self.observer, Phase::Fri)?;
            let committed = self.commit(Part::Fri(layer), values)?;
            let zeta;
            (transcript, zeta) = transcript.zeta::<Ext<B>, _>(&committed.root, work)?;
            self.observer.values("fri_zeta", &[zeta]);
            (values, domain) = fold(backend, committed.lde.as_ref(), domain, zeta, step)?;
            layers.push(committed);
        }
        let last = self.coefficients(values, domain)?;
        self.observer.values("fri_last_layer", &last);
        Ok((Fri { layers, last }, transcript))
    }

    /// The coefficients of the last layer, of which all others must be zero.
    fn coefficients(&self, mut values: Table<B>, domain: Domain<B>) -> Result<Vec<Ext<B>>, ProveError> {
        let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
        self.backend.ntt(values.as_mut(), from, Basis::Coefficients)?;
        let mut coefficients = download(self.backend, &values)?;
        let others = coefficients.split_off(1 << self.options.log_last);
        match self.mode.either(|| others.iter().all(Field::is_zero), || true) {
            true => Ok(coefficients),
            false => Err(ProveError::Unsatisfied("the last FRI layer is of a higher degree")),
        }
    }
}
