//! The Circle protocol: columns of M31, two elements a word.

mod columns;
mod deep;
mod eval_at;
mod factors;
mod fold;
mod kernels;
mod leaves;
mod multipliers;
mod ntt;
mod stages;
mod units;

use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, DeepTerm, HashFn, Leaves, Result, Shape};

use self::kernels::Call;
use crate::buffer::{GpuBuffer, NewTable, Table};
use crate::call::Runtime;
use crate::device::{Argument, KernelDevice};
use crate::leaves::LeafTables;
use crate::library::Units;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, Wanted};

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

    fn ntt<D: KernelDevice>(
        call: Call<'_, D>,
        table: Columns<&mut GpuBuffer<D::Memory>>,
        from: Basis<CircleDomain>,
        to: Basis<CircleDomain>,
    ) -> Result<()> {
        columns::ntt(call, table, from, to)
    }

    fn extend<D: KernelDevice>(
        call: Call<'_, D>,
        table: Table<'_, D>,
        columns: Range<usize>,
        bases: (Basis<CircleDomain>, CircleDomain),
        workspace: Option<&Block<D::Memory>>,
        extended: &NewTable<D>,
    ) -> Result<()> {
        columns::extend(call, table, columns, bases, workspace, extended)
    }

    fn interpolate<D: KernelDevice>(
        call: Call<'_, D>,
        table: Table<'_, D>,
        columns: Range<usize>,
        from: Basis<CircleDomain>,
        coefficients: Argument<'_, D::Memory>,
        _: &NewTable<D>,
    ) -> Result<()> {
        columns::interpolate(call, table, columns, from, coefficients)
    }

    fn evaluate<D: KernelDevice>(
        call: Call<'_, D>,
        coefficients: (Argument<'_, D::Memory>, u32),
        columns: Range<usize>,
        (_, to): (Basis<CircleDomain>, CircleDomain),
        extended: &NewTable<D>,
    ) -> Result<()> {
        columns::evaluate(call, coefficients, columns, to, extended)
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

    fn factor_words(wanted: &[Wanted<M31>]) -> Vec<u64> {
        multipliers::factor_words(wanted)
    }

    fn make_multipliers<D: KernelDevice>(
        call: Call<'_, D>,
        domain: (&CircleDomain, u32),
        wanted: &[Wanted<M31>],
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
        fold::fold(call, layer, domain, folded, alpha)
    }
}
