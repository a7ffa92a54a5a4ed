//! What a rehearsal runs on.

use std::sync::Arc;

use super::rehearsed::{Prepared, Rehearsal, Rehearsed, ShapeBuffer};
use crate::{Basis, Columns, DomainOf, Shape, StarkBackend, Table, Uploaded};

/// The shapes of what would be on a backend's device, or on its devices: a prover that runs on them learns what a proof takes, and takes
/// nothing. [`Rehearsed`] is that of any backend; one that is made of several devices has shapes on each of them, so that a plan knows what
/// each of them holds.
pub trait Rehearse: StarkBackend {
    /// The backend.
    type Of: StarkBackend<P = Self::P>;

    /// Nothing is live yet.
    fn of(backend: Arc<Self::Of>) -> Self;

    /// A program of the backend.
    fn program(program: &Arc<Prepared<Self::Of>>) -> Self::Program;

    /// Names what follows, for [`crate::Moment::part`].
    fn enter(&self, part: &'static str);

    /// What was found. What is live stays so, and is where the next peak starts from.
    fn finish(&self) -> Rehearsal<Self::P>;

    /// [`StarkBackend::upload`] of a table of which nothing but the shape is known.
    fn upload_shape(&self, table: Shape) -> Table<Self::T>;

    /// [`StarkBackend::upload_lde`] of a table of which nothing but the shape is known.
    ///
    /// # Errors
    /// What is not possible for such a table.
    fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> crate::Result<Uploaded<Self::Buffer>>;
}

impl<B: StarkBackend> Rehearse for Rehearsed<B> {
    type Of = B;

    fn of(backend: Arc<B>) -> Self {
        Self::new(backend)
    }

    fn program(program: &Arc<Prepared<B>>) -> Arc<Prepared<B>> {
        program.clone()
    }

    fn enter(&self, part: &'static str) {
        Self::enter(self, part);
    }

    fn finish(&self) -> Rehearsal<B::P> {
        Self::finish(self)
    }

    fn upload_shape(&self, table: Shape) -> Columns<ShapeBuffer<B::P>> {
        Self::upload_shape(self, table)
    }

    fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<B::T>>,
        to: DomainOf<B::T>,
        keep: bool,
    ) -> crate::Result<Uploaded<ShapeBuffer<B::P>>> {
        Ok(Self::upload_lde_shape(self, table, from, to, keep))
    }
}
