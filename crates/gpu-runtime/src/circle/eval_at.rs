//! Weights for values outside the domain.

use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, Domain, EvalOrder, Result};

use super::factors::{factors, first_of, log_domain};
use super::kernels::{Call, numbers};
use super::{ntt, units};
use crate::buffer::Table;
use crate::call::{Entry, from_element, whole};
use crate::device::KernelDevice;
use crate::eval_at::WEIGHT_ROWS;
use crate::params::Params;
use crate::pool::Block;

/// Weights of coefficients or of values on a circle, and the factor of all of them.
pub(super) fn weights<D: KernelDevice>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    from: &Basis<CircleDomain>,
    log_count: u32,
    point: &CirclePoint<QM31>,
) -> Result<QM31> {
    match from {
        Basis::Evaluations { domain: domain @ CircleDomain::Circle { .. }, order } => {
            weights_of_values(call, weights, domain, *order, point)?;
            Ok(common_factor(domain, point))
        }
        // For one point on a line the value is the coefficient.
        _ => {
            weights_of_coefficients(call, weights, log_count, point)?;
            Ok(QM31::ONE)
        }
    }
}

/// The factor of all weights of values: see `kernels/circle/eval_at.h`.
fn common_factor(domain: &CircleDomain, point: &CirclePoint<QM31>) -> QM31 {
    let (log_size, log_coset) = (domain.log_size(), log_domain(domain));
    let first = field::circle::CanonicDomain::new(log_coset).at_storage(first_of(domain) as usize);
    let doubled = first.repeated_double(log_size - 1);
    let vanishing = CirclePoint::repeated_double_x(point.x, log_size - 1) - doubled.x;
    // Neither a power of two nor the y-coordinate is zero: the doubled point is of order four or more.
    vanishing * -(M31::new(1 << log_size) * doubled.y).inverse_or_zero()
}

fn weights_of_coefficients<D: KernelDevice>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    log_count: u32,
    point: &CirclePoint<QM31>,
) -> Result<()> {
    let xs = std::iter::successors(Some(point.x), |x| Some(CirclePoint::double_x(*x)));
    let factors = std::iter::once(point.y).chain(xs).take(log_count as usize);
    let factors: Vec<u64> = factors.flat_map(|factor| numbers(&factor)).collect();
    let factors = call.alloc_as_elements(&factors)?;
    let count = 1u64 << log_count;
    let threads = count.div_ceil(WEIGHT_ROWS);
    let params = Params::new().u64(count).u64(threads).u32(threads.ilog2());
    let buffers = [whole(&factors), whole(weights)];
    let entry = Entry { unit: &units::EVAL_AT, name: "weights_of_coefficients", defines: &call.degree() };
    call.launch_items(entry, threads, 1, &buffers, params)
}

fn weights_of_values<D: KernelDevice>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    domain: &CircleDomain,
    order: EvalOrder,
    point: &CirclePoint<QM31>,
) -> Result<()> {
    let factors = factors(call, domain)?;
    let pairs = 1u64 << (domain.log_size() - 1);
    let threads = pairs.div_ceil(WEIGHT_ROWS);
    let params = Params::new()
        .qm31(&point.x)
        .qm31(&point.y)
        .u64(pairs)
        .u64(threads)
        .u32(log_domain(domain))
        .u32((order == EvalOrder::Row).into())
        .u32(first_of(domain))
        .u32(0);
    let buffers = [whole(weights), whole(&factors.forward)];
    let entry = Entry { unit: &units::EVAL_AT, name: "weights_of_values", defines: &call.degree() };
    call.launch_items(entry, threads, 1, &buffers, params)
}

/// The coefficients of the first rows of all columns of values on a line, which have no weights; of one point they are
/// the values.
pub(super) fn line_coefficients<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    from: &Basis<CircleDomain>,
) -> Result<Option<Block<D::Memory>>> {
    let Basis::Evaluations { domain: domain @ CircleDomain::Line { log_size: 1.., .. }, order } = from else {
        return Ok(None);
    };
    let log_size = domain.log_size();
    let coefficients = call.alloc_elements((table.width as u64) << log_size)?;
    for column in 0..table.width as u64 {
        let source = from_element::<CircleStark, _>(&table.data.block, column << table.log_height);
        let target = from_element::<CircleStark, _>(&coefficients, column << log_size);
        ntt::inverse(call, 1, source, target, (domain, *order))?;
    }
    Ok(Some(coefficients))
}
