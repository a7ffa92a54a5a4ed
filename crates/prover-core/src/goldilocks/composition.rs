//! The composition polynomial.

use std::borrow::Cow;

use air::GroupRole;
use field::Field;
use goldilocks_proof::FormatOptions;
use gpu_hal::{
    Basis, Columns, Combination, Constraints, CosetDomain, CosetProtocol, EvalOrder, HalError, StarkBackend,
};

use super::ProveError;
use super::context::{Committed, Context};
use super::plan::Composition;
use crate::mode::ModeOn;
use crate::table::{Ext, Table, only, shape};

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>, F: FormatOptions> Context<'_, B, S, F> {
    /// The composition parts on the LDE domain.
    pub(crate) fn composition(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        params: &[Ext<B>],
        combination: &Combination<B::P>,
    ) -> Result<Table<B>, ProveError> {
        let (backend, recorded, domains) = (self.backend, self.recorded, &self.domains);
        let fixed = self.fixed_tables()?;
        let mut fixed_tables = fixed.iter();
        let tables: Vec<Columns<&B::Buffer>> = recorded
            .groups()
            .iter()
            .map(|role| match role {
                GroupRole::Main => main.lde.as_ref(),
                GroupRole::Aux => aux.expect("an AIR with an auxiliary group has auxiliary columns").lde.as_ref(),
                GroupRole::Periodic { .. } | GroupRole::Exemptions => {
                    fixed_tables.next().expect("a table was made for every fixed group").as_ref()
                }
            })
            .collect();
        let log_eval = match self.composition {
            Composition::Direct => domains.log_lde(),
            Composition::Prefix { log_eval } => log_eval,
        };
        let request = Constraints {
            program: self.programs.constraints,
            columns: &tables,
            domain: domains.lde,
            log_trace: domains.log_trace,
            log_eval,
            params,
            combination,
        };
        let mut values = only(backend.constraint_eval(&[request])?);
        drop(fixed);
        if self.composition == Composition::Direct {
            return Ok(values);
        }
        let on_prefix = domains.prefix(log_eval);
        let parts = recorded.layout().composition_parts;
        if parts == 1 {
            return Ok(backend.lde(values.as_ref(), on_prefix, domains.lde)?);
        }
        backend.ntt(values.as_mut(), on_prefix, Basis::Coefficients)?;
        let split = backend.split(values.as_ref(), parts, domains.log_trace)?;
        drop(values);
        Ok(backend.lde(split.as_ref(), Basis::Coefficients, domains.lde)?)
    }

    /// Tables of the periodic and exemption groups on the LDE domain. A column of period `p` is a polynomial in
    /// `x^(n/p)`, so its table is its extension to the coset `h^(n/p) <root(p b)>`.
    fn fixed_tables(&self) -> Result<Vec<Table<B>>, ProveError> {
        let (domains, mut out) = (&self.domains, Vec::new());
        for rows in self.upload_periodic()? {
            let log_period = rows.log_height;
            let domain = CosetDomain::new(
                domains.lde.shift.pow_two_to(domains.log_trace - log_period),
                log_period + domains.log_blowup,
            );
            let from = Basis::Evaluations { domain: CosetDomain::subgroup(log_period), order: EvalOrder::Row };
            out.push(self.backend.lde(rows.as_ref(), from, domain)?);
        }
        let exemptions = self.recorded.groups().iter().position(|role| *role == GroupRole::Exemptions);
        if let Some(group) = exemptions {
            let columns = self.recorded.constraints().base_width(group);
            let table = shape(columns, self.recorded.log_exemption_coefficients());
            let data = || Ok(Cow::Owned(self.recorded.exemption_coefficients()));
            let coefficients = self.mode.upload::<HalError>(self.backend, table, data)?;
            out.push(self.backend.lde(coefficients.as_ref(), Basis::Coefficients, domains.lde)?);
        }
        Ok(out)
    }
}
