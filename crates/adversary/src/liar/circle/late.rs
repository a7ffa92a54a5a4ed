//! Values that are chosen when their weights are known.

use field::circle::CirclePoint;
use field::{Field, M31, QM31};

use super::identity::{Identity, Samples, unit};

/// Solutions of linear equations: `rows` of coefficients, each with its right side behind. Free unknowns are one.
///
/// # Panics
/// If the equations depend on each other.
pub fn solve(mut rows: Vec<Vec<M31>>) -> Vec<M31> {
    let unknowns = rows[0].len() - 1;
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..unknowns {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&row| !rows[row][column].is_zero()) else { continue };
        rows.swap(done, found);
        let scale = rows[done][column].inverse().expect("not zero");
        rows[done].iter_mut().for_each(|value| *value *= scale);
        let pivot = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != done) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(value, &pivot)| *value -= factor * pivot);
        }
        pivots.push(column);
    }
    assert_eq!(pivots.len(), rows.len(), "independent equations");
    let mut solution = vec![M31::ONE; unknowns];
    pivots.iter().for_each(|&pivot| solution[pivot] = M31::ZERO);
    for (row, &pivot) in rows.iter().zip(&pivots) {
        let known: M31 = row[..unknowns].iter().zip(&solution).map(|(&a, &x)| a * x).sum();
        solution[pivot] = row[unknowns] - known;
    }
    solution
}

/// Changes the values of the composition's columns at the point so that the identity holds and the quotient stays what
/// it is: it takes only the weighted sums of the values and of their conjugates.
///
/// # Panics
/// If the values are not of the statement's shape.
pub fn choose_values(beta: QM31, identity: &Identity<'_>, values: &mut Samples) {
    let missing = identity.composition(values) - identity.claimed(values);
    let composition = values.len() - 1;
    // Two samples of a column bring a third, of the period.
    let emitted = |column: &Vec<QM31>| if column.len() == 2 { 3 } else { column.len() };
    let before: usize = values[..composition].iter().flatten().map(emitted).sum();
    let right = CirclePoint::repeated_double_x(identity.point.x, identity.log_degree - 1);
    // The effect on the three sums of one more in a coordinate of a column's value.
    let effect = |unknown: usize| -> Vec<M31> {
        let (column, coordinate) = (unknown / 4, unknown % 4);
        let weight = beta.pow((before + column) as u64);
        let side = if column < 4 { QM31::ONE } else { right };
        let halves = [coordinate / 2 == 0, coordinate / 2 == 1]
            .map(|is_this| if is_this { weight * unit(coordinate % 2) } else { QM31::ZERO });
        let claimed = side * unit(column % 4) * unit(coordinate);
        halves.into_iter().chain([claimed]).flat_map(|sum| sum.0).collect()
    };
    let effects: Vec<Vec<M31>> = (0..32).map(effect).collect();
    let wanted: Vec<M31> = [QM31::ZERO, QM31::ZERO, missing].into_iter().flat_map(|sum| sum.0).collect();
    let row = |row: usize| effects.iter().map(|effect| effect[row]).chain([wanted[row]]).collect();
    let changes = solve((0..12).map(row).collect());
    for (value, change) in values[composition].iter_mut().zip(changes.chunks_exact(4)) {
        value[0] += QM31(std::array::from_fn(|coordinate| change[coordinate]));
    }
}
