//! The DEEP quotient: columns of lower tables are added up at their own height, and their sums are lifted.

use std::collections::BTreeMap;

use field::{Field, QM31};
use gpu_hal::{CircleDomain, CircleStark, DeepTerm, Domain, HalError, Operation, Protocol, Result, Shape, shapes};

use super::factors::{factors, first_of, log_domain};
use super::kernels::{Call, numbers};
use super::units;
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Entry, Runtime, part, whole};
use crate::device::KernelDevice;
use crate::elements::{per_word, words};
use crate::footprint::bytes;
use crate::params::Params;
use crate::pool::Block;
use crate::slots::Slots;

/// Columns that `deep` reads at once, as in the kernel, and the most terms that it is compiled for.
const DEEP_COLUMNS: usize = 4;
const TERMS: usize = 4;

/// Some tables of one height, or of lower ones that are as fast to read lifted.
struct QuotientStage {
    tables: Vec<usize>,
    log_rows: u32,
    /// Words of the list.
    columns: usize,
    /// The first words of the list and of the weights.
    list: u64,
    weights: u64,
}

/// The buffers of launches for up to [`TERMS`] terms: the words of the terms, then the words of the stages, the last of
/// which has the height of the quotient.
struct Plan {
    words: Vec<u64>,
    stages: Vec<QuotientStage>,
}

impl Plan {
    /// The tables hold the rows of the block that is `2^log_cut` times smaller than the whole.
    fn new(
        tables: &[Shape],
        log_cut: u32,
        domain: &CircleDomain,
        terms: &[DeepTerm<CircleStark>],
        log_least: u32,
    ) -> Self {
        let values = |term: &DeepTerm<CircleStark>| [term.point.x, term.point.y, term.constant, term.slope];
        let mut plan = Self { words: Vec::new(), stages: Vec::new() };
        plan.push_elements(terms.iter().flat_map(values));
        let mut columns: BTreeMap<usize, BTreeMap<usize, Vec<Option<QM31>>>> = BTreeMap::new();
        for (number, term) in terms.iter().enumerate() {
            for (table, column, weight) in &term.weights {
                let weights =
                    columns.entry(*table).or_default().entry(*column).or_insert_with(|| vec![None; terms.len()]);
                *weights[number].get_or_insert(QM31::ZERO) += *weight;
            }
        }
        // As many rows as the domain's points are of.
        let log_part = log_domain(domain) - domain.log_size();
        let log_table = |table: usize| tables[table].log_height + log_cut;
        let log_rows = |table: usize| log_table(table).saturating_sub(log_part).max(log_least).min(domain.log_size());
        let mut order: Vec<usize> = columns.keys().copied().collect();
        order.sort_by_key(|table| tables[*table].log_height);
        let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
        for table in order {
            match groups.last_mut() {
                Some((log, group)) if *log == log_rows(table) && group.len() < units::UNITS.slots => group.push(table),
                _ => groups.push((log_rows(table), vec![table])),
            }
        }
        if groups.last().is_none_or(|(log, _)| *log < domain.log_size()) {
            groups.push((domain.log_size(), Vec::new()));
        }
        for (log_rows, group) in groups {
            let lift = |table: usize| log_rows + log_part - log_table(table);
            let place = |table: usize, column: usize| {
                // Where the rows of the domain's block begin.
                let first = first_of(domain) as usize;
                let log_block = log_domain(domain) - log_cut;
                let row = |index| CircleDomain::lift_index(index, log_domain(domain), log_table(table));
                let row = row(first) - row(first >> log_block << log_block);
                (((column << tables[table].log_height) + row) as u64) | u64::from(lift(table)) << 50
            };
            plan.push_stage(log_rows, group, place, &columns);
        }
        plan
    }

    /// A stage with, for each column, a word as in the kernel, filled up to whole groups by columns without a term. And
    /// the weights, column by column. A column that a term has twice has one weight, the sum.
    fn push_stage(
        &mut self,
        log_rows: u32,
        tables: Vec<usize>,
        place: impl Fn(usize, usize) -> u64,
        columns: &BTreeMap<usize, BTreeMap<usize, Vec<Option<QM31>>>>,
    ) {
        let of_stage = || {
            tables.iter().enumerate().flat_map(|(slot, table)| {
                columns[table].iter().map(move |(column, weights)| (slot, *table, *column, weights))
            })
        };
        let first = self.words.len();
        for (slot, table, column, weights) in of_stage() {
            let has = |(t, weight): (usize, &Option<QM31>)| u64::from(weight.is_some()) << t;
            let mask: u64 = weights.iter().enumerate().map(has).sum();
            self.words.push((slot as u64) << 60 | mask << 56 | place(table, column));
        }
        // The first column again, if there is one: it is read for nothing.
        let filler = self.words.get(first).map_or(0, |word| word & !(15 << 56));
        let count = (self.words.len() - first).next_multiple_of(DEEP_COLUMNS);
        self.words.resize(first + count, filler);
        let at = self.words.len() as u64;
        self.push_elements(of_stage().flat_map(|(.., weights)| weights.iter().flatten().copied()).collect::<Vec<_>>());
        self.stages.push(QuotientStage { tables, log_rows, columns: count, list: first as u64, weights: at });
    }

    /// Elements of the extension, two words each.
    fn push_elements(&mut self, elements: impl IntoIterator<Item = QM31>) {
        for element in elements {
            self.words.extend(numbers(&element).chunks(2).map(|pair| pair[0] | pair[1] << 32));
        }
    }
}

pub(super) fn deep<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    log_cut: u32,
    domain: &CircleDomain,
    terms: &[DeepTerm<CircleStark>],
) -> Result<NewTable<D>> {
    if matches!(domain, CircleDomain::Line { .. }) {
        return Err(HalError::unsupported(Operation::DeepQuotient, "a line: quotients are on circles"));
    }
    let result = new_table(call, CircleStark::DEGREE, domain.log_size())?;
    if terms.is_empty() {
        call.zero(&result.data.block, result.elements() as u64 / per_word::<CircleStark>())?;
        return Ok(result);
    }
    let factors = factors(call, domain)?;
    let shapes = shapes(tables);
    for (number, terms) in terms.chunks(TERMS).enumerate() {
        let plan = Plan::new(&shapes, log_cut, domain, terms, call.runtime.device.info().log_threads());
        let block = call.alloc_words(&plan.words)?;
        let mut below: Option<(Block<D::Memory>, u32)> = None;
        for (at, stage) in plan.stages.iter().enumerate() {
            let is_last = at + 1 == plan.stages.len();
            let count = 1u64 << stage.log_rows;
            let threads = count.div_ceil(rows_of_thread(terms.len()));
            let lower = below.as_ref().map(|(_, log_rows)| *log_rows);
            let params = Params::new()
                .u64(count)
                .u64(threads)
                .u64(lower.map_or(0, |log_rows| 1 << log_rows))
                .u32(lower.map_or(0, |log_rows| stage.log_rows - log_rows))
                .u32(stage.columns as u32)
                .u32((number > 0).into())
                .u32(log_domain(domain))
                .u32(first_of(domain))
                .u32(0);
            let sums = if is_last { None } else { Some(call.alloc_elements(sum_elements(terms.len(), stage))?) };
            let of_stage: Vec<Table<'_, D>> = stage.tables.iter().map(|table| tables[*table]).collect();
            let slots = Slots::new(call, &of_stage)?;
            let mut buffers = slots.arguments(&block);
            buffers.extend([part(&block, stage.list), part(&block, stage.weights)]);
            buffers.push(whole(below.as_ref().map_or(&block, |(sums, _)| sums)));
            match &sums {
                Some(sums) => buffers.push(whole(sums)),
                None => buffers.extend([whole(&block), whole(&factors.forward), whole(&result.data.block)]),
            }
            let defines = [("TERMS", terms.len() as u64)];
            let name = if is_last { "deep" } else { "deep_sums" };
            let entry = Entry { unit: &units::DEEP, name, defines: &defines };
            call.launch_items(entry, threads, 1, &buffers, params)?;
            below = sums.map(|sums| (sums, stage.log_rows));
        }
    }
    Ok(result)
}

/// Rows of a thread of `deep`, as in the kernel.
fn rows_of_thread(terms: usize) -> u64 {
    if terms <= 2 { 4 } else { 2 }
}

/// Elements of the sums of a stage.
fn sum_elements(terms: usize, stage: &QuotientStage) -> u64 {
    ((terms * CircleStark::DEGREE) as u64) << stage.log_rows
}

/// Words of the buffers that [`deep`] takes beside its result.
pub(super) fn deep_words<D: KernelDevice>(
    runtime: &Runtime<D, CircleStark>,
    tables: &[Shape],
    log_cut: u32,
    domain: &CircleDomain,
    terms: &[DeepTerm<CircleStark>],
) -> Vec<u64> {
    let of_terms = |terms: &[DeepTerm<CircleStark>]| {
        let plan = Plan::new(tables, log_cut, domain, terms, runtime.device.info().log_threads());
        let sums = |stage: &QuotientStage| words::<CircleStark>(sum_elements(terms.len(), stage));
        let lower: Vec<u64> = plan.stages[..plan.stages.len() - 1].iter().map(sums).collect();
        // The sums of a stage, and the sums of the stage before, from which they are made.
        let held = |last: usize| [&[plan.words.len() as u64], &lower[last.saturating_sub(2)..last]].concat();
        (0..=lower.len()).map(held).collect::<Vec<_>>()
    };
    terms.chunks(TERMS).flat_map(of_terms).max_by_key(|words| bytes(runtime, words.clone())).unwrap_or_default()
}
