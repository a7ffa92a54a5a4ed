//! Linear recurrences: threads find their first rows by powers of the companion matrix.

use field::{Field, Goldilocks, PrimeField};
use gpu_hal::{Operation, Recurrence, Result};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;

/// Threads of a block and rows of a thread, as in the kernel.
const LOG_THREADS: u32 = 8;
const ROWS: u64 = 32;

/// One launch for every start of the sequence: a column that starts anew is a few sequences one after the other.
pub(crate) fn recurrence<D: KernelDevice>(call: Call<'_, D>, args: &Recurrence<Goldilocks>) -> Result<NewTable<D>> {
    let order = args.coefficients.len();
    let column = new_table(call, Operation::Recurrence, 1, args.log_height)?;
    // Of the bits of a row, and of the step of a thread.
    let powers = powers(&args.coefficients, args.log_height.max(LOG_THREADS + 1));
    let powers = call.alloc_words(&powers)?;
    let starts: Vec<u64> = args.starts().map(|(row, _)| row as u64).chain([1 << args.log_height]).collect();
    let initial: Vec<u64> = args.starts().flat_map(|(_, values)| values).map(|value| value.as_u64()).collect();
    let initial = call.alloc_words(&initial)?;
    let defines = [("ORDER", order as u64)];
    let entry = Entry { unit: &library::RECURRENCE, name: "recurrence", defines: &defines };
    for (number, rows) in starts.windows(2).enumerate() {
        let (first, count) = (rows[0], rows[1] - rows[0]);
        let blocks = count.div_ceil(ROWS << LOG_THREADS);
        let mut buffers = [whole(&powers), whole(&initial), whole(&column.data.block)];
        buffers[1].offset = (number * order * size_of::<u64>()) as u64;
        call.launch_blocks(entry, blocks, 1, 1 << LOG_THREADS, &buffers, Params::new().u64(first).u64(count))?;
    }
    Ok(column)
}

/// `M^(2^j)` for `j < count`, each row after row; `M` takes a state `(f(r), ..., f(r + k - 1))` to the next.
fn powers(coefficients: &[Goldilocks], count: u32) -> Vec<u64> {
    let k = coefficients.len();
    let mut matrix: Vec<Goldilocks> =
        (0..k * (k - 1)).map(|at| if at % k == at / k + 1 { Goldilocks::ONE } else { Goldilocks::ZERO }).collect();
    matrix.extend(coefficients);
    let mut out = Vec::with_capacity(count as usize * k * k);
    for _ in 0..count {
        out.extend(matrix.iter().map(|entry| entry.as_u64()));
        let product = |at: usize| (0..k).map(|j| matrix[at / k * k + j] * matrix[j * k + at % k]).sum();
        matrix = (0..k * k).map(product).collect();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_the_fibonacci_matrix_hold_fibonacci_numbers() {
        // M^n = (f(n - 1), f(n); f(n), f(n + 1)) with f = 0, 1, 1, 2, 3, 5, 8, 13, 21, 34.
        let [first, second, third, fourth] = [[0, 1, 1, 1], [1, 1, 1, 2], [2, 3, 3, 5], [13, 21, 21, 34]];
        assert_eq!(powers(&[Goldilocks::ONE; 2], 4), [first, second, third, fourth].concat());
        assert_eq!(powers(&[Goldilocks::new(3)], 3), [3, 9, 81]);
    }
}
