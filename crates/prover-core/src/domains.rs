//! The domains of a proof.

use field::{Goldilocks, powers};
use gpu_hal::CosetDomain;

/// Trace domain and LDE domain.
#[derive(Clone, Copy)]
pub(crate) struct Domains {
    pub(crate) log_trace: u32,
    pub(crate) log_blowup: u32,
    pub(crate) lde: CosetDomain<Goldilocks>,
}

impl Domains {
    pub(crate) fn trace(&self) -> CosetDomain<Goldilocks> {
        CosetDomain::subgroup(self.log_trace)
    }

    /// `1, g, g^2, ...`: the trace domain's points.
    pub(crate) fn trace_points(&self) -> impl Iterator<Item = Goldilocks> {
        powers(self.trace().generator())
    }
}
