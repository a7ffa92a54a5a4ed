//! The DEEP quotient.

use std::collections::BTreeMap;

use field::{Field, QM31};
use gpu_hal::{CircleDomain, CircleStark, DeepTerm, Domain, HalError, Operation, Protocol, Result, Shape};

use super::factors::{factors, log_domain};
use super::{Call, numbers, units};
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::protocol::words;
use crate::slots::{Slots, packed_words};

/// Columns that `deep` reads at once, as in the kernel, and the most terms that it is compiled for.
const DEEP_COLUMNS: usize = 4;
const TERMS: usize = 4;

pub(super) fn deep<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    domain: &CircleDomain,
    terms: &[DeepTerm<CircleStark>],
) -> Result<NewTable<D>> {
    if matches!(domain, CircleDomain::Line { .. }) {
        return Err(HalError::unsupported(Operation::DeepQuotient.name(), "a line: quotients are on circles"));
    }
    let result = new_table(call, Operation::DeepQuotient, CircleStark::DEGREE, domain.log_size())?;
    let elements = result.elements() as u64;
    if terms.is_empty() {
        call.zero(&result.data.block, elements / 2)?;
        return Ok(result);
    }
    let slots = Slots::new(call, tables)?;
    let factors = factors(call, domain)?;
    let count = 1u64 << result.log_height;
    for (number, terms) in terms.chunks(TERMS).enumerate() {
        let threads = count.div_ceil(rows_of_thread(terms.len()));
        let values = |term: &DeepTerm<CircleStark>| [term.point.x, term.point.y, term.constant, term.slope];
        let term_words: Vec<u64> = terms.iter().flat_map(values).flat_map(|x| numbers(&x)).collect();
        let place = |table: usize, column: usize| {
            let log_height = tables[table].log_height;
            (slots.column(table, (column as u64) << log_height), log_domain(domain) - log_height)
        };
        let (list, weights) = weights_by_column(terms, place);
        let params = Params::new()
            .u64(count)
            .u64(threads)
            .u32(list.len() as u32)
            .u32((number > 0).into())
            .u32(log_domain(domain));
        let (term_block, list) = (call.alloc_as_elements(&term_words)?, call.alloc_words(&list)?);
        let weights = call.alloc_as_elements(&weights)?;
        let mut buffers = slots.arguments(&result.data.block);
        let table = whole(&factors.forward);
        buffers.extend([whole(&term_block), whole(&list), whole(&weights), table, whole(&result.data.block)]);
        let defines = [("TERMS", terms.len() as u64)];
        let entry = Entry { unit: &units::DEEP, name: "deep", defines: &defines };
        call.launch_items(entry, threads, 1, &buffers, params)?;
    }
    Ok(result)
}

/// Rows of a thread of `deep`, as in the kernel.
fn rows_of_thread(terms: usize) -> u64 {
    if terms <= 2 { 4 } else { 2 }
}

/// For each column a word as in the kernel, filled up to whole groups by columns without a term. And the weights, column by column. A
/// column that a term has twice has one weight, the sum.
fn weights_by_column(
    terms: &[DeepTerm<CircleStark>],
    place: impl Fn(usize, usize) -> (u64, u32),
) -> (Vec<u64>, Vec<u64>) {
    let mut columns: BTreeMap<(usize, usize), Vec<Option<QM31>>> = BTreeMap::new();
    for (number, term) in terms.iter().enumerate() {
        for (table, column, weight) in &term.weights {
            let weights = columns.entry((*table, *column)).or_insert_with(|| vec![None; terms.len()]);
            *weights[number].get_or_insert(QM31::ZERO) += *weight;
        }
    }
    let (mut list, mut out) = (Vec::new(), Vec::new());
    for ((table, column), weights) in &columns {
        let mask: u64 =
            weights.iter().enumerate().filter(|(_, weight)| weight.is_some()).fold(0, |mask, (t, _)| mask | 1 << t);
        let (column, shift) = place(*table, *column);
        list.push(column | mask << 56 | u64::from(shift) << 50);
        weights.iter().flatten().for_each(|weight| out.extend(numbers(weight)));
    }
    // The first column again, if there is one: it is read for nothing.
    let filler = list.first().map_or(0, |word| word & !(15 << 56));
    list.resize(list.len().next_multiple_of(DEEP_COLUMNS), filler);
    (list, out)
}

/// Words of the buffers that [`deep`] takes beside its result, at most.
pub(super) fn deep_words(tables: &[Shape], terms: usize) -> Vec<u64> {
    let (terms, degree) = (terms.min(TERMS) as u64, CircleStark::DEGREE as u64);
    let columns: u64 = tables.iter().map(|table| table.width as u64).sum();
    let words = words::<CircleStark>;
    let mut list = vec![words(4 * terms * degree), columns + 3, words(columns * terms * degree)];
    list.extend(packed_words::<CircleStark>(tables, units::UNITS.slots));
    list
}
