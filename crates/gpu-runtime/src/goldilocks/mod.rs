//! The Goldilocks protocol: columns on cosets, an element a word.

mod columns;
mod deep;
mod eval_at;
mod fold;
mod kernels;
mod leaves;
mod multipliers;
mod ntt;
mod points;
mod twiddles;
mod units;

use std::ops::Range;

use field::{ExtensionField, Goldilocks, TwoAdicField};
use gpu_hal::{Basis, Columns, CosetDomain, DeepTerm, GoldilocksStark, HalError, Result, Shape};

use self::kernels::Call;
use crate::buffer::{GpuBuffer, NewTable, Table};
use crate::call::Runtime;
use crate::device::{Argument, KernelDevice};
use crate::leaves::LeafTables;
use crate::library::Units;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, Wanted};

impl<E: ExtensionField<Goldilocks>> GpuProtocol for GoldilocksStark<E> {
    const UNITS: &'static Units = &units::UNITS;
    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    fn check_extension() -> Result<()> {
        if [1, 3].contains(&E::DEGREE) {
            return Ok(());
        }
        let detail = format!("an extension of degree {}: there are kernels for 1 and 3", E::DEGREE);
        Err(HalError::unsupported("open device", detail))
    }

    const LOG_SHARED: u32 = 0;
    const ONE_POWER: bool = true;
    const DOT_ROWS: u64 = 4096;
    const DOT_COLUMNS: usize = 2;

    fn kept_words<D: KernelDevice>(_: &Runtime<D, Self>, _: u32) -> Vec<u64> {
        vec![ntt::ROOTS_COUNT as u64, twiddles::ENTRIES, twiddles::ENTRIES]
    }

    fn made_words<D: KernelDevice>(runtime: &Runtime<D, Self>) -> Vec<u64> {
        let roots = runtime.roots.known().map(|_| ntt::ROOTS_COUNT as u64);
        let twiddles = runtime.factors.known().map(|_| [twiddles::ENTRIES; 2]);
        roots.into_iter().chain(twiddles.into_iter().flatten()).collect()
    }

    fn ntt<D: KernelDevice>(
        call: Call<'_, D, E>,
        table: Columns<&mut GpuBuffer<D::Memory>>,
        from: Basis<CosetDomain<Goldilocks>>,
        to: Basis<CosetDomain<Goldilocks>>,
    ) -> Result<()> {
        columns::ntt(call, table, from, to)
    }

    fn extend<D: KernelDevice>(
        call: Call<'_, D, E>,
        table: Table<'_, D>,
        columns: Range<usize>,
        bases: (Basis<CosetDomain<Goldilocks>>, CosetDomain<Goldilocks>),
        workspace: Option<&Block<D::Memory>>,
        extended: &NewTable<D>,
    ) -> Result<()> {
        columns::extend(call, table, columns, bases, workspace, extended)
    }

    fn interpolate<D: KernelDevice>(
        call: Call<'_, D, E>,
        table: Table<'_, D>,
        columns: Range<usize>,
        from: Basis<CosetDomain<Goldilocks>>,
        coefficients: Argument<'_, D::Memory>,
        extended: &NewTable<D>,
    ) -> Result<()> {
        columns::interpolate(call, table, columns, from, coefficients, extended)
    }

    fn evaluate<D: KernelDevice>(
        call: Call<'_, D, E>,
        coefficients: (Argument<'_, D::Memory>, u32),
        columns: Range<usize>,
        bases: (Basis<CosetDomain<Goldilocks>>, CosetDomain<Goldilocks>),
        extended: &NewTable<D>,
    ) -> Result<()> {
        columns::evaluate(call, coefficients, columns, bases, extended)
    }

    fn leaves<'a, D: KernelDevice>(
        call: Call<'_, D, E>,
        tables: &[Table<'a, D>],
        log_height: u32,
        rows_per_leaf: u32,
    ) -> Result<LeafTables<'a, D>> {
        leaves::leaves(call, tables, log_height, rows_per_leaf)
    }

    fn leaf_words() -> Vec<u64> {
        Vec::new()
    }

    fn log_rows(log_size: u32, _: u32) -> u32 {
        log_size
    }

    fn factor_words(wanted: &[Wanted<Goldilocks>]) -> Vec<u64> {
        multipliers::factor_words(wanted)
    }

    fn make_multipliers<D: KernelDevice>(
        call: Call<'_, D, E>,
        domain: (&CosetDomain<Goldilocks>, u32),
        wanted: &[Wanted<Goldilocks>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()> {
        multipliers::make(call, domain, wanted, factors, values)
    }

    fn weights<D: KernelDevice>(
        call: Call<'_, D, E>,
        weights: &Block<D::Memory>,
        from: &Basis<CosetDomain<Goldilocks>>,
        log_count: u32,
        point: &E,
    ) -> Result<E> {
        eval_at::weights(call, weights, from, log_count, point)
    }

    fn deep_quotient<D: KernelDevice>(
        call: Call<'_, D, E>,
        tables: &[Table<'_, D>],
        _: u32,
        domain: &CosetDomain<Goldilocks>,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable<D>> {
        deep::deep(call, tables, domain, terms)
    }

    fn deep_words<D: KernelDevice>(
        _: &Runtime<D, Self>,
        tables: &[Shape],
        _: u32,
        _: &CosetDomain<Goldilocks>,
        terms: &[DeepTerm<Self>],
    ) -> Vec<u64> {
        deep::deep_words::<E>(tables, terms.len())
    }

    fn fold<D: KernelDevice>(
        call: Call<'_, D, E>,
        layer: Table<'_, D>,
        domain: &CosetDomain<Goldilocks>,
        folded: &CosetDomain<Goldilocks>,
        alpha: E,
    ) -> Result<NewTable<D>> {
        fold::fold(call, layer, domain, folded, alpha)
    }
}
