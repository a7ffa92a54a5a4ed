//! Words and their bit prefixes in groups of sixteen rows.

use alloc::vec;
use alloc::vec::Vec;

use field::Goldilocks;
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, log_rows, table};
use crate::{Air, AirBuilder, AirError, Layout, Rows, Trace};

const NAME: &str = "bit-flags";

const PREFIXES: [u64; 16] = [1031, 515, 257, 128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0];

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: bit prefixes of words, sixteen rows each, and a dummy column",
    params: &[],
};

/// Main columns f and d. In each block of sixteen rows `f(0) - 2 f(1)` is a bit, and the last f is zero; d counts the
/// rows of a block and is in no constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitFlags {
    log_rows: u32,
}

impl BitFlags {
    /// For `rows` rows, at least 16.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64) -> Result<Self, AirError> {
        Ok(Self { log_rows: log_rows(NAME, rows, 16)? })
    }
}

impl<P: CosetProtocol> Air<P> for BitFlags {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 0, frame_rows: 16, challenges: 0, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let f = |offset| builder.main(0, offset);
        let bit = f(0) - 2 * f(1);
        builder.transition(bit * (bit - 1), Rows::all().except_every(16, 15));
        builder.transition(f(15), Rows::all().every(16));
    }
}

impl<P: CosetProtocol> ExampleAir<P> for BitFlags {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let rows = 1 << self.log_rows;
        let mut f: Vec<Goldilocks> = (0..rows).map(|row| Goldilocks::new(PREFIXES[row % 16])).collect();
        f[0] = Goldilocks::new(1030);
        table(vec![f, (0..rows).map(|row| Goldilocks::new(row as u64 % 16)).collect()])
    }
}
