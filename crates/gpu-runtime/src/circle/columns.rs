//! Transforms and sums of whole tables.

use std::ops::Range;

use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, Result};

use super::kernels::Call;
use super::ntt;
use crate::buffer::{GpuBuffer, NewTable, Table};
use crate::call::{from_element, whole};
use crate::columns::entry;
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;

/// From values to coefficients or back, or from values in storage order to rows; in place, but values in row order take
/// a second buffer.
pub(super) fn ntt<D: KernelDevice>(
    call: Call<'_, D>,
    table: Columns<&mut GpuBuffer<D::Memory>>,
    from: Basis<CircleDomain>,
    to: Basis<CircleDomain>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    if width == 0 || log_height == 0 {
        // A polynomial of one coefficient is its value.
        return Ok(());
    }
    let block = &mut table.data.block;
    let other = || call.alloc_elements((width as u64) << log_height);
    match (from, to) {
        (Basis::Evaluations { domain, .. }, Basis::Evaluations { .. }) => {
            to_rows(call, width, log_height, block, &domain)
        }
        (Basis::Evaluations { domain, order: EvalOrder::Storage }, _) => {
            ntt::inverse(call, width, whole(block), whole(block), (&domain, EvalOrder::Storage))
        }
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) => {
            let other = other()?;
            ntt::inverse(call, width, whole(block), whole(&other), (&domain, EvalOrder::Row))?;
            *block = other;
            Ok(())
        }
        (_, Basis::Evaluations { domain, order }) => {
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain)?;
            if order == EvalOrder::Row {
                to_rows(call, width, log_height, block, &domain)?;
            }
            Ok(())
        }
        // The check refused it.
        (Basis::Coefficients, Basis::Coefficients) => Ok(()),
    }
}

/// From storage order to rows.
fn to_rows<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    log_height: u32,
    block: &mut Block<D::Memory>,
    domain: &CircleDomain,
) -> Result<()> {
    let count = (width as u64) << log_height;
    let other = call.alloc_elements(count)?;
    let is_circle = matches!(domain, CircleDomain::Circle { .. });
    let params = Params::new().u64(count).u32(log_height).u32(is_circle.into());
    call.launch_items(entry::<CircleStark>("to_rows"), count, 1, &[whole(block), whole(&other)], params)?;
    *block = other;
    Ok(())
}

/// Extends some columns, at least one.
pub(super) fn extend<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    columns: Range<usize>,
    (from, to): (Basis<CircleDomain>, CircleDomain),
    workspace: Option<&Block<D::Memory>>,
    extended: &NewTable<D>,
) -> Result<()> {
    let width = columns.len();
    let at = from_element::<CircleStark, D::Memory>;
    let source = at(&table.data.block, (columns.start as u64) << table.log_height);
    let target = at(&extended.data.block, (columns.start as u64) << extended.log_height);
    if table.log_height == 0 {
        // A constant.
        let count = (width as u64) << extended.log_height;
        let params = Params::new().u64(count).u32(extended.log_height);
        return call.launch_items(entry::<CircleStark>("repeat_elements"), count, 1, &[source, target], params);
    }
    if let Basis::Evaluations { domain, order } = &from
        && ntt::is_low(extended.log_height)
    {
        return ntt::extend(call, width, (source, domain, *order), (target, &to));
    }
    let coefficients = match workspace {
        Some(workspace) => {
            interpolate(call, table, columns.clone(), from, whole(workspace))?;
            whole(workspace)
        }
        None => source,
    };
    evaluate(call, (coefficients, table.log_height), columns, to, extended)
}

/// Coefficients of some columns of more than one row.
pub(super) fn interpolate<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    columns: Range<usize>,
    from: Basis<CircleDomain>,
    coefficients: Argument<'_, D::Memory>,
) -> Result<()> {
    // Coefficients are given.
    let Basis::Evaluations { domain, order } = from else { return Ok(()) };
    let source = from_element::<CircleStark, _>(&table.data.block, (columns.start as u64) << table.log_height);
    ntt::inverse(call, columns.len(), source, coefficients, (&domain, order))
}

/// Values of some columns of more than one coefficient.
pub(super) fn evaluate<D: KernelDevice>(
    call: Call<'_, D>,
    coefficients: (Argument<'_, D::Memory>, u32),
    columns: Range<usize>,
    to: CircleDomain,
    extended: &NewTable<D>,
) -> Result<()> {
    let target = from_element::<CircleStark, _>(&extended.data.block, (columns.start as u64) << extended.log_height);
    ntt::forward(call, columns.len(), coefficients, target, &to)
}
