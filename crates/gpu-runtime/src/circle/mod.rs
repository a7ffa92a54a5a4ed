//! The Circle protocol: columns of M31, two elements a word.

mod deep;
mod eval_at;
mod factors;
mod kernels;
mod leaves;
mod multipliers;
mod ntt;
mod stages;
mod units;

use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Columns, DeepTerm, Domain, EvalOrder, HashFn, Leaves, Protocol, Result, Shape,
};

use self::factors::{factors, first_of, log_domain};
use self::kernels::Call;
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Entry, Runtime, from_element, whole};
use crate::columns::entry;
use crate::device::{Argument, KernelDevice};
use crate::leaves::LeafTables;
use crate::library::Units;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, MultiplierTable};

impl GpuProtocol for CircleStark {
    const UNITS: &'static Units = &units::UNITS;
    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;
    /// A point and its conjugate have one x-coordinate.
    const LOG_SHARED: u32 = 1;
    const ONE_POWER: bool = false;
    const DOT_ROWS: u64 = 8192;
    const DOT_COLUMNS: usize = 4;

    fn kept_words<D: KernelDevice>(runtime: &Runtime<D, Self>, log_domain: u32) -> Vec<u64> {
        let made = runtime.factors.known().map_or(0, |factors| factors.entries.ilog2());
        vec![factors::table_words(made.max(factors::canonic_log_entries(log_domain))); 2]
    }

    fn made_words<D: KernelDevice>(runtime: &Runtime<D, Self>) -> Vec<u64> {
        runtime.factors.known().map_or(Vec::new(), |factors| vec![factors::table_words(factors.entries.ilog2()); 2])
    }

    /// From values to coefficients or back, or from values in storage order to rows; in place, but values in row order
    /// take a second buffer.
    fn ntt<D: KernelDevice>(
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

    /// Extends some columns, at least one.
    fn extend<D: KernelDevice>(
        call: Call<'_, D>,
        table: Table<'_, D>,
        columns: Range<usize>,
        (from, to): (Basis<CircleDomain>, CircleDomain),
        workspace: Option<&Block<D::Memory>>,
        extended: &NewTable<D>,
    ) -> Result<()> {
        let width = columns.len();
        let at = from_element::<Self, D::Memory>;
        let source = at(&table.data.block, (columns.start as u64) << table.log_height);
        let target = at(&extended.data.block, (columns.start as u64) << extended.log_height);
        if table.log_height == 0 {
            // A constant.
            let count = (width as u64) << extended.log_height;
            let params = Params::new().u64(count).u32(extended.log_height);
            return call.launch_items(entry::<Self>("repeat_elements"), count, 1, &[source, target], params);
        }
        if let Basis::Evaluations { domain, order } = &from
            && ntt::is_low(extended.log_height)
        {
            return ntt::extend(call, width, (source, domain, *order), (target, &to));
        }
        let coefficients = match workspace {
            Some(workspace) => {
                Self::interpolate(call, table, columns.clone(), from, whole(workspace), extended)?;
                whole(workspace)
            }
            None => source,
        };
        Self::evaluate(call, (coefficients, table.log_height), columns, (from, to), extended)
    }

    /// Coefficients of some columns of more than one row.
    fn interpolate<D: KernelDevice>(
        call: Call<'_, D>,
        table: Table<'_, D>,
        columns: Range<usize>,
        from: Basis<CircleDomain>,
        coefficients: Argument<'_, D::Memory>,
        _: &NewTable<D>,
    ) -> Result<()> {
        // Coefficients are given.
        let Basis::Evaluations { domain, order } = from else { return Ok(()) };
        let source = from_element::<Self, _>(&table.data.block, (columns.start as u64) << table.log_height);
        ntt::inverse(call, columns.len(), source, coefficients, (&domain, order))
    }

    /// Values of some columns of more than one coefficient.
    fn evaluate<D: KernelDevice>(
        call: Call<'_, D>,
        coefficients: (Argument<'_, D::Memory>, u32),
        columns: Range<usize>,
        (_, to): (Basis<CircleDomain>, CircleDomain),
        extended: &NewTable<D>,
    ) -> Result<()> {
        let target = from_element::<Self, _>(&extended.data.block, (columns.start as u64) << extended.log_height);
        ntt::forward(call, columns.len(), coefficients, target, &to)
    }

    fn leaves<'a, D: KernelDevice>(
        call: Call<'_, D>,
        tables: &[Table<'a, D>],
        log_height: u32,
        rows_per_leaf: u32,
    ) -> Result<LeafTables<'a, D>> {
        leaves::leaves(call, tables, log_height, rows_per_leaf)
    }

    fn leaf_words() -> Vec<u64> {
        vec![leaves::list_words()]
    }

    fn leaves_words(tables: &[Shape]) -> Vec<u64> {
        leaves::leaves_words(tables)
    }

    fn all_leaves<'a, D: KernelDevice>(
        call: Call<'_, D>,
        tables: &[Table<'a, D>],
        leaves: (u32, u32),
        hash: HashFn,
    ) -> Result<LeafTables<'a, D>> {
        leaves::all_leaves(call, tables, leaves, hash)
    }

    fn all_leaves_words<D: KernelDevice>(
        runtime: &Runtime<D, Self>,
        tables: &[Shape],
        leaves: Leaves,
        hash: HashFn,
    ) -> Vec<u64> {
        leaves::all_leaves_words(runtime, tables, leaves, hash)
    }

    fn log_rows(_: u32, log_eval: u32) -> u32 {
        log_eval
    }

    fn factor_words(wanted: &[MultiplierTable<M31>]) -> Vec<u64> {
        multipliers::factor_words(wanted)
    }

    fn make_multipliers<D: KernelDevice>(
        call: Call<'_, D>,
        domain: (&CircleDomain, u32),
        wanted: &[MultiplierTable<M31>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()> {
        multipliers::make(call, domain, wanted, factors, values)
    }

    fn coefficients<D: KernelDevice>(
        call: Call<'_, D>,
        table: Table<'_, D>,
        from: &Basis<CircleDomain>,
    ) -> Result<Option<Block<D::Memory>>> {
        eval_at::line_coefficients(call, table, from)
    }

    fn weights<D: KernelDevice>(
        call: Call<'_, D>,
        weights: &Block<D::Memory>,
        from: &Basis<CircleDomain>,
        log_count: u32,
        point: &CirclePoint<QM31>,
    ) -> Result<QM31> {
        eval_at::weights(call, weights, from, log_count, point)
    }

    fn weight_elements(log_count: u32) -> Option<u64> {
        Some(4 * u64::from(log_count.max(1)))
    }

    fn deep_quotient<D: KernelDevice>(
        call: Call<'_, D>,
        tables: &[Table<'_, D>],
        log_cut: u32,
        domain: &CircleDomain,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable<D>> {
        deep::deep(call, tables, log_cut, domain, terms)
    }

    fn deep_words<D: KernelDevice>(
        runtime: &Runtime<D, Self>,
        tables: &[Shape],
        log_cut: u32,
        domain: &CircleDomain,
        terms: &[DeepTerm<Self>],
    ) -> Vec<u64> {
        deep::deep_words(runtime, tables, log_cut, domain, terms)
    }

    fn fold<D: KernelDevice>(
        call: Call<'_, D>,
        layer: Table<'_, D>,
        domain: &CircleDomain,
        folded: &CircleDomain,
        alpha: QM31,
    ) -> Result<NewTable<D>> {
        let result = new_table(call, CircleStark::DEGREE, folded.log_size())?;
        let factors = factors(call, domain)?;
        let count = 1u64 << result.log_height;
        let is_circle = matches!(domain, CircleDomain::Circle { .. });
        let params = Params::new()
            .qm31(&alpha)
            .u64(count)
            .u32(log_domain(domain))
            .u32(is_circle.into())
            .u32(first_of(domain))
            .u32(0);
        let buffers = [whole(&layer.data.block), whole(&result.data.block), whole(&factors.inverse)];
        let entry = Entry { unit: &units::FOLD, name: "fold", defines: &[] };
        call.launch_items(entry, count, 1, &buffers, params)?;
        Ok(result)
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
