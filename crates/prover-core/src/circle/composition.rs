//! The composition polynomial and its halves (circle.md, section 8).

use std::ops::Range;

use circle_proof::CircleOptions;
use field::{M31, QM31, powers};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Combination, CombinationGroup, Constraints, EvalOrder, Factor, Multiplier,
    StarkBackend,
};

use super::ProveError;
use super::tree::{Extended, Part, Tree};
use crate::table::Table;

/// The composition's inputs from a component.
pub(crate) struct Input<'a, B: StarkBackend> {
    pub(crate) program: &'a B::Program,
    /// Preprocessed, main and interaction columns, extended: of each kind that there is a table.
    pub(crate) columns: Vec<Extended<'a, B>>,
    pub(crate) log_size: u32,
    pub(crate) constraints: usize,
    pub(crate) params: &'a [QM31],
}

/// The weighted constraints of a component of `2^log_size` rows, divided by the vanishing polynomial of the rows.
pub(crate) fn combination(log_size: u32, terms: Vec<(usize, QM31)>) -> Combination<CircleStark> {
    let vanishing = Factor { log_power: log_size - 1, constant: M31::new(0), inverse: true };
    let multiplier = Multiplier { factors: vec![vanishing], column: None };
    Combination { groups: vec![CombinationGroup { multiplier, terms }] }
}

/// Evaluates the constraints of all components, `count` of them, adds them up, and commits to the two halves of the
/// sum's coefficients. The components of a run are asked for, and evaluated in one call, when the earlier ones are
/// done.
pub(crate) fn commit<'a, B: StarkBackend<P = CircleStark>>(
    backend: &B,
    mut inputs: impl Iterator<Item = Result<Input<'a, B>, ProveError>>,
    runs: Vec<Range<usize>>,
    count: usize,
    alpha: QM31,
    options: &CircleOptions,
) -> Result<Tree<B>, ProveError> {
    let log_blowup = options.log_blowup;
    // Constraint k of all N has the weight alpha^(N-1-k).
    let mut weights: Vec<QM31> = powers(alpha).take(count).collect();
    let mut sums: Vec<Table<B>> = Vec::new();
    for run in runs {
        let inputs = inputs.by_ref().take(run.len()).collect::<Result<Vec<_>, _>>()?;
        let columns = inputs.iter().map(|input| input.columns.iter().map(Extended::as_ref).collect());
        let columns: Vec<Vec<_>> = columns.collect();
        let mut weigh = |input: &Input<'a, B>| {
            let weight = |output| (output, weights.pop().expect("a weight for each constraint"));
            combination(input.log_size, (0..input.constraints).map(weight).collect())
        };
        let combinations: Vec<_> = inputs.iter().map(&mut weigh).collect();
        let mut requests: Vec<Constraints<'_, B::T>> = Vec::with_capacity(inputs.len());
        for ((input, columns), combination) in inputs.iter().zip(&columns).zip(&combinations) {
            requests.push(Constraints {
                program: input.program,
                columns,
                domain: CircleDomain::canonic(input.log_size + log_blowup),
                log_trace: input.log_size,
                // Constraints have degree 3 at most, so their quotients have 2^(n+1) coefficients.
                log_eval: input.log_size + 1,
                params: input.params,
                combination,
            });
        }
        // Each sum takes its summands before the next call makes more; nothing waits for the device here.
        for values in backend.constraint_eval(&requests)? {
            match sums.iter_mut().find(|sum| sum.log_height == values.log_height) {
                Some(sum) => backend.accumulate(sum.as_mut(), values.as_ref())?,
                None => sums.push(values),
            }
        }
    }
    // Each sum goes into the next higher one: only one of them is lifted to the height of all.
    sums.sort_by_key(|sum| sum.log_height);
    let mut sums = sums.into_iter();
    let mut total = sums.next().expect("a statement has a component");
    for mut higher in sums {
        backend.accumulate(higher.as_mut(), total.as_ref())?;
        total = higher;
    }
    let log_half = total.log_height - 1;
    let domain = CircleDomain::prefix_of(log_half + log_blowup, total.log_height);
    backend.ntt(total.as_mut(), Basis::Evaluations { domain, order: EvalOrder::Storage }, Basis::Coefficients)?;
    let halves = backend.split(total.as_ref(), 2, log_half)?;
    drop(total);
    let table = backend.lde(halves.as_ref(), Basis::Coefficients, CircleDomain::canonic(log_half + log_blowup))?;
    drop(halves);
    let columns = (0..table.width).collect();
    Tree::commit(backend, vec![Part { table, columns }], options)
}
