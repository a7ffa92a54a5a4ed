//! Programs and where their tables are.

use std::cell::OnceCell;

use gpu_hal::{DeviceProgram, Result};
use ir::text::constraints::Encoded;

use crate::buffer::Table;
use crate::call::{Call, as_elements};
use crate::device::KernelDevice;
use crate::pool::Block;
use crate::program::{GpuProgram, first_base_column};
use crate::protocol::GpuProtocol;
use crate::slots::Slots;

/// A program and where its tables are.
pub(crate) struct PlacedProgram<M> {
    pub(crate) instructions: u32,
    /// The words of the loads and, of a combination, of the groups.
    pub(crate) load_words: Vec<u64>,
    pub(crate) group_words: Vec<u64>,
    /// The slot of every table.
    slots: Vec<u64>,
    /// The words that kernels read of it, once one does.
    words: OnceCell<Words<M>>,
}

/// Instructions, constants, loads and groups in one block, in this order. Generated kernels have the instructions in
/// their text, and all else in their parameters, if there is room; then there is no such block.
pub(crate) struct Words<M> {
    pub(crate) block: Block<M>,
    /// The first words behind the instructions.
    pub(crate) firsts: [u64; 3],
}

/// A program with these tables.
pub(crate) fn placed<D: KernelDevice, P: GpuProtocol>(
    program: &GpuProgram<P, D>,
    encoded: &Encoded,
    tables: &[Table<'_, D>],
    slots: &Slots<'_, D>,
) -> PlacedProgram<D::Memory> {
    let loads = encoded.loads.iter().flat_map(|&(group, column, offset)| {
        let log_height = tables[group].log_height;
        let start = (first_base_column(program.program(), group, column) as u64) << log_height;
        // The offset as 32 bits of two's complement.
        [slots.column(group, start), u64::from(log_height) | u64::from(offset as u32) << 32]
    });
    PlacedProgram {
        load_words: loads.collect(),
        group_words: Vec::new(),
        instructions: encoded.code.len() as u32,
        slots: slots.of_tables(),
        words: OnceCell::new(),
    }
}

impl<M: Send + Sync + 'static> PlacedProgram<M> {
    /// The slot of every table.
    pub(crate) fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// The words that kernels read of the program, on the device. Generated ones read no instructions.
    pub(crate) fn words<D: KernelDevice<Memory = M>, P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        encoded: &Encoded,
        is_generated: bool,
    ) -> Result<&Words<M>> {
        if let Some(words) = self.words.get() {
            return Ok(words);
        }
        let mut all: Vec<u64> = Vec::new();
        if !is_generated {
            all.extend_from_slice(bytemuck::cast_slice(&encoded.code));
        }
        let mut firsts = [0; 3];
        let parts = [&as_elements::<P>(&encoded.constants), &self.load_words, &self.group_words];
        for (first, words) in firsts.iter_mut().zip(parts) {
            *first = all.len() as u64;
            all.extend_from_slice(words);
        }
        // No part begins at the block's end.
        all.push(0);
        let words = Words { block: call.alloc_words(&all)?, firsts };
        Ok(self.words.get_or_init(|| words))
    }
}
