//! The quotient of all columns by their samples (circle.md, section 10).

use std::collections::HashMap;

use circle_air::qm31;
use field::circle::{CirclePoint, CirclePointIndex};
use field::{Field, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, DeepTerm, EvalOrder, StarkBackend};
use stwo::core::fields::qm31::SecureField;

use super::ProveError;
use super::samples::{Outside, Samples};
use super::tree::Tree;
use crate::table::Table;

/// The quotient on the common domain.
pub(crate) fn quotient<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    trees: &[&Tree<B>],
    samples: &Samples,
    beta: SecureField,
    outside: &Outside,
) -> Result<Table<B>, ProveError> {
    let terms = terms(trees, samples, qm31(beta), outside);
    let tables: Vec<Columns<&B::Buffer>> = trees.iter().flat_map(|tree| &tree.tables).map(Columns::as_ref).collect();
    // The quotient has 2^m coefficients: as many values fix it.
    let prefix = CircleDomain::prefix_of(outside.log_domain, outside.log_degree());
    let values = backend.deep_quotient(&tables, prefix, &terms)?;
    let from = Basis::Evaluations { domain: prefix, order: EvalOrder::Storage };
    Ok(backend.lde(values.as_ref(), from, CircleDomain::canonic(outside.log_domain))?)
}

/// One term for each point, with the columns that are sampled there.
fn terms<B: StarkBackend<P = CircleStark>>(
    trees: &[&Tree<B>],
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
    let mut first_table = 0;
    for (number, tree) in trees.iter().enumerate() {
        for (column, offsets) in samples.offsets[number].iter().enumerate() {
            let (table, at) = tree.places[column];
            let place = (first_table + table, at);
            let values = &samples.values[number][column];
            if let ([_, second], [_, value]) = (offsets.as_slice(), values.as_slice()) {
                // Forces the column to be the lift of one of its own size.
                let period =
                    CirclePointIndex::subgroup_generator(outside.log_domain) * (1 << tree.tables[table].log_height);
                emit(outside.at(*second) + period.to_point().into_extension(), *value, place);
            }
            for (offset, value) in offsets.iter().zip(values) {
                emit(outside.at(*offset), *value, place);
            }
        }
        first_table += tree.tables.len();
    }
    terms
}
