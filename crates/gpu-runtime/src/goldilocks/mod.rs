//! The Goldilocks protocol: columns on cosets, an element a word.

mod deep;
mod eval_at;
mod kernels;
mod leaves;
mod multipliers;
mod ntt;
mod points;
mod twiddles;
mod units;

use std::ops::Range;

use field::{ExtensionField, Field, Goldilocks, TwoAdicField};
use gpu_hal::{Basis, Columns, CosetDomain, DeepTerm, EvalOrder, GoldilocksStark, HalError, Result, Shape};

use self::kernels::{Call, P};
use self::twiddles::twiddles;
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Entry, Runtime, part, whole};
use crate::columns::entry;
use crate::device::{Argument, KernelDevice};
use crate::leaves::LeafTables;
use crate::library::Units;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, MultiplierTable};

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

    /// From values to coefficients or back, or from values in storage order to rows.
    fn ntt<D: KernelDevice>(
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

    /// Extends some columns, at least one.
    fn extend<D: KernelDevice>(
        call: Call<'_, D, E>,
        table: Table<'_, D>,
        columns: Range<usize>,
        (from, to): (Basis<CosetDomain<Goldilocks>>, CosetDomain<Goldilocks>),
        workspace: Option<&Block<D::Memory>>,
        extended: &NewTable<D>,
    ) -> Result<()> {
        let Some(workspace) = workspace else {
            let given = part(&table.data.block, (columns.start as u64) << table.log_height);
            return Self::evaluate(call, (given, table.log_height), columns, (from, to), extended);
        };
        Self::interpolate(call, table, columns.clone(), from, whole(workspace), extended)?;
        Self::evaluate(call, (whole(workspace), table.log_height), columns, (from, to), extended)
    }

    /// Coefficients of some columns. With x = shift * y values in row order are the values of f(shift * y) on the
    /// subgroup, whose coefficients come times their number; [`Self::evaluate`] knows it.
    fn interpolate<D: KernelDevice>(
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
    fn evaluate<D: KernelDevice>(
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

    fn factor_words(wanted: &[MultiplierTable<Goldilocks>]) -> Vec<u64> {
        multipliers::factor_words(wanted)
    }

    fn make_multipliers<D: KernelDevice>(
        call: Call<'_, D, E>,
        domain: (&CosetDomain<Goldilocks>, u32),
        wanted: &[MultiplierTable<Goldilocks>],
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
        let result = new_table(call, E::DEGREE, folded.log_size)?;
        let twiddles = twiddles(call)?;
        let count = 1u64 << folded.log_size;
        let params = Params::new().ext(&alpha).base(domain.shift.inverse_or_zero()).u64(count);
        let buffers = [whole(&layer.data.block), whole(&result.data.block), whole(&twiddles.inverse)];
        let entry = Entry { unit: &units::FOLD, name: "fold", defines: &call.degree() };
        call.launch_items(entry, count, 1, &buffers, params)?;
        Ok(result)
    }
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
