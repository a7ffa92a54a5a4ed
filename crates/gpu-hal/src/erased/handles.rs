//! Tables, trees and programs of any backend, and how they are seen as one backend's.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::rehearsal::Prepared;
use crate::{
    Columns, ConstraintProgram, DeviceBuffer, DeviceProgram, DeviceTree, HalError, Protocol, Result, Table, TableRef,
    Types,
};

/// The refusal of a handle that is of another type than the backend's.
pub(super) fn foreign(what: &str) -> HalError {
    HalError::invalid("device", format!("the {what} is of another backend: each takes those that it made"))
}

trait Buffer: DeviceBuffer + Any {}
impl<B: DeviceBuffer> Buffer for B {}

trait Tree: DeviceTree + Any {}
impl<T: DeviceTree> Tree for T {}

/// Memory of any backend.
pub struct AnyBuffer(Box<dyn Buffer>);

impl DeviceBuffer for AnyBuffer {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for AnyBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyBuffer").field(&self.len()).finish()
    }
}

/// A tree of any backend.
pub struct AnyTree(Box<dyn Tree>);

impl AnyTree {
    pub(super) fn new(tree: impl DeviceTree) -> Self {
        Self(Box::new(tree))
    }

    /// As the tree that it is.
    pub(super) fn of<T: DeviceTree>(&self) -> Result<&T> {
        let tree: &dyn Any = &*self.0;
        tree.downcast_ref().ok_or_else(|| foreign("tree"))
    }
}

impl DeviceTree for AnyTree {
    fn log_leaves(&self) -> u32 {
        self.0.log_leaves()
    }
}

impl fmt::Debug for AnyTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyTree").field(&self.log_leaves()).finish()
    }
}

/// Makes a program of a backend one of its shapes.
pub(super) type ProgramOfShapes<P> = fn(&AnyProgram<P>) -> AnyProgram<P>;

/// A program of any backend. Clones are the same program.
pub struct AnyProgram<P: Protocol> {
    source: Arc<ConstraintProgram<P>>,
    /// [`Prepared`] of the backend's types.
    prepared: Arc<dyn Any + Send + Sync>,
    of_shapes: Option<ProgramOfShapes<P>>,
}

impl<P: Protocol> AnyProgram<P> {
    pub(super) fn new<T: Types<P = P>>(program: T::Program, source: Arc<ConstraintProgram<P>>) -> Self {
        let prepared = Arc::new(Prepared::<T> { program, source: source.clone() });
        Self { source, prepared, of_shapes: None }
    }

    pub(super) fn with_shapes(self, of_shapes: ProgramOfShapes<P>) -> Self {
        Self { of_shapes: Some(of_shapes), ..self }
    }

    /// As the program that it is.
    pub(super) fn of<T: Types<P = P>>(&self) -> Result<&T::Program> {
        let prepared = self.prepared.downcast_ref::<Prepared<T>>().ok_or_else(|| foreign("program"))?;
        Ok(&prepared.program)
    }

    /// The same, to be shared.
    pub(super) fn shared<T: Types<P = P>>(&self) -> Option<Arc<Prepared<T>>> {
        self.prepared.clone().downcast().ok()
    }

    /// The same program of the backend's shapes. One of shapes stays as it is, and is refused where it is used.
    pub(super) fn of_shapes(&self) -> Self {
        self.of_shapes.map_or_else(|| self.clone(), |of_shapes| of_shapes(self))
    }
}

impl<P: Protocol> Clone for AnyProgram<P> {
    fn clone(&self) -> Self {
        Self { source: self.source.clone(), prepared: self.prepared.clone(), of_shapes: self.of_shapes }
    }
}

impl<P: Protocol> DeviceProgram<P> for AnyProgram<P> {
    fn program(&self) -> &ConstraintProgram<P> {
        &self.source
    }
}

impl<P: Protocol> fmt::Debug for AnyProgram<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyProgram").field(&self.source).finish()
    }
}

/// The types of [`super::Device`].
pub struct Erased<P>(PhantomData<fn() -> P>);

impl<P: Protocol> Types for Erased<P> {
    type P = P;
    type Buffer = AnyBuffer;
    type Tree = AnyTree;
    type Program = AnyProgram<P>;
}

/// A table that was made, in a box.
pub(super) fn boxed<B: DeviceBuffer>(table: Columns<B>) -> Columns<AnyBuffer> {
    table.map(|buffer| AnyBuffer(Box::new(buffer)))
}

/// Tables that were made, in boxes.
pub(super) fn all_boxed<T: Types>(tables: Vec<Table<T>>) -> Vec<Columns<AnyBuffer>> {
    tables.into_iter().map(boxed).collect()
}

/// A table as the backend's own type.
pub(super) fn table<'a, T: Types>(table: Columns<&'a AnyBuffer>) -> Result<TableRef<'a, T>> {
    let buffer: &dyn Any = &*table.data.0;
    let buffer = buffer.downcast_ref().ok_or_else(|| foreign("table"))?;
    Ok(Columns::new(buffer, table.width, table.log_height))
}

/// A table that is written to, as the backend's own type.
pub(super) fn table_mut<B: DeviceBuffer>(table: Columns<&mut AnyBuffer>) -> Result<Columns<&mut B>> {
    let buffer: &mut dyn Any = &mut *table.data.0;
    let buffer = buffer.downcast_mut().ok_or_else(|| foreign("table"))?;
    Ok(Columns::new(buffer, table.width, table.log_height))
}
