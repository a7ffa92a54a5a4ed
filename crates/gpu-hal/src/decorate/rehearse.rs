//! The shapes of a backend, and of one behind a hook.

use alloc::vec::Vec;
use std::sync::Arc;

use super::hook::{Hook, Hooked, PassThrough};
use super::rehearsed::Rehearsed;
use crate::rehearsal::{Prepared, Rehearsal};
use crate::{Rehearse, StarkBackend, Types};

impl<B: StarkBackend> Rehearse for Rehearsed<B> {
    type Of = B;
    type TypesOf = B::T;

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

/// The shapes of a backend whose operations pass through a hook are the inner backend's: a plan calls no hook.
impl<S, H: Hook<S::Of>> Rehearse for Hooked<S, PassThrough<H>>
where
    S: Rehearse<Of: StarkBackend<T = <S as Rehearse>::TypesOf>>,
{
    type Of = Hooked<S::Of, H>;
    type TypesOf = S::TypesOf;

    fn of(backend: Arc<Hooked<S::Of, H>>) -> Self {
        Self::with_hook(S::of(backend.inner.clone()), PassThrough::default())
    }

    fn of_all(backends: &[Arc<Hooked<S::Of, H>>]) -> Vec<Self> {
        let inner: Vec<Arc<S::Of>> = backends.iter().map(|backend| backend.inner.clone()).collect();
        S::of_all(&inner).into_iter().map(|shapes| Self::with_hook(shapes, PassThrough::default())).collect()
    }

    fn program(program: &Arc<Prepared<S::TypesOf>>) -> <S::T as Types>::Program {
        S::program(program)
    }

    fn enter(&self, part: &'static str) {
        self.inner.enter(part);
    }

    fn finish(&self) -> Rehearsal {
        self.inner.finish()
    }
}
