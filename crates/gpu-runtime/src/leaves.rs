//! Tables in the form that the kernels of trees take.

use crate::call::whole;
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;
use crate::slots::Slots;

/// Arguments of the kernels of trees for tables.
pub struct LeafTables<'a, D: KernelDevice> {
    pub(crate) slots: Slots<'a, D>,
    /// Buffers after the tables, if the kernels have any; where there is none, none is read.
    pub(crate) others: Vec<Option<Block<D::Memory>>>,
    /// Fields of the parameter block.
    pub(crate) fields: Vec<u32>,
}

impl<D: KernelDevice> LeafTables<'_, D> {
    /// The buffers; `other`, which is not read, stands for missing ones.
    pub(crate) fn arguments<'s>(&'s self, other: &'s Block<D::Memory>) -> Vec<Argument<'s, D::Memory>> {
        let mut buffers = self.slots.arguments(other);
        buffers.extend(self.others.iter().map(|block| whole(block.as_ref().unwrap_or(other))));
        buffers
    }

    pub(crate) fn params(&self, before: Params) -> Params {
        self.fields.iter().copied().fold(before, Params::u32)
    }
}
