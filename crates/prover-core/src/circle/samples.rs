//! Out-of-domain values, and the identity between them (circle.md, section 9).

use circle_air::RecordedStatement;
use field::circle::{CirclePoint, CirclePointIndex};
use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{Basis, CircleStark, EvalRequest, StarkBackend};

use super::ProveError;
use super::keep::runs;
use super::recompute::Recompute;
use super::tree::{KeptPart, Tree, prefix};
use crate::mode::ModeOn;

/// The out-of-domain point and the domain that it is seen from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outside {
    pub(crate) point: CirclePoint<QM31>,
    /// Log2 of the common domain, `L`.
    pub(crate) log_domain: u32,
    pub(crate) log_blowup: u32,
}

impl Outside {
    /// Log2 of the coefficients of a polynomial on the common domain, `m`.
    pub(crate) fn log_degree(&self) -> u32 {
        self.log_domain - self.log_blowup
    }

    /// `z + offset * g_m`.
    pub(crate) fn at(&self, offset: isize) -> CirclePoint<QM31> {
        let step = CirclePointIndex::subgroup_generator(self.log_degree()) * offset.unsigned_abs() as u64;
        let step = if offset < 0 { -step } else { step };
        self.point + step.to_point().into_extension()
    }
}

/// Row offsets by column of every tree, and the values there.
pub(crate) struct Samples {
    pub(crate) offsets: Vec<Vec<Vec<isize>>>,
    pub(crate) values: Vec<Vec<Vec<QM31>>>,
}

/// The offsets of every column of every tree, the composition's eight last.
pub(crate) fn offsets(recorded: &RecordedStatement, trees: usize) -> Vec<Vec<Vec<isize>>> {
    let of_fixed = |column| if recorded.is_sampled(column) { vec![0] } else { vec![] };
    let fixed = (0..recorded.preprocessed.len()).map(of_fixed).collect();
    let traces = (1..trees - 1).map(|tree| recorded.components.iter().flat_map(|c| c.offsets[tree].clone()).collect());
    std::iter::once(fixed).chain(traces).chain([vec![vec![0]; 8]]).collect()
}

/// The points at which a table is wanted.
struct SamplePoints {
    tree: usize,
    table: usize,
    /// In ascending order.
    offsets: Vec<isize>,
    /// For each offset.
    points: Vec<CirclePoint<QM31>>,
}

/// The points of each table of each tree that is wanted at any.
fn wanted<B: StarkBackend<P = CircleStark>>(
    trees: &[&Tree<B>],
    offsets: &[Vec<Vec<isize>>],
    outside: &Outside,
) -> Vec<SamplePoints> {
    let mut wanted = Vec::new();
    for (number, (tree, all)) in trees.iter().zip(offsets).enumerate() {
        for table in 0..tree.shapes.len() {
            let columns = (0..all.len()).filter(|column| tree.places[*column].0 == table);
            let mut offsets: Vec<isize> = columns.flat_map(|column| all[column].iter().copied()).collect();
            offsets.sort_unstable();
            offsets.dedup();
            let log_size = tree.log_extended(table);
            let point = |offset: &isize| outside.at(*offset).repeated_double(outside.log_domain - log_size);
            let points: Vec<_> = offsets.iter().map(point).collect();
            if !points.is_empty() {
                wanted.push(SamplePoints { tree: number, table, offsets, points });
            }
        }
    }
    wanted
}

impl Samples {
    /// Evaluates all columns of the trees at their points. Tables of which nothing is kept are made again, some at a
    /// time.
    pub(crate) fn new<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        again: &Recompute<'_, B, S>,
        trees: &[&Tree<B>],
        offsets: Vec<Vec<Vec<isize>>>,
        outside: &Outside,
    ) -> Result<Self, ProveError> {
        let (kept, made): (Vec<_>, Vec<_>) =
            wanted(trees, &offsets, outside).into_iter().partition(|of| trees[of.tree].kept != KeptPart::Nothing);
        let backend = again.context.backend;
        let requests = kept.iter().map(|of| {
            let log_size = trees[of.tree].log_extended(of.table);
            // The first 2^n of the extended values fix the polynomial.
            let from = prefix(log_size - outside.log_blowup, log_size);
            EvalRequest { columns: trees[of.tree].tables[of.table].as_ref(), from, points: &of.points }
        });
        let mut evaluated = backend.eval_at(&requests.collect::<Vec<_>>())?;
        let cells: Vec<u64> = made.iter().map(|of| trees[of.tree].cells(of.table)).collect();
        for run in runs(&cells, 1) {
            let of_run = &made[run];
            let columns = of_run.iter().map(|of| again.coefficients(of.tree, trees[of.tree], of.table));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let requests = of_run.iter().zip(&columns).map(|(of, columns)| EvalRequest {
                columns: columns.as_ref(),
                from: Basis::Coefficients,
                points: &of.points,
            });
            evaluated.extend(backend.eval_at(&requests.collect::<Vec<_>>())?);
        }
        let mut values: Vec<Vec<Vec<QM31>>> = offsets
            .iter()
            .map(|offsets| offsets.iter().map(|offsets| vec![QM31::ZERO; offsets.len()]).collect())
            .collect();
        for (of, rows) in kept.iter().chain(&made).zip(evaluated) {
            let (tree, offsets) = (trees[of.tree], &offsets[of.tree]);
            for column in (0..offsets.len()).filter(|column| tree.places[*column].0 == of.table) {
                for (value, offset) in values[of.tree][column].iter_mut().zip(&offsets[column]) {
                    let at = of.offsets.iter().position(|other| other == offset).expect("every offset is wanted");
                    *value = rows[at][tree.places[column].1];
                }
            }
        }
        Ok(Self { offsets, values })
    }

    /// All values by tree, column and point.
    pub(crate) fn flat(&self) -> impl Iterator<Item = QM31> + '_ {
        self.values.iter().flatten().flatten().copied()
    }

    /// The identity that the verifier checks: `Left(z) + pi^(m-1)(z.x) Right(z)` is the weighted sum of the
    /// constraints, divided by the vanishing polynomial of the rows.
    pub(crate) fn check_identity(
        &self,
        recorded: &RecordedStatement,
        params: &[Vec<QM31>],
        alpha: QM31,
        outside: &Outside,
    ) -> Result<(), ProveError> {
        let mut first = [0; 3];
        let mut sum = QM31::ZERO;
        for (index, (component, params)) in recorded.components.iter().zip(params).enumerate() {
            let load = |tree: usize, column: usize, offset: i32| match tree {
                0 => self.values[0][recorded.preprocessed_indices[index][column]][0],
                _ => {
                    let column = first[tree] + column;
                    let at = self.offsets[tree][column].iter().position(|other| *other == offset as isize);
                    self.values[tree][column][at.expect("every load is in the mask")]
                }
            };
            let constraints = component.constraints.evaluate(params, load);
            sum = constraints.into_iter().fold(sum, |sum, constraint| sum * alpha + constraint);
            (1..3).for_each(|tree| first[tree] += component.width(tree));
        }
        let halves: Vec<QM31> = self.values[self.values.len() - 1]
            .chunks_exact(4)
            .map(|half| (0..4).map(|c| <QM31 as ExtensionField<M31>>::basis(c) * half[c][0]).sum())
            .collect();
        let x = CirclePoint::repeated_double_x(outside.point.x, outside.log_degree() - 1);
        // V_m is that x-coordinate, too.
        if (halves[0] + x * halves[1]) * x != sum {
            return Err(ProveError::Unsatisfied("the out-of-domain identity fails"));
        }
        Ok(())
    }
}
