//! The operations of the toy's processor on columns: functions of slices, which know neither handles nor the queue.

use field::{ExtensionField, Field, PrimeField, batch_inverse};
use gpu_hal::hash::random_block;
use gpu_hal::{DeepTerm, Digest, Domain, EvalOrder, Leaves, Protocol, RandomRows};

use crate::memory::View;
use crate::protocol::{At, ToyProtocol};

/// An element of a base column.
pub(crate) fn base<F: Field>(table: &View<'_, F>, column: usize, row: usize) -> F {
    table.data[(column << table.log_height) + row]
}

/// An element of an extension column, which is `DEGREE` base columns side by side.
pub(crate) fn extension<P: Protocol>(table: &View<'_, P::Base>, column: usize, row: usize) -> P::Ext {
    (0..P::DEGREE).map(|k| P::Ext::basis(k) * base(table, P::DEGREE * column + k, row)).sum()
}

/// The uniform element of a row.
pub(crate) fn random<P: Protocol>(rows: &RandomRows, column: u64, row: u64) -> P::Base {
    let number = rows.first + row;
    let block = random_block(&rows.key, rows.stream, column, number / RandomRows::BLOCK);
    // 16 bytes, big-endian.
    let words = block.as_chunks::<8>().0.iter().map(|bytes| P::Base::from_u64(u64::from_be_bytes(*bytes)));
    let of_element = words.skip(2 * (number % RandomRows::BLOCK) as usize).take(2);
    of_element.fold(P::Base::ZERO, |high, low| high * P::Base::from_u64(1 << 32).square() + low)
}

/// Stores an element of such a column.
pub(crate) fn set_extension<P: Protocol>(
    table: &mut [P::Base],
    log_height: u32,
    column: usize,
    row: usize,
    value: P::Ext,
) {
    for (k, coordinate) in value.coordinates().iter().enumerate() {
        table[((P::DEGREE * column + k) << log_height) + row] = *coordinate;
    }
}

/// The coordinate `t` of the first point of every pair of neighbours ([`Domain::twin`]): of a domain, of the domain
/// that it folds to, and so on. A polynomial is `f0(fold P) + t f1(fold P)` at `P` and `f0(fold P) - t f1(fold P)` at
/// its neighbour.
fn twins<D: Domain>(domain: &D) -> Vec<Vec<D::Field>> {
    let (mut domain, mut points, mut layers) = (*domain, domain.points(), Vec::new());
    while let Some(folded) = domain.folded() {
        let firsts = points.iter().step_by(2);
        layers.push(firsts.clone().map(|at| domain.twin(*at)).collect());
        points = firsts.map(|at| domain.fold_point(*at)).collect();
        domain = folded;
    }
    layers
}

/// Values in storage order. The coefficients of `f0` have even numbers, the coefficients of `f1` odd ones.
fn evaluate<F: Field>(coefficients: &[F], twins: &[Vec<F>]) -> Vec<F> {
    let Some((twins, folded)) = twins.split_first() else { return coefficients.to_vec() };
    let half = |parity| evaluate(&coefficients.iter().skip(parity).step_by(2).copied().collect::<Vec<_>>(), folded);
    let pairs = half(0).into_iter().zip(half(1)).zip(twins);
    pairs.flat_map(|((f0, f1), t)| [f0 + *t * f1, f0 - *t * f1]).collect()
}

/// Coefficients times the number of values: from a pair of values `2 f0 = a + b` and `2 f1 = (a - b)/t`.
fn interpolate<F: Field>(values: &[F], inverses: &[Vec<F>]) -> Vec<F> {
    let Some((inverses, folded)) = inverses.split_first() else { return values.to_vec() };
    let pairs = values.as_chunks().0.iter();
    let f0: Vec<F> = pairs.clone().map(|[a, b]| *a + *b).collect();
    let f1: Vec<F> = pairs.zip(inverses).map(|([a, b], inverse)| (*a - *b) * *inverse).collect();
    interpolate(&f0, folded).into_iter().zip(interpolate(&f1, folded)).flat_map(<[F; 2]>::from).collect()
}

/// Coefficients of a column from its values.
pub(crate) fn coefficients<P: ToyProtocol>(column: &[P::Base], domain: &P::Domain, order: EvalOrder) -> Vec<P::Base> {
    let mut stored = column.to_vec();
    if order == EvalOrder::Row {
        (0..column.len()).for_each(|row| stored[domain.row_to_storage(row)] = column[row]);
    }
    let mut inverses = twins(domain);
    inverses.iter_mut().for_each(|layer| batch_inverse(layer));
    let scale = P::Base::from_u64(column.len() as u64).inverse_or_zero();
    interpolate(&stored, &inverses).into_iter().map(|value| value * scale).collect()
}

/// Values of a column from its coefficients, of which there may be fewer than points.
pub(crate) fn values<P: ToyProtocol>(coefficients: &[P::Base], domain: &P::Domain, order: EvalOrder) -> Vec<P::Base> {
    let mut padded = coefficients.to_vec();
    padded.resize(1 << domain.log_size(), P::Base::ZERO);
    let values = evaluate(&padded, &twins(domain));
    match order {
        EvalOrder::Storage => values,
        EvalOrder::Row => (0..values.len()).map(|row| values[domain.row_to_storage(row)]).collect(),
    }
}

/// The value at a point outside the domains: `f = f0 + t f1`, over and over.
pub(crate) fn value<P: ToyProtocol>(coefficients: &[P::Base], point: P::Point) -> P::Ext {
    let mut values: Vec<P::Ext> = coefficients.iter().copied().map(P::Ext::from).collect();
    for t in P::basis(point, coefficients.len().ilog2()) {
        values = values.as_chunks().0.iter().map(|[f0, f1]| *f0 + t * *f1).collect();
    }
    values[0]
}

/// `(weighted values - subtrahend) / denominator` of one term at all points of the domain.
pub(crate) fn quotients<P: ToyProtocol>(
    tables: &[View<'_, P::Base>],
    log_cut: u32,
    domain: &P::Domain,
    points: &[At<P>],
    term: &DeepTerm<P>,
) -> Vec<P::Ext> {
    let mut inverses: Vec<P::Ext> = points.iter().map(|at| P::denominator(term, *at)).collect();
    batch_inverse(&mut inverses);
    // This domain may be a block of the whole. Tables have the rows of a larger block, or of the whole.
    let first = (domain.block_index() as usize) << domain.log_size();
    let log_block = domain.log_whole() - log_cut;
    let first_of_tables = first >> log_block << log_block;
    let quotient = |(storage, (at, inverse)): (usize, (&At<P>, P::Ext))| {
        let value = |(table, column, weight): &(usize, usize, P::Ext)| {
            let table = &tables[*table];
            let row = |index| P::Domain::lift_index(index, domain.log_whole(), table.log_height + log_cut);
            *weight * base(table, *column, row(first + storage) - row(first_of_tables))
        };
        (term.weights.iter().map(value).sum::<P::Ext>() - P::subtrahend(term, *at)) * inverse
    };
    points.iter().zip(inverses).enumerate().map(quotient).collect()
}

/// All columns of all tables at a row of `2^log_height`. A lower table is lifted.
pub(crate) fn row<P: Protocol>(tables: &[View<'_, P::Base>], row: usize, log_height: u32) -> Vec<P::Base> {
    let mut elements = Vec::new();
    for table in tables {
        let row = P::Domain::lift_index(row, log_height, table.log_height);
        elements.extend((0..table.width).map(|column| base(table, column, row)));
    }
    elements
}

/// Fills a tree: leaves last, the children of node `v` at `2v + 1` and `2v + 2`.
pub(crate) fn tree<P: ToyProtocol>(tables: &[View<'_, P::Base>], leaves: Leaves, nodes: &mut [Digest]) {
    let first_leaf = nodes.len() / 2;
    for (index, leaf) in nodes[first_leaf..].iter_mut().enumerate() {
        let rows = index * leaves.rows_per_leaf..(index + 1) * leaves.rows_per_leaf;
        *leaf = P::HASH.leaf(rows.flat_map(|at| row::<P>(tables, at, leaves.log_height)));
    }
    for node in (0..first_leaf).rev() {
        nodes[node] = P::HASH.parent(&nodes[2 * node + 1], &nodes[2 * node + 2]).expect("both are digests");
    }
}

/// Siblings from a leaf upward. Left children have odd numbers.
pub(crate) fn path(nodes: &[Digest], leaf: usize) -> Vec<Digest> {
    let parents = std::iter::successors(Some(nodes.len() / 2 + leaf), |node| Some(node.checked_sub(1)? / 2));
    parents.take_while(|node| *node > 0).map(|node| nodes[if node % 2 == 1 { node + 1 } else { node - 1 }]).collect()
}
