//! The door of a backend: what comes in is seen as the backend's, what goes out is put into boxes.

use alloc::vec::Vec;
use core::any::Any;
use core::ops::Range;
use std::sync::Arc;

use super::Erased;
use super::handles::{AnyBuffer, AnyProgram, AnyTree, all_boxed, boxed, buffer, foreign, table, table_mut, tables};
use super::operations::DynOperations;
use crate::{
    Accumulated, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceClock, Digest,
    EvalAt, Footprint, GrindChallenge, HalError, HashFn, Leaves, MakeElements, MemoryInfo, OpenRequest, Opened,
    Operations, Protocol, Result, Running, Shape, StarkBackend, Stash, Stored, StoredRequest, Table, TableRef,
    TraceOperations, Uploaded, Values,
};

/// A backend behind its door.
pub(super) struct Door<B>(pub(super) Arc<B>);

impl<B: StarkBackend> Door<B> {
    pub(super) fn raw(&self) -> &B::Raw {
        self.0.raw()
    }

    /// The operations of another backend of this type.
    fn peer<'a>(&self, peer: &'a dyn DynOperations<B::P>) -> Result<&'a B::Raw> {
        let peer: &dyn Any = peer;
        peer.downcast_ref::<Self>().map(Self::raw).ok_or_else(|| foreign("other device"))
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> DynOperations<P> for Door<B> {
    fn capabilities(&self) -> &Capabilities {
        Operations::capabilities(self.raw())
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Operations::memory(self.raw())
    }

    fn budget(&self) -> &Budget {
        Operations::budget(self.raw())
    }

    fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64 {
        match of.try_with_program::<B::T, _>(AnyProgram::of::<B::T>) {
            Ok(of) => Operations::footprint(self.raw(), &of),
            // The operation is refused, too, and takes nothing.
            Err(_) => 0,
        }
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        Operations::clock(self.raw())
    }

    fn traces(&self) -> Option<&dyn TraceOperations<Erased<P>>> {
        Operations::traces(self.raw()).map(|_| self as _)
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<Table<Erased<P>>> {
        Operations::upload(self.raw(), data, width, log_height).map(boxed)
    }

    fn upload_made(&self, make: &MakeElements<'_, P::Base>, width: usize, log_height: u32) -> Result<Table<Erased<P>>> {
        Operations::upload_made(self.raw(), make, width, log_height).map(boxed)
    }

    fn download(&self, from: TableRef<'_, Erased<P>>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        Operations::download(self.raw(), table::<B::T>(from)?, rows)
    }

    fn copy_to(&self, from: TableRef<'_, Erased<P>>, peer: &dyn DynOperations<P>) -> Result<Table<Erased<P>>> {
        Operations::copy_to(self.raw(), table::<B::T>(from)?, self.peer(peer)?).map(boxed)
    }

    fn stash(&self, from: TableRef<'_, Erased<P>>) -> Result<Stash> {
        Operations::stash(self.raw(), table::<B::T>(from)?)
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<Erased<P>>> {
        Operations::restore(self.raw(), stash, shape).map(boxed)
    }

    fn stashes_trees(&self) -> bool {
        Operations::stashes_trees(self.raw())
    }

    fn stash_tree(&self, tree: &AnyTree) -> Result<Stash> {
        Operations::stash_tree(self.raw(), tree.of()?)
    }

    fn restore_tree(&self, stash: &Stash) -> Result<AnyTree> {
        Operations::restore_tree(self.raw(), stash).map(AnyTree::new)
    }

    fn opens_stored(&self) -> bool {
        Operations::opens_stored(self.raw())
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>> {
        let columns: Vec<_> = requests.iter().map(|request| stored::<B>(request.columns)).collect::<Result<_>>()?;
        let with_columns = requests.iter().zip(&columns);
        let requests = with_columns.map(|(&StoredRequest { tree, log_leaves, rows, leaves, .. }, columns)| {
            let tree = match tree {
                Stored::Here(tree) => Stored::Here(tree.of()?),
                Stored::Away(stash) => Stored::Away(stash),
            };
            Ok(StoredRequest { columns, tree, log_leaves, rows, leaves })
        });
        Operations::open_stored(self.raw(), &requests.collect::<Result<Vec<_>>>()?)
    }

    fn sync(&self) -> Result<()> {
        Operations::sync(self.raw())
    }

    fn ntt(&self, of: Columns<&mut AnyBuffer>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        Operations::ntt(self.raw(), table_mut(of)?, from, to)
    }

    fn lde(&self, of: TableRef<'_, Erased<P>>, from: Basis<P::Domain>, to: P::Domain) -> Result<Table<Erased<P>>> {
        Operations::lde(self.raw(), table::<B::T>(of)?, from, to).map(boxed)
    }

    fn shares_lde(&self, width: usize, log_height: u32) -> bool {
        Operations::shares_lde(self.raw(), width, log_height)
    }

    fn lde_shared(
        &self,
        others: &[&dyn DynOperations<P>],
        of: &[TableRef<'_, Erased<P>>],
        from: Basis<P::Domain>,
        to: &[P::Domain],
    ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)> {
        let on = |(device, error)| (device, error);
        let peers = others.iter().enumerate().map(|(at, other)| self.peer(*other).map_err(|error| on((at + 1, error))));
        let peers: Vec<&B::Raw> = peers.collect::<Result<_, _>>()?;
        let tables = of.iter().enumerate().map(|(at, of)| table::<B::T>(*of).map_err(|error| on((at, error))));
        let tables: Vec<_> = tables.collect::<Result<_, _>>()?;
        Operations::lde_shared(self.raw(), &peers, &tables, from, to).map(all_boxed::<B::T>)
    }

    fn upload_lde(
        &self,
        columns: &[&[P::Base]],
        log_height: u32,
        from: Basis<P::Domain>,
        to: P::Domain,
        keep: bool,
    ) -> Result<Uploaded<AnyBuffer>> {
        let (rows, extended) = Operations::upload_lde(self.raw(), columns, log_height, from, to, keep)?;
        Ok((rows.map(boxed), boxed(extended)))
    }

    fn split(&self, of: TableRef<'_, Erased<P>>, parts: usize, log_part: u32) -> Result<Table<Erased<P>>> {
        Operations::split(self.raw(), table::<B::T>(of)?, parts, log_part).map(boxed)
    }

    fn select(&self, from: &[TableRef<'_, Erased<P>>], picks: &[(usize, usize)]) -> Result<Table<Erased<P>>> {
        Operations::select(self.raw(), &tables::<B::T>(from)?, picks).map(boxed)
    }

    fn merkle(&self, over: &[TableRef<'_, Erased<P>>], leaves: Leaves, hash: HashFn) -> Result<AnyTree> {
        Operations::merkle(self.raw(), &tables::<B::T>(over)?, leaves, hash).map(AnyTree::new)
    }

    fn root(&self, tree: &AnyTree) -> Result<Digest> {
        Operations::root(self.raw(), tree.of()?)
    }

    fn open(&self, requests: &[OpenRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>> {
        let columns = all_tables::<B>(requests.iter().map(|request| request.columns))?;
        let with_columns = requests.iter().zip(&columns);
        let requests = with_columns.map(|(&OpenRequest { tree, rows, leaves, .. }, columns)| {
            Ok(OpenRequest { columns, tree: tree.of()?, rows, leaves })
        });
        Operations::open(self.raw(), &requests.collect::<Result<Vec<_>>>()?)
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
        let prepared = Operations::prepare(self.raw(), program)?;
        Ok(AnyProgram::new::<B::T>(prepared, Arc::new(program.clone())))
    }

    fn running(&self, requests: &[Running<'_, Erased<P>>]) -> Result<Vec<Accumulated<Erased<P>>>> {
        let columns = all_tables::<B>(requests.iter().map(|request| request.columns))?;
        let with_columns = requests.iter().zip(&columns);
        let requests = with_columns.map(|(&Running { program, log_height, params, form, .. }, columns)| {
            Ok(Running { program: program.of::<B::T>()?, columns, log_height, params, form })
        });
        let made = Operations::running(self.raw(), &requests.collect::<Result<Vec<_>>>()?)?;
        Ok(made.into_iter().map(|of| Accumulated { total: of.total, columns: boxed(of.columns) }).collect())
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Erased<P>>]) -> Result<Vec<Table<Erased<P>>>> {
        let columns = all_tables::<B>(requests.iter().map(|request| request.columns))?;
        let with_columns = requests.iter().zip(&columns);
        let requests = with_columns.map(|(request, columns)| {
            let &Constraints { program, domain, log_trace, log_eval, params, combination, .. } = request;
            let program = program.of::<B::T>()?;
            Ok(Constraints { program, columns, domain, log_trace, log_eval, params, combination })
        });
        let requests: Vec<Constraints<'_, B::T>> = requests.collect::<Result<_>>()?;
        Operations::constraint_eval(self.raw(), &requests).map(all_boxed::<B::T>)
    }

    fn accumulate(&self, into: Columns<&mut AnyBuffer>, from: TableRef<'_, Erased<P>>) -> Result<()> {
        Operations::accumulate(self.raw(), table_mut(into)?, table::<B::T>(from)?)
    }

    fn eval_at(&self, requests: &[EvalAt<'_, Erased<P>>]) -> Result<Vec<Values<Erased<P>>>> {
        let requests = requests
            .iter()
            .map(|&EvalAt { columns, from, points }| Ok(EvalAt { columns: table::<B::T>(columns)?, from, points }));
        let requests: Vec<EvalAt<'_, B::T>> = requests.collect::<Result<_>>()?;
        Operations::eval_at(self.raw(), &requests)
    }

    fn deep_quotient(
        &self,
        of: &[TableRef<'_, Erased<P>>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<Table<Erased<P>>> {
        Operations::deep_quotient(self.raw(), &tables::<B::T>(of)?, log_cut, domain, terms).map(boxed)
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Erased<P>>,
        domain: P::Domain,
        folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<Table<Erased<P>>> {
        Operations::fri_fold(self.raw(), table::<B::T>(layer)?, domain, folded, alpha).map(boxed)
    }

    fn grind(&self, challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>> {
        Operations::grind(self.raw(), challenge, windows)
    }
}

/// The tables of each request as what they are.
fn all_tables<'a, B: StarkBackend>(
    of: impl Iterator<Item = &'a [Columns<&'a AnyBuffer>]>,
) -> Result<Vec<Vec<TableRef<'a, B::T>>>> {
    of.map(tables::<B::T>).collect()
}

/// Tables, wherever they are, as what they are.
fn stored<'a, B: StarkBackend>(
    columns: &[Columns<Stored<'a, AnyBuffer>>],
) -> Result<Vec<Columns<Stored<'a, B::Buffer>>>> {
    let one = |of: &Columns<Stored<'a, AnyBuffer>>| {
        let data = match of.data {
            Stored::Here(here) => Stored::Here(buffer(here)?),
            Stored::Away(stash) => Stored::Away(stash),
        };
        Ok(Columns::new(data, of.width, of.log_height))
    };
    columns.iter().map(one).collect()
}
