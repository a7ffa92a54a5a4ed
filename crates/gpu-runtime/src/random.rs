//! Uniform elements in the last rows of a table.

use gpu_hal::{Columns, RandomRows, Result};

use crate::buffer::GpuBuffer;
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::protocol::GpuProtocol;

/// A thread makes a block of each column.
pub(crate) fn random<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    into: Columns<&mut GpuBuffer<D::Memory>>,
    rows: &RandomRows,
) -> Result<()> {
    let (height, from) = (into.height() as u64, rows.from as u64);
    if from >= height {
        return Ok(());
    }
    let first_block = (rows.first + from) / RandomRows::BLOCK;
    let blocks = (rows.first + height).div_ceil(RandomRows::BLOCK) - first_block;
    let key = rows.key.as_chunks::<8>().0;
    let params = key.iter().fold(Params::new(), |params, word| params.u64(u64::from_le_bytes(*word)));
    let params = params.u64(rows.stream).u64(blocks * into.width as u64).u64(blocks).u64(first_block);
    let params = params.u64(rows.first).u64(from).u32(into.log_height).u32(0);
    let entry = Entry { unit: P::UNITS.random, name: "random_rows", defines: &[] };
    call.launch_items(entry, blocks * into.width as u64, 1, &[whole(&into.data.block)], params)
}
