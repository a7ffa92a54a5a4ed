//! What a rehearsal runs on.

use std::sync::Arc;

use super::hook::{Hook, Hooked, Passing};
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
    fn program(program: &Arc<Prepared<<Self::Of as StarkBackend>::T>>) -> Self::Program;

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

    fn program(program: &Arc<Prepared<B::T>>) -> Arc<Prepared<B::T>> {
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

/// The shapes of a backend whose operations pass through a hook are those of the backend inside: a plan calls no hook.
impl<S: Rehearse, H: Hook<S::Of>> Rehearse for Hooked<S, Passing<H>> {
    type Of = Hooked<S::Of, H>;

    fn of(backend: Arc<Hooked<S::Of, H>>) -> Self {
        Self::with_hook(S::of(backend.inner.clone()), Passing::default())
    }

    fn program(program: &Arc<Prepared<<S::Of as StarkBackend>::T>>) -> S::Program {
        S::program(program)
    }

    fn enter(&self, part: &'static str) {
        self.inner.enter(part);
    }

    fn finish(&self) -> Rehearsal<S::P> {
        self.inner.finish()
    }

    fn upload_shape(&self, table: Shape) -> Table<S::T> {
        self.inner.upload_shape(table)
    }

    fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<S::T>>,
        to: DomainOf<S::T>,
        keep: bool,
    ) -> crate::Result<Uploaded<S::Buffer>> {
        self.inner.upload_lde_shape(table, from, to, keep)
    }
}
