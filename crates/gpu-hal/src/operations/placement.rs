//! Where tables and trees are: requests of backends of several devices, and of backends that move tables to the host,
//! to the devices inside.

use alloc::vec::Vec;

use super::Operations;
use crate::op;
use crate::stash::{Stash, StoredRequest};
use crate::{BaseOf, Basis, DomainOf, HalError, Opened, Result, Shape, Table, TableRef, Types, Uploaded};

/// The parts of [`PlacementOperations`] that a backend has; the others cannot be called, or are no better than their
/// default bodies.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// It has [`PlacementOperations::stash_tree`] and [`PlacementOperations::restore_tree`]; otherwise trees stay on
    /// the device.
    pub stashes_trees: bool,
    /// It has [`PlacementOperations::open_stored`]; otherwise tables and trees are brought back before they are opened.
    pub opens_stored: bool,
    /// Whether [`PlacementOperations::lde_shared`] of a table of this many columns, of a height of this log2, is faster
    /// than [`Operations::lde`] on each device.
    pub shares_lde: fn(usize, u32) -> bool,
    /// The same of [`PlacementOperations::upload_lde_shared`] and [`Operations::upload_lde`].
    pub shares_uploads: fn(usize, u32) -> bool,
}

impl Default for Placement {
    fn default() -> Self {
        Self { stashes_trees: false, opens_stored: false, shares_lde: |_, _| false, shares_uploads: |_, _| false }
    }
}

/// Operations that move tables and trees between devices and the host. No prover calls them but through `Sharded` and
/// `Spilled`. All have default bodies: a backend of one device that has nothing better is an `impl` without a line.
pub trait PlacementOperations<T: Types>: Sized {
    /// The parts that it has.
    fn placement(&self) -> Placement {
        Placement::default()
    }

    /// [`crate::StarkBackend::copy_to`]. Here through the host.
    ///
    /// # Errors
    /// Errors of either device.
    fn copy_to(&self, table: TableRef<'_, T>, peer: &Self) -> Result<Table<T>>
    where
        Self: Operations<T = T>,
    {
        let elements = self.download(table, 0..table.height())?;
        peer.upload(&elements, table.width, table.log_height)
    }

    /// A copy of a table in the host's memory, from which [`Self::restore`] makes it again. Here it is downloaded.
    ///
    /// # Errors
    /// Errors of the device, and [`crate::ErrorKind::OutOfMemory`] of the host.
    fn stash(&self, table: TableRef<'_, T>) -> Result<Stash>
    where
        Self: Operations<T = T>,
    {
        self.perform::<op::StashTable>(table)
    }

    /// The table that was stashed, of this shape, on the device. Here it is uploaded.
    ///
    /// # Errors
    /// Errors of the device.
    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<T>>
    where
        Self: Operations<T = T>,
    {
        self.perform::<op::RestoreTable>((stash, shape))
    }

    /// [`Self::stash`] of a tree, if [`Placement::stashes_trees`].
    ///
    /// # Errors
    /// As [`Self::stash`].
    fn stash_tree(&self, tree: &T::Tree) -> Result<Stash>
    where
        Self: Operations<T = T>,
    {
        self.perform::<op::StashTree>(tree)
    }

    /// [`Self::restore`] of a tree of `2^log_leaves` leaves, if [`Placement::stashes_trees`].
    ///
    /// # Errors
    /// As [`Self::restore`].
    fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<T::Tree>
    where
        Self: Operations<T = T>,
    {
        self.perform::<op::RestoreTree>((stash, log_leaves))
    }

    /// [`Operations::open`] where some tables and trees are stashed, if [`Placement::opens_stored`]: the rows and
    /// digests that are asked for are read where they are.
    ///
    /// # Errors
    /// Errors of the device.
    fn open_stored(&self, requests: &[StoredRequest<'_, T>]) -> Result<Vec<Opened<BaseOf<T>>>>
    where
        Self: Operations<T = T>,
    {
        self.perform::<op::OpenStored>(requests)
    }

    /// [`Operations::lde`] on this device and on others of its kind, all of the same table, of which each device has a
    /// copy: `tables[d]` is that of device `d`, and `to[d]` the domain on which it evaluates; this device is number 0.
    /// One of them interpolates a column, and hands the coefficients to the others. Here each does all of it for
    /// itself, one after the other.
    ///
    /// # Errors
    /// With the number of the device that reports one.
    fn lde_shared(
        &self,
        others: &[&Self],
        tables: &[TableRef<'_, T>],
        from: Basis<DomainOf<T>>,
        to: &[DomainOf<T>],
    ) -> Result<Vec<Table<T>>, (usize, HalError)>
    where
        Self: Operations<T = T>,
    {
        let mut extended = Vec::with_capacity(tables.len());
        for (device, on) in core::iter::once(self).chain(others.iter().copied()).enumerate() {
            extended.push(on.lde(tables[device], from, to[device]).map_err(|error| (device, error))?);
        }
        Ok(extended)
    }

    /// [`Operations::upload_lde`] to this device and to others of its kind, of the same columns: `to[d]` is the domain
    /// on which device `d` evaluates, and the first `keep` devices keep the rows; this device is number 0. The host
    /// sends each column to one of them, which hands it to the others. Here it sends all to each, one after the other.
    ///
    /// # Errors
    /// With the number of the device that reports one.
    fn upload_lde_shared(
        &self,
        others: &[&Self],
        (columns, log_height): (&[&[BaseOf<T>]], u32),
        from: Basis<DomainOf<T>>,
        to: &[DomainOf<T>],
        keep: usize,
    ) -> Result<Vec<Uploaded<T::Buffer>>, (usize, HalError)>
    where
        Self: Operations<T = T>,
    {
        let mut uploaded = Vec::with_capacity(to.len());
        for (device, on) in core::iter::once(self).chain(others.iter().copied()).enumerate() {
            let made = on.upload_lde(columns, log_height, from, to[device], device < keep);
            uploaded.push(made.map_err(|error| (device, error))?);
        }
        Ok(uploaded)
    }
}
