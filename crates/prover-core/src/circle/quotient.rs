//! The quotient of all columns by their samples (circle.md, section 10).

use std::collections::HashMap;

use field::circle::{CirclePoint, CirclePointIndex};
use field::{Field, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, DeepTerm, EvalOrder, StarkBackend};

use super::ProveError;
use super::keep::runs;
use super::recompute::Recompute;
use super::samples::{Outside, Samples};
use super::tree::{Extended, Tree};
use crate::mode::ModeOn;
use crate::table::Table;

/// The quotient on the common domain.
pub(crate) fn quotient<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
    again: &Recompute<'_, B, S>,
    trees: &[&Tree<B>],
    samples: &Samples,
    beta: QM31,
    outside: &Outside,
) -> Result<Table<B>, ProveError> {
    let backend = again.context.backend;
    let sampled = sampled(trees, samples);
    let terms = terms(trees, &sampled, samples, beta, outside);
    // The quotient has 2^m coefficients: as many values fix it.
    let prefix = CircleDomain::prefix_of(outside.log_domain, outside.log_degree());
    let mut sum: Option<Table<B>> = None;
    for batch in batches(trees, &sampled) {
        let tables = batch.iter().map(|at| {
            let (tree, table) = sampled[*at];
            again.extended(tree, trees[tree], table)
        });
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let tables: Vec<_> = tables.iter().map(Extended::as_ref).collect();
        let values = backend.deep_quotient(&tables, prefix, &DeepTerm::of_tables(&terms, batch))?;
        match &mut sum {
            Some(sum) => backend.accumulate(sum.as_mut(), values.as_ref())?,
            None => sum = Some(values),
        }
    }
    let sum = sum.expect("the composition has samples");
    let from = Basis::Evaluations { domain: prefix, order: EvalOrder::Storage };
    Ok(backend.lde(sum.as_ref(), from, CircleDomain::canonic(outside.log_domain))?)
}

/// The tables, numbered as in `sampled`, in batches that are extended together: tables that are kept extended, then
/// runs of the others.
fn batches<B: StarkBackend<P = CircleStark>>(trees: &[&Tree<B>], sampled: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let (kept, made): (Vec<usize>, Vec<usize>) = (0..sampled.len()).partition(|at| trees[sampled[*at].0].is_whole());
    let cells: Vec<u64> = made.iter().map(|at| trees[sampled[*at].0].cells(sampled[*at].1)).collect();
    std::iter::once(kept).chain(runs(&cells, 1).into_iter().map(|run| made[run].to_vec())).collect()
}

/// The tables, as (tree, table of the tree), that have a column with a sample. The others, preprocessed columns without
/// one, may be higher than the common domain.
fn sampled<B: StarkBackend>(trees: &[&Tree<B>], samples: &Samples) -> Vec<(usize, usize)> {
    let tables = trees.iter().enumerate().flat_map(|(tree, of)| (0..of.shapes.len()).map(move |table| (tree, table)));
    let is_sampled = |&(tree, table): &(usize, usize)| {
        let columns = trees[tree].places.iter().zip(&samples.offsets[tree]);
        columns.into_iter().any(|(place, offsets)| place.0 == table && !offsets.is_empty())
    };
    tables.filter(is_sampled).collect()
}

/// One term for each point, with the columns that are sampled there. Tables are numbered as in `sampled`.
fn terms<B: StarkBackend<P = CircleStark>>(
    trees: &[&Tree<B>],
    sampled: &[(usize, usize)],
    samples: &Samples,
    beta: QM31,
    outside: &Outside,
) -> Vec<DeepTerm<CircleStark>> {
    let mut terms: Vec<DeepTerm<CircleStark>> = Vec::new();
    let mut term_of: HashMap<CirclePoint<QM31>, usize> = HashMap::new();
    let mut weight = QM31::ONE;
    let mut emit = |point: CirclePoint<QM31>, value: QM31, place: (usize, usize)| {
        let term = *term_of.entry(point).or_insert_with(|| {
            terms.push(DeepTerm { point, weights: Vec::new(), constant: QM31::ZERO, slope: QM31::ZERO });
            terms.len() - 1
        });
        // The line through (P.y, v) and its conjugate: c Y = a X + b.
        let (a, c) = (value.conjugate() - value, point.y.conjugate() - point.y);
        let term = &mut terms[term];
        term.weights.push((place.0, place.1, weight * c));
        term.constant += weight * (value * c - a * point.y);
        term.slope += weight * a;
        weight *= beta;
    };
    let numbers: HashMap<(usize, usize), usize> = sampled.iter().copied().zip(0..).collect();
    // Thousands of columns have the same few points.
    let (mut points, mut periods) = (HashMap::new(), HashMap::new());
    for (number, tree) in trees.iter().enumerate() {
        for (column, offsets) in samples.offsets[number].iter().enumerate() {
            let (table, at) = tree.places[column];
            let Some(&of_table) = numbers.get(&(number, table)) else { continue };
            let place = (of_table, at);
            let values = &samples.values[number][column];
            let mut point = |offset: isize| *points.entry(offset).or_insert_with(|| outside.at(offset));
            if let ([_, second], [_, value]) = (offsets.as_slice(), values.as_slice()) {
                // Forces the column to be the lift of one of its own size.
                let log_height = tree.log_extended(table);
                let period = *periods.entry(log_height).or_insert_with(|| {
                    let period = CirclePointIndex::subgroup_generator(outside.log_domain) * (1 << log_height);
                    period.to_point().into_extension()
                });
                emit(point(*second) + period, *value, place);
            }
            for (offset, value) in offsets.iter().zip(values) {
                emit(point(*offset), *value, place);
            }
        }
    }
    terms
}
