//! One place where every operation of a backend passes by: the base of [`super::Metered`] and [`super::Faulty`], and of
//! any other decorator that needs no device data types of its own.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::op::{Op, OutOf, Outcome};
use crate::{
    Budget, Capabilities, ConstraintProgram, DeviceClock, Footprint, MemoryInfo, Operation, Operations, Result,
};

/// A call of an operation, as far as it can be told before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The operation.
    pub operation: Operation,
    /// Bytes that go to the device: the data of an upload, a program's encoding, and the arguments whose number depends
    /// on the statement (parameters, weights, points, row and leaf numbers). Shapes and other scalars do not count.
    pub uploaded: u64,
}

/// The part of a decorator around each operation.
pub trait Hook<B: crate::StarkBackend>: Send + Sync + 'static {
    /// Called instead of every operation but `capabilities` and `memory`. `run` is the operation on `inner`; `outcome`
    /// shows its result.
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R>;
}

/// A hook that backends share.
impl<B: crate::StarkBackend, H: Hook<B>> Hook<B> for Arc<H> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        (**self).around(inner, call, run, outcome)
    }
}

/// A hook that does nothing: that of the shapes of a backend with the hook `H`, of which a plan is made.
pub struct PassThrough<H>(PhantomData<fn() -> H>);

impl<H> Default for PassThrough<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H> fmt::Debug for PassThrough<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PassThrough")
    }
}

impl<B: crate::StarkBackend, H: 'static> Hook<B> for PassThrough<H> {
    fn around<R>(
        &self,
        _inner: &B,
        _call: Call,
        run: impl FnOnce() -> Result<R>,
        _outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        run()
    }
}

/// A backend whose operations pass through a hook. Its tables, trees and programs are the inner backend's.
#[derive(Debug)]
pub struct Hooked<B, H> {
    pub(super) inner: Arc<B>,
    pub(super) hook: H,
}

impl<B: crate::StarkBackend, H: Hook<B>> Hooked<B, H> {
    /// `inner`, its operations passing through `hook`.
    pub fn with_hook(inner: B, hook: H) -> Self {
        Self { inner: Arc::new(inner), hook }
    }

    /// The backend inside.
    pub fn inner(&self) -> &B {
        &self.inner
    }

    pub(super) fn around<R>(
        &self,
        operation: Operation,
        uploaded: usize,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        self.hook.around(&self.inner, Call { operation, uploaded: uploaded as u64 }, run, outcome)
    }
}

impl<B: crate::StarkBackend, H: Hook<B>> Operations for Hooked<B, H> {
    type T = B::T;
    type Shapes = Hooked<B::Shapes, PassThrough<H>>;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.inner.memory()
    }

    fn budget(&self) -> &Budget {
        self.inner.budget()
    }

    fn footprint(&self, of: &Footprint<'_, B::T>) -> u64 {
        self.inner.footprint(of)
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        self.inner.clock()
    }

    fn perform<O: Op>(&self, mut args: O::Args<'_, B::T>) -> Result<OutOf<O, B::T>> {
        let uploaded = O::uploaded(&args);
        let run = || {
            let made = O::run(&mut args, self.inner.raw())?;
            Ok((args, made))
        };
        self.around(O::NAME, uploaded, run, |(args, made)| O::outcome(args, made)).map(|(_, made)| made)
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<B::Program> {
        let uploaded = program.encode().len();
        self.around(Operation::Prepare, uploaded, || self.inner.raw().prepare(program), |t| Outcome::Program(t))
    }
}
