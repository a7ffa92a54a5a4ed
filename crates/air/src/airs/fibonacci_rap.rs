//! A Fibonacci sequence, and a second column that is a permutation of it.

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::{AirInfo, ExampleAir, ParamDefault, ParamInfo, log_rows, table};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Scan, Trace};

const NAME: &str = "fibonacci-rap";

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "Fibonacci sequence of given length, with a permuted copy and a running product over a challenge",
    params: &[ParamInfo {
        name: "steps",
        summary: "length of the sequence, 2 to rows - 1",
        default: Some(ParamDefault::RowsMinusOne),
    }],
};

/// `A_i` is the Fibonacci sequence `1, 1, 2, ...` for `steps` rows, then zero; B is A with rows 0 and `steps - 1` exchanged;
/// the auxiliary column is `Z_i = product over j < i of (A_j + gamma)/(B_j + gamma)`.
///
/// An example of the protocol, not of a sound circuit: nothing constrains the last row of Z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FibonacciRap {
    log_rows: u32,
    steps: usize,
    parts: usize,
}

impl FibonacciRap {
    /// For `rows` rows, of which `steps` hold the sequence, `2 <= steps <= rows - 1`.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64, steps: u64) -> Result<Self, AirError> {
        let log_rows = log_rows(NAME, rows, 4)?;
        if steps < 2 || steps >= rows {
            let reason = format!("2 to {} are possible with {rows} rows", rows - 1);
            return Err(AirError::BadParam { air: NAME, param: "steps", value: steps, reason });
        }
        Ok(Self { log_rows, steps: steps as usize, parts: 1 })
    }

    /// Declares another number of composition parts than the 1 that is enough. For tests: it changes the proof.
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
            Rows::all().except_last(1),
        );
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
        builder.boundary(Column::Main(0), 1, Goldilocks::ONE);
        builder.boundary(z, 0, Goldilocks::ONE);
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
