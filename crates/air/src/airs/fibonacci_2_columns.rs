//! A Fibonacci sequence, two terms a row.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, LinearRecurrence, Protocol};

use super::example::{AirInfo, ExampleAir, FREE, free_rows, log_rows, table};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Trace, TraceProgram};

const NAME: &str = "fibonacci-2-columns";

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: Fibonacci sequence written row by row in two columns",
    params: &[FREE],
};

/// `A_i = f_(2i)`, `B_i = f_(2i+1)` of the sequence `f_0 = f_1 = 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fibonacci2Columns {
    log_rows: u32,
    free: usize,
}

impl Fibonacci2Columns {
    /// For `rows` rows.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64) -> Result<Self, AirError> {
        Self::with_free(rows, 0)
    }

    /// The same with `free` rows at the end that no constraint reads.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn with_free(rows: u64, free: u64) -> Result<Self, AirError> {
        Ok(Self { log_rows: log_rows(NAME, rows, 4)?, free: free_rows(NAME, rows, free, 2)? })
    }
}

impl<P: CosetProtocol> Air<P> for Fibonacci2Columns {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (a, b) = (|offset| builder.main(0, offset), |offset| builder.main(1, offset));
        builder.transition(a(1) - a(0) - b(0), Rows::all().except_last(1 + self.free));
        builder.transition(b(1) - b(0) - a(1), Rows::all().except_last(1 + self.free));
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
        builder.boundary(Column::Main(1), 0, Goldilocks::ONE);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::ONE; 2]
    }

    fn trace_program(&self) -> Option<TraceProgram<Goldilocks>> {
        // Every other term: f(r + 4) = 3 f(r + 2) - f(r).
        let column = |initial: [u64; 2]| LinearRecurrence {
            coefficients: vec![-Goldilocks::ONE, Goldilocks::new(3)],
            initial: initial.map(Goldilocks::new).to_vec(),
            restarts: Vec::new(),
            log_height: self.log_rows,
        };
        Some(TraceProgram { columns: vec![column([1, 2]), column([1, 3])] })
    }
}

impl<P: CosetProtocol> ExampleAir<P> for Fibonacci2Columns {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let rows = 1 << self.log_rows;
        let (mut a, mut b) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut pair = (Goldilocks::ONE, Goldilocks::ONE);
        for _ in 0..rows {
            a.push(pair.0);
            b.push(pair.1);
            let next = pair.0 + pair.1;
            pair = (next, pair.1 + next);
        }
        table(vec![a, b])
    }
}
