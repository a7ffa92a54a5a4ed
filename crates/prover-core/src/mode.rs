//! A proof and its rehearsal are one text; the differences between them are here.

use std::borrow::Cow;

use field::Field;
use gpu_hal::{
    Basis, Columns, HalError, LinearRecurrence, MakeElements, Operation, Rehearse, Shape, StarkBackend, Uploaded,
};

use crate::table::{Base, Domain, Table};

/// The mode of a driver: a proof, or a rehearsal. Nothing else can be.
pub trait Mode: Copy + sealed::Sealed {
    /// Has one implementation for a proof, another for a rehearsal.
    fn either<T>(self, proof: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T;
}

/// Where it runs: a proof on a device, a rehearsal on shapes. A rehearsal asks for nothing of the size of the
/// statement.
pub trait ModeOn<B: StarkBackend>: Mode {
    /// A table of which a rehearsal knows the shape alone.
    fn upload_shape(self, backend: &B, table: Shape) -> Result<Table<B>, HalError>;

    /// The same of [`StarkBackend::upload_lde`].
    fn upload_lde_shape(
        self,
        backend: &B,
        table: Shape,
        bases: (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError>;

    /// [`StarkBackend::upload`] of data that a rehearsal does not ask for.
    fn upload<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [Base<B>]>, E>,
    ) -> Result<Table<B>, E> {
        let upload = || Ok(backend.upload(&data()?, table.width, table.log_height)?);
        self.either(upload, || Ok(self.upload_shape(backend, table)?))
    }

    /// [`StarkBackend::upload_made`] of elements that a rehearsal does not ask for.
    fn upload_made<'d, E: From<HalError>>(
        self,
        backend: &B,
        table: Shape,
        make: impl FnOnce() -> Result<Box<MakeElements<'d, Base<B>>>, E>,
    ) -> Result<Table<B>, E> {
        let upload = || Ok(backend.upload_made(&*make()?, table.width, table.log_height)?);
        self.either(upload, || Ok(self.upload_shape(backend, table)?))
    }

    /// A table of zeros. Where the device makes recurrences and the width is a power of two it is one column, cut into
    /// pieces, and nothing is uploaded.
    fn zeros(self, backend: &B, table: Shape) -> Result<Table<B>, HalError> {
        let zero = Base::<B>::ZERO;
        if !backend.has(Operation::Recurrence) || !table.width.is_power_of_two() {
            return self.upload_made(backend, table, || Ok(Box::new(move |_, out: &mut [Base<B>]| out.fill(zero))));
        }
        let log_height = table.log_height + table.width.ilog2();
        let recurrence =
            LinearRecurrence { coefficients: vec![zero], initial: vec![zero], restarts: vec![], log_height };
        Ok(Columns::new(backend.recurrence(&recurrence)?.data, table.width, table.log_height))
    }

    /// [`StarkBackend::upload_lde`] of columns that a rehearsal does not ask for.
    fn upload_lde<'d>(
        self,
        backend: &B,
        table: Shape,
        columns: impl FnOnce() -> Vec<&'d [Base<B>]>,
        bases: (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError> {
        let upload = || backend.upload_lde(&columns(), table.log_height, bases.0, bases.1, keep);
        self.either(upload, || self.upload_lde_shape(backend, table, bases, keep))
    }
}

/// On a device. One type for both, so that the rounds are compiled once for them.
#[derive(Clone, Copy, Debug)]
pub enum OnDevice {
    /// A proof.
    Proof,
    /// A proof of zeros, for a device that computes nothing and remembers its calls: nothing is drawn and
    /// nothing checked.
    Zeros,
}

/// A rehearsal.
#[derive(Clone, Copy, Debug)]
pub struct DryRun;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::OnDevice {}
    impl Sealed for super::DryRun {}
}

impl Mode for OnDevice {
    fn either<T>(self, proof: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T {
        match self {
            Self::Proof => proof(),
            Self::Zeros => rehearsal(),
        }
    }
}

impl Mode for DryRun {
    fn either<T>(self, _: impl FnOnce() -> T, rehearsal: impl FnOnce() -> T) -> T {
        rehearsal()
    }
}

/// Zeros are uploaded.
impl<B: StarkBackend> ModeOn<B> for OnDevice {
    fn upload_shape(self, backend: &B, table: Shape) -> Result<Table<B>, HalError> {
        backend.upload(&vec![Base::<B>::ZERO; table.elements()], table.width, table.log_height)
    }

    fn upload_lde_shape(
        self,
        backend: &B,
        table: Shape,
        (from, to): (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>, HalError> {
        let column = vec![Base::<B>::ZERO; table.height()];
        backend.upload_lde(&vec![column.as_slice(); table.width], table.log_height, from, to, keep)
    }
}

impl<B: Rehearse> ModeOn<B> for DryRun {
    fn upload_shape(self, backend: &B, table: Shape) -> Result<Table<B>, HalError> {
        backend.upload_shape(table)
    }

    fn upload_lde_shape(
        self,
        backend: &B,
        table: Shape,
        (from, to): (Basis<Domain<B>>, Domain<B>),
        keep: bool,
    ) -> Result<Uploaded<<B as StarkBackend>::Buffer>, HalError> {
        backend.upload_lde_shape(table, from, to, keep)
    }
}
