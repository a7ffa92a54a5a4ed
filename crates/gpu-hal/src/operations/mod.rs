//! The operations that hardware implements.

mod placement;
mod rehearse;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceClock,
    Digest, DomainOf, EvalAt, ExtOf, Footprint, HalError, HashFn, Leaves, MakeElements, Map, MemoryInfo, NonceSearch,
    OpenRequest, Opened, Operation, Recurrence, Result, RowRun, RowsMade, Running, Table, TableRef, TreeMap, Types,
    Uploaded, Values, Verdict,
};

pub use placement::{Placement, PlacementOperations};
pub use rehearse::Rehearse;

/// The error of a default body.
fn absent<T>(operation: Operation) -> Result<T> {
    Err(HalError::unsupported(operation, "this backend lists it and does not have it: leave it out of `operations`"))
}

/// The operations of one in-order queue on one device, as hardware writes them: [`crate::StarkBackend`] documents what
/// each computes and is the only caller. It has checked the arguments ([`crate::op::Op::check`]) and that the operation
/// is listed in [`Capabilities::operations`]; it names errors after the operation. The backend must see to the rest:
/// elements that come from the host are canonical ([`crate::check::canonical`]), memory is there, and the result is
/// right.
///
/// Operations with a default body are operations that not every proof needs or that are made of others. A backend
/// without one leaves it out of its list; [`Self::upload_lde`] works as it is. All returned tables are new allocations,
/// released on drop.
pub trait Operations:
    TraceOperations<<Self as Operations>::T> + PlacementOperations<<Self as Operations>::T> + Sized + Send + Sync + 'static
{
    /// The types of its tables, trees and programs.
    type T: Types;
    /// The shapes on which a proof is planned: [`crate::Rehearsed`] of the backend, unless it is made of several
    /// devices.
    type Shapes: Rehearse<Of = Self> + Operations<T: Types<P = <Self::T as Types>::P>>;

    /// The backend's properties and abilities.
    fn capabilities(&self) -> &Capabilities;

    /// Memory of the device.
    fn memory(&self) -> Result<MemoryInfo>;

    /// The promises on the device's memory. Backends on one device share it.
    fn budget(&self) -> &Budget;

    /// Bytes that something takes of the memory counted by [`Self::memory`]: plans add them up. It may be a little more
    /// than the taken bytes, and never less. Here: elements of tables, all digests of trees, and nothing else.
    fn footprint(&self, of: &Footprint<'_, Self::T>) -> u64 {
        of.plain()
    }

    /// The device's own clock; `None` where measurements take the host's.
    fn clock(&self) -> Option<&dyn DeviceClock> {
        None
    }

    /// [`crate::StarkBackend::upload`]; refuses elements that are not canonical.
    fn upload(&self, data: &[BaseOf<Self::T>], width: usize, log_height: u32) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::upload_made`]; refuses elements that are not canonical. Here they are made in one piece
    /// first.
    fn upload_made(
        &self,
        make: &MakeElements<'_, BaseOf<Self::T>>,
        width: usize,
        log_height: u32,
    ) -> Result<Table<Self::T>> {
        let mut data = vec![Default::default(); width << log_height];
        make(0, &mut data);
        self.upload(&data, width, log_height)
    }

    /// [`crate::StarkBackend::download`].
    fn download(&self, table: TableRef<'_, Self::T>, rows: Range<usize>) -> Result<Vec<BaseOf<Self::T>>>;

    /// [`crate::StarkBackend::sync`].
    fn sync(&self) -> Result<()>;

    /// [`crate::StarkBackend::ntt`].
    fn ntt(
        &self,
        table: Columns<&mut <Self::T as Types>::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: Basis<DomainOf<Self::T>>,
    ) -> Result<()>;

    /// [`crate::StarkBackend::lde`].
    fn lde(
        &self,
        table: TableRef<'_, Self::T>,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
    ) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::upload_lde`]; refuses elements that are not canonical. Here one after the other.
    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self::T>]],
        log_height: u32,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<<Self::T as Types>::Buffer>> {
        let rows = self.upload(&columns.concat(), columns.len(), log_height)?;
        let extended = self.lde(rows.as_ref(), from, to)?;
        Ok((keep.then_some(rows), extended))
    }

    /// [`crate::StarkBackend::split`].
    fn split(&self, coefficients: TableRef<'_, Self::T>, parts: usize, log_part: u32) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::select`].
    fn select(&self, tables: &[TableRef<'_, Self::T>], picks: &[(usize, usize)]) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::merkle`].
    fn merkle(
        &self,
        tables: &[TableRef<'_, Self::T>],
        leaves: Leaves,
        hash: HashFn,
    ) -> Result<<Self::T as Types>::Tree>;

    /// [`crate::StarkBackend::root`].
    fn root(&self, tree: &<Self::T as Types>::Tree) -> Result<Digest>;

    /// [`crate::StarkBackend::open`].
    fn open(&self, requests: &[OpenRequest<'_, Self::T>]) -> Result<Vec<Opened<BaseOf<Self::T>>>>;

    /// [`crate::StarkBackend::prepare`].
    fn prepare(&self, program: &ConstraintProgram<<Self::T as Types>::P>) -> Result<<Self::T as Types>::Program>;

    /// [`crate::StarkBackend::running`].
    fn running(&self, _requests: &[Running<'_, Self::T>]) -> Result<Vec<Accumulated<Self::T>>> {
        absent(Operation::Running)
    }

    /// [`crate::StarkBackend::constraint_eval`].
    fn constraint_eval(&self, requests: &[Constraints<'_, Self::T>]) -> Result<Vec<Table<Self::T>>>;

    /// [`crate::StarkBackend::accumulate`].
    fn accumulate(&self, _into: Columns<&mut <Self::T as Types>::Buffer>, _from: TableRef<'_, Self::T>) -> Result<()> {
        absent(Operation::Accumulate)
    }

    /// [`crate::StarkBackend::eval_at`].
    fn eval_at(&self, requests: &[EvalAt<'_, Self::T>]) -> Result<Vec<Values<Self::T>>>;

    /// [`crate::StarkBackend::deep_quotient`], for which `log_cut` is 0. On a circle, of tables that are cut: of each
    /// there are only the rows that are read at the points of the block of `2^(L - log_cut)` points that the domain is
    /// in, which are `2^log_cut` times fewer than it has, and 2 or more. So a backend of several devices has the part
    /// of every table that a device is given.
    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self::T>],
        log_cut: u32,
        domain: DomainOf<Self::T>,
        terms: &[DeepTerm<<Self::T as Types>::P>],
    ) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::fri_fold`], from `domain` to `folded`.
    fn fri_fold(
        &self,
        layer: TableRef<'_, Self::T>,
        domain: DomainOf<Self::T>,
        folded: DomainOf<Self::T>,
        alpha: ExtOf<Self::T>,
    ) -> Result<Table<Self::T>>;

    /// [`crate::StarkBackend::grind_within`]: the first nonce of these windows, which a search from the first window to
    /// the last finds ([`crate::LOG_WINDOW`]).
    fn grind(&self, challenge: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>>;
}

/// Operations that make traces on the device from data, so that nothing is uploaded and no backend knows an AIR. The
/// rules of [`Operations`] hold; all have default bodies, and a backend lists those that it has: a backend that makes no
/// traces is an `impl` without a line.
pub trait TraceOperations<T: Types> {
    /// [`crate::StarkBackend::recurrence`].
    fn recurrence(&self, _recurrence: &Recurrence<BaseOf<T>>) -> Result<Table<T>> {
        absent(Operation::Recurrence)
    }

    /// [`crate::StarkBackend::map`].
    fn map(&self, _args: &Map<'_, T>) -> Result<Table<T>> {
        absent(Operation::Map)
    }

    /// [`crate::StarkBackend::tree_map`].
    fn tree_map(&self, _args: &TreeMap<'_, T>) -> Result<Table<T>> {
        absent(Operation::TreeMap)
    }

    /// [`crate::StarkBackend::rows`]; refuses a row's fault in the words of [`crate::RowFault`].
    fn rows(&self, _args: &RowRun<'_, T>, _counters: &mut [Columns<&mut T::Buffer>]) -> Result<RowsMade<T>> {
        absent(Operation::Rows)
    }

    /// [`crate::StarkBackend::rows_ahead`]. Here it is [`Self::rows`].
    fn rows_ahead(
        &self,
        args: &RowRun<'_, T>,
        counters: &mut [Columns<&mut T::Buffer>],
        _verdict: &mut Verdict,
    ) -> Result<RowsMade<T>> {
        self.rows(args, counters)
    }

    /// [`crate::StarkBackend::had_fault`]. Here rows were waited for.
    fn had_fault(&self, _verdict: &Verdict) -> Result<bool> {
        Ok(false)
    }
}
