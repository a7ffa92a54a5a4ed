//! Columns as data: what a device needs to make them by itself.

use std::fmt;

use field::M31;
use gpu_hal::{CircleStark, ConstraintProgram, Recurrence};

/// How a device makes the main columns of one component: from a few columns that take little to write down, by a program that is
/// evaluated at every row.
#[derive(Debug)]
pub struct TableProgram<'a> {
    /// What there is first, one column each.
    pub sources: Vec<Source<'a>>,
    /// Group `i` is the one column of source `i`, its outputs are the columns in order, base values without parameters. `None`: the
    /// sources are the columns.
    pub map: Option<ConstraintProgram<CircleStark>>,
}

/// A column that others are made from. One that is lower than the component is periodic: row `i` reads its row `i mod height`.
pub enum Source<'a> {
    /// Made by the device.
    Recurrence(Recurrence<M31>),
    /// Computed by the host when it is uploaded.
    Host {
        /// Log2 of its rows.
        log_height: u32,
        /// Its values, in the order of the rows.
        values: Box<dyn Fn() -> Vec<M31> + Send + Sync + 'a>,
    },
}

impl Source<'_> {
    /// Log2 of its rows.
    pub fn log_height(&self) -> u32 {
        match self {
            Self::Recurrence(recurrence) => recurrence.log_height,
            Self::Host { log_height, .. } => *log_height,
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recurrence(recurrence) => f.debug_tuple("Recurrence").field(recurrence).finish(),
            Self::Host { log_height, .. } => {
                f.debug_struct("Host").field("log_height", log_height).finish_non_exhaustive()
            }
        }
    }
}
