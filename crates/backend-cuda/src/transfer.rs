//! Copies between host and device through pinned memory. A copy from ordinary memory runs at the speed of one core; here several
//! threads fill (or empty) pinned pieces while others are on the bus.

use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUdeviceptr;
use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::Accept;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::pinned::Pinned;
use crate::queue::{Queue, Stream};

/// Bytes of pinned memory of a piece. On an H200 (55 GB/s at most) 2 MiB reach 50 GB/s, half of it 47, and twice of it no more.
const PIECE: usize = 2 << 20;
/// Smaller copies go in smaller pieces, down to this, so that all threads have some.
const LEAST_PIECE: usize = 128 << 10;

/// Threads that copy, the caller's included; each has two pieces. With 4 they are slower than the bus, more are of no use.
const THREADS: usize = 8;

/// Up to this one thread and the driver's own staging are as good.
const SMALL: usize = 256 << 10;

/// Bytes that are copied and looked at in one go: they stay in the cache in between.
const BLOCK: usize = 16 << 10;

/// Threads and pinned memory, made when a copy first needs them.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    lanes: Mutex<Option<Lanes>>,
    /// What small results come through.
    small: Mutex<Option<Pinned>>,
}

#[derive(Debug)]
struct Lanes {
    /// All threads but the caller's.
    threads: ThreadPool,
    lanes: Vec<[Pinned; 2]>,
}

impl Lanes {
    fn new(queue: &Arc<Queue>) -> Result<Self> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let count = THREADS.min(available);
        let lane = || Ok([Pinned::new(queue, PIECE)?, Pinned::new(queue, PIECE)?]);
        let threads = ThreadPoolBuilder::new()
            .num_threads((count - 1).max(1))
            .thread_name(|index| format!("polystark-copy-{index}"))
            .build()
            .map_err(|error| {
                HalError::new(ErrorKind::Backend, "device", format!("no threads to copy with: {error}"))
            })?;
        Ok(Self { threads, lanes: (0..count).map(|_| lane()).collect::<Result<_>>()? })
    }

    /// Calls `work(lane, number of the lane)` on as many threads as there are pieces, the caller's among them.
    fn spread(&mut self, pieces: usize, work: impl Fn(&[Pinned; 2], usize) -> Result<()> + Sync) -> Result<()> {
        let count = self.lanes.len().min(pieces);
        let mut results: Vec<Result<()>> = (0..count).map(|_| Ok(())).collect();
        let mut jobs = self.lanes.iter_mut().zip(&mut results).enumerate();
        let own = jobs.next();
        let work = &work;
        self.threads.in_place_scope(|scope| {
            for (index, (lane, result)) in jobs {
                scope.spawn(move |_| *result = work(lane, index));
            }
            if let Some((index, (lane, result))) = own {
                *result = work(lane, index);
            }
        });
        results.into_iter().collect()
    }
}

/// Bytes of the pieces of a copy, and how many they are.
fn pieces(bytes: usize) -> (usize, usize) {
    let even = bytes.div_ceil(2 * THREADS).next_multiple_of(BLOCK);
    let piece = even.clamp(LEAST_PIECE, PIECE);
    (piece, bytes.div_ceil(piece))
}

impl Staging {
    fn lanes(&self) -> MutexGuard<'_, Option<Lanes>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies to the device. The bytes may change once this returns. Says whether all of
    /// them were accepted; if not, not all were copied. After an error nothing is under way.
    pub(crate) fn upload(
        &self,
        queue: &Arc<Queue>,
        stream: Stream,
        to: CUdeviceptr,
        from: &[u8],
        accept: &Accept<'_>,
    ) -> Result<bool> {
        if from.len() <= SMALL {
            if !accept(from) {
                return Ok(false);
            }
            // From memory that is not pinned the driver copies into its own staging before it returns.
            return queue.to_device(queue.enter_stream(stream)?, to, from).map(|()| true);
        }
        let (piece, count) = pieces(from.len());
        let (next, stop, refused) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        let copy = |lane: &[Pinned; 2], _: usize| -> Result<()> {
            let stream = queue.enter_stream(stream)?;
            let mut turn = 0;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count || stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let part = &from[index * piece..from.len().min((index + 1) * piece)];
                let pinned = &lane[turn % 2];
                pinned.wait()?;
                if !fill(pinned, part, accept) {
                    refused.store(true, Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                // The range is part of the one that the caller checked.
                pinned.to_device(stream, to + (index * piece) as u64, part.len())?;
                turn += 1;
            }
        };
        let result = self.with_lanes(queue, |lanes| {
            lanes.spread(count, |lane, index| copy(lane, index).inspect_err(|_| stop.store(true, Ordering::Relaxed)))
        });
        // The error is what the caller needs; a stream that cannot be waited for does nothing any more.
        result.inspect_err(|_| drop(queue.enter_stream(stream).and_then(|stream| queue.drain(stream))))?;
        Ok(!refused.into_inner())
    }

    /// Copies to the host after all that was enqueued before; waits.
    pub(crate) fn download(&self, queue: &Arc<Queue>, from: CUdeviceptr, to: &mut [u8]) -> Result<()> {
        if to.len() <= SMALL {
            let stream = queue.enter()?;
            let mut small = self.small.lock().unwrap_or_else(PoisonError::into_inner);
            let pinned = match &mut *small {
                Some(pinned) => pinned,
                none => none.insert(Pinned::new(queue, SMALL)?),
            };
            pinned.to_host(stream, from, to.len())?;
            pinned.wait()?;
            // SAFETY: the copy is done, and the memory is no other's while it is locked.
            to.copy_from_slice(unsafe { slice::from_raw_parts(pinned.start(), to.len()) });
            return Ok(());
        }
        let bytes = to.len();
        let (piece, count) = pieces(bytes);
        // Each piece of the target goes to one thread.
        let targets: Vec<Mutex<&mut [u8]>> = to.chunks_mut(piece).map(Mutex::new).collect();
        self.with_lanes(queue, |lanes| {
            let step = lanes.lanes.len().min(count);
            lanes.spread(count, |lane, first| {
                let stream = queue.enter()?;
                let mine: Vec<usize> = (first..count).step_by(step).collect();
                let length = |index: usize| piece.min(bytes - index * piece);
                // The range is part of the one that the caller checked.
                let start = |turn: usize| {
                    let index = mine[turn];
                    lane[turn % 2].to_host(stream, from + (index * piece) as u64, length(index))
                };
                (0..mine.len().min(2)).try_for_each(start)?;
                for (turn, index) in mine.iter().enumerate() {
                    let pinned = &lane[turn % 2];
                    pinned.wait()?;
                    let mut target = targets[*index].lock().unwrap_or_else(PoisonError::into_inner);
                    // SAFETY: the copy into the piece is done, and it has as many bytes.
                    target.copy_from_slice(unsafe { slice::from_raw_parts(pinned.start(), length(*index)) });
                    drop(target);
                    if turn + 2 < mine.len() {
                        start(turn + 2)?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Another large copy waits.
    fn with_lanes(&self, queue: &Arc<Queue>, work: impl FnOnce(&mut Lanes) -> Result<()>) -> Result<()> {
        let mut lanes = self.lanes();
        work(match &mut *lanes {
            Some(lanes) => lanes,
            none => none.insert(Lanes::new(queue)?),
        })
    }
}

/// Copies a part, at most as long as the pinned memory, whose last use is over, and looks at it: memory is read once.
fn fill(pinned: &Pinned, part: &[u8], accept: &Accept<'_>) -> bool {
    let mut accepted = true;
    for (index, block) in part.chunks(BLOCK).enumerate() {
        // SAFETY: within the pinned memory, which is no part of the source.
        unsafe { ptr::copy_nonoverlapping(block.as_ptr(), pinned.start().add(index * BLOCK), block.len()) };
        accepted &= accept(block);
    }
    accepted
}
