//! Traces with one cell changed that some constraint or lookup fixes.

use circle_air::{RecordedStatement, Statement, TraceError, check_trace};
use field::{M31, QM31};

use super::words::Table;
use crate::draw::Draw;

/// How often a cell is drawn until the trace is false in the right way: some cells are free.
const TRIES: usize = 32;

/// A column: its component, and its number there.
type Column = (usize, usize);

/// A cell that violates a constraint and leaves all lookups as they are.
pub(super) fn cell(statement: &dyn Statement, trace: &mut [Table], draw: &mut Draw) -> Option<()> {
    let all = trace.iter().enumerate().flat_map(|(component, columns)| (0..columns.len()).map(move |c| (component, c)));
    change(statement, trace, draw, &all.collect::<Vec<_>>(), (true, false))
}

/// A cell of a column that says how often something is looked up, numerators read it, and their denominators do not,
/// which violates no constraint.
pub(super) fn multiplicity(statement: &dyn Statement, trace: &mut [Table], draw: &mut Draw) -> Option<()> {
    let recorded = RecordedStatement::new(statement, None).ok()?;
    let mut counts: Vec<Column> = Vec::new();
    for (component, logup) in recorded.components.iter().enumerate().filter_map(|(i, c)| Some((i, c.logup.as_ref()?))) {
        let params: Vec<QM31> = (0..logup.params).map(|index| QM31::from(M31::new(1000 + index as u32))).collect();
        // Two rows of numbers that differ in one column.
        let outputs = |changed: Option<usize>| {
            logup.program.evaluate(&params, |group, column, offset| {
                let number = 1 + 100 * group as i32 + 10 * column as i32 + offset;
                let moved = i32::from(group == 1 && changed == Some(column));
                M31::new((number * number + moved) as u32).into()
            })
        };
        let before = outputs(None);
        let is_count = |&(_, column): &Column| {
            let after = outputs(Some(column));
            before.chunks(2).zip(after.chunks(2)).any(|(before, after)| before[0] != after[0] && before[1] == after[1])
        };
        counts.extend((0..trace[component].len()).map(|column| (component, column)).filter(is_count));
    }
    change(statement, trace, draw, &counts, (false, true))
}

/// Changes a cell of one of the columns so that (constraints, lookups) are violated.
fn change(
    statement: &dyn Statement,
    trace: &mut [Table],
    draw: &mut Draw,
    columns: &[Column],
    wanted: (bool, bool),
) -> Option<()> {
    for _ in 0..TRIES * usize::from(!columns.is_empty()) {
        let (component, column) = draw.of(columns);
        let row = draw.below(trace[component][column].len());
        let before = trace[component][column][row];
        trace[component][column][row] = before + draw.nonzero::<M31>();
        let found = match check_trace(statement, trace, 1) {
            Err(TraceError::Wrong(found)) => (found.violated > 0, found.lookups.is_some()),
            _ => (false, false),
        };
        if found == wanted {
            return Some(());
        }
        trace[component][column][row] = before;
    }
    None
}
