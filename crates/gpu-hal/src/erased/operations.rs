//! The operations of any backend.

use alloc::vec::Vec;
use core::any::Any;
use core::ops::Range;

use super::handles::{AnyBuffer, AnyProgram, AnyTree};
use super::{Device, Erased, ErasedShapes};
use crate::{
    Accumulated, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceClock, Digest,
    EvalAt, Footprint, GrindChallenge, HalError, HashFn, Leaves, MakeElements, MemoryInfo, OpenRequest, Opened,
    Operations, Protocol, Rehearsed, Result, Running, Shape, Stash, StoredRequest, Table, TableRef, TraceOperations,
    Uploaded, Values,
};

/// The signatures of [`Operations`] but for those that take other backends of its type or prepare programs.
macro_rules! signatures {
    ($use:ident $($arguments:tt)*) => {
        $use! {
            $($arguments)*
            capabilities() -> &Capabilities;
            memory() -> Result<MemoryInfo>;
            budget() -> &Budget;
            footprint(of: &Footprint<'_, Erased<P>>) -> u64;
            clock() -> Option<&dyn DeviceClock>;
            traces() -> Option<&dyn TraceOperations<Erased<P>>>;
            upload(data: &[P::Base], width: usize, log_height: u32) -> Result<Table<Erased<P>>>;
            upload_made(make: &MakeElements<'_, P::Base>, width: usize, log_height: u32) -> Result<Table<Erased<P>>>;
            download(table: TableRef<'_, Erased<P>>, rows: Range<usize>) -> Result<Vec<P::Base>>;
            stash(table: TableRef<'_, Erased<P>>) -> Result<Stash>;
            restore(stash: &Stash, shape: Shape) -> Result<Table<Erased<P>>>;
            stashes_trees() -> bool;
            stash_tree(tree: &AnyTree) -> Result<Stash>;
            restore_tree(stash: &Stash) -> Result<AnyTree>;
            opens_stored() -> bool;
            open_stored(requests: &[StoredRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>>;
            sync() -> Result<()>;
            ntt(table: Columns<&mut AnyBuffer>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()>;
            lde(table: TableRef<'_, Erased<P>>, from: Basis<P::Domain>, to: P::Domain) -> Result<Table<Erased<P>>>;
            shares_lde(width: usize, log_height: u32) -> bool;
            upload_lde(
                columns: &[&[P::Base]],
                log_height: u32,
                from: Basis<P::Domain>,
                to: P::Domain,
                keep: bool
            ) -> Result<Uploaded<AnyBuffer>>;
            split(coefficients: TableRef<'_, Erased<P>>, parts: usize, log_part: u32) -> Result<Table<Erased<P>>>;
            select(tables: &[TableRef<'_, Erased<P>>], picks: &[(usize, usize)]) -> Result<Table<Erased<P>>>;
            merkle(tables: &[TableRef<'_, Erased<P>>], leaves: Leaves, hash: HashFn) -> Result<AnyTree>;
            root(tree: &AnyTree) -> Result<Digest>;
            open(requests: &[OpenRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>>;
            running(requests: &[Running<'_, Erased<P>>]) -> Result<Vec<Accumulated<Erased<P>>>>;
            constraint_eval(requests: &[Constraints<'_, Erased<P>>]) -> Result<Vec<Table<Erased<P>>>>;
            accumulate(into: Columns<&mut AnyBuffer>, from: TableRef<'_, Erased<P>>) -> Result<()>;
            eval_at(requests: &[EvalAt<'_, Erased<P>>]) -> Result<Vec<Values<Erased<P>>>>;
            deep_quotient(
                tables: &[TableRef<'_, Erased<P>>],
                log_cut: u32,
                domain: P::Domain,
                terms: &[DeepTerm<P>]
            ) -> Result<Table<Erased<P>>>;
            fri_fold(
                layer: TableRef<'_, Erased<P>>,
                domain: P::Domain,
                folded: P::Domain,
                alpha: P::Ext
            ) -> Result<Table<Erased<P>>>;
            grind(challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>>;
        }
    };
}

macro_rules! declared {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        /// [`Operations`] of a backend whose type is not known.
        pub(super) trait DynOperations<P: Protocol>: Any + Send + Sync {
            $(fn $name(&self, $($argument: $type),*) -> $result;)+

            fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>>;

            fn copy_to(
                &self,
                table: TableRef<'_, Erased<P>>,
                peer: &dyn DynOperations<P>,
            ) -> Result<Table<Erased<P>>>;

            fn lde_shared(
                &self,
                others: &[&dyn DynOperations<P>],
                tables: &[TableRef<'_, Erased<P>>],
                from: Basis<P::Domain>,
                to: &[P::Domain],
            ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)>;
        }
    };
}

signatures!(declared);

macro_rules! forwarded {
    (
        $handle:ident with $shapes:ty;
        $($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+
    ) => {
        impl<P: Protocol> Operations for $handle<P> {
            type T = Erased<P>;
            type Shapes = $shapes;

            $(fn $name(&self, $($argument: $type),*) -> $result {
                self.0.$name($($argument),*)
            })+

            fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
                self.prepared(program)
            }

            fn copy_to(&self, table: TableRef<'_, Erased<P>>, peer: &Self) -> Result<Table<Erased<P>>> {
                self.0.copy_to(table, &*peer.0)
            }

            fn lde_shared(
                &self,
                others: &[&Self],
                tables: &[TableRef<'_, Erased<P>>],
                from: Basis<P::Domain>,
                to: &[P::Domain],
            ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)> {
                let others: Vec<&dyn DynOperations<P>> = others.iter().map(|other| &*other.0 as _).collect();
                self.0.lde_shared(&others, tables, from, to)
            }
        }
    };
}

signatures!(forwarded Device with ErasedShapes<P>;);
signatures!(forwarded ErasedShapes with Rehearsed<Self>;);
