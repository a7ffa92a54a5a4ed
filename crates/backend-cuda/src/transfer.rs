//! Copies between host and device through pinned memory. A copy from ordinary memory runs at the speed of one core;
//! here several threads fill (or empty) pinned pieces while others are on the bus.

use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};

use cudarc::driver::sys::CUdeviceptr;
use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::HostBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::pinned::Pinned;
use crate::queue::{Queue, Stream};

/// Bytes of pinned memory of a piece. On an H200 (55 GB/s at most) 2 MiB reach 50 GB/s, half of it 47, and twice of it
/// no more.
const PIECE: usize = 2 << 20;
/// Smaller copies go in smaller pieces, down to this, so that all threads have some.
const LEAST_PIECE: usize = 128 << 10;

/// Threads that copy; each has two pieces. With 4 they are slower than the bus, more are of no use.
const THREADS: usize = 8;

/// Up to this one thread, and the driver's own staging for uploads, are as good.
const SMALL: usize = 256 << 10;

/// Bytes that are copied and looked at in one go: they stay in the cache in between.
const BLOCK: usize = 16 << 10;

/// Threads and pinned memory, made when a copy first needs them.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    lanes: Mutex<Option<Lanes>>,
    /// The buffer through which small results come.
    small: Mutex<Option<Pinned>>,
}

#[derive(Debug)]
struct Lanes {
    threads: ThreadPool,
    lanes: Vec<[Pinned; 2]>,
}

impl Lanes {
    fn new(queue: &Arc<Queue>) -> Result<Self> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let count = THREADS.min(available);
        let lane = || Ok([Pinned::new(queue, PIECE)?, Pinned::new(queue, PIECE)?]);
        let threads = ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|index| format!("polystark-copy-{index}"))
            .build()
            .map_err(|error| {
                HalError::new(ErrorKind::Backend, "device", format!("no threads to copy with: {error}"))
            })?;
        Ok(Self { threads, lanes: (0..count).map(|_| lane()).collect::<Result<_>>()? })
    }

    /// Calls `work(lane, number of the lane)` on as many threads as there are pieces, and `meanwhile` on this one.
    /// Values that `work` owns are dropped when the last thread is done.
    fn spread(
        &mut self,
        pieces: usize,
        work: impl Fn(&[Pinned; 2], usize) -> Result<()> + Send + Sync,
        meanwhile: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let count = self.lanes.len().min(pieces);
        let mut results: Vec<Result<()>> = (0..count).map(|_| Ok(())).collect();
        let work = Arc::new(work);
        let done = self.threads.in_place_scope(|scope| {
            for (index, (lane, result)) in self.lanes.iter_mut().zip(&mut results).enumerate() {
                let work = Arc::clone(&work);
                scope.spawn(move |_| *result = work(lane, index));
            }
            drop(work);
            meanwhile()
        });
        results.into_iter().chain([done]).collect()
    }
}

/// An upload.
pub(crate) struct Copy<'a> {
    pub(crate) to: CUdeviceptr,
    pub(crate) from: HostBytes<'a>,
    /// Bytes of a part, not zero.
    pub(crate) part: usize,
    pub(crate) stream: Stream,
}

impl Copy<'_> {
    /// The number of its part and the bytes of each piece, in order.
    fn pieces(&self, piece: usize) -> Vec<(usize, Range<usize>)> {
        let parts = (0..self.from.len()).step_by(self.part).enumerate();
        let pieces = parts.flat_map(|(number, start)| {
            let end = self.from.len().min(start + self.part);
            (start..end).step_by(piece).map(move |first| (number, first..end.min(first + piece)))
        });
        pieces.collect()
    }
}

/// Bytes of the pieces of a copy.
fn piece_bytes(bytes: usize) -> usize {
    bytes.div_ceil(2 * THREADS).next_multiple_of(BLOCK).clamp(LEAST_PIECE, PIECE)
}

impl Staging {
    /// Threads and pinned memory for a copy of `bytes` bytes, unless another copy has them: work that follows a part of
    /// an upload copies too, before that upload ends.
    fn lanes(&self, queue: &Arc<Queue>, bytes: usize) -> Result<Option<MutexGuard<'_, Option<Lanes>>>> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let mut lanes = match self.lanes.try_lock() {
            Ok(lanes) => lanes,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        if lanes.is_none() {
            *lanes = Some(Lanes::new(queue)?);
        }
        Ok(Some(lanes))
    }

    /// Copies to the device. The bytes may change once this returns. Calls `then` with the number of each part, in
    /// order, once all of it is enqueued. Says whether all bytes were accepted; if not, and after an error, some are
    /// not enqueued, and others under way.
    pub(crate) fn upload(
        &self,
        queue: &Arc<Queue>,
        copy: &Copy<'_>,
        accept: &(dyn Fn(&[u8]) -> bool + Sync),
        then: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<bool> {
        let mut guard = self.lanes(queue, copy.from.len())?;
        let Some(lanes) = guard.as_deref_mut().and_then(Option::as_mut) else {
            let stream = queue.enter_stream(copy.stream)?;
            let mut to = copy.to;
            for piece in copy.from.range(0..copy.from.len()) {
                if !accept(&piece) {
                    return Ok(false);
                }
                // From memory that is not pinned the driver copies into its own staging before it returns.
                queue.to_device(stream, to, &piece)?;
                to += piece.len() as u64;
            }
            (0..copy.from.len().div_ceil(copy.part)).try_for_each(then)?;
            return Ok(true);
        };
        let pieces = copy.pieces(piece_bytes(copy.from.len()));
        let mut left = vec![0usize; copy.from.len().div_ceil(copy.part)];
        pieces.iter().for_each(|(number, _)| left[*number] += 1);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (next, stop, pieces) = (&next, &stop, &pieces);
        let (sender, enqueued) = mpsc::channel();
        let work = move |lane: &[Pinned; 2], _: usize| -> Result<()> {
            let stream = queue.enter_stream(copy.stream)?;
            let mut turn = 0;
            while let Some((number, range)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                let pinned = &lane[turn % 2];
                pinned.wait()?;
                if stop.load(Ordering::Relaxed) || !fill(pinned, &copy.from, range.clone(), accept) {
                    stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                // The range is part of the one that the caller checked.
                pinned.to_device(stream, copy.to + range.start as u64, range.len())?;
                // Nobody listens after an error.
                let _ = sender.send(*number);
                turn += 1;
            }
            Ok(())
        };
        let stopping =
            move |lane: &[Pinned; 2], index| work(lane, index).inspect_err(|_| stop.store(true, Ordering::Relaxed));
        let mut ready = 0;
        let parts = left.len();
        let go_on = || -> Result<()> {
            for number in enqueued {
                left[number] -= 1;
                while left.get(ready) == Some(&0) {
                    then(ready).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                    ready += 1;
                }
            }
            Ok(())
        };
        lanes.spread(pieces.len(), stopping, go_on)?;
        Ok(ready == parts)
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
        let mut guard = self.lanes(queue, bytes)?;
        let Some(lanes) = guard.as_deref_mut().and_then(Option::as_mut) else {
            return queue.to_host(from, to);
        };
        let piece = piece_bytes(bytes);
        let count = bytes.div_ceil(piece);
        // Each piece of the target goes to one thread.
        let targets: Vec<Mutex<&mut [u8]>> = to.chunks_mut(piece).map(Mutex::new).collect();
        let step = lanes.lanes.len().min(count);
        let work = |lane: &[Pinned; 2], first: usize| {
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
        };
        lanes.spread(count, work, || Ok(()))
    }
}

/// Puts a range of bytes to pinned memory, which has room for them and whose last use is over, and looks at them there,
/// block by block: they are in the cache yet.
fn fill(pinned: &Pinned, from: &HostBytes<'_>, range: Range<usize>, accept: &(dyn Fn(&[u8]) -> bool + Sync)) -> bool {
    // SAFETY: the pinned memory has as many bytes, which were set when it was made, and nobody else uses them: the lane
    // is this thread's.
    let target = unsafe { slice::from_raw_parts_mut(pinned.start(), range.len()) };
    range.clone().step_by(BLOCK).zip(target.chunks_mut(BLOCK)).fold(true, |accepted, (first, block)| {
        from.read(first..first + block.len(), block);
        accepted & accept(block)
    })
}
