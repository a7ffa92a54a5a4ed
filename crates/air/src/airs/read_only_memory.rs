//! Read-only memory, by a permutation argument.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, log_rows, table};
use super::memory::{Accesses, fingerprint};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Scan, Trace};

const NAME: &str = "read-only-memory";

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: reads of a continuous read-only memory are a permutation of sorted ones (running product)",
    params: &[],
};

/// Main columns `a, v, a', v'`: the reads in order, and the same pairs sorted by address. The auxiliary column is the
/// running product of `(mu - (a + alpha v)) / (mu - (a' + alpha v'))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOnlyMemory {
    log_rows: u32,
}

impl ReadOnlyMemory {
    /// For `rows` rows.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64) -> Result<Self, AirError> {
        Ok(Self { log_rows: log_rows(NAME, rows, 4)? })
    }

    /// Row 0 of the main columns.
    fn first_row(&self) -> [Goldilocks; 4] {
        let address = Accesses::new(self.log_rows).address(0);
        [Goldilocks::new(address), Accesses::value(address), Goldilocks::ONE, Accesses::value(1)]
    }
}

impl<P: CosetProtocol> Air<P> for ReadOnlyMemory {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 4, aux_columns: 1, frame_rows: 2, challenges: 2, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (mu, alpha) = (builder.challenge(0), builder.challenge(1));
        let (address, value) = (|offset| builder.main(2, offset), |offset| builder.main(3, offset));
        let read = |offset| mu - (builder.main(0, offset) + alpha * builder.main(1, offset));
        let sorted = |offset| mu - (address(offset) + alpha * value(offset));
        let product = builder.running_product(read(0), sorted(0), Scan::Inclusive);
        let rows = Rows::all().except_last(1);
        let same = address(1) - address(0) - 1;
        builder.transition((address(1) - address(0)) * same, rows);
        builder.transition((value(1) - value(0)) * same, rows);
        builder.transition(sorted(1) * builder.aux(0, 1) - read(1) * builder.aux(0, 0), rows);
        let first = self.first_row();
        for (column, value) in first.into_iter().enumerate() {
            builder.boundary(Column::Main(column), 0, value);
        }
        let [a, v, sorted_a, sorted_v] = first;
        builder.boundary_with(product, 0, move |challenges| {
            fingerprint(challenges, a, v) * fingerprint(challenges, sorted_a, sorted_v).inverse_or_zero()
        });
        builder.boundary(product, (1 << self.log_rows) - 1, Goldilocks::ONE);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        self.first_row().to_vec()
    }
}

impl<P: CosetProtocol> ExampleAir<P> for ReadOnlyMemory {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let accesses = Accesses::new(self.log_rows);
        let [a, v] = accesses.reads();
        let (mut sorted_a, mut sorted_v) = (Vec::with_capacity(a.len()), Vec::with_capacity(a.len()));
        for (address, count) in (1..).zip(accesses.counts()) {
            for _ in 0..count {
                sorted_a.push(Goldilocks::new(address));
                sorted_v.push(Accesses::value(address));
            }
        }
        table(vec![a, v, sorted_a, sorted_v])
    }
}
