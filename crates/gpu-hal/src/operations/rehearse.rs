//! The shapes of a backend, on which plans are made.

use alloc::vec;
use alloc::vec::Vec;
use std::sync::Arc;

use super::Operations;
use crate::rehearsal::{Prepared, Rehearsal};
use crate::{Basis, DomainOf, Result, Shape, Table, Types, Uploaded};

/// The shapes of tables that would be on a backend's device, or on its devices: a prover that runs on them learns the
/// memory of a proof, and takes nothing. [`crate::decorate::Rehearsed`] is that of any backend; one that is made of
/// several devices has shapes on each of them, so that a plan knows the tables on each of them.
pub trait Rehearse: Operations {
    /// The backend.
    type Of;
    /// The types of its tables, trees and programs.
    type TypesOf: Types<P = <Self::T as Types>::P>;

    /// Nothing is live yet.
    fn of(backend: Arc<Self::Of>) -> Self;

    /// The shapes of backends that are one device together: each has the shapes of its own, at the same place.
    fn of_all(backends: &[Arc<Self::Of>]) -> Vec<Self> {
        backends.iter().cloned().map(Self::of).collect()
    }

    /// A program of the backend.
    fn program(program: &Arc<Prepared<Self::TypesOf>>) -> <Self::T as Types>::Program;

    /// Names the operations to come, for [`crate::rehearsal::PeakLocation::part`].
    fn enter(&self, part: &'static str);

    /// The findings. Live tables stay live, and the next peak starts from them.
    fn finish(&self) -> Rehearsal;

    /// [`crate::StarkBackend::upload`] of a table of which nothing but the shape is known: shapes look at no elements.
    ///
    /// # Errors
    /// The device is too small for such a table.
    fn upload_shape(&self, table: Shape) -> Result<Table<Self::T>> {
        Operations::upload(self, &[], table.width, table.log_height)
    }

    /// [`crate::StarkBackend::upload_lde`] of a table of which nothing but the shape is known.
    ///
    /// # Errors
    /// As [`Self::upload_shape`].
    fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<<Self::T as Types>::Buffer>> {
        Operations::upload_lde(self, &vec![&[][..]; table.width], table.log_height, from, to, keep)
    }
}
