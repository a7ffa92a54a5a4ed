//! Moves of tables and trees of a backend whose type is erased.

use alloc::vec::Vec;
use core::any::Any;

use super::backend::ErasedBackend;
use super::device::{Device, ErasedShapes};
use super::dynamic::DynPlacement;
use super::handles::{AnyBuffer, Erased, all_boxed, boxed, foreign, table};
use crate::{
    Basis, HalError, Placement, PlacementOperations, Protocol, Result, StarkBackend, Table, TableRef, Uploaded,
};

impl<B: StarkBackend> ErasedBackend<B> {
    /// The operations of another backend of this type.
    fn peer<'a>(&self, peer: &'a dyn DynPlacement<B::P>) -> Result<&'a B::Raw> {
        let peer: &dyn Any = peer;
        peer.downcast_ref::<Self>().map(Self::raw).ok_or_else(|| foreign("other device"))
    }

    /// The operations of others of this type, which are numbered from 1.
    fn peers<'a>(&self, others: &[&'a dyn DynPlacement<B::P>]) -> Result<Vec<&'a B::Raw>, (usize, HalError)> {
        let peers = others.iter().enumerate();
        peers.map(|(at, other)| self.peer(*other).map_err(|error| (at + 1, error))).collect()
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> DynPlacement<P> for ErasedBackend<B> {
    fn placement(&self) -> Placement {
        self.raw().placement()
    }

    fn copy_to(&self, from: TableRef<'_, Erased<P>>, peer: &dyn DynPlacement<P>) -> Result<Table<Erased<P>>> {
        PlacementOperations::copy_to(self.raw(), table::<B::T>(from)?, self.peer(peer)?).map(boxed)
    }

    fn lde_shared(
        &self,
        others: &[&dyn DynPlacement<P>],
        of: &[TableRef<'_, Erased<P>>],
        from: Basis<P::Domain>,
        to: &[P::Domain],
    ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)> {
        let tables = of.iter().enumerate().map(|(at, of)| table::<B::T>(*of).map_err(|error| (at, error)));
        let tables: Vec<_> = tables.collect::<Result<_, _>>()?;
        self.raw().lde_shared(&self.peers(others)?, &tables, from, to).map(all_boxed::<B::T>)
    }

    fn upload_lde_shared(
        &self,
        others: &[&dyn DynPlacement<P>],
        columns: (&[&[P::Base]], u32),
        from: Basis<P::Domain>,
        to: &[P::Domain],
        keep: usize,
    ) -> Result<Vec<Uploaded<AnyBuffer>>, (usize, HalError)> {
        let uploaded = self.raw().upload_lde_shared(&self.peers(others)?, columns, from, to, keep)?;
        Ok(uploaded.into_iter().map(|(rows, extended)| (rows.map(boxed), boxed(extended))).collect())
    }
}

macro_rules! forwarded {
    ($($handle:ident),+) => {$(
        impl<P: Protocol> PlacementOperations<Erased<P>> for $handle<P> {
            fn placement(&self) -> Placement {
                self.0.placement()
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
                let others: Vec<&dyn DynPlacement<P>> = others.iter().map(|other| &*other.0 as _).collect();
                self.0.lde_shared(&others, tables, from, to)
            }

            fn upload_lde_shared(
                &self,
                others: &[&Self],
                columns: (&[&[P::Base]], u32),
                from: Basis<P::Domain>,
                to: &[P::Domain],
                keep: usize,
            ) -> Result<Vec<Uploaded<AnyBuffer>>, (usize, HalError)> {
                let others: Vec<&dyn DynPlacement<P>> = others.iter().map(|other| &*other.0 as _).collect();
                self.0.upload_lde_shared(&others, columns, from, to, keep)
            }
        }
    )+};
}

forwarded!(Device, ErasedShapes);
