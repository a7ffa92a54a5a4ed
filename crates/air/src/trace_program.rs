//! Traces as data: a program from which a device makes the main columns by itself.

use alloc::vec::Vec;

use gpu_hal::LinearRecurrence;

/// The main columns of an honest trace, each a linear recurrence: a few numbers, so that a device makes the columns and
/// nothing is uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceProgram<F> {
    /// One for each main column, in order, of the trace's height.
    pub columns: Vec<LinearRecurrence<F>>,
}
