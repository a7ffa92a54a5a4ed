//! The main columns of a statement.

use std::ops::Deref;

use air::Cells;
use field::M31;

/// The main columns of a statement by component and column, each in [`crate::Statement::order`]. It reads as a slice of
/// components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace(Vec<Vec<Cells<M31>>>);

/// Columns that are owned, or [`Cells`] that are elsewhere: no value is copied.
impl<C: Into<Cells<M31>>> From<Vec<Vec<C>>> for Trace {
    fn from(components: Vec<Vec<C>>) -> Self {
        Self(components.into_iter().map(|columns| columns.into_iter().map(Into::into).collect()).collect())
    }
}

/// The columns of a statement of one component.
impl From<Vec<Cells<M31>>> for Trace {
    fn from(columns: Vec<Cells<M31>>) -> Self {
        Self(vec![columns])
    }
}

impl Deref for Trace {
    type Target = [Vec<Cells<M31>>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
