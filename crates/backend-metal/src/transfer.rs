//! Between the host's memory and buffers that both sides see. Small copies go through a buffer that is filled bit by
//! bit; the pages of large ones are lent to the GPU as they are, where its memory is the host's.

use std::slice;
use std::sync::Mutex;

use gpu_hal::Result;

use crate::error::no_memory;
use crate::layer::{Layer, Storage};

/// Bytes of a staging buffer, and of a piece that goes through one of its own.
const CHUNK: usize = 1 << 20;
const PIECE: usize = 32 << 20;
/// Copies of fewer bytes are not worth lending pages for.
const LEND: usize = 1 << 20;

/// Staging buffers.
pub(crate) struct Staging<L: Layer>(Mutex<Option<Chunk<L>>>);

struct Chunk<L: Layer> {
    buffer: L::Buffer,
    /// Bytes that copies were given. None is used again: nobody knows when the GPU has read it.
    used: usize,
}

impl<L: Layer> Default for Staging<L> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// Called with a shared buffer, where in it the bytes are, the first byte of the copy and how many: enqueues a copy.
type Enqueue<'a, L> = dyn FnMut(&<L as Layer>::Buffer, u64, u64, u64) -> Result<()> + 'a;

impl<L: Layer> Staging<L> {
    /// Copies bytes to shared buffers, and has copies from there enqueued. The bytes are the caller's again when this
    /// returns.
    pub(crate) fn upload(
        &self,
        layer: &L,
        from: &[u8],
        mut enqueue: impl FnMut(&L::Buffer, u64, u64, u64) -> Result<()>,
    ) -> Result<()> {
        if from.len() <= CHUNK / 4 {
            return if from.is_empty() { Ok(()) } else { self.in_chunk(layer, from, &mut enqueue) };
        }
        for (number, piece) in from.chunks(PIECE).enumerate() {
            let buffer = shared(layer, piece.len())?;
            write(layer, &buffer, 0, piece);
            enqueue(&buffer, 0, (number * PIECE) as u64, piece.len() as u64)?;
        }
        Ok(())
    }

    fn in_chunk(&self, layer: &L, from: &[u8], enqueue: &mut Enqueue<'_, L>) -> Result<()> {
        let mut chunk = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let fits = |chunk: &Chunk<L>| chunk.used + from.len() <= CHUNK;
        let mut current = match chunk.take().filter(fits) {
            Some(current) => current,
            None => Chunk { buffer: shared(layer, CHUNK)?, used: 0 },
        };
        let at = current.used;
        current.used += from.len().next_multiple_of(16);
        write(layer, &current.buffer, at, from);
        let current = chunk.insert(current);
        enqueue(&current.buffer, at as u64, 0, from.len() as u64)
    }

    /// As [`Self::upload`], but the bytes may be read until the copies are done: the caller waits for them.
    pub(crate) fn lend(
        &self,
        layer: &L,
        from: &[u8],
        mut enqueue: impl FnMut(&L::Buffer, u64, u64, u64) -> Result<()>,
    ) -> Result<()> {
        if from.len() >= LEND {
            // SAFETY: the caller keeps the bytes until the copies are done, and the copies only read.
            if let Some((buffer, at)) = unsafe { lent(layer, from.as_ptr().cast_mut(), from.len()) } {
                return enqueue(&buffer, at, 0, from.len() as u64);
            }
        }
        self.upload(layer, from, enqueue)
    }

    /// Has copies to shared buffers made, which are done when `copy` returns, and takes the bytes from there.
    pub(crate) fn download(
        &self,
        layer: &L,
        to: &mut [u8],
        mut copy: impl FnMut(&L::Buffer, u64, u64, u64) -> Result<()>,
    ) -> Result<()> {
        if to.len() >= LEND {
            // SAFETY: the bytes are ours alone until `copy` returns, and then it is done with them.
            if let Some((buffer, at)) = unsafe { lent(layer, to.as_mut_ptr(), to.len()) } {
                return copy(&buffer, at, 0, to.len() as u64);
            }
        }
        for (number, piece) in to.chunks_mut(PIECE).enumerate() {
            let buffer = shared(layer, piece.len())?;
            copy(&buffer, 0, (number * PIECE) as u64, piece.len() as u64)?;
            let contents = layer.contents(&buffer);
            // SAFETY: a shared buffer of as many bytes, which no command writes any more.
            piece.copy_from_slice(unsafe { slice::from_raw_parts(contents, piece.len()) });
        }
        Ok(())
    }
}

/// The pages of some bytes as a buffer, and where in it the bytes are.
///
/// # Safety
/// As for [`Layer::lend`], of the bytes.
unsafe fn lent<L: Layer>(layer: &L, start: *mut u8, bytes: usize) -> Option<(L::Buffer, u64)> {
    if !layer.facts().is_unified {
        return None;
    }
    let page = layer.page();
    let before = start.addr() % page;
    // SAFETY: the page that the bytes begin in is mapped as a whole, and so is the one that they end in.
    let buffer = unsafe { layer.lend(start.wrapping_sub(before), (before + bytes).next_multiple_of(page)) }?;
    Some((buffer, before as u64))
}

fn shared<L: Layer>(layer: &L, bytes: usize) -> Result<L::Buffer> {
    layer.buffer(bytes as u64, Storage::Shared).ok_or_else(|| no_memory(bytes as u64))
}

/// Copies bytes to a place of a shared buffer, which has room for them.
fn write<L: Layer>(layer: &L, buffer: &L::Buffer, at: usize, from: &[u8]) {
    let contents = layer.contents(buffer);
    // SAFETY: the buffer is ours, shared and large enough, and no command reads these bytes of it yet.
    unsafe { contents.add(at).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}
