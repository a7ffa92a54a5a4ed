//! A Fibonacci sequence in one column.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, FREE, free_rows, log_rows, table};
use super::fibonacci_rap::{fibonacci, recurrence};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Trace, TraceProgram};

const NAME: &str = "simple-fibonacci";

pub(super) const INFO: AirInfo =
    AirInfo { name: NAME, summary: "demonstration: Fibonacci sequence in one column", params: &[FREE] };

/// `A_0 = A_1 = 1`, `A_i = A_(i-1) + A_(i-2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleFibonacci {
    log_rows: u32,
    free: usize,
}

impl SimpleFibonacci {
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
        Ok(Self { log_rows: log_rows(NAME, rows, 4)?, free: free_rows(NAME, rows, free, 3)? })
    }
}

impl<P: CosetProtocol> Air<P> for SimpleFibonacci {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 3, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let a = |offset| builder.main(0, offset);
        builder.transition(a(2) - a(1) - a(0), Rows::all().except_last(2 + self.free));
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
        builder.boundary(Column::Main(0), 1, Goldilocks::ONE);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::ONE; 2]
    }

    fn trace_program(&self) -> Option<TraceProgram<Goldilocks>> {
        Some(TraceProgram { columns: vec![recurrence(self.log_rows, [Goldilocks::ONE; 2])] })
    }
}

impl<P: CosetProtocol> ExampleAir<P> for SimpleFibonacci {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        table(vec![fibonacci(1 << self.log_rows)])
    }
}
