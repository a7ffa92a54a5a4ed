//! The folds of FRI, in every protocol.

use field::Field;
use gpu_hal::{Columns, Domain as _, Result, StarkBackend};

use crate::table::{Domain, Ext, Table};

/// A layer folded `step` times by two, once at least: with the factor, then with its square, and so on. With it comes
/// its domain.
pub(crate) fn fold<B: StarkBackend>(
    backend: &B,
    values: Columns<&B::Buffer>,
    domain: Domain<B>,
    mut factor: Ext<B>,
    step: u32,
) -> Result<(Table<B>, Domain<B>)> {
    let half = |domain: Domain<B>| domain.folded().expect("the fold was accepted, so the domain has a half");
    let mut folded = backend.fri_fold(values, domain, factor)?;
    let mut domain = half(domain);
    for _ in 1..step {
        factor = factor.square();
        folded = backend.fri_fold(folded.as_ref(), domain, factor)?;
        domain = half(domain);
    }
    Ok((folded, domain))
}
