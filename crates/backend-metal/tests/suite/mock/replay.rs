//! Committed command buffers and their replay: nothing runs before someone waits for it, and the other queue runs no
//! further than a wait for its event makes it.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard};

use backend_emulated::{EmulatedDevice, EmulatedKernel};
use backend_metal::layer::{Queue, Status};
use gpu_runtime::{Argument, KernelDevice};

use super::{Buffer, Faults, PARAMS};

/// The bindings of each index, and the indices that were set since the last kernel.
type Bound<'a> = (&'a [Option<(Buffer, u64)>], &'a [usize]);

/// Buffers of a kernel, and its parameter block.
const INDICES: usize = 31;

/// A command of a command buffer, in Metal's words.
#[derive(Clone)]
pub(super) enum Command {
    BeginCompute,
    BeginBlit,
    End,
    SetPipeline(Arc<EmulatedKernel>),
    SetBuffer(usize, Buffer, u64),
    SetBytes(usize, Vec<u8>),
    Dispatch([u32; 3], u32),
    Copy((Buffer, u64), (Buffer, u64), u64),
    Fill(Buffer, u64, u64, u8),
    Signal(Queue, u64),
    Wait(Queue, u64),
}

/// A committed command buffer.
pub(super) struct Committed {
    pub(super) commands: Vec<Command>,
    /// Where it goes on.
    pub(super) next: usize,
    pub(super) status: Arc<Mutex<Option<Status>>>,
}

/// Committed command buffers that are not done, and the events.
#[derive(Default)]
pub(super) struct World {
    pub(super) queues: [VecDeque<Committed>; 2],
    events: [u64; 2],
    count: u64,
    pub(super) summary: Summary,
}

/// A summary of the replayed commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) command_buffers: u64,
    pub(crate) dispatches: u64,
    pub(crate) copies: u64,
    pub(crate) waits: u64,
    pub(crate) lent: u64,
}

pub(super) struct Inner {
    pub(super) emulated: EmulatedDevice,
    pub(super) world: Mutex<World>,
    pub(super) faults: Faults,
    pub(super) allocated: Arc<AtomicU64>,
    pub(super) lent: AtomicU64,
}

impl Inner {
    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs a command buffer of a queue, and first the ones that it waits for.
    pub(super) fn run_until(&self, world: &mut World, queue: Queue, status: &Arc<Mutex<Option<Status>>>) {
        while get(status).is_none() && self.step(world, queue) {}
    }

    /// Runs the first command buffer of a queue; whether it got to its end.
    fn step(&self, world: &mut World, queue: Queue) -> bool {
        let Some(mut committed) = world.queues[queue as usize].pop_front() else { return false };
        let number = world.count;
        let mut failed =
            self.faults.fail.filter(|(at, _)| *at == number).map(|(_, code)| (code, "on purpose".to_owned()));
        let mut bound: Vec<Option<(Buffer, u64)>> = vec![None; INDICES];
        let mut params: Vec<u8> = Vec::new();
        let mut kernel = None;
        // Indices that were bound for the kernel; earlier bindings of an encoder stay, and do no harm.
        let mut set: Vec<usize> = Vec::new();
        while committed.next < committed.commands.len() {
            let command = committed.commands[committed.next].clone();
            if let Command::Wait(event, value) = command {
                // As far as it must.
                while world.events[event as usize] < value && event != queue && self.step(world, event) {}
                if world.events[event as usize] < value {
                    world.queues[queue as usize].push_front(committed);
                    return false;
                }
                world.summary.waits += 1;
            }
            committed.next += 1;
            // A command buffer that failed does nothing more, but its events are set.
            match (command, &failed) {
                (Command::Signal(event, value), _) => world.events[event as usize] = value,
                (_, Some(_)) => {}
                (Command::BeginCompute, None) => {
                    bound = vec![None; INDICES];
                    params.clear();
                    kernel = None;
                }
                (Command::SetPipeline(pipeline), None) => {
                    kernel = Some(pipeline);
                    set.clear();
                }
                (Command::SetBuffer(index, buffer, offset), None) => {
                    let index = index + usize::from(self.faults.wrong_index);
                    bound[index] = Some((buffer, offset));
                    set.push(index);
                }
                (Command::SetBytes(PARAMS, bytes), None) => params = bytes,
                (Command::SetBytes(index, _), None) => failed = Some((9, format!("bytes at index {index}"))),
                (Command::Dispatch(grid, threads), None) => {
                    world.summary.dispatches += 1;
                    let threads = if self.faults.half_groups { threads / 2 } else { threads };
                    let done = match &kernel {
                        Some(kernel) => self.dispatch(kernel, (&bound, &set), &params, grid, threads),
                        None => Err("a dispatch without a pipeline".into()),
                    };
                    failed = done.err().map(|detail| (3, detail));
                }
                (Command::Copy(from, to, bytes), None) => {
                    world.summary.copies += 1;
                    failed = self.copy(&from, &to, bytes).err().map(|detail| (3, detail));
                }
                (Command::Fill(Buffer::Private(memory, _), offset, bytes, value), None) => {
                    failed = self.emulated.fill(&memory, offset, bytes, value).err().map(|error| (3, error.detail));
                }
                (Command::Fill(..), None) => failed = Some((9, "a fill of memory that is not private".into())),
                (Command::BeginBlit | Command::End | Command::Wait(..), None) => {}
            }
        }
        world.count += 1;
        world.summary.command_buffers += 1;
        let status = failed.map_or(Status::Done, |(code, detail)| Status::Failed { code, detail });
        *committed.status.lock().expect("no thread panics with it") = Some(status);
        true
    }

    fn dispatch(
        &self,
        kernel: &EmulatedKernel,
        (bound, set): Bound<'_>,
        params: &[u8],
        grid: [u32; 3],
        threads: u32,
    ) -> std::result::Result<(), String> {
        let declared = kernel.metal().map_or(&[][..], |signature| &signature.arguments);
        let has = |index: usize| declared.iter().any(|argument| argument.index == index);
        if let Some(index) = set.iter().find(|index| !has(**index)) {
            return Err(format!("a buffer at index {index}, which the kernel does not have"));
        }
        let mut arguments = Vec::with_capacity(INDICES);
        for (index, buffer) in bound.iter().enumerate() {
            arguments.push(match buffer {
                Some((Buffer::Private(memory, _), offset)) => {
                    Some(Argument { memory: memory.as_ref(), offset: *offset })
                }
                Some(_) => return Err(format!("a kernel's buffer {index} is not private")),
                None => None,
            });
        }
        self.emulated.launch_at(kernel, grid, threads, &arguments, params).map_err(|error| error.detail)
    }

    fn copy(&self, from: &(Buffer, u64), to: &(Buffer, u64), bytes: u64) -> std::result::Result<(), String> {
        if [from.1, to.1, bytes].iter().any(|number| !number.is_multiple_of(4)) || bytes == 0 {
            return Err(format!("a copy of {bytes} bytes from {} to {}", from.1, to.1));
        }
        let done = match (from, to) {
            ((Buffer::Private(source, _), at), (Buffer::Private(target, _), to)) => {
                self.emulated.copy(source, *at, target, *to, bytes)
            }
            ((Buffer::Private(source, _), at), (host, to)) => {
                // SAFETY: shared memory that the copy may write by the contract of `Layer`.
                let host = unsafe { host_bytes(host, *to, bytes)?.as_mut() };
                self.emulated.download(source, *at, host.ok_or("no host memory")?)
            }
            ((host, at), (Buffer::Private(target, _), to)) => {
                // SAFETY: as above, to be read.
                let host = unsafe { host_bytes(host, *at, bytes)?.as_ref() };
                self.emulated.upload(target, *to, host.ok_or("no host memory")?)
            }
            _ => return Err("a copy between two shared buffers".into()),
        };
        done.map_err(|error| error.detail)
    }
}

pub(super) fn get(status: &Arc<Mutex<Option<Status>>>) -> Option<Status> {
    status.lock().expect("no thread panics with it").clone()
}

/// Bytes of memory that the host sees.
fn host_bytes(buffer: &Buffer, offset: u64, bytes: u64) -> std::result::Result<*mut [u8], String> {
    let (start, length) = match buffer {
        Buffer::Shared(host, _) => (host.start, host.words * 8),
        Buffer::Lent(pages) => (pages.start, pages.bytes),
        Buffer::Private(..) => return Err("private memory is not the host's".into()),
    };
    if offset + bytes > length as u64 {
        return Err(format!("{bytes} bytes at {offset} of a buffer of {length}"));
    }
    Ok(std::ptr::slice_from_raw_parts_mut(start.wrapping_add(offset as usize), bytes as usize))
}
