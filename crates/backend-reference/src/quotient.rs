//! Values at points outside the domain, the DEEP quotient, and the FRI fold.

use field::{Field, batch_inverse};
use gpu_hal::{Basis, DeepTerm, Domain, EvalRequest, Operation, Result, Values};

use crate::CpuReference;
use crate::memory::Memory;
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table, base, extension, set_extension};

/// One request of [`gpu_hal::StarkBackend::eval_at`].
pub(crate) fn eval_at<P: ReferenceProtocol>(request: &EvalRequest<'_, CpuReference<P>>) -> Values<CpuReference<P>> {
    let polynomial = |column: &[P::Base]| match request.from {
        Basis::Coefficients => column.to_vec(),
        Basis::Evaluations { domain, order } => {
            // If a table is higher than the domain, its first rows count.
            let mut coefficients = column[..1 << domain.log_size()].to_vec();
            P::interpolate(&mut coefficients, &domain, order);
            coefficients
        }
    };
    let table = &request.columns;
    let polynomials: Vec<_> = table.data.values.chunks_exact(table.height()).map(polynomial).collect();
    let values = |point: &P::Point| polynomials.iter().map(|c| P::value(c, *point)).collect();
    request.points.iter().map(values).collect()
}

/// `sum over terms of (sum of weight * column(q) - subtrahend(q)) / denominator(q)` at every point `q` of the domain.
/// Tables begin with the row that is read at the first point of the block that is `2^log_cut` times smaller than the
/// whole.
pub(crate) fn deep<P: ReferenceProtocol>(
    memory: &Memory,
    tables: &[Table<'_, P>],
    log_cut: u32,
    domain: &P::Domain,
    terms: &[DeepTerm<P>],
) -> Result<NewTable<P>> {
    let (log_size, log_whole) = (domain.log_size(), domain.log_whole());
    let mut result = memory.columns(Operation::DeepQuotient, P::DEGREE, log_size)?;
    let first = (domain.block_index() as usize) << log_size;
    let log_block = log_whole - log_cut;
    let first_of_block = first >> log_block << log_block;
    let points = domain.points();
    let mut sums = vec![P::Ext::ZERO; points.len()];
    for term in terms {
        let inverses = P::inverse_denominators(term, &points);
        for (storage, (sum, inverse)) in sums.iter_mut().zip(inverses).enumerate() {
            let value = |(table, column, weight): &(usize, usize, P::Ext)| {
                let table = &tables[*table];
                let row = |index| P::Domain::lift_index(index, log_whole, table.log_height + log_cut);
                *weight * base(table, *column, row(first + storage) - row(first_of_block))
            };
            let values: P::Ext = term.weights.iter().map(value).sum();
            *sum += (values - P::subtrahend(term, points[storage])) * inverse;
        }
    }
    for (storage, sum) in sums.into_iter().enumerate() {
        set_extension::<P>(&mut result, 0, storage, sum);
    }
    Ok(result)
}

/// `out[i] = (f[2i] + f[2i+1]) + alpha (f[2i] - f[2i+1])/t`: in storage order a point and its opposite are neighbours,
/// and `t` is the first one's coordinate that changes its sign.
pub(crate) fn fold<P: ReferenceProtocol>(
    memory: &Memory,
    layer: &Table<'_, P>,
    domain: &P::Domain,
    folded: &P::Domain,
    alpha: P::Ext,
) -> Result<NewTable<P>> {
    let mut result = memory.columns(Operation::FriFold, P::DEGREE, folded.log_size())?;
    let points = domain.points();
    let mut inverses: Vec<P::Base> = points.into_iter().step_by(2).map(|at| domain.twin(at)).collect();
    batch_inverse(&mut inverses);
    for (i, inverse) in inverses.into_iter().enumerate() {
        let (a, b) = (extension::<P>(layer, 0, 2 * i), extension::<P>(layer, 0, 2 * i + 1));
        set_extension::<P>(&mut result, 0, i, (a + b) + alpha * ((a - b) * inverse));
    }
    Ok(result)
}
