//! Read-only memory, by a sum of inverses.

use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, log_rows, table};
use super::memory::{Accesses, fingerprint};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Scan, Trace};

const NAME: &str = "read-only-memory-logup";

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: reads of a continuous read-only memory, each cell with its multiplicity (running sum of inverses)",
    params: &[],
};

/// Main columns `a, v, a', v', m`: the reads in order; the distinct pairs sorted by address and how often each is read,
/// then the last pair again with `m = 0`. The auxiliary column is the running sum of
/// `m/(mu - (a' + alpha v')) - 1/(mu - (a + alpha v))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOnlyMemoryLogup {
    log_rows: u32,
}

impl ReadOnlyMemoryLogup {
    /// For `rows` rows.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64) -> Result<Self, AirError> {
        Ok(Self { log_rows: log_rows(NAME, rows, 4)? })
    }

    /// Row 0 of the main columns.
    fn first_row(&self) -> [Goldilocks; 5] {
        let accesses = Accesses::new(self.log_rows);
        let address = accesses.address(0);
        [
            Goldilocks::new(address),
            Accesses::value(address),
            Goldilocks::ONE,
            Accesses::value(1),
            Goldilocks::new(accesses.first_count()),
        ]
    }
}

impl<P: CosetProtocol> Air<P> for ReadOnlyMemoryLogup {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 5, aux_columns: 1, frame_rows: 2, challenges: 2, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (mu, alpha) = (builder.challenge(0), builder.challenge(1));
        let (address, value) = (|offset| builder.main(2, offset), |offset| builder.main(3, offset));
        let count = |offset| builder.main(4, offset);
        let read = |offset| mu - (builder.main(0, offset) + alpha * builder.main(1, offset));
        let cell = |offset| mu - (address(offset) + alpha * value(offset));
        let sum = builder.running_sum(&[(count(0), cell(0)), (-builder.number(1), read(0))], Scan::Inclusive);
        let rows = Rows::all().except_last(1);
        let same = address(1) - address(0) - 1;
        builder.transition((address(1) - address(0)) * same, rows);
        builder.transition((value(1) - value(0)) * same, rows);
        let (u, w, both) = (read(1), cell(1), read(1) * cell(1));
        builder.transition(builder.aux(0, 0) * both + count(1) * u - w - builder.aux(0, 1) * both, rows);
        let first = self.first_row();
        for (column, value) in first.into_iter().enumerate() {
            builder.boundary(Column::Main(column), 0, value);
        }
        let [a, v, cell_a, cell_v, m] = first;
        builder.boundary_with(sum, 0, move |challenges| {
            fingerprint(challenges, cell_a, cell_v).inverse_or_zero() * m
                - fingerprint(challenges, a, v).inverse_or_zero()
        });
        builder.boundary(sum, (1 << self.log_rows) - 1, Goldilocks::ZERO);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        self.first_row().to_vec()
    }
}

impl<P: CosetProtocol> ExampleAir<P> for ReadOnlyMemoryLogup {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let accesses = Accesses::new(self.log_rows);
        let (rows, cells) = (1usize << self.log_rows, accesses.cells());
        let [a, v] = accesses.reads();
        let addresses = || (1..=rows as u64).map(|address| address.min(cells as u64));
        let mut counts: Vec<Goldilocks> = Vec::with_capacity(rows);
        counts.extend(accesses.counts().into_iter().map(|count| Goldilocks::new(u64::from(count))));
        counts.resize(rows, Goldilocks::ZERO);
        let (cell_a, cell_v) = (addresses().map(Goldilocks::new).collect(), addresses().map(Accesses::value).collect());
        table(vec![a, v, cell_a, cell_v, counts])
    }
}
