//! Traces with one cell changed that some constraint fixes.

use air::{Air, RecordedAir, Trace, check_trace};
use field::{Fp3, Goldilocks};
use gpu_hal::RunningKind;

use super::identity::Cubic;
use crate::draw::Draw;

/// How often a cell is drawn until the trace is false: some cells are free.
const TRIES: usize = 32;

/// Elements in place of the transcript's.
fn challenges(count: usize) -> Vec<Fp3> {
    let draw = &mut Draw::new(0xc4a11e);
    (0..count).map(|_| Fp3([0; 3].map(|_| Goldilocks::new(draw.word() >> 1)))).collect()
}

/// Any cell.
pub(super) fn cell(
    recorded: &RecordedAir<Cubic>,
    air: &dyn Air<Cubic>,
    trace: &mut Trace<Goldilocks>,
    draw: &mut Draw,
) -> Option<()> {
    let columns: Vec<usize> = (0..trace.width()).collect();
    change(recorded, air, trace, draw, &columns)
}

/// A cell of a column that says how often something is looked up: numerators of running sums read it, and their
/// denominators do not.
pub(super) fn multiplicity(
    recorded: &RecordedAir<Cubic>,
    air: &dyn Air<Cubic>,
    trace: &mut Trace<Goldilocks>,
    draw: &mut Draw,
) -> Option<()> {
    let running = recorded.running()?;
    let challenges = challenges(recorded.layout().challenges);
    // Two rows of numbers that differ in one column.
    let outputs = |changed: Option<usize>| {
        running.program.evaluate(&challenges, |group, column, offset| {
            let number = 1 + 100 * group as u64 + 10 * column as u64 + offset as u64;
            let moved = u64::from(group == 0 && changed == Some(column));
            Goldilocks::new(number * number + moved).into()
        })
    };
    let (before, width) = (outputs(None), trace.width());
    let counts = |&column: &usize| {
        let after = outputs(Some(column));
        let differs = |output: usize| before[output] != after[output];
        let sums = running.columns.iter().filter(|of| of.kind == RunningKind::Sum);
        sums.into_iter().any(|of| differs(of.numerator) && !differs(of.denominator))
    };
    let columns: Vec<usize> = (0..width).filter(counts).collect();
    change(recorded, air, trace, draw, &columns)
}

/// Changes a cell of one of the columns.
fn change(
    recorded: &RecordedAir<Cubic>,
    air: &dyn Air<Cubic>,
    trace: &mut Trace<Goldilocks>,
    draw: &mut Draw,
    columns: &[usize],
) -> Option<()> {
    let challenges = challenges(recorded.layout().challenges);
    for _ in 0..TRIES * usize::from(!columns.is_empty()) {
        let (row, column) = (draw.below(trace.height()), draw.of(columns));
        let before = trace.get(row, column);
        trace.set(row, column, before + draw.nonzero::<Goldilocks>());
        if check_trace(recorded, air, trace, &challenges, 1).is_err() {
            return Some(());
        }
        trace.set(row, column, before);
    }
    None
}
