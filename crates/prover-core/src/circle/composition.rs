//! The composition polynomial and its halves (circle.md, section 8).

use field::{M31, QM31, powers};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Combination, CombinationGroup, Constraints, EvalOrder, Factor, Multiplier,
    StarkBackend,
};

use super::ProveError;
use super::tree::{Extended, Part, Tree};
use crate::table::Table;

/// What the composition needs of a component.
pub(crate) struct Input<'a, B: StarkBackend> {
    pub(crate) program: &'a B::Program,
    /// Preprocessed, main and interaction columns, extended.
    pub(crate) columns: [Extended<'a, B>; 3],
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

/// Evaluates the constraints of all components, `count` of them, adds them up, and commits to the two halves of the sum's coefficients.
/// What a component needs is asked for when the one before it is done with.
pub(crate) fn commit<'a, B: StarkBackend<P = CircleStark>>(
    backend: &B,
    inputs: impl Iterator<Item = Result<Input<'a, B>, ProveError>>,
    count: usize,
    alpha: QM31,
    log_blowup: u32,
    lifting: Option<u32>,
) -> Result<Tree<B>, ProveError> {
    // Constraint k of all N has the weight alpha^(N-1-k).
    let mut weights: Vec<QM31> = powers(alpha).take(count).collect();
    let mut sums: Vec<Table<B>> = Vec::new();
    for input in inputs {
        let input = input?;
        let terms = (0..input.constraints).map(|output| (output, weights.pop().expect("a weight for each constraint")));
        let columns = input.columns.each_ref().map(Extended::as_ref);
        let combination = combination(input.log_size, terms.collect());
        // One by one, as each sum takes its summand before the next is made; nothing waits for the device here.
        let request = Constraints {
            program: input.program,
            columns: &columns,
            domain: CircleDomain::canonic(input.log_size + log_blowup),
            log_trace: input.log_size,
            // Constraints have degree 3 at most, so their quotients have 2^(n+1) coefficients.
            log_eval: input.log_size + 1,
            params: input.params,
            combination: &combination,
        };
        for values in backend.constraint_eval(&[request])? {
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
    Tree::commit(backend, vec![Part { table, columns }], lifting)
}
