//! Linear recurrences: tasks find their first rows by powers of the companion matrix.

use field::Field;
use gpu_hal::{Columns, LinearRecurrence, Operation, Result};
use rayon::prelude::*;

use crate::memory::{CpuBuffer, Memory};

/// Rows of a task.
const PIECE: usize = 1 << 14;

/// The column of a recurrence.
pub(crate) fn recurrence<F: Field>(memory: &Memory, args: &LinearRecurrence<F>) -> Result<Columns<CpuBuffer<F>>> {
    if args.is_zero() {
        return memory.zeros(Operation::Recurrence, 1, args.log_height);
    }
    let mut column = memory.columns(Operation::Recurrence, 1, args.log_height)?;
    let powers = args.powers(args.log_height);
    let mut rest = column.data.values_mut();
    let ends = args.starts().map(|(row, _)| row).skip(1).chain([1 << args.log_height]);
    for ((start, initial), end) in args.starts().zip(ends) {
        let (rows, behind) = rest.split_at_mut(end - start);
        rows.par_chunks_mut(PIECE).enumerate().for_each(|(piece, rows)| {
            let mut state = state_at(&powers, initial, piece * PIECE);
            for row in rows {
                *row = state[0];
                let next = args.coefficients.iter().zip(&state).map(|(c, f)| *c * *f).sum();
                state.rotate_left(1);
                state[initial.len() - 1] = next;
            }
        });
        rest = behind;
    }
    Ok(column)
}

/// `M^row` times the first state.
fn state_at<F: Field>(powers: &[Vec<F>], initial: &[F], row: usize) -> Vec<F> {
    let bits = powers.iter().enumerate().filter(|(bit, _)| row >> bit & 1 == 1);
    bits.fold(initial.to_vec(), |state, (_, matrix)| {
        matrix.chunks_exact(state.len()).map(|line| line.iter().zip(&state).map(|(m, f)| *m * *f).sum()).collect()
    })
}
