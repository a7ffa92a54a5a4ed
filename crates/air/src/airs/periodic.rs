//! A constraint that a periodic column switches on and off.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, LinearRecurrence, Protocol};

use super::example::{AirInfo, ExampleAir, log_rows, table};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Trace, TraceProgram};

const NAME: &str = "periodic";

pub(super) const INFO: AirInfo =
    AirInfo { name: NAME, summary: "demonstration: sums on odd rows only, selected by a periodic column", params: &[] };

/// `A_0 = 1`, `A_i = 2^((i-1)/2)` rounded down (1, 1, 1, 2, 2, 4, 4, ...): on odd rows `A_(i+2) = A_(i+1) + A_i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodicFibonacci {
    log_rows: u32,
}

impl PeriodicFibonacci {
    /// For `rows` rows.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64) -> Result<Self, AirError> {
        Ok(Self { log_rows: log_rows(NAME, rows, 4)? })
    }

    fn rows(&self) -> usize {
        1 << self.log_rows
    }

    fn last(&self) -> Goldilocks {
        Goldilocks::new(2).pow((self.rows() as u64 - 2) / 2)
    }
}

impl<P: CosetProtocol> Air<P> for PeriodicFibonacci {
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
        let odd = builder.periodic(&[Goldilocks::ZERO, Goldilocks::ONE]);
        builder.transition(builder.periodic_at(odd, 0) * (a(2) - a(1) - a(0)), Rows::all().except_last(2));
        builder.boundary(Column::Main(0), 0, Goldilocks::ONE);
        builder.boundary(Column::Main(0), self.rows() - 1, self.last());
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::ONE, self.last()]
    }

    fn trace_program(&self) -> Option<TraceProgram<Goldilocks>> {
        // From row 1 on two rows further is the double.
        let column = LinearRecurrence {
            coefficients: vec![Goldilocks::new(2), Goldilocks::ZERO],
            initial: vec![Goldilocks::ONE; 2],
            restarts: vec![(1, vec![Goldilocks::ONE; 2])],
            log_height: self.log_rows,
        };
        Some(TraceProgram { columns: vec![column] })
    }
}

impl<P: CosetProtocol> ExampleAir<P> for PeriodicFibonacci {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let rows = self.rows();
        let mut a = Vec::with_capacity(rows);
        a.push(Goldilocks::ONE);
        let mut power = Goldilocks::ONE;
        while a.len() < rows {
            // Rows 2k + 1 and 2k + 2; the last pair is cut by the end.
            a.push(power);
            if a.len() < rows {
                a.push(power);
            }
            power = power.double();
        }
        table(vec![a])
    }
}
