//! The types of a backend: of its tables, trees and programs.

use crate::ir::Schedule;
use crate::{ConstraintProgram, Protocol};

/// A device allocation of base-field elements. There is no way to read it but [`crate::StarkBackend::download`].
pub trait DeviceBuffer: Send + Sync + 'static {
    /// Number of base-field elements.
    fn len(&self) -> usize;

    /// Whether it holds no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A Merkle tree on the device.
pub trait DeviceTree: Send + Sync + 'static {
    /// Log2 of the number of leaves: the length of a path.
    fn log_leaves(&self) -> u32;
}

/// A program made ready by [`crate::StarkBackend::prepare`].
pub trait DeviceProgram<P: Protocol>: Send + Sync + 'static {
    /// The program that was given to `prepare`.
    fn program(&self) -> &ConstraintProgram<P>;
}

impl<P: Protocol> DeviceProgram<P> for ConstraintProgram<P> {
    fn program(&self) -> &ConstraintProgram<P> {
        self
    }
}

impl<P: Protocol> DeviceProgram<P> for Schedule<P> {
    fn program(&self) -> &ConstraintProgram<P> {
        self.program()
    }
}

/// The types of a backend, without its operations. Arguments of operations are generic over this bundle, so that a
/// backend around another one, which has the same types, hands arguments on as they are.
pub trait Types: 'static {
    /// The proof system.
    type P: Protocol;
    /// Device memory.
    type Buffer: DeviceBuffer;
    /// A Merkle tree on the device.
    type Tree: DeviceTree;
    /// A program that is ready to run.
    type Program: DeviceProgram<Self::P>;
}

/// An element of the base field.
pub type BaseOf<T> = <<T as Types>::P as Protocol>::Base;
/// An element of the field of challenges.
pub type ExtOf<T> = <<T as Types>::P as Protocol>::Ext;
/// An evaluation domain.
pub type DomainOf<T> = <<T as Types>::P as Protocol>::Domain;
/// A point outside the domains.
pub type PointOf<T> = <<T as Types>::P as Protocol>::Point;
/// A table on the device.
pub type Table<T> = Columns<<T as Types>::Buffer>;
/// A borrowed table.
pub type TableRef<'a, T> = Columns<&'a <T as Types>::Buffer>;

/// A table of `width` base-field columns of `2^log_height` elements each, column-major behind one handle: element
/// `(row, column)` is at `(column << log_height) + row`.
///
/// A table may have no columns: operations that work column by column take it, and trees over it have leaves of
/// nothing. [`crate::StarkBackend::select`] and [`crate::StarkBackend::split`] refuse it.
///
/// Generic over the buffer, not the backend, so that a decorator can take it apart: `Columns<B::Buffer>` owns,
/// `Columns<&B::Buffer>` borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns<Buf> {
    /// The elements.
    pub data: Buf,
    /// Number of base-field columns.
    pub width: usize,
    /// Log2 of the number of rows.
    pub log_height: u32,
}

/// Two tables that one operation makes: the uploaded one, if it is kept, and its extension.
pub type Uploaded<Buf> = (Option<Columns<Buf>>, Columns<Buf>);

impl<Buf> Columns<Buf> {
    /// A table over `data`.
    pub fn new(data: Buf, width: usize, log_height: u32) -> Self {
        Self { data, width, log_height }
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        1 << self.log_height
    }

    /// Number of elements, `width * height`.
    pub fn elements(&self) -> usize {
        self.width << self.log_height
    }

    /// The table without its elements.
    pub fn shape(&self) -> Columns<()> {
        Columns { data: (), width: self.width, log_height: self.log_height }
    }

    /// The same table, borrowed.
    pub fn as_ref(&self) -> Columns<&Buf> {
        Columns { data: &self.data, width: self.width, log_height: self.log_height }
    }

    /// The same table, borrowed for writing.
    pub fn as_mut(&mut self) -> Columns<&mut Buf> {
        Columns { data: &mut self.data, width: self.width, log_height: self.log_height }
    }

    /// The same shape over another buffer.
    pub fn map<T>(self, f: impl FnOnce(Buf) -> T) -> Columns<T> {
        Columns { data: f(self.data), width: self.width, log_height: self.log_height }
    }
}

impl<Buf> Columns<&mut Buf> {
    /// The same table, borrowed again for a shorter time.
    pub fn reborrow(&mut self) -> Columns<&mut Buf> {
        Columns { data: &mut *self.data, width: self.width, log_height: self.log_height }
    }

    /// The same table, borrowed for reading.
    pub fn as_shared(&self) -> Columns<&Buf> {
        Columns { data: &*self.data, width: self.width, log_height: self.log_height }
    }
}
