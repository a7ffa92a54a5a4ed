//! The openings of a proof's trees, in every protocol.

use gpu_hal::{Columns, OpenRequest, StarkBackend};

/// Rows and leaves that are wanted of one tree.
pub(crate) struct TreeOpenings {
    pub(crate) rows: Vec<usize>,
    pub(crate) leaves: Vec<usize>,
}

impl TreeOpenings {
    /// The request for them.
    pub(crate) fn of<'a, B: StarkBackend>(
        &'a self,
        columns: &'a [Columns<&'a B::Buffer>],
        tree: &'a B::Tree,
    ) -> OpenRequest<'a, B::T> {
        OpenRequest { columns, tree, rows: &self.rows, leaves: &self.leaves }
    }
}
