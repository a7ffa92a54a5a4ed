//! A proof and its rehearsal are one text; what differs between them is here.

use std::borrow::Cow;

use field::Field;
use gpu_hal::{Basis, HalError, MakeElements, Rehearse, Shape, StarkBackend, Uploaded};

use crate::table::{Base, Domain, Table};

/// What a driver runs for: a proof, or a rehearsal. Nothing else can be.
pub trait Mode: Copy + sealed::Sealed {
    /// One thing for a proof, another for a rehearsal.
    fn either<T>(self, proof: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T;
}

/// Where it runs: a proof on a device, a rehearsal on shapes. A rehearsal asks for nothing of the size of the statement.
pub trait Stage<B: StarkBackend>: Mode {
    /// [`StarkBackend::upload`] of data that a rehearsal does not ask for.
    fn upload<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [Base<B>]>, E>,
    ) -> Result<Table<B>, E>;

    /// [`StarkBackend::upload_made`] of elements that a rehearsal does not ask for.
    fn upload_made<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        make: impl FnOnce() -> Result<Box<MakeElements<'d, Base<B>>>, E>,
    ) -> Result<Table<B>, E>;

    /// [`StarkBackend::upload_lde`] of columns that a rehearsal does not ask for.
    fn upload_lde<'d>(
        self,
        backend: &B,
        table: Shape,
        columns: impl FnOnce() -> Vec<&'d [Base<B>]>,
        bases: (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError>;
}

/// A proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live;

/// A rehearsal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dry;

/// A proof of zeros, for a device that computes nothing and remembers what it is asked for: nothing is drawn and nothing checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blank;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Blank {}
    impl Sealed for super::Live {}
    impl Sealed for super::Dry {}
}

impl Mode for Live {
    fn either<T>(self, proof: impl FnOnce() -> T, _: impl FnOnce() -> T) -> T {
        proof()
    }
}

impl Mode for Dry {
    fn either<T>(self, _: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T {
        rehearsal()
    }
}

impl Mode for Blank {
    fn either<T>(self, _: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T {
        rehearsal()
    }
}

impl<B: StarkBackend> Stage<B> for Live {
    fn upload<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [Base<B>]>, E>,
    ) -> Result<Table<B>, E> {
        Ok(backend.upload(&data()?, table.width, table.log_height)?)
    }

    fn upload_made<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        make: impl FnOnce() -> Result<Box<MakeElements<'d, Base<B>>>, E>,
    ) -> Result<Table<B>, E> {
        Ok(backend.upload_made(&*make()?, table.width, table.log_height)?)
    }

    fn upload_lde<'d>(
        self,
        backend: &B,
        table: Shape,
        columns: impl FnOnce() -> Vec<&'d [Base<B>]>,
        (from, to): (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError> {
        backend.upload_lde(&columns(), table.log_height, from, to, keep)
    }
}

impl<B: Rehearse> Stage<B> for Dry {
    fn upload<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Result<Cow<'d, [Base<B>]>, E>,
    ) -> Result<Table<B>, E> {
        Ok(backend.upload_shape(table)?)
    }

    fn upload_made<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Result<Box<MakeElements<'d, Base<B>>>, E>,
    ) -> Result<Table<B>, E> {
        Ok(backend.upload_shape(table)?)
    }

    fn upload_lde<'d>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Vec<&'d [Base<B>]>,
        (from, to): (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<<B as StarkBackend>::Buffer>, HalError> {
        backend.upload_lde_shape(table, from, to, keep)
    }
}

impl<B: StarkBackend> Stage<B> for Blank {
    fn upload<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Result<Cow<'d, [Base<B>]>, E>,
    ) -> Result<Table<B>, E> {
        Ok(backend.upload(&vec![Base::<B>::ZERO; table.elements()], table.width, table.log_height)?)
    }

    fn upload_made<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Result<Box<MakeElements<'d, Base<B>>>, E>,
    ) -> Result<Table<B>, E> {
        self.upload(backend, table, || Ok(Cow::Borrowed(&[][..])))
    }

    fn upload_lde<'d>(
        self,
        backend: &B,
        table: Shape,
        _: impl FnOnce() -> Vec<&'d [Base<B>]>,
        (from, to): (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError> {
        let column = vec![Base::<B>::ZERO; table.height()];
        backend.upload_lde(&vec![column.as_slice(); table.width], table.log_height, from, to, keep)
    }
}
