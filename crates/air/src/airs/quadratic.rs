//! Repeated squaring.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, FREE, free_rows, log_rows, table};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Trace};

const NAME: &str = "quadratic";

const FIRST: Goldilocks = Goldilocks::new(3);

pub(super) const INFO: AirInfo =
    AirInfo { name: NAME, summary: "demonstration: repeated squaring, starting from 3", params: &[FREE] };

/// `X_0 = 3`, `X_i = X_(i-1)^2`. Declares two composition parts, one more than it needs
/// without free rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quadratic {
    log_rows: u32,
    free: usize,
}

impl Quadratic {
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

impl<P: CosetProtocol> Air<P> for Quadratic {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        builder.transition(builder.main(0, 1) - builder.main(0, 0).square(), Rows::all().except_last(1 + self.free));
        builder.boundary(Column::Main(0), 0, FIRST);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![FIRST]
    }
}

impl<P: CosetProtocol> ExampleAir<P> for Quadratic {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        table(vec![core::iter::successors(Some(FIRST), |x| Some(x.square())).take(1 << self.log_rows).collect()])
    }
}
