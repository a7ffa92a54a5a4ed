//! The domains of a proof.

use field::{Goldilocks, powers};
use goldilocks_proof::FormatOptions;
use gpu_hal::{Basis, CosetDomain, EvalOrder};

/// Trace domain and LDE domain.
#[derive(Clone, Copy)]
pub(crate) struct Domains {
    pub(crate) log_trace: u32,
    pub(crate) log_blowup: u32,
    pub(crate) lde: CosetDomain<Goldilocks>,
}

impl Domains {
    pub(crate) fn new(log_trace: u32, options: &impl FormatOptions) -> Self {
        let lde = options.lde_domain(log_trace);
        Self { log_trace, log_blowup: lde.log_size - log_trace, lde }
    }

    pub(crate) fn log_lde(&self) -> u32 {
        self.lde.log_size
    }

    /// Rows of the trace.
    pub(crate) fn rows(&self) -> Basis<CosetDomain<Goldilocks>> {
        Basis::Evaluations { domain: CosetDomain::subgroup(self.log_trace), order: EvalOrder::Row }
    }

    /// Values on the first points of the LDE domain in storage order.
    pub(crate) fn prefix(&self, log_size: u32) -> Basis<CosetDomain<Goldilocks>> {
        Basis::Evaluations { domain: self.lde.prefix(log_size), order: EvalOrder::Storage }
    }

    /// `1, g, g^2, ...`: the trace domain's points.
    pub(crate) fn trace_points(&self) -> impl Iterator<Item = Goldilocks> {
        powers(CosetDomain::<Goldilocks>::subgroup(self.log_trace).generator())
    }
}
