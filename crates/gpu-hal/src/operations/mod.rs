//! The operations that hardware implements.

mod placement;
mod rehearse;

use alloc::vec::Vec;
use core::ops::Range;

use crate::op::{self, Data, Op, OutOf};
use crate::{
    Accumulated, BaseOf, Basis, BindRequest, BindSumRequest, BoundSums, Budget, Capabilities, Columns,
    ConstraintProgram, Constraints, DeepTerm, DeferredFault, DeviceClock, Digest, DomainOf, EvalRequest, ExtOf,
    Footprint, HashFn, Leaves, LinearRecurrence, MakeElements, MapArgs, MemoryInfo, NonceSearch, OpenRequest, Opened,
    Operation, RandomRows, Result, RowRun, RowsOutput, RunningRequest, SumRequest, Table, TableRef, TreeMapArgs, Types,
    Uploaded, Values,
};

pub use placement::{Placement, PlacementOperations};
pub use rehearse::Rehearse;

/// The operations of one in-order queue on one device, as hardware writes them: [`crate::StarkBackend`] documents what
/// each computes and is the only caller. It has checked the arguments ([`crate::op::Op::check`]) and that the operation
/// is listed in [`Capabilities::operations`]; it names errors after the operation. The backend must see to the rest:
/// elements that come from the host are canonical ([`crate::check::canonical`]), memory is there, and the result is
/// right. All returned tables are new allocations, released on drop.
///
/// Hardware writes a method for each operation that it lists, one after the other: a backend that lists `upload`,
/// `download` and `sync` alone passes the conformance suite, and the suite finds a listed operation without a method.
/// [`Self::upload_made`], [`Self::upload_lde`], [`Self::rows_ahead`] and [`Self::had_fault`] work as they are, by
/// others. `recurrence`, `map`, `tree_map` and `rows` make traces on the device; a backend without them is uploaded
/// traces. `bind`, `sum` and `bind_sum` are of sum-checks alone.
pub trait Operations: PlacementOperations<<Self as Operations>::T> + Sized + Send + Sync + 'static {
    /// The types of its tables, trees and programs.
    type T: Types;
    /// The shapes on which a proof is planned: [`crate::decorate::Rehearsed`] of the backend, unless it is made of
    /// several devices.
    type Shapes: Rehearse<Of = Self, TypesOf = Self::T> + Operations<T: Types<P = <Self::T as Types>::P>>;

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

    /// Does an operation that has no method of its own. A backend around others writes this one function for all
    /// operations. Hardware leaves it as it is: other operations make the result ([`Op::by_others`]), or it is refused.
    ///
    /// # Errors
    /// As the operation.
    fn perform<O: Op>(&self, args: O::Args<'_, Self::T>) -> Result<OutOf<O, Self::T>> {
        O::by_others(args, self)
    }

    /// [`crate::StarkBackend::upload`]; refuses elements that are not canonical.
    fn upload(&self, data: &[BaseOf<Self::T>], width: usize, log_height: u32) -> Result<Table<Self::T>> {
        self.perform::<op::Upload>((Data::Slice(data), width, log_height))
    }

    /// [`crate::StarkBackend::upload_made`]; refuses elements that are not canonical. If hardware does not write it,
    /// they are made in one piece first.
    fn upload_made(
        &self,
        make: &MakeElements<'_, BaseOf<Self::T>>,
        width: usize,
        log_height: u32,
    ) -> Result<Table<Self::T>> {
        self.perform::<op::Upload>((Data::Function(make), width, log_height))
    }

    /// [`crate::StarkBackend::download`].
    fn download(&self, table: TableRef<'_, Self::T>, rows: Range<usize>) -> Result<Vec<BaseOf<Self::T>>> {
        self.perform::<op::Download>((table, rows))
    }

    /// [`crate::StarkBackend::sync`].
    fn sync(&self) -> Result<()> {
        self.perform::<op::Sync>(())
    }

    /// [`crate::StarkBackend::ntt`].
    fn ntt(
        &self,
        table: Columns<&mut <Self::T as Types>::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: Basis<DomainOf<Self::T>>,
    ) -> Result<()> {
        self.perform::<op::Ntt>((table, from, to))
    }

    /// [`crate::StarkBackend::lde`].
    fn lde(
        &self,
        table: TableRef<'_, Self::T>,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        self.perform::<op::Lde>((table, from, to))
    }

    /// [`crate::StarkBackend::upload_lde`]; refuses elements that are not canonical. If hardware does not write it, it
    /// is the one, then the other.
    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self::T>]],
        log_height: u32,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<<Self::T as Types>::Buffer>> {
        self.perform::<op::UploadLde>((columns, log_height, from, to, keep))
    }

    /// [`crate::StarkBackend::split`].
    fn split(&self, coefficients: TableRef<'_, Self::T>, parts: usize, log_part: u32) -> Result<Table<Self::T>> {
        self.perform::<op::Split>((coefficients, parts, log_part))
    }

    /// [`crate::StarkBackend::select`].
    fn select(&self, tables: &[TableRef<'_, Self::T>], picks: &[(usize, usize)]) -> Result<Table<Self::T>> {
        self.perform::<op::Select>((tables, picks))
    }

    /// [`crate::StarkBackend::merkle`].
    fn merkle(
        &self,
        tables: &[TableRef<'_, Self::T>],
        leaves: Leaves,
        hash: HashFn,
    ) -> Result<<Self::T as Types>::Tree> {
        self.perform::<op::Merkle>((tables, leaves, hash))
    }

    /// [`crate::StarkBackend::root`].
    fn root(&self, tree: &<Self::T as Types>::Tree) -> Result<Digest> {
        self.perform::<op::Root>(tree)
    }

    /// [`crate::StarkBackend::open`].
    fn open(&self, requests: &[OpenRequest<'_, Self::T>]) -> Result<Vec<Opened<BaseOf<Self::T>>>> {
        self.perform::<op::Open>(requests)
    }

    /// [`crate::StarkBackend::prepare`].
    fn prepare(&self, _program: &ConstraintProgram<<Self::T as Types>::P>) -> Result<<Self::T as Types>::Program> {
        Err(op::absent(Operation::Prepare))
    }

    /// [`crate::StarkBackend::running`].
    fn running(&self, requests: &[RunningRequest<'_, Self::T>]) -> Result<Vec<Accumulated<Self::T>>> {
        self.perform::<op::Running>(requests)
    }

    /// [`crate::StarkBackend::constraint_eval`].
    fn constraint_eval(&self, requests: &[Constraints<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        self.perform::<op::ConstraintEval>(requests)
    }

    /// [`crate::StarkBackend::accumulate`].
    fn accumulate(&self, into: Columns<&mut <Self::T as Types>::Buffer>, from: TableRef<'_, Self::T>) -> Result<()> {
        self.perform::<op::Accumulate>((into, from))
    }

    /// [`crate::StarkBackend::random`].
    fn random(&self, into: Columns<&mut <Self::T as Types>::Buffer>, rows: &RandomRows) -> Result<()> {
        self.perform::<op::Random>((into, rows))
    }

    /// [`crate::StarkBackend::bind`].
    fn bind(&self, requests: &[BindRequest<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        self.perform::<op::Bind>(requests)
    }

    /// [`crate::StarkBackend::sum`].
    fn sum(&self, requests: &[SumRequest<'_, Self::T>]) -> Result<Vec<Vec<ExtOf<Self::T>>>> {
        self.perform::<op::Sum>(requests)
    }

    /// [`crate::StarkBackend::bind_sum`]. If hardware does not write it, it is `bind`, then `sum`.
    fn bind_sum(&self, requests: &[BindSumRequest<'_, Self::T>]) -> Result<Vec<BoundSums<Self::T>>> {
        self.perform::<op::BindSum>(requests)
    }

    /// [`crate::StarkBackend::eval_at`].
    fn eval_at(&self, requests: &[EvalRequest<'_, Self::T>]) -> Result<Vec<Values<Self::T>>> {
        self.perform::<op::EvalAt>(requests)
    }

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
    ) -> Result<Table<Self::T>> {
        self.perform::<op::DeepQuotient>((tables, log_cut, domain, terms))
    }

    /// [`crate::StarkBackend::fri_fold`], from `domain` to `folded`.
    fn fri_fold(
        &self,
        layer: TableRef<'_, Self::T>,
        domain: DomainOf<Self::T>,
        folded: DomainOf<Self::T>,
        alpha: ExtOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        self.perform::<op::FriFold>((layer, domain, folded, alpha))
    }

    /// [`crate::StarkBackend::grind_within`]: the first nonce of these windows, which a search from the first window to
    /// the last finds ([`crate::LOG_WINDOW`]).
    fn grind(&self, challenge: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        self.perform::<op::Grind>((challenge, windows))
    }

    /// [`crate::StarkBackend::recurrence`].
    fn recurrence(&self, recurrence: &LinearRecurrence<BaseOf<Self::T>>) -> Result<Table<Self::T>> {
        self.perform::<op::Recurrence>(recurrence)
    }

    /// [`crate::StarkBackend::map`].
    fn map(&self, args: &MapArgs<'_, Self::T>) -> Result<Table<Self::T>> {
        self.perform::<op::Map>(args)
    }

    /// [`crate::StarkBackend::tree_map`].
    fn tree_map(&self, args: &TreeMapArgs<'_, Self::T>) -> Result<Table<Self::T>> {
        self.perform::<op::TreeMap>(args)
    }

    /// [`crate::StarkBackend::rows`]; refuses a row's fault in the words of [`crate::ir::RowFault`].
    fn rows(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut <Self::T as Types>::Buffer>],
    ) -> Result<RowsOutput<Self::T>> {
        self.perform::<op::Rows>((args, counters.iter_mut().map(Columns::reborrow).collect(), None))
    }

    /// [`crate::StarkBackend::rows_ahead`]. If hardware does not write it, it is [`Self::rows`].
    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut <Self::T as Types>::Buffer>],
        verdict: &mut DeferredFault,
    ) -> Result<RowsOutput<Self::T>> {
        self.perform::<op::Rows>((args, counters.iter_mut().map(Columns::reborrow).collect(), Some(verdict)))
    }

    /// [`crate::StarkBackend::had_fault`]. If hardware does not write it, rows were waited for and had none.
    fn had_fault(&self, verdict: &DeferredFault) -> Result<bool> {
        self.perform::<op::HadFault>(verdict)
    }
}
