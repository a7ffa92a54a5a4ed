//! Copies between host and device through pinned memory. A copy from ordinary memory runs at the speed of one core; here several
//! threads fill (or empty) pinned pieces while others are on the bus.

use std::ptr;
use std::slice;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::{self, CUdeviceptr, CUevent, CUevent_flags};
use gpu_hal::{HalError, Result};

use crate::error::check;
use crate::queue::Queue;

/// Bytes of a piece.
const PIECE: usize = 4 << 20;

/// Threads that copy; each has two pieces.
const THREADS: usize = 8;

/// Up to this the driver's own staging is as good.
const SMALL: usize = 1 << 20;

/// Pinned pieces, made when a large copy first needs them.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    lanes: Mutex<Vec<Lane>>,
}

/// What one thread copies with.
#[derive(Debug)]
struct Lane {
    pieces: [Piece; 2],
}

/// Pinned memory and the event of its last use.
#[derive(Debug)]
struct Piece {
    start: *mut u8,
    used: CUevent,
    queue: Arc<Queue>,
}

// SAFETY: the memory belongs to this value, and the driver may be called by several threads.
unsafe impl Send for Piece {}

impl Piece {
    fn new(queue: &Arc<Queue>) -> Result<Self> {
        queue.enter()?;
        let mut piece = Self { start: ptr::null_mut(), used: ptr::null_mut(), queue: Arc::clone(queue) };
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the context is current; the driver writes one handle.
        check(unsafe { sys::cuEventCreate(&mut piece.used, flags) }, "cuEventCreate")?;
        let mut start = ptr::null_mut();
        // Not write-combined: that memory is slow to read.
        // SAFETY: the context is current; the driver writes one pointer.
        check(unsafe { sys::cuMemHostAlloc(&mut start, PIECE, 0) }, "cuMemHostAlloc")?;
        piece.start = start.cast();
        Ok(piece)
    }

    /// Waits until the last copy from or to it is done.
    fn wait(&self) -> Result<()> {
        // SAFETY: the event is alive; one that was never recorded is done.
        check(unsafe { sys::cuEventSynchronize(self.used) }, "cuEventSynchronize")
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // What fails belongs to a context that is lost already.
        let _ = self.queue.enter().and_then(|_| self.wait());
        // SAFETY: made once, released once, after their last use.
        unsafe {
            if !self.start.is_null() {
                let _ = sys::cuMemFreeHost(self.start.cast());
            }
            if !self.used.is_null() {
                let _ = sys::cuEventDestroy_v2(self.used);
            }
        }
    }
}

impl Staging {
    /// Copies to the device. The bytes may change once this returns.
    pub(crate) fn upload(&self, queue: &Arc<Queue>, to: CUdeviceptr, from: &[u8]) -> Result<()> {
        let stream = queue.enter()?;
        if from.len() <= SMALL {
            // SAFETY: the caller checked the range on the device. From memory that is not pinned the driver copies into its own
            // staging before it returns.
            let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream) };
            return check(code, "cuMemcpyHtoD");
        }
        self.spread(queue, from.len(), |lane, first, step| {
            let stream = queue.enter()?;
            for (turn, (offset, piece)) in from.chunks(PIECE).enumerate().skip(first).step_by(step).enumerate() {
                let slot = &lane.pieces[turn % 2];
                slot.wait()?;
                // SAFETY: the pinned piece has room, is no part of the source, and its last copy is done.
                unsafe { ptr::copy_nonoverlapping(piece.as_ptr(), slot.start, piece.len()) };
                let target = to + (offset * PIECE) as u64;
                // SAFETY: within the range that the caller checked; the piece stays as it is until its event.
                let code = unsafe { sys::cuMemcpyHtoDAsync_v2(target, slot.start.cast(), piece.len(), stream) };
                check(code, "cuMemcpyHtoD")?;
                // SAFETY: event and stream are of the current context.
                check(unsafe { sys::cuEventRecord(slot.used, stream) }, "cuEventRecord")?;
            }
            Ok(())
        })
    }

    /// Copies to the host after all that was enqueued before; waits.
    pub(crate) fn download(&self, queue: &Arc<Queue>, from: CUdeviceptr, to: &mut [u8]) -> Result<()> {
        let stream = queue.enter()?;
        if to.len() <= SMALL {
            // SAFETY: the caller checked the range on the device, and the slice lives until the stream is synchronised below.
            let code = unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), stream) };
            // Waits in any case: the slice must not be left to a copy under way.
            return check(code, "cuMemcpyDtoH").and(queue.synchronize());
        }
        let bytes = to.len();
        // Each piece of the target goes to one thread.
        let pieces: Vec<Mutex<&mut [u8]>> = to.chunks_mut(PIECE).map(Mutex::new).collect();
        self.spread(queue, bytes, |lane, first, step| {
            let stream = queue.enter()?;
            let mine: Vec<usize> = (first..pieces.len()).step_by(step).collect();
            let length = |index: usize| PIECE.min(bytes - index * PIECE);
            let start = |turn: usize| {
                let (slot, index) = (&lane.pieces[turn % 2], mine[turn]);
                let source = from + (index * PIECE) as u64;
                // SAFETY: within the range that the caller checked; what the piece held was taken out before.
                let code = unsafe { sys::cuMemcpyDtoHAsync_v2(slot.start.cast(), source, length(index), stream) };
                check(code, "cuMemcpyDtoH")?;
                // SAFETY: event and stream are of the current context.
                check(unsafe { sys::cuEventRecord(slot.used, stream) }, "cuEventRecord")
            };
            (0..mine.len().min(2)).try_for_each(start)?;
            for (turn, index) in mine.iter().enumerate() {
                let slot = &lane.pieces[turn % 2];
                slot.wait()?;
                let mut target = pieces[*index].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                // SAFETY: the copy into the piece is done, and it has as many bytes.
                target.copy_from_slice(unsafe { slice::from_raw_parts(slot.start, length(*index)) });
                drop(target);
                if turn + 2 < mine.len() {
                    start(turn + 2)?;
                }
            }
            Ok(())
        })
    }

    /// Calls `work(lane, first, step)` on several threads: the pieces first, first + step, ... are its own. Another large copy waits.
    fn spread(
        &self,
        queue: &Arc<Queue>,
        bytes: usize,
        work: impl Fn(&mut Lane, usize, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = THREADS.min(available).min(bytes.div_ceil(PIECE));
        let mut lanes = self.lanes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while lanes.len() < threads {
            let lane = Lane { pieces: [Piece::new(queue)?, Piece::new(queue)?] };
            lanes.push(lane);
        }
        let (own, others) = lanes[..threads].split_at_mut(1);
        let work = &work;
        std::thread::scope(|scope| {
            let handles: Vec<_> = others
                .iter_mut()
                .enumerate()
                .map(|(index, lane)| scope.spawn(move || work(lane, index + 1, threads)))
                .collect();
            let mut result = work(&mut own[0], 0, threads);
            for handle in handles {
                let other = handle.join().unwrap_or_else(|_| Err(panicked()));
                result = result.and(other);
            }
            result
        })
    }
}

fn panicked() -> HalError {
    HalError::new(gpu_hal::ErrorKind::Backend, "device", "a thread that copies ended early: a defect of the backend")
}
