//! A Fibonacci sequence, and a second column that is a permutation of it.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, LinearRecurrence, Protocol};

use super::example::{AirInfo, ExampleAir, FREE, ParamDefault, ParamInfo, log_rows, table};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Scan, Trace, TraceProgram};

const NAME: &str = "fibonacci-rap";

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: Fibonacci sequence of given length, with a permuted copy and a running product over a challenge",
    params: &[
        ParamInfo {
            name: "steps",
            summary: "length of the sequence, 2 to rows - 1 - free",
            default: Some(ParamDefault::RowsMinusOne),
            unstated: false,
        },
        FREE,
    ],
};

/// `A_i` is the Fibonacci sequence `1, 1, 2, ...` for `steps` rows, then zero; B is A with rows 0 and `steps - 1`
/// exchanged; the auxiliary column is `Z_i = product over j < i of (A_j + gamma)/(B_j + gamma)`.
///
/// An example of the protocol, not of a sound circuit: nothing constrains the last row of Z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FibonacciRap {
    log_rows: u32,
    steps: usize,
    free: usize,
    parts: usize,
}

impl FibonacciRap {
    /// For `rows` rows, of which `steps` hold the sequence, `2 <= steps <= rows - 1`.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64, steps: u64) -> Result<Self, AirError> {
        Self::with_free(rows, steps, 0)
    }

    /// The same with `free` rows at the end that no constraint reads, `steps <= rows - 1 - free`.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn with_free(rows: u64, steps: u64, free: u64) -> Result<Self, AirError> {
        let log_rows = log_rows(NAME, rows, 4)?;
        let most = rows.saturating_sub(free).saturating_sub(1);
        if steps < 2 || steps > most {
            let reason = match free {
                0 => format!("2 to {most} are possible with {rows} rows"),
                _ => format!("2 to {most} are possible with {rows} rows of which {free} are free"),
            };
            return Err(AirError::BadParam { air: NAME, param: "steps", value: steps, reason });
        }
        // The product of two columns vanishes on fewer rows, if any are free.
        let parts = if free > 0 { 2 } else { 1 };
        Ok(Self { log_rows, steps: steps as usize, free: free as usize, parts })
    }

    /// Declares another number of composition parts than is enough. For tests: it changes the proof.
    #[must_use]
    pub fn with_parts(self, parts: usize) -> Self {
        Self { parts, ..self }
    }
}

impl<P: CosetProtocol> Air<P> for FibonacciRap {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 1, frame_rows: 3, challenges: 1, composition_parts: self.parts }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (a, b) = (|offset| builder.main(0, offset), |offset| builder.main(1, offset));
        let gamma = builder.challenge(0);
        let z = builder.running_product(a(0) + gamma, b(0) + gamma, Scan::Exclusive);
        let end = (1 << self.log_rows) - self.steps + 2;
        builder.transition(a(2) - a(1) - a(0), Rows::all().except_last(end));
        builder.transition(
            builder.aux(0, 1) * (b(0) + gamma) - builder.aux(0, 0) * (a(0) + gamma),
            Rows::all().except_last(1 + self.free),
        );
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
        builder.boundary(Column::Main(0), 1, Goldilocks::ONE);
        builder.boundary(z, 0, Goldilocks::ONE);
    }

    fn trace_program(&self) -> Option<TraceProgram<Goldilocks>> {
        let last = self.steps - 1;
        let column = |initial, restarts| LinearRecurrence { restarts, ..recurrence(self.log_rows, initial) };
        let end = (self.steps, vec![Goldilocks::ZERO; 2]);
        let a = column([Goldilocks::ONE; 2], vec![end.clone()]);
        // After an exchanged row the sequence starts anew, with the right terms.
        let mut restarts = vec![(1, vec![Goldilocks::ONE, Goldilocks::new(2)])];
        restarts.retain(|(row, _)| *row < last);
        restarts.extend([(last, vec![Goldilocks::ONE; 2]), end]);
        let b = column([term(last), Goldilocks::ONE], restarts);
        Some(TraceProgram { columns: vec![a, b] })
    }
}

impl<P: CosetProtocol> ExampleAir<P> for FibonacciRap {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let mut a = fibonacci(self.steps);
        a.resize(1 << self.log_rows, Goldilocks::ZERO);
        let mut b = a.clone();
        b.swap(0, self.steps - 1);
        table(vec![a, b])
    }
}

/// `f(r + 2) = f(r) + f(r + 1)` with the given first two rows.
pub(super) fn recurrence(log_height: u32, initial: [Goldilocks; 2]) -> LinearRecurrence<Goldilocks> {
    LinearRecurrence {
        coefficients: vec![Goldilocks::ONE; 2],
        initial: initial.to_vec(),
        restarts: Vec::new(),
        log_height,
    }
}

/// Term `index` of `1, 1, 2, 3, 5, ...`, by doubling: with `f(-1) = 0`, `f(m + n) = f(m) f(n) + f(m - 1) f(n - 1)`.
fn term(index: usize) -> Goldilocks {
    // f(n - 1) and f(n) for the leading bits n of the index.
    let mut pair = (Goldilocks::ZERO, Goldilocks::ONE);
    for bit in (0..usize::BITS - index.leading_zeros()).rev() {
        let (before, now) = pair;
        let next = before + now;
        pair = match index >> bit & 1 {
            0 => (before * now + (now - before) * before, now * now + before * before),
            _ => (now * now + before * before, next * now + now * before),
        };
    }
    pair.1
}

/// `1, 1, 2, 3, 5, ...`
pub(super) fn fibonacci(length: usize) -> Vec<Goldilocks> {
    let mut pair = (Goldilocks::ONE, Goldilocks::ONE);
    let mut values = Vec::with_capacity(length.next_power_of_two());
    for _ in 0..length {
        values.push(pair.0);
        pair = (pair.1, pair.0 + pair.1);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_by_doubling_is_that_of_the_sequence() {
        let terms = fibonacci(300);
        assert!(terms.iter().enumerate().all(|(index, value)| term(index) == *value));
    }
}
