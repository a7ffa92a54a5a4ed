//! The work queue: one command buffer is open, and takes all that is enqueued until the host wants a result.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use gpu_hal::{ErrorKind, HalError, Result};

use crate::error::{failed, lost};
use crate::layer::{Commands, Layer, Queue, Status};

/// Commands after which a command buffer goes to the GPU even though no one waits: else it would idle while the host
/// enqueues.
const MOST_COMMANDS: u32 = 512;

/// Command buffers whose end no one has seen; Metal has 64 of a queue at a time.
const MOST_RUNNING: usize = 32;

/// The open encoder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoder {
    None,
    Compute,
    Blit,
}

/// A command buffer that is filled.
struct Open<L: Layer> {
    commands: L::Commands,
    encoder: Encoder,
    count: u32,
}

/// A moment of a queue: the end of a command buffer, which sets the queue's event to the value.
pub struct MetalEvent<L: Layer> {
    queue: Queue,
    value: u64,
    commands: Arc<L::Commands>,
}

impl<L: Layer> Clone for MetalEvent<L> {
    fn clone(&self) -> Self {
        Self { queue: self.queue, value: self.value, commands: Arc::clone(&self.commands) }
    }
}

/// The state of the queue.
struct State<L: Layer> {
    open: Option<Open<L>>,
    /// Committed, and not seen done; the oldest first.
    running: VecDeque<Arc<L::Commands>>,
    /// The last values of the events.
    work: u64,
    uploads: u64,
    /// Why the device is of no use any more.
    lost: Option<String>,
}

/// The queues of a device.
pub(crate) struct Queues<L: Layer> {
    state: Mutex<State<L>>,
    patience: Duration,
}

/// An encoder of the open command buffer, for as long as no other thread may add to it.
pub(crate) struct Encoding<'a, L: Layer> {
    state: MutexGuard<'a, State<L>>,
}

impl<L: Layer> Encoding<'_, L> {
    /// The command buffer.
    pub(crate) fn commands(&mut self) -> &mut L::Commands {
        // `Queues::encode`, which makes this, opens one.
        &mut self.state.open.as_mut().expect("an open command buffer").commands
    }
}

impl<L: Layer> Queues<L> {
    /// Command buffers that run for longer than `patience` are given up.
    pub(crate) fn new(patience: Duration) -> Self {
        let state = State { open: None, running: VecDeque::new(), work: 0, uploads: 0, lost: None };
        Self { state: Mutex::new(state), patience }
    }

    /// A panic of another thread may have left a command buffer half filled: the device is of no use then.
    fn state(&self) -> Result<MutexGuard<'_, State<L>>> {
        let state = self.state.lock().map_err(|_| lost("a thread ended while it enqueued".into()))?;
        match &state.lost {
            Some(why) => Err(lost(why.clone())),
            None => Ok(state),
        }
    }

    /// An encoder of kernels.
    pub(crate) fn compute(&self, layer: &L) -> Result<Encoding<'_, L>> {
        self.encode(layer, Encoder::Compute)
    }

    /// An encoder of copies.
    pub(crate) fn blit(&self, layer: &L) -> Result<Encoding<'_, L>> {
        self.encode(layer, Encoder::Blit)
    }

    fn encode(&self, layer: &L, encoder: Encoder) -> Result<Encoding<'_, L>> {
        let mut state = self.state()?;
        if state.open.as_ref().is_some_and(|open| open.count >= MOST_COMMANDS) {
            state.commit();
        }
        let open = state.open(layer)?;
        open.count += 1;
        open.switch(encoder);
        Ok(Encoding { state })
    }

    /// The end of the enqueued work.
    pub(crate) fn record(&self, layer: &L) -> Result<MetalEvent<L>> {
        let mut state = self.state()?;
        state.work += 1;
        let value = state.work;
        let open = state.open(layer)?;
        open.switch(Encoder::None);
        open.commands.signal(Queue::Work, value);
        let commands = state.commit().ok_or_else(|| lost("a command buffer that was open is gone".into()))?;
        Ok(MetalEvent { queue: Queue::Work, value, commands })
    }

    /// Work enqueued from here on comes after a moment.
    pub(crate) fn wait(&self, layer: &L, moment: &MetalEvent<L>) -> Result<()> {
        let mut state = self.state()?;
        let open = state.open(layer)?;
        open.switch(Encoder::None);
        open.commands.wait(moment.queue, moment.value);
        Ok(())
    }

    /// Commits copies for the queue of uploads, which `fill` encodes: not before a moment.
    pub(crate) fn upload(
        &self,
        layer: &L,
        after: &MetalEvent<L>,
        fill: impl FnOnce(&mut L::Commands) -> Result<()>,
    ) -> Result<MetalEvent<L>> {
        let mut commands = layer.commands(Queue::Uploads).ok_or_else(no_commands)?;
        commands.wait(after.queue, after.value);
        commands.begin_blit();
        let filled = fill(&mut commands);
        commands.end();
        // Not committed, it does nothing.
        filled?;
        // Command buffers of the queue are committed in the order of their values.
        let mut state = self.state()?;
        state.uploads += 1;
        let value = state.uploads;
        commands.signal(Queue::Uploads, value);
        commands.commit();
        Ok(MetalEvent { queue: Queue::Uploads, value, commands: Arc::new(commands) })
    }

    /// Hands over the enqueued work and waits for all of it.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let running: Vec<_> = {
            let mut state = self.state()?;
            state.commit();
            state.running.iter().cloned().collect()
        };
        running.iter().try_for_each(|commands| self.watch(commands))
    }

    /// Waits for a moment, and for the work enqueued before it.
    pub(crate) fn finish(&self, moment: &MetalEvent<L>) -> Result<()> {
        let before: Vec<_> = {
            let state = self.state()?;
            let of = |commands: &&Arc<L::Commands>| !Arc::ptr_eq(commands, &moment.commands);
            state.running.iter().take_while(of).cloned().collect()
        };
        if moment.queue == Queue::Work {
            before.iter().try_for_each(|commands| self.watch(commands))?;
        }
        self.watch(&moment.commands)
    }

    /// GPU time between the ends of two moments.
    pub(crate) fn elapsed(&self, from: &MetalEvent<L>, to: &MetalEvent<L>) -> Result<Duration> {
        self.finish(from)?;
        self.finish(to)?;
        let seconds = to.commands.end_time() - from.commands.end_time();
        Ok(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
    }

    /// Waits for a command buffer, but not for ever: the watchdog.
    fn watch(&self, commands: &Arc<L::Commands>) -> Result<()> {
        let start = Instant::now();
        let result = loop {
            match commands.status() {
                Status::Done => break Ok(()),
                Status::Failed { code, detail } => break Err(failed(code, &detail)),
                Status::Running if start.elapsed() > self.patience => {
                    let detail = format!("a command buffer is not done after {:?}: given up", self.patience);
                    break Err(lost(detail));
                }
                // Most are done soon; a sleep takes longer than they do.
                Status::Running if start.elapsed() < Duration::from_micros(200) => thread::yield_now(),
                Status::Running => thread::sleep(Duration::from_micros(50)),
            }
        };
        let mut state = self.state()?;
        state.running.retain(|other| !Arc::ptr_eq(other, commands));
        if let Err(error @ HalError { kind: ErrorKind::DeviceLost, .. }) = &result {
            state.lost = Some(error.detail.clone());
        }
        result
    }
}

fn no_commands() -> HalError {
    lost("Metal gives no command buffer".into())
}

impl<L: Layer> State<L> {
    /// The command buffer that takes the next commands.
    fn open(&mut self, layer: &L) -> Result<&mut Open<L>> {
        let open = match self.open.take() {
            Some(open) => open,
            None => Open {
                commands: layer.commands(Queue::Work).ok_or_else(no_commands)?,
                encoder: Encoder::None,
                count: 0,
            },
        };
        Ok(self.open.insert(open))
    }

    /// Hands the open command buffer to the GPU.
    fn commit(&mut self) -> Option<Arc<L::Commands>> {
        let mut open = self.open.take()?;
        open.switch(Encoder::None);
        open.commands.commit();
        // Finished command buffers in front have nothing more to report; a failed one stays, for its waiters.
        while self.running.len() > MOST_RUNNING
            && self.running.front().is_some_and(|commands| commands.status() == Status::Done)
        {
            self.running.pop_front();
        }
        let commands = Arc::new(open.commands);
        self.running.push_back(Arc::clone(&commands));
        Some(commands)
    }
}

impl<L: Layer> Open<L> {
    fn switch(&mut self, to: Encoder) {
        if self.encoder == to {
            return;
        }
        if self.encoder != Encoder::None {
            self.commands.end();
        }
        match to {
            Encoder::None => {}
            Encoder::Compute => self.commands.begin_compute(),
            Encoder::Blit => self.commands.begin_blit(),
        }
        self.encoder = to;
    }
}
