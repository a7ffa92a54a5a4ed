//! The values of a column, wherever they are.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// The values of a column in row order: owned, or shared with their owner, such as a mapped file. It reads as a slice.
#[derive(Clone)]
pub struct Cells<F>(Place<F>);

#[derive(Clone)]
enum Place<F> {
    Owned(Vec<F>),
    Shared(Arc<dyn AsRef<[F]> + Send + Sync>),
}

impl<F> Cells<F> {
    /// Values of another owner, which must give the same ones whenever asked.
    pub fn shared(holder: Arc<dyn AsRef<[F]> + Send + Sync>) -> Self {
        Self(Place::Shared(holder))
    }
}

impl<F: Clone> Cells<F> {
    /// The values, to be changed: shared ones are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<F> {
        if let Place::Shared(holder) = &self.0 {
            self.0 = Place::Owned((**holder).as_ref().to_vec());
        }
        match &mut self.0 {
            Place::Owned(values) => values,
            Place::Shared(_) => unreachable!("shared values were copied above"),
        }
    }
}

impl<F> Deref for Cells<F> {
    type Target = [F];

    fn deref(&self) -> &[F] {
        match &self.0 {
            Place::Owned(values) => values,
            Place::Shared(holder) => (**holder).as_ref(),
        }
    }
}

impl<F> AsRef<[F]> for Cells<F> {
    fn as_ref(&self) -> &[F] {
        self
    }
}

impl<F> From<Vec<F>> for Cells<F> {
    fn from(values: Vec<F>) -> Self {
        Self(Place::Owned(values))
    }
}

impl<F: PartialEq> PartialEq for Cells<F> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<F: Eq> Eq for Cells<F> {}

impl<F: fmt::Debug> fmt::Debug for Cells<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
