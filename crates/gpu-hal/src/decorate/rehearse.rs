//! The backends of rehearsals.

use alloc::vec;
use alloc::vec::Vec;
use std::sync::Arc;

use super::hook::{Hook, Hooked, Passing};
use super::rehearsed::{Prepared, Rehearsal, Rehearsed};
use crate::{Basis, DomainOf, Operations, Shape, StarkBackend, Table, Types, Uploaded};

/// The shapes of what would be on a backend's device, or on its devices: a prover that runs on them learns what a proof takes, and takes
/// nothing. [`Rehearsed`] is that of any backend; one that is made of several devices has shapes on each of them, so that a plan knows what
/// each of them holds.
pub trait Rehearse: Operations {
    /// The backend.
    type Of: StarkBackend<P = <Self::T as Types>::P>;

    /// Nothing is live yet.
    fn of(backend: Arc<Self::Of>) -> Self;

    /// Of backends that are one device together: each has the shapes of its own, at the same place.
    fn of_all(backends: &[Arc<Self::Of>]) -> Vec<Self> {
        backends.iter().cloned().map(Self::of).collect()
    }

    /// A program of the backend.
    fn program(program: &Arc<Prepared<<Self::Of as StarkBackend>::T>>) -> <Self::T as Types>::Program;

    /// Names what follows, for [`crate::Moment::part`].
    fn enter(&self, part: &'static str);

    /// The findings. Live tables stay live, and the next peak starts from them.
    fn finish(&self) -> Rehearsal;

    /// [`StarkBackend::upload`] of a table of which nothing but the shape is known: shapes look at no elements.
    ///
    /// # Errors
    /// The device is too small for such a table.
    fn upload_shape(&self, table: Shape) -> crate::Result<Table<Self::T>> {
        Operations::upload(self, &[], table.width, table.log_height)
    }

    /// [`StarkBackend::upload_lde`] of a table of which nothing but the shape is known.
    ///
    /// # Errors
    /// As [`Self::upload_shape`].
    fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> crate::Result<Uploaded<<Self::T as Types>::Buffer>> {
        Operations::upload_lde(self, &vec![&[][..]; table.width], table.log_height, from, to, keep)
    }
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

    fn finish(&self) -> Rehearsal {
        Self::finish(self)
    }
}

/// The shapes of a backend whose operations pass through a hook are those of the backend inside: a plan calls no hook.
impl<S: Rehearse, H: Hook<S::Of>> Rehearse for Hooked<S, Passing<H>> {
    type Of = Hooked<S::Of, H>;

    fn of(backend: Arc<Hooked<S::Of, H>>) -> Self {
        Self::with_hook(S::of(backend.inner.clone()), Passing::default())
    }

    fn of_all(backends: &[Arc<Hooked<S::Of, H>>]) -> Vec<Self> {
        let inner: Vec<Arc<S::Of>> = backends.iter().map(|backend| backend.inner.clone()).collect();
        S::of_all(&inner).into_iter().map(|shapes| Self::with_hook(shapes, Passing::default())).collect()
    }

    fn program(program: &Arc<Prepared<<S::Of as StarkBackend>::T>>) -> <S::T as Types>::Program {
        S::program(program)
    }

    fn enter(&self, part: &'static str) {
        self.inner.enter(part);
    }

    fn finish(&self) -> Rehearsal {
        self.inner.finish()
    }
}
