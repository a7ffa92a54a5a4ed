//! A table or tree that leaves a device for a while, because others need its memory.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

use crate::{Columns, ErrorKind, HalError, Result, Shape, Types};

/// A table or a tree in the host's memory, in the form of its backend.
pub struct Stash {
    kept: Box<dyn Any + Send + Sync>,
    bytes: usize,
}

impl Stash {
    /// Keeps this, which has `bytes` bytes of a table or of a tree.
    pub fn new<S: Any + Send + Sync>(kept: S, bytes: usize) -> Self {
        Self { kept: Box::new(kept), bytes }
    }

    /// Bytes that came to the host.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The kept value.
    ///
    /// # Errors
    /// [`ErrorKind::Backend`] if it is of another type: the stash is another backend's.
    pub fn get<S: Any>(&self) -> Result<&S> {
        let foreign = || refused("the stash is of another backend");
        self.kept.downcast_ref().ok_or_else(foreign)
    }
}

/// Whether a stash has as much as the table or tree that is to be made of it.
///
/// # Errors
/// [`ErrorKind::Backend`] if it has not.
pub fn check_size(stashed: usize, wanted: usize) -> Result<()> {
    if stashed == wanted { Ok(()) } else { Err(refused("the stash is of another shape")) }
}

fn refused(why: &str) -> HalError {
    HalError::new(ErrorKind::Backend, "restore", why)
}

/// Something that is on the device, or in the host's memory.
pub enum Stored<'a, H> {
    /// On the device.
    OnDevice(&'a H),
    /// In the host's memory.
    OnHost(&'a Stash),
}

impl<H> Clone for Stored<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Stored<'_, H> {}

/// A [`crate::OpenRequest`] of tables and a tree wherever they are.
pub struct StoredRequest<'a, T: Types> {
    /// Tables whose rows are opened: the ones that the tree was built over.
    pub columns: &'a [Columns<Stored<'a, T::Buffer>>],
    /// The tree.
    pub tree: Stored<'a, T::Tree>,
    /// Log2 of its leaves.
    pub log_leaves: u32,
    /// As the rows of the request.
    pub rows: &'a [usize],
    /// As the leaves of the request.
    pub leaves: &'a [usize],
}

impl<T: Types> StoredRequest<'_, T> {
    /// Base elements of a row: columns of all tables.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|table| table.width).sum()
    }

    /// Log2 of the rows that are numbered.
    pub fn log_rows(&self) -> u32 {
        self.columns.iter().map(|table| table.log_height).fold(self.log_leaves, u32::max)
    }

    /// The tables.
    pub fn shapes(&self) -> alloc::vec::Vec<Shape> {
        self.columns.iter().map(|table| Columns::new((), table.width, table.log_height)).collect()
    }
}

impl fmt::Debug for Stash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stash")
    }
}
