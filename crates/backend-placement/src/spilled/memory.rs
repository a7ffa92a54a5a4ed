//! The memory of a device, and its part that is in the host's for now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpu_hal::rehearsal::{PeakLocation, Spill};
use gpu_hal::stash::{Stash, Stored};
use gpu_hal::{Budget, Bytes, DeviceTree, ErrorKind, Footprint, HalError, Operation, Operations, Result, Shape, Types};

/// The state that [`crate::Spilled`]s share if they are parts of one device.
pub(crate) struct DeviceMemory<O: Operations> {
    pub(crate) inner: Arc<O>,
    /// Bytes of the device that may be taken.
    pub(crate) limit: u64,
    /// How many parts there are.
    pub(crate) parts: u64,
    pub(crate) budget: Budget,
    state: Mutex<State<O::T>>,
}

/// Everything that is live, and its bytes.
pub(crate) struct State<T: Types> {
    entries: BTreeMap<u64, Entry<T>>,
    next: u64,
    /// Counts operations.
    now: u64,
    /// Log2 of the points of the largest domain so far.
    log_domain: u32,
    pub(crate) bytes: ByteCounts,
    /// The name that a rehearsal was told last.
    pub(crate) part: &'static str,
}

/// Bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteCounts {
    /// Live on the device.
    pub(crate) device: u64,
    /// Live in the host's memory.
    pub(crate) host: u64,
    /// Kept by the backend for all statements.
    pub(crate) kept: u64,
    /// Highest sum of all.
    pub(crate) peak: u64,
    pub(crate) peak_at: PeakLocation,
    pub(crate) spill: Spill,
}

struct Entry<T: Types> {
    kind: EntryKind,
    bytes: u64,
    /// The operation that used it last.
    used: u64,
    state: EntryState<T>,
}

#[derive(Clone, Copy)]
enum EntryKind {
    Table(Shape),
    Tree { log_leaves: u32 },
}

enum EntryState<T: Types> {
    Table(T::Buffer),
    Tree(T::Tree),
    Host(Stash),
    /// An operation has it, which changes it.
    Lent,
}

impl<T: Types> Entry<T> {
    fn is_here(&self) -> bool {
        !matches!(self.state, EntryState::Host(_))
    }
}

/// The needs of an operation.
#[derive(Debug, Default)]
pub(crate) struct MemoryNeeds {
    /// Tables and trees that it reads or changes, by number.
    pub(crate) uses: BTreeSet<u64>,
    /// Bytes of its results.
    pub(crate) makes: u64,
    /// Bytes that it takes while it runs.
    pub(crate) meanwhile: u64,
    /// Log2 of the points of its largest domain.
    pub(crate) log_domain: u32,
    /// Whether an argument is of another device.
    pub(crate) has_foreign: bool,
}

impl<O: Operations> DeviceMemory<O> {
    pub(crate) fn new(inner: Arc<O>, limit: u64, parts: u64, budget: Budget) -> Arc<Self> {
        let peak_at = PeakLocation { part: "", operation: Operation::Sync };
        let bytes = ByteCounts { device: 0, host: 0, kept: 0, peak: 0, peak_at, spill: Spill::default() };
        let state = State { entries: BTreeMap::new(), next: 0, now: 0, log_domain: 0, bytes, part: "" };
        Arc::new(Self { inner, limit, parts, budget, state: Mutex::new(state) })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State<O::T>> {
        // An operation that panicked has taken the table that it changes, and is not going to give it back: a later
        // use of it is an error.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets something that nobody has any more.
    pub(crate) fn release(&self, number: u64) {
        let mut state = self.lock();
        let Some(entry) = state.entries.remove(&number) else { return };
        match entry.is_here() {
            true => state.bytes.device -= entry.bytes,
            false => state.bytes.host -= entry.bytes,
        }
    }

    fn kept(&self, log_domain: u32) -> u64 {
        self.inner.footprint(&Footprint::Kept { log_domain })
    }

    /// Bytes that must be on the device at once, however many tables are moved.
    fn at_once(&self, state: &State<O::T>, takes: &MemoryNeeds) -> u64 {
        let stays = |(number, entry): &(&u64, &Entry<O::T>)| {
            takes.uses.contains(number)
                || (matches!(entry.kind, EntryKind::Tree { .. }) && !self.inner.placement().stashes_trees)
        };
        let live: u64 = state.entries.iter().filter(stays).map(|(_, entry)| entry.bytes).sum();
        let kept = self.kept(takes.log_domain.max(state.log_domain));
        live.saturating_add(takes.makes).saturating_add(takes.meanwhile).saturating_add(kept)
    }

    /// Whether an operation can run, with nothing on the device that it does not need.
    pub(crate) fn fits(&self, takes: &MemoryNeeds) -> bool {
        self.at_once(&self.lock(), takes) <= self.limit
    }

    /// Makes room for an operation, and brings its inputs.
    pub(crate) fn prepare(&self, state: &mut State<O::T>, operation: Operation, takes: &MemoryNeeds) -> Result<()> {
        let error = |kind, detail| HalError::new(kind, operation, detail);
        if takes.has_foreign || takes.uses.iter().any(|number| !state.entries.contains_key(number)) {
            return Err(error(ErrorKind::Backend, "an argument is of another device".to_owned()));
        }
        let at_once = self.at_once(state, takes);
        if at_once > self.limit {
            let detail = format!(
                "it takes {} at once, and the device has {}, with all else in the host's memory: prove fewer rows, lower the blowup or take a \
                 larger device",
                Bytes(at_once),
                Bytes(self.limit)
            );
            return Err(error(ErrorKind::OutOfMemory, detail));
        }
        state.log_domain = state.log_domain.max(takes.log_domain);
        state.bytes.kept = self.kept(state.log_domain);
        let away: Vec<u64> = takes.uses.iter().copied().filter(|number| !state.entries[number].is_here()).collect();
        let coming: u64 = away.iter().map(|number| state.entries[number].bytes).sum();
        let wanted = takes.makes + takes.meanwhile + coming + state.bytes.kept;
        while state.bytes.device + wanted > self.limit {
            let idle = state.entries.iter().filter(|(number, entry)| {
                entry.is_here() && !takes.uses.contains(number) && self.can_leave(entry) && entry.bytes > 0
            });
            let Some((&number, _)) = idle.min_by_key(|(number, entry)| (entry.used, **number)) else {
                return Err(error(ErrorKind::OutOfMemory, "nothing is left that could be moved".to_owned()));
            };
            self.stash(state, number)?;
        }
        for number in away {
            self.restore(state, number)?;
        }
        state.now += 1;
        let now = state.now;
        for number in &takes.uses {
            if let Some(entry) = state.entries.get_mut(number) {
                entry.used = now;
            }
        }
        let part = state.part;
        state.bytes.note(takes.makes + takes.meanwhile, PeakLocation { part, operation });
        Ok(())
    }

    fn can_leave(&self, entry: &Entry<O::T>) -> bool {
        match entry.state {
            EntryState::Table(_) => true,
            EntryState::Tree(_) => self.inner.placement().stashes_trees,
            EntryState::Host(_) | EntryState::Lent => false,
        }
    }

    /// Moves something to the host's memory. After an error it is where it was.
    fn stash(&self, state: &mut State<O::T>, number: u64) -> Result<()> {
        let Some(entry) = state.entries.get_mut(&number) else { return Ok(()) };
        let stash = match (&entry.state, entry.kind) {
            (EntryState::Table(buffer), EntryKind::Table(shape)) => self.inner.stash(shape.map(|()| buffer))?,
            (EntryState::Tree(tree), _) => self.inner.stash_tree(tree)?,
            _ => return Ok(()),
        };
        entry.state = EntryState::Host(stash);
        // Until it is there whole, both places have it.
        let bytes = entry.bytes;
        let at = PeakLocation { part: state.part, operation: Operation::Download };
        state.bytes.host += bytes;
        state.bytes.moved(bytes);
        state.bytes.arrived(at);
        state.bytes.device -= bytes;
        Ok(())
    }

    /// Moves something back. After an error it is where it was.
    fn restore(&self, state: &mut State<O::T>, number: u64) -> Result<()> {
        let Some(entry) = state.entries.get_mut(&number) else { return Ok(()) };
        let EntryState::Host(stash) = &entry.state else { return Ok(()) };
        entry.state = match entry.kind {
            EntryKind::Table(shape) => EntryState::Table(self.inner.restore(stash, shape)?.data),
            EntryKind::Tree { log_leaves } => EntryState::Tree(self.inner.restore_tree(stash, log_leaves)?),
        };
        state.bytes.host -= entry.bytes;
        state.bytes.device += entry.bytes;
        state.bytes.moved(entry.bytes);
        Ok(())
    }
}

impl ByteCounts {
    /// `bytes` bytes were moved.
    pub(crate) fn moved(&mut self, bytes: u64) {
        self.spill.moved_bytes += bytes;
    }

    /// The host has something that the device has still.
    fn arrived(&mut self, at: PeakLocation) {
        self.spill.host_bytes = self.spill.host_bytes.max(self.host);
        let all = self.device + self.kept + self.host;
        if all > self.peak {
            self.peak = all;
            self.peak_at = at;
        }
    }

    /// An operation takes `takes` bytes of the device beside everything that is live.
    fn note(&mut self, takes: u64, at: PeakLocation) {
        let device = self.device + self.kept + takes;
        self.spill.device_bytes = self.spill.device_bytes.max(device);
        if device + self.host > self.peak {
            self.peak = device + self.host;
            self.peak_at = at;
        }
    }
}

impl<T: Types> State<T> {
    fn add(&mut self, kind: EntryKind, bytes: u64, state: EntryState<T>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.bytes.device += bytes;
        self.entries.insert(number, Entry { kind, bytes, used: self.now, state });
        number
    }

    /// A new table on the device.
    pub(crate) fn add_table(&mut self, table: gpu_hal::Table<T>, bytes: u64) -> u64 {
        let shape = Shape::new((), table.width, table.log_height);
        self.add(EntryKind::Table(shape), bytes, EntryState::Table(table.data))
    }

    /// A new tree on the device.
    pub(crate) fn add_tree(&mut self, tree: T::Tree, bytes: u64) -> u64 {
        self.add(EntryKind::Tree { log_leaves: tree.log_leaves() }, bytes, EntryState::Tree(tree))
    }

    /// Whether something is in the host's memory.
    pub(crate) fn is_away(&self, number: u64) -> bool {
        self.entries.get(&number).is_some_and(|entry| !entry.is_here())
    }

    /// A table that is in the host's memory, on a device.
    pub(crate) fn restored<O: Operations<T = T>>(
        &self,
        number: u64,
        device: &O,
        shape: Shape,
    ) -> Result<gpu_hal::Table<T>> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(EntryState::Host(stash)) => device.restore(stash, shape),
            _ => Err(gone()),
        }
    }

    /// A table that is on the device.
    pub(crate) fn table(&self, number: u64) -> Result<&T::Buffer> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(EntryState::Table(buffer)) => Ok(buffer),
            _ => Err(gone()),
        }
    }

    /// A tree that is on the device.
    pub(crate) fn tree(&self, number: u64) -> Result<&T::Tree> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(EntryState::Tree(tree)) => Ok(tree),
            _ => Err(gone()),
        }
    }

    /// A table where it is.
    pub(crate) fn stored_table(&self, number: u64) -> Result<Stored<'_, T::Buffer>> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(EntryState::Table(buffer)) => Ok(Stored::OnDevice(buffer)),
            Some(EntryState::Host(stash)) => Ok(Stored::OnHost(stash)),
            _ => Err(gone()),
        }
    }

    /// A tree where it is.
    pub(crate) fn stored_tree(&self, number: u64) -> Result<Stored<'_, T::Tree>> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(EntryState::Tree(tree)) => Ok(Stored::OnDevice(tree)),
            Some(EntryState::Host(stash)) => Ok(Stored::OnHost(stash)),
            _ => Err(gone()),
        }
    }

    /// A table that is on the device, for an operation that changes it and gives it back.
    pub(crate) fn lend(&mut self, number: u64) -> Result<T::Buffer> {
        let entry = self.entries.get_mut(&number).ok_or_else(gone)?;
        match std::mem::replace(&mut entry.state, EntryState::Lent) {
            EntryState::Table(buffer) => Ok(buffer),
            other => {
                entry.state = other;
                Err(gone())
            }
        }
    }

    /// Takes a lent buffer back.
    pub(crate) fn take_back(&mut self, number: u64, buffer: T::Buffer) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.state = EntryState::Table(buffer);
        }
    }
}

/// Something that is not where it should be: an operation that changed it panicked.
fn gone() -> HalError {
    HalError::new(ErrorKind::Backend, "spill", "a table or a tree was lost when an operation panicked")
}
