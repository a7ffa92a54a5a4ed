//! Transforms of whole tables.

use std::ops::Range;

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{Basis, Columns, CosetDomain, EvalOrder, Result};

use super::kernels::{Call, P};
use super::ntt;
use crate::buffer::{GpuBuffer, NewTable, Table};
use crate::call::{part, whole};
use crate::columns::entry;
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;

/// From values to coefficients or back, or from values in storage order to rows.
pub(super) fn ntt<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    table: Columns<&mut GpuBuffer<D::Memory>>,
    from: Basis<CosetDomain<Goldilocks>>,
    to: Basis<CosetDomain<Goldilocks>>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    if width == 0 {
        return Ok(());
    }
    let block = &mut table.data.block;
    let other = || call.alloc((width as u64) << log_height);
    match (from, to) {
        (Basis::Evaluations { .. }, Basis::Evaluations { .. }) => {
            let other = other()?;
            reverse_rows(call, width, log_height, block, &other)?;
            *block = other;
        }
        (Basis::Evaluations { domain, order: EvalOrder::Storage }, _) => {
            ntt::inverse(call, width, whole(block), whole(block), &domain)?;
        }
        (_, Basis::Evaluations { domain, order: EvalOrder::Storage }) => {
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain, Goldilocks::ONE)?;
        }
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) if domain.shift == Goldilocks::ONE => {
            let other = other()?;
            ntt::from_rows(call, width, whole(block), [whole(&other), whole(block)], log_height, true)?;
            if ntt::last_target(log_height) == 0 {
                *block = other;
            }
        }
        // Proofs have no use for the other two.
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) => {
            let other = other()?;
            reverse_rows(call, width, log_height, block, &other)?;
            ntt::inverse(call, width, whole(&other), whole(&other), &domain)?;
            *block = other;
        }
        (_, Basis::Evaluations { domain, order: EvalOrder::Row }) => {
            let other = other()?;
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain, Goldilocks::ONE)?;
            reverse_rows(call, width, log_height, block, &other)?;
            *block = other;
        }
        // The check refused it.
        (Basis::Coefficients, Basis::Coefficients) => {}
    }
    Ok(())
}

/// Row order to storage order or back.
fn reverse_rows<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    width: usize,
    log_height: u32,
    source: &Block<D::Memory>,
    target: &Block<D::Memory>,
) -> Result<()> {
    let count = (width as u64) << log_height;
    let params = Params::new().u64(count).u32(log_height);
    call.launch_items(entry::<P<E>>("reverse_rows"), count, 1, &[whole(source), whole(target)], params)
}

/// Extends some columns, at least one.
pub(super) fn extend<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    table: Table<'_, D>,
    columns: Range<usize>,
    (from, to): (Basis<CosetDomain<Goldilocks>>, CosetDomain<Goldilocks>),
    workspace: Option<&Block<D::Memory>>,
    extended: &NewTable<D>,
) -> Result<()> {
    let Some(workspace) = workspace else {
        let given = part(&table.data.block, (columns.start as u64) << table.log_height);
        return evaluate(call, (given, table.log_height), columns, (from, to), extended);
    };
    interpolate(call, table, columns.clone(), from, whole(workspace), extended)?;
    evaluate(call, (whole(workspace), table.log_height), columns, (from, to), extended)
}

/// Coefficients of some columns. With x = shift * y values in row order are the values of f(shift * y) on the subgroup,
/// whose coefficients come times their number; [`evaluate`] knows it.
pub(super) fn interpolate<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    table: Table<'_, D>,
    columns: Range<usize>,
    from: Basis<CosetDomain<Goldilocks>>,
    coefficients: Argument<'_, D::Memory>,
    extended: &NewTable<D>,
) -> Result<()> {
    let (width, log_height) = (columns.len(), table.log_height);
    let at = |buffer, log_height| part(buffer, (columns.start as u64) << log_height);
    let source = at(&table.data.block, log_height);
    match from {
        Basis::Evaluations { domain, order: EvalOrder::Storage } => {
            ntt::inverse(call, width, source, coefficients, &domain)
        }
        Basis::Evaluations { order: EvalOrder::Row, .. } => {
            // The target, at least as large, serves as the second memory.
            let target = at(&extended.data.block, extended.log_height);
            let targets = match ntt::last_target(log_height) {
                0 => [coefficients, target],
                _ => [target, coefficients],
            };
            ntt::from_rows(call, width, source, targets, log_height, false)
        }
        // They are given.
        Basis::Coefficients => Ok(()),
    }
}

/// Values of some columns of such coefficients.
pub(super) fn evaluate<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    coefficients: (Argument<'_, D::Memory>, u32),
    columns: Range<usize>,
    (from, to): (Basis<CosetDomain<Goldilocks>>, CosetDomain<Goldilocks>),
    extended: &NewTable<D>,
) -> Result<()> {
    let target = part(&extended.data.block, (columns.start as u64) << to.log_size);
    let (domain, scale) = match from {
        Basis::Evaluations { domain, order: EvalOrder::Row } => {
            // to.shift * w is shift times (to.shift / shift) * w.
            let shift = to.shift * domain.shift.inverse_or_zero();
            (CosetDomain::new(shift, to.log_size), ntt::inverse_size(coefficients.1))
        }
        _ => (to, Goldilocks::ONE),
    };
    ntt::forward(call, columns.len(), coefficients, target, &domain, scale)
}
