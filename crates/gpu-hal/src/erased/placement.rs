//! Moves of tables and trees of a backend whose type is erased.

use alloc::vec::Vec;
use core::any::Any;

use super::handles::{AnyBuffer, AnyTree, all_boxed, boxed, buffer, foreign, table};
use super::{Device, Erased, ErasedBackend, ErasedShapes};
use crate::stash::{Stash, Stored, StoredRequest};
use crate::{
    Basis, Columns, HalError, Opened, Placement, PlacementOperations, Protocol, Result, Shape, StarkBackend, Table,
    TableRef,
};

/// The signatures of [`PlacementOperations`] except the ones that take other backends of its type.
macro_rules! signatures {
    ($use:ident) => {
        $use! {
            placement() -> Placement;
            stash(from: TableRef<'_, Erased<P>>) -> Result<Stash>;
            restore(stash: &Stash, shape: Shape) -> Result<Table<Erased<P>>>;
            stash_tree(tree: &AnyTree) -> Result<Stash>;
            restore_tree(stash: &Stash) -> Result<AnyTree>;
            open_stored(requests: &[StoredRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>>;
        }
    };
}

macro_rules! declared {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        /// [`PlacementOperations`] of a backend whose type is not known.
        pub trait DynPlacement<P: Protocol>: Any + Send + Sync {
            $(fn $name(&self, $($argument: $type),*) -> $result;)+

            fn copy_to(&self, from: TableRef<'_, Erased<P>>, peer: &dyn DynPlacement<P>) -> Result<Table<Erased<P>>>;

            fn lde_shared(
                &self,
                others: &[&dyn DynPlacement<P>],
                of: &[TableRef<'_, Erased<P>>],
                from: Basis<P::Domain>,
                to: &[P::Domain],
            ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)>;
        }
    };
}

signatures!(declared);

impl<B: StarkBackend> ErasedBackend<B> {
    /// The operations of another backend of this type.
    fn peer<'a>(&self, peer: &'a dyn DynPlacement<B::P>) -> Result<&'a B::Raw> {
        let peer: &dyn Any = peer;
        peer.downcast_ref::<Self>().map(Self::raw).ok_or_else(|| foreign("other device"))
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> DynPlacement<P> for ErasedBackend<B> {
    fn placement(&self) -> Placement {
        self.raw().placement()
    }

    fn copy_to(&self, from: TableRef<'_, Erased<P>>, peer: &dyn DynPlacement<P>) -> Result<Table<Erased<P>>> {
        PlacementOperations::copy_to(self.raw(), table::<B::T>(from)?, self.peer(peer)?).map(boxed)
    }

    fn stash(&self, from: TableRef<'_, Erased<P>>) -> Result<Stash> {
        self.raw().stash(table::<B::T>(from)?)
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<Erased<P>>> {
        self.raw().restore(stash, shape).map(boxed)
    }

    fn stash_tree(&self, tree: &AnyTree) -> Result<Stash> {
        self.raw().stash_tree(tree.of()?)
    }

    fn restore_tree(&self, stash: &Stash) -> Result<AnyTree> {
        self.raw().restore_tree(stash).map(AnyTree::new)
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, Erased<P>>]) -> Result<Vec<Opened<P::Base>>> {
        let columns: Vec<_> = requests.iter().map(|request| stored::<B>(request.columns)).collect::<Result<_>>()?;
        let with_columns = requests.iter().zip(&columns);
        let requests = with_columns.map(|(&StoredRequest { tree, log_leaves, rows, leaves, .. }, columns)| {
            let tree = match tree {
                Stored::OnDevice(tree) => Stored::OnDevice(tree.of()?),
                Stored::OnHost(stash) => Stored::OnHost(stash),
            };
            Ok(StoredRequest { columns, tree, log_leaves, rows, leaves })
        });
        self.raw().open_stored(&requests.collect::<Result<Vec<_>>>()?)
    }

    fn lde_shared(
        &self,
        others: &[&dyn DynPlacement<P>],
        of: &[TableRef<'_, Erased<P>>],
        from: Basis<P::Domain>,
        to: &[P::Domain],
    ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)> {
        let on = |(device, error)| (device, error);
        let peers = others.iter().enumerate().map(|(at, other)| self.peer(*other).map_err(|error| on((at + 1, error))));
        let peers: Vec<&B::Raw> = peers.collect::<Result<_, _>>()?;
        let tables = of.iter().enumerate().map(|(at, of)| table::<B::T>(*of).map_err(|error| on((at, error))));
        let tables: Vec<_> = tables.collect::<Result<_, _>>()?;
        self.raw().lde_shared(&peers, &tables, from, to).map(all_boxed::<B::T>)
    }
}

/// Tables, wherever they are, as tables of the backend inside.
fn stored<'a, B: StarkBackend>(
    columns: &[Columns<Stored<'a, AnyBuffer>>],
) -> Result<Vec<Columns<Stored<'a, B::Buffer>>>> {
    let one = |of: &Columns<Stored<'a, AnyBuffer>>| {
        let data = match of.data {
            Stored::OnDevice(here) => Stored::OnDevice(buffer(here)?),
            Stored::OnHost(stash) => Stored::OnHost(stash),
        };
        Ok(Columns::new(data, of.width, of.log_height))
    };
    columns.iter().map(one).collect()
}

macro_rules! forwarded {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        forwarded!(@ Device $($name($($argument: $type),*) -> $result;)+);
        forwarded!(@ ErasedShapes $($name($($argument: $type),*) -> $result;)+);
    };
    (@ $handle:ident $($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        impl<P: Protocol> PlacementOperations<Erased<P>> for $handle<P> {
            $(fn $name(&self, $($argument: $type),*) -> $result {
                self.0.$name($($argument),*)
            })+

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
                let others: Vec<&dyn DynPlacement<P>> = others.iter().map(|other| &*other.0 as _).collect();
                self.0.lde_shared(&others, tables, from, to)
            }
        }
    };
}

signatures!(forwarded);
