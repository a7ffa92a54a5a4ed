//! Two backends as one, compared after every operation.

mod operations;

use alloc::format;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::{
    Capabilities, Columns, ConstraintProgram, DeviceBuffer, DeviceProgram, DeviceTree, ErrorKind, HalError, Operation,
    Protocol, Result, StarkBackend, Types,
};

/// A backend that runs every operation on two others of the same protocol and compares their results: tables element by
/// element, roots, openings, values, nonces, and the kind of an error. A difference is [`ErrorKind::Backend`] and names
/// both backends and the first place that differs.
///
/// It costs a download of every result, so it is for tests. Memory is the sum of both.
#[derive(Debug)]
pub struct Dual<L, R> {
    left: L,
    right: R,
    capabilities: Capabilities,
}

/// A table of a [`Dual`] on both of its devices.
#[derive(Debug)]
pub struct DualBuffer<L, R> {
    left: L,
    right: R,
}

/// A tree of a [`Dual`] on both of its devices.
#[derive(Debug)]
pub struct DualTree<L, R> {
    left: L,
    right: R,
}

/// A program of a [`Dual`], prepared for both of its devices.
#[derive(Debug)]
pub struct DualProgram<L, R> {
    left: L,
    right: R,
}

impl<L: DeviceBuffer, R: DeviceBuffer> DeviceBuffer for DualBuffer<L, R> {
    fn len(&self) -> usize {
        self.left.len()
    }
}

impl<L: DeviceTree, R: DeviceTree> DeviceTree for DualTree<L, R> {
    fn log_leaves(&self) -> u32 {
        self.left.log_leaves()
    }
}

/// The two halves of a table.
type Halves<'a, L, R> = (Columns<&'a L>, Columns<&'a R>);

pub(super) fn halves<'a, L, R>(columns: Columns<&'a DualBuffer<L, R>>) -> Halves<'a, L, R> {
    (columns.map(|both| &both.left), columns.map(|both| &both.right))
}

/// The two halves of a table, for writing.
pub(super) fn halves_mut<'a, L, R>(
    columns: &'a mut Columns<&mut DualBuffer<L, R>>,
) -> (Columns<&'a mut L>, Columns<&'a mut R>) {
    let Columns { data: DualBuffer { left, right }, width, log_height } = columns.reborrow();
    (Columns::new(left, width, log_height), Columns::new(right, width, log_height))
}

impl<P: Protocol, L: DeviceProgram<P>, R: DeviceProgram<P>> DeviceProgram<P> for DualProgram<L, R> {
    fn program(&self) -> &ConstraintProgram<P> {
        self.left.program()
    }
}

/// The types of a [`Dual`].
#[derive(Debug)]
pub struct DualTypes<L, R>(PhantomData<fn() -> (L, R)>);

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Types for DualTypes<L, R> {
    type P = P;
    type Buffer = DualBuffer<L::Buffer, R::Buffer>;
    type Tree = DualTree<L::Tree, R::Tree>;
    type Program = DualProgram<L::Program, R::Program>;
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Dual<L, R> {
    /// Runs `left` and `right` side by side. The result has the capabilities that both have.
    pub fn new(left: L, right: R) -> Self {
        let (l, r) = (left.capabilities(), right.capabilities());
        let capabilities = Capabilities {
            backend: format!("dual({},{})", l.backend, r.backend),
            device: format!("{} and {}", l.device, r.device),
            operations: l.operations.iter().filter(|op| r.operations.contains(op)).copied().collect(),
            hashes: l.hashes.iter().filter(|hash| r.hashes.contains(hash)).copied().collect(),
            max_log_height: l.max_log_height.min(r.max_log_height),
            blocks: l.blocks && r.blocks,
            at_once: l.at_once.max(r.at_once),
            stops: l.stops || r.stops,
        };
        Self { left, right, capabilities }
    }

    /// The first backend.
    pub fn left(&self) -> &L {
        &self.left
    }

    /// The second backend.
    pub fn right(&self) -> &R {
        &self.right
    }

    fn difference(&self, op: Operation, detail: impl core::fmt::Display) -> HalError {
        let (left, right) = (&self.left.capabilities().backend, &self.right.capabilities().backend);
        HalError::new(ErrorKind::Backend, op, format!("'{left}' and '{right}' differ: {detail}"))
    }

    /// The results of both sides; both must succeed, or fail for the same kind of reason.
    pub(super) fn both<A, C>(&self, op: Operation, left: Result<A>, right: Result<C>) -> Result<(A, C)> {
        match (left, right) {
            (Ok(left), Ok(right)) => Ok((left, right)),
            (Err(left), Err(right)) if left.kind == right.kind => Err(left),
            (Err(left), Err(right)) => {
                Err(self.difference(op, format!("the first fails with '{left}', the second with '{right}'")))
            }
            (Err(error), Ok(_)) => {
                Err(self.difference(op, format!("only the first fails, with '{error}'")).with_source(error))
            }
            (Ok(_), Err(error)) => {
                Err(self.difference(op, format!("only the second fails, with '{error}'")).with_source(error))
            }
        }
    }

    pub(super) fn same_table(
        &self,
        op: Operation,
        left: Columns<&L::Buffer>,
        right: Columns<&R::Buffer>,
    ) -> Result<()> {
        let shape = (left.width, left.log_height);
        if shape != (right.width, right.log_height) {
            return Err(self
                .difference(op, format!("{:?} and {:?} (width, log height)", shape, (right.width, right.log_height))));
        }
        let elements = |table: Vec<P::Base>| -> Result<Vec<P::Base>> {
            if table.len() == left.elements() {
                return Ok(table);
            }
            Err(self.difference(op, format!("{} elements downloaded of {}", table.len(), left.elements())))
        };
        let a = elements(self.left.download(left, 0..left.height())?)?;
        let b = elements(self.right.download(right, 0..right.height())?)?;
        match a.iter().zip(&b).position(|(x, y)| x != y) {
            None => Ok(()),
            Some(at) => {
                let (column, row) = (at >> left.log_height, at & (left.height() - 1));
                Err(self.difference(op, format!("column {column}, row {row}: {} and {}", a[at], b[at])))
            }
        }
    }

    /// Both results are tables: compares them and returns the pair.
    pub(super) fn table(
        &self,
        op: Operation,
        (left, right): (Columns<L::Buffer>, Columns<R::Buffer>),
    ) -> Result<Columns<DualBuffer<L::Buffer, R::Buffer>>> {
        self.same_table(op, left.as_ref(), right.as_ref())?;
        Ok(left.map(|left| DualBuffer { left, right: right.data }))
    }
}
