//! Transforms and copies of tables.

use std::ops::Range;

use gpu_hal::{Basis, Columns, Domain, EvalOrder, Operation, Result, check};

use crate::memory::{Memory, ReferenceBuffer};
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table};

/// [`gpu_hal::StarkBackend::upload`].
pub(crate) fn upload<P: ReferenceProtocol>(
    memory: &Memory,
    data: &[P::Base],
    width: usize,
    log_height: u32,
) -> Result<NewTable<P>> {
    check::canonical(Operation::Upload, &[data])?;
    let mut table = memory.columns(Operation::Upload, width, log_height)?;
    table.data.values.copy_from_slice(data);
    Ok(table)
}

/// [`gpu_hal::StarkBackend::download`].
pub(crate) fn download<P: ReferenceProtocol>(table: Table<'_, P>, rows: Range<usize>) -> Vec<P::Base> {
    let columns = table.data.values.chunks_exact(table.height());
    columns.flat_map(|column| &column[rows.clone()]).copied().collect()
}

/// [`gpu_hal::StarkBackend::ntt`].
pub(crate) fn ntt<P: ReferenceProtocol>(
    table: Columns<&mut ReferenceBuffer<P::Base>>,
    from: Basis<P::Domain>,
    to: Basis<P::Domain>,
) {
    // From storage order to rows it takes the way through the coefficients, too.
    if let Basis::Evaluations { domain, order } = from {
        P::interpolate(&mut table.data.values, &domain, order);
    }
    if let Basis::Evaluations { domain, order } = to {
        P::evaluate(&mut table.data.values, &domain, order);
    }
}

/// [`gpu_hal::StarkBackend::lde`].
pub(crate) fn lde<P: ReferenceProtocol>(
    memory: &Memory,
    table: Table<'_, P>,
    from: Basis<P::Domain>,
    to: P::Domain,
) -> Result<NewTable<P>> {
    let mut coefficients = table.data.values.to_vec();
    if let Basis::Evaluations { domain, order } = from {
        P::interpolate(&mut coefficients, &domain, order);
    }
    let mut extended = memory.columns(Operation::Lde, table.width, to.log_size())?;
    let height = extended.height();
    let columns = extended.data.values.chunks_exact_mut(height);
    for (column, coefficients) in columns.zip(coefficients.chunks_exact(table.height())) {
        column[..coefficients.len()].copy_from_slice(coefficients);
    }
    P::evaluate(&mut extended.data.values, &to, EvalOrder::Storage);
    Ok(extended)
}

/// [`gpu_hal::StarkBackend::split`].
pub(crate) fn split<P: ReferenceProtocol>(
    memory: &Memory,
    table: Table<'_, P>,
    parts: usize,
    log_part: u32,
) -> Result<NewTable<P>> {
    // Part-major: for every part all base columns in order.
    let mut split = memory.columns(Operation::Split, table.width * parts, log_part)?;
    for (number, column) in split.data.values.chunks_exact_mut(1 << log_part).enumerate() {
        let (part, source) = (number / table.width, number % table.width);
        let source = &table.data.values[source << table.log_height..][..table.height()];
        for (index, value) in column.iter_mut().enumerate() {
            *value = source[P::Domain::split_index(index, part, parts, log_part)];
        }
    }
    Ok(split)
}

/// [`gpu_hal::StarkBackend::select`].
pub(crate) fn select<P: ReferenceProtocol>(
    memory: &Memory,
    tables: &[Table<'_, P>],
    picks: &[(usize, usize)],
) -> Result<NewTable<P>> {
    let height = tables[picks[0].0].height();
    let mut selected = memory.columns(Operation::Select, picks.len(), height.ilog2())?;
    for (target, (table, column)) in selected.data.values.chunks_exact_mut(height).zip(picks) {
        target.copy_from_slice(&tables[*table].data.values[column * height..][..height]);
    }
    Ok(selected)
}
