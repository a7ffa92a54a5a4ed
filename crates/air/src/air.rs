//! The parts of a statement.

use alloc::vec::Vec;

use gpu_hal::Protocol;

use crate::{AirBuilder, Layout, Trace, TraceProgram};

/// A statement: a trace of a certain shape that satisfies certain constraints.
pub trait Air<P: Protocol>: Send + Sync {
    /// Identity of the family, such as `fibonacci-rap`.
    fn name(&self) -> &str;

    /// Log2 of the number of rows `n`, in `2..=32`.
    fn log_trace_length(&self) -> u32;

    /// The shape.
    fn layout(&self) -> Layout;

    /// Declares the constraints, boundaries and auxiliary columns. Runs once, in [`crate::record`]; it must declare the
    /// same each time.
    fn define(&self, builder: &AirBuilder<P>);

    /// The values of the statement that boundary constraints use. The default transcript seed binds these. It cannot
    /// look into the functions given to [`AirBuilder::boundary_with`]: all that they use besides the challenges must be
    /// listed here, or a prover can choose it after it knows the challenges, and so prove a false statement.
    fn public_inputs(&self) -> Vec<P::Base> {
        Vec::new()
    }

    /// Values (`n` rows each, row order) of the auxiliary columns declared with [`AirBuilder::host_column`], in that
    /// order.
    fn host_columns(&self, main: &Trace<P::Base>, challenges: &[P::Ext]) -> Vec<Vec<P::Ext>> {
        let _ = (main, challenges);
        Vec::new()
    }

    /// How a device makes the main columns of an honest trace, if numbers that do not grow with the rows are enough to
    /// say it.
    fn trace_program(&self) -> Option<TraceProgram<P::Base>> {
        None
    }
}
