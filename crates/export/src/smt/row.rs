//! The two rows of a question.

/// A row: the prefix of its names.
#[derive(Clone, Copy)]
pub(super) struct Copy<'a>(pub(super) &'a str);

impl Copy<'_> {
    /// The name of a node.
    pub(super) fn node(self, node: usize) -> String {
        format!("{}_n{node}", self.0)
    }
}
