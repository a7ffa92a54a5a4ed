//! Multipliers of groups of constraints: tables of products of factors, which all rows but few share.

use std::collections::HashMap;

use field::{ExtensionField, Field, Goldilocks, PrimeField};
use gpu_hal::{Combination, Factor, GoldilocksStark, Protocol, Result};

use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::twiddles::twiddles;

/// Rows of a thread of `make_multipliers`, as in the kernels: of the Goldilocks protocol and of the Circle protocol.
const ROWS: u64 = 16;
pub(crate) const MULTIPLIER_ROWS: u64 = 8;
/// No multiplier, no column.
pub(crate) const NONE: u64 = u64::MAX;

/// How a protocol's kernels make multipliers.
pub(crate) trait MultiplierKernels: Protocol {
    /// Log2 of the rows, neighbours in storage order, that share the value of a factor of power 1; of power `2^k` it is `k` more.
    const LOG_SHARED: u32;

    /// Log2 of what the kernels of programs take as the size of the domain: of the whole one, or of the prefix that is evaluated.
    fn log_rows(log_size: u32, log_eval: u32) -> u32;

    /// Makes the tables that are wanted. The words of a factor are log2 of its power, with bit 32 set for an inverse one, and its
    /// constant; `factors` has those of all tables one after the other.
    fn make<D: KernelDevice>(
        call: Call<'_, D>,
        domain: (&Self::Domain, u32),
        wanted: &[Wanted<'_, Self::Base>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()>;
}

/// Tables of multipliers, one after the other.
pub(crate) struct Multipliers<M> {
    pub(crate) values: Block<M>,
    /// For every group: first element, and log2 of the rows that share one.
    pub(crate) places: Vec<u64>,
}

/// A table of multipliers: the factors, log2 of the rows that share an element, the first element.
pub(crate) struct Wanted<'f, F> {
    pub(crate) factors: &'f [Factor<F>],
    pub(crate) log_shared: u32,
    pub(crate) start: u64,
}

/// The tables that groups of a combination need, their elements in all, and the place of every group. Equal products have one table.
pub(crate) fn wanted_multipliers<'f, P: MultiplierKernels>(
    combination: &'f Combination<P>,
    groups: &[usize],
    log_eval: u32,
) -> (Vec<Wanted<'f, P::Base>>, u64, Vec<u64>) {
    let mut known: HashMap<Vec<(u32, u64, bool)>, u64> = HashMap::new();
    let (mut wanted, mut places, mut total) = (Vec::new(), Vec::new(), 0u64);
    for &group in groups {
        let factors = combination.groups[group].multiplier.factors.as_slice();
        let Some(log_shared) = factors.iter().map(|factor| P::LOG_SHARED + factor.log_power).min() else {
            places.push(NONE);
            continue;
        };
        let key = factors.iter().map(|f| (f.log_power, f.constant.as_u64(), f.inverse)).collect();
        let place = *known.entry(key).or_insert_with(|| {
            let start = total;
            total += 1 << log_eval.saturating_sub(log_shared);
            wanted.push(Wanted { factors, log_shared, start });
            start | u64::from(log_shared) << 56
        });
        places.push(place);
    }
    (wanted, total, places)
}

/// The tables that groups of a combination need on the first `2^log_eval` points of a domain.
pub(crate) fn multipliers<D: KernelDevice, P: MultiplierKernels>(
    call: Call<'_, D>,
    combination: &Combination<P>,
    groups: &[usize],
    domain: (&P::Domain, u32),
) -> Result<Multipliers<D::Memory>> {
    let (wanted, total, places) = wanted_multipliers(combination, groups, domain.1);
    let values = call.alloc_elements(total)?;
    if !wanted.is_empty() {
        let words: Vec<u64> = wanted
            .iter()
            .flat_map(|wanted| wanted.factors)
            .flat_map(|f| [u64::from(f.log_power) | u64::from(f.inverse) << 32, f.constant.as_u64()])
            .collect();
        let factors = call.alloc_words(&words)?;
        P::make(call, domain, &wanted, &factors, &values)?;
    }
    Ok(Multipliers { values, places })
}

impl<E: ExtensionField<Goldilocks>> MultiplierKernels for GoldilocksStark<E> {
    const LOG_SHARED: u32 = 0;

    fn log_rows(log_size: u32, _: u32) -> u32 {
        log_size
    }

    fn make<D: KernelDevice>(
        call: Call<'_, D>,
        (domain, log_eval): (&Self::Domain, u32),
        wanted: &[Wanted<'_, Goldilocks>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()> {
        let twiddles = twiddles(call)?;
        let mut first_factor = 0;
        for Wanted { factors: list, log_shared, start } in wanted {
            let count = 1u64 << (log_eval - log_shared);
            let threads = count.div_ceil(ROWS);
            let params = Params::new()
                .base(domain.shift.pow_two_to(*log_shared))
                .u64(count)
                .u64(threads)
                .u64(*start)
                .u32(first_factor)
                .u32(list.len() as u32)
                .u32(*log_shared);
            let entry = Entry { unit: &library::MULTIPLIERS, name: "make_multipliers", defines: &[] };
            call.launch_items(entry, threads, 1, &[whole(factors), whole(&twiddles.forward), whole(values)], params)?;
            first_factor += list.len() as u32;
        }
        Ok(())
    }
}
