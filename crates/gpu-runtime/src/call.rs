//! One call of an operation: its allocations and launches. The front names its errors.

use std::sync::Arc;

use field::PrimeField;
use gpu_hal::{Budget, HalError, Operation, Protocol, Result};

use crate::cache::{Cache, Factors};
use crate::device::{Argument, BLOCK_THREADS, KernelDevice, Launch, Upload};
use crate::elements::{per_word, words};
use crate::generated::GeneratedKernels;
use crate::host_bytes::HostBytes;
use crate::host_store::{HostBlock, HostStore};
use crate::library::{Library, Unit, Units};
use crate::params::Params;
use crate::pool::{Block, Pool};
use crate::profile::{Event, Profiler};
use crate::row_programs::compiled::Compiled;
use crate::row_programs::kept::KeptPrograms;

/// A device with the state that is kept between calls.
pub struct Runtime<D: KernelDevice, P: Protocol> {
    pub(crate) device: D,
    pub(crate) pool: Arc<Pool<D::Memory>>,
    pub(crate) budget: Budget,
    pub(crate) library: Library<D>,
    pub(crate) generated: GeneratedKernels<D>,
    pub(crate) row_programs: KeptPrograms<P::Base, Compiled<D>>,
    pub(crate) profiler: Profiler<D::Event>,
    /// Tables that left the device for a while.
    pub(crate) store: Arc<HostStore>,
    /// The kernels.
    pub(crate) units: &'static Units,
    /// Tables that are made once: of roots of unity, and of factors of transforms.
    pub(crate) roots: Cache<Block<D::Memory>>,
    /// See [`Self::roots`].
    pub(crate) factors: Cache<Factors<D::Memory>>,
}

/// A kernel with how it is specialised.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) unit: &'static Unit,
    pub(crate) name: &'static str,
    pub(crate) defines: &'a [(&'static str, u64)],
}

impl<D: KernelDevice, P: Protocol> Runtime<D, P> {
    /// Begins a call of `op`.
    pub(crate) fn call(&self, op: Operation) -> Call<'_, D, P> {
        self.profiler.count(op, Event::Call);
        Call { runtime: self, op }
    }
}

/// One call of an operation.
pub struct Call<'a, D: KernelDevice, P: Protocol> {
    pub(crate) runtime: &'a Runtime<D, P>,
    pub(crate) op: Operation,
}

impl<D: KernelDevice, P: Protocol> Clone for Call<'_, D, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: KernelDevice, P: Protocol> Copy for Call<'_, D, P> {}

/// A buffer argument from its start.
pub(crate) fn whole<M>(block: &Block<M>) -> Argument<'_, M> {
    part(block, 0)
}

/// A buffer argument from word `first` on.
pub(crate) fn part<M>(block: &Block<M>, first: u64) -> Argument<'_, M> {
    Argument { memory: block.memory(), offset: first * 8 }
}

/// A buffer argument from an element on.
pub(crate) fn from_element<P: Protocol, M>(block: &Block<M>, first: u64) -> Argument<'_, M> {
    Argument { memory: block.memory(), offset: first * size_of::<P::Base>() as u64 }
}

/// Numbers as elements: a word each, or words of two, the last one filled up.
pub(crate) fn as_elements<P: Protocol>(numbers: &[u64]) -> Vec<u64> {
    let pair = |pair: &[u64]| pair[0] | pair.get(1).unwrap_or(&0) << 32;
    if per_word::<P>() == 1 { numbers.to_vec() } else { numbers.chunks(2).map(pair).collect() }
}

impl<D: KernelDevice, P: Protocol> Call<'_, D, P> {
    /// Uninitialised memory for `count` words.
    pub(crate) fn alloc(&self, count: u64) -> Result<Block<D::Memory>> {
        let bytes = count.saturating_mul(8);
        let device = &self.runtime.device;
        self.runtime.pool.take(bytes, |bytes| device.alloc(bytes))
    }

    /// Uninitialised memory for `count` elements of the protocol's base field.
    pub(crate) fn alloc_elements(&self, count: u64) -> Result<Block<D::Memory>> {
        self.alloc(words::<P>(count))
    }

    /// New memory with these numbers as elements; at least one.
    pub(crate) fn alloc_as_elements(&self, numbers: &[u64]) -> Result<Block<D::Memory>> {
        self.alloc_words(&as_elements::<P>(numbers))
    }

    /// New memory with these words; at least one.
    pub(crate) fn alloc_words(&self, words: &[u64]) -> Result<Block<D::Memory>> {
        let block = self.alloc(words.len() as u64)?;
        if !words.is_empty() {
            self.upload(&block, bytemuck::cast_slice(words))?;
        }
        Ok(block)
    }

    /// Copies from the host to the start of a block.
    pub(crate) fn upload(&self, to: &Block<D::Memory>, bytes: &[u8]) -> Result<()> {
        self.count(Event::Upload(bytes.len() as u64));
        self.runtime.device.upload(to.memory(), 0, bytes)
    }

    /// A copy of the first words of a block in the host's memory; waits.
    pub(crate) fn keep(&self, from: &Block<D::Memory>, count: u64) -> Result<HostBlock> {
        let mut kept = self.runtime.store.room(count as usize)?;
        let mut offset = 0;
        for piece in kept.pieces_mut() {
            self.download(from, offset, piece)?;
            offset += piece.len() as u64;
        }
        Ok(kept)
    }

    /// Copies kept bytes back.
    pub(crate) fn bring_back(&self, kept: &HostBlock, to: &Block<D::Memory>) -> Result<()> {
        let mut offset = 0;
        for piece in kept.pieces() {
            let bytes: &[u8] = bytemuck::cast_slice(piece);
            self.count(Event::Upload(bytes.len() as u64));
            self.runtime.device.upload(to.memory(), offset, bytes)?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }

    /// Copies elements to a block, from byte `offset` on, beside the work enqueued from here on if they are many, and
    /// calls `then` with the number of each part of `part` elements: the work that it enqueues comes after that part.
    /// Says whether all elements are canonical: if not, the block is unspecified.
    pub(crate) fn upload_elements(
        &self,
        (to, offset): (&Block<D::Memory>, u64),
        from: HostBytes<'_>,
        part: usize,
        mut then: impl FnMut(usize) -> Result<()>,
    ) -> Result<bool> {
        self.count(Event::Upload(from.len() as u64));
        let device = &self.runtime.device;
        let accept = |bytes: &[u8]| are_canonical::<P::Base>(bytes);
        if from.len() as u64 <= device.upload_in_order() {
            let mut words = vec![0u64; from.len() / size_of::<u64>()];
            from.read(0..from.len(), bytemuck::cast_slice_mut(&mut words));
            let bytes: &[u8] = bytemuck::cast_slice(&words);
            if !accept(bytes) {
                return Ok(false);
            }
            device.upload(to.memory(), offset, bytes)?;
            return (0..bytes.len().div_ceil(size_of::<P::Base>() * part)).try_for_each(then).map(|()| true);
        }
        device.record().and_then(|after| {
            let upload = Upload {
                to: to.memory(),
                offset,
                from,
                part: size_of::<P::Base>() * part,
                after: &after,
                accept: &accept,
            };
            device.upload_beside(&upload, &mut |number, moment| {
                device.wait(moment)?;
                then(number)
            })
        })
    }

    /// Copies to the host, from word `offset` on; waits.
    pub(crate) fn download(&self, from: &Block<D::Memory>, offset: u64, words: &mut [u64]) -> Result<()> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
        self.count(Event::Download(bytes.len() as u64));
        self.runtime.device.download(from.memory(), offset * 8, bytes)
    }

    /// Copies words on the device.
    pub(crate) fn copy(
        &self,
        (from, from_offset): (&Block<D::Memory>, u64),
        (to, to_offset): (&Block<D::Memory>, u64),
        count: u64,
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.enqueue(Event::Copy(count * 8), |device| {
            device.copy(from.memory(), from_offset * 8, to.memory(), to_offset * 8, count * 8)
        })
    }

    /// Copies words to another device from their starts.
    pub(crate) fn copy_peer(&self, from: &Block<D::Memory>, peer: &D, to: &Block<D::Memory>, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.enqueue(Event::Copy(count * 8), |device| {
            device.copy_peer(from.memory(), 0, peer, (to.memory(), 0), count * 8)
        })
    }

    /// Copies bytes to another device beside the work of both, after two moments.
    pub(crate) fn copy_peer_beside(
        &self,
        from: Argument<'_, D::Memory>,
        peer: &D,
        to: Argument<'_, D::Memory>,
        bytes: u64,
        after: [&D::Event; 2],
    ) -> Result<D::Event> {
        self.count(Event::Copy(bytes));
        let (from, to) = ((from.memory, from.offset), (to.memory, to.offset));
        self.runtime.device.copy_peer_beside(from, peer, to, bytes, after)
    }

    /// Sets words to zero on the device.
    pub(crate) fn zero(&self, block: &Block<D::Memory>, count: u64) -> Result<()> {
        self.enqueue(Event::Copy(count * 8), |device| device.fill(block.memory(), 0, count * 8, 0))
    }

    /// The kernel's specialisation for the field of the challenges.
    pub(crate) fn degree(&self) -> [(&'static str, u64); 1] {
        [("DEGREE", P::DEGREE as u64)]
    }

    /// Enqueues one thread for each of `count` items of each of `rows` (grid y).
    pub(crate) fn launch_items(
        &self,
        entry: Entry<'_>,
        count: u64,
        rows: u32,
        buffers: &[Argument<'_, D::Memory>],
        params: Params,
    ) -> Result<()> {
        if count == 0 || rows == 0 {
            return Ok(());
        }
        let block = BLOCK_THREADS.min(self.runtime.device.info().max_threads);
        let blocks = count.div_ceil(u64::from(block));
        self.launch_blocks(entry, blocks, rows, block, buffers, params)
    }

    /// Enqueues `blocks` by `rows` blocks.
    pub(crate) fn launch_blocks(
        &self,
        entry: Entry<'_>,
        blocks: u64,
        rows: u32,
        block: u32,
        buffers: &[Argument<'_, D::Memory>],
        params: Params,
    ) -> Result<()> {
        let (device, library) = (&self.runtime.device, &self.runtime.library);
        let kernel = library.kernel(device, entry.unit, entry.defines, entry.name)?;
        self.launch_kernel(&kernel, [blocks, u64::from(rows)], block, buffers, params)
    }

    /// Enqueues one thread for each of `count` items.
    pub(crate) fn launch_kernel_items(
        &self,
        kernel: &D::Kernel,
        count: u64,
        buffers: &[Argument<'_, D::Memory>],
        params: Params,
    ) -> Result<()> {
        let block = BLOCK_THREADS.min(self.runtime.device.info().max_threads);
        self.launch_kernel(kernel, [count.div_ceil(u64::from(block)), 1], block, buffers, params)
    }

    /// Enqueues `blocks` by `rows` blocks of a kernel.
    pub(crate) fn launch_kernel(
        &self,
        kernel: &D::Kernel,
        [blocks, rows]: [u64; 2],
        block: u32,
        buffers: &[Argument<'_, D::Memory>],
        params: Params,
    ) -> Result<()> {
        let blocks = u32::try_from(blocks)
            .ok()
            .filter(|blocks| *blocks < 1 << 31 && rows <= u64::from(MAX_ROWS))
            .ok_or_else(|| HalError::unsupported(self.op, format!("a launch of {blocks} x {rows} blocks")))?;
        let params = params.bytes();
        self.enqueue(Event::Launch, |device| {
            device.launch(&Launch { kernel, grid: [blocks, rows as u32, 1], block, buffers, params: &params })
        })
    }

    fn count(&self, event: Event) {
        self.runtime.profiler.count(self.op, event);
    }

    /// Counts and, on request, times the device's work.
    fn enqueue(&self, event: Event, work: impl FnOnce(&D) -> Result<()>) -> Result<()> {
        let device = &self.runtime.device;
        self.count(event);
        self.runtime.profiler.time(device, self.op, || work(device))
    }
}

/// Whether all elements are below the order of their field, 8-byte ones that of Goldilocks.
fn are_canonical<F: PrimeField>(bytes: &[u8]) -> bool {
    if size_of::<F>() == 4 {
        let largest = bytemuck::cast_slice(bytes).iter().fold(0u32, |largest, word| largest.max(*word));
        return u64::from(largest) < F::ORDER;
    }
    // No word below p = 2^64 - m grows past 2^64 by adding m, which is less than 2^63, so that the highest bit falls
    // then and only then. Without comparisons every vector unit does it.
    let missing = F::ORDER.wrapping_neg();
    bytemuck::cast_slice(bytes).iter().fold(0u64, |fallen, word: &u64| fallen | (word & !word.wrapping_add(missing)))
        >> 63
        == 0
}

/// Largest grid in y.
pub(crate) const MAX_ROWS: u32 = 65535;

#[cfg(test)]
mod tests {
    use field::{Goldilocks, M31};

    use super::*;

    #[test]
    fn words_from_the_order_on_are_not_canonical() {
        const P: u64 = Goldilocks::ORDER;
        let are_canonical = |words: &[u64]| are_canonical::<Goldilocks>(bytemuck::cast_slice(words));
        for word in [0, 1, u64::from(u32::MAX), 1 << 63, (1 << 63) - 1, P - 2, P - 1] {
            assert!(are_canonical(&[3, word, 5]), "{word}");
        }
        for word in [P, P + 1, u64::MAX - 1, u64::MAX] {
            for at in 0..9 {
                let mut words = [P - 1; 9];
                words[at] = word;
                assert!(!are_canonical(&words), "{word} at {at}");
            }
        }
        const Q: u32 = M31::ORDER as u32;
        let all = |words: &[u32]| super::are_canonical::<M31>(bytemuck::cast_slice(words));
        assert!(all(&[0, Q - 1, 1]));
        assert!([Q, Q + 1, u32::MAX].iter().all(|word| !all(&[1, *word, 2])));
    }
}
