//! Values at points outside the domain, the DEEP quotient, and the FRI fold.

use field::{Field, Goldilocks, batch_inverse};
use gpu_hal::{Columns, CosetDomain, CosetProtocol, DeepTerm, Operation, Result};

use super::coset_fft;
use super::table::{base, extension, set_extension};
use crate::memory::{CpuBuffer, Memory};

/// `f(point) = c_0 + point (c_1 + point (c_2 + ...))`.
pub(crate) fn horner<P: CosetProtocol>(coefficients: &[Goldilocks], point: P::Ext) -> P::Ext {
    coefficients.iter().rev().fold(P::Ext::ZERO, |sum, c| sum * point + *c)
}

/// `sum over terms of (sum of weight * column(x) - constant) / (x - point)` at every point `x` of the domain.
pub(crate) fn deep<P: CosetProtocol>(
    memory: &Memory,
    tables: &[Columns<&CpuBuffer<Goldilocks>>],
    domain: &CosetDomain<Goldilocks>,
    terms: &[DeepTerm<P>],
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let mut result = memory.columns(Operation::DeepQuotient, P::DEGREE, domain.log_size)?;
    let points = coset_fft::points(domain);
    let mut sums = vec![P::Ext::ZERO; points.len()];
    for term in terms {
        let mut inverses: Vec<P::Ext> = points.iter().map(|x| P::Ext::from(*x) - term.point).collect();
        batch_inverse(&mut inverses);
        for (storage, (sum, inverse)) in sums.iter_mut().zip(inverses).enumerate() {
            let values = term.weights.iter().map(|(table, column, w)| *w * base(&tables[*table], *column, storage));
            *sum += (values.sum::<P::Ext>() - term.constant) * inverse;
        }
    }
    for (storage, sum) in sums.into_iter().enumerate() {
        set_extension::<P>(&mut result, 0, storage, sum);
    }
    Ok(result)
}

/// `q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x`. In storage order `x` and `-x` are the points `2i` and `2i + 1`, and `x^2` is the
/// point `i` of the folded domain.
pub(crate) fn fold<P: CosetProtocol>(
    memory: &Memory,
    layer: &Columns<&CpuBuffer<Goldilocks>>,
    domain: &CosetDomain<Goldilocks>,
    folded: &CosetDomain<Goldilocks>,
    alpha: P::Ext,
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let mut result = memory.columns(Operation::FriFold, P::DEGREE, folded.log_size)?;
    let mut inverses: Vec<Goldilocks> = coset_fft::points(domain).into_iter().step_by(2).collect();
    batch_inverse(&mut inverses);
    for (i, inverse) in inverses.into_iter().enumerate() {
        let (at_x, at_minus_x) = (extension::<P>(layer, 0, 2 * i), extension::<P>(layer, 0, 2 * i + 1));
        let value = (at_x + at_minus_x) + alpha * ((at_x - at_minus_x) * inverse);
        set_extension::<P>(&mut result, 0, i, value);
    }
    Ok(result)
}
