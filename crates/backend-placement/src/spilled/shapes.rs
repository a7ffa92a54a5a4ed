//! Plans: a proof is gone through on shapes, which are moved as the tables will be.

use std::sync::Arc;

use gpu_hal::decorate::Rehearsed;
use gpu_hal::rehearsal::{Prepared, Rehearsal};
use gpu_hal::{Operations, Rehearse};

use super::memory::DeviceMemory;
use crate::Spilled;

impl<O: Operations> Rehearse for Spilled<Rehearsed<O>> {
    type Of = Spilled<O>;
    type TypesOf = Spilled<O>;

    fn of(backend: Arc<Spilled<O>>) -> Self {
        backend.like(shapes_of(&backend.memory, 1))
    }

    /// Parts of one device are that in the rehearsal, too.
    fn of_all(backends: &[Arc<Spilled<O>>]) -> Vec<Self> {
        type Pair<O> = (Arc<DeviceMemory<O>>, Arc<DeviceMemory<Rehearsed<O>>>);
        let mut memories: Vec<Pair<O>> = Vec::new();
        let mut of_one = |backend: &Arc<Spilled<O>>| {
            let is_its = |memory: &Arc<DeviceMemory<O>>| Arc::ptr_eq(&backend.memory, memory);
            let known = memories.iter().find(|(known, _)| is_its(known)).map(|(_, shapes)| shapes.clone());
            backend.like(known.unwrap_or_else(|| {
                let parts = backends.iter().filter(|other| is_its(&other.memory)).count();
                let shapes = shapes_of(&backend.memory, parts as u64);
                memories.push((backend.memory.clone(), shapes.clone()));
                shapes
            }))
        };
        backends.iter().map(&mut of_one).collect()
    }

    fn program(program: &Arc<Prepared<Spilled<O>>>) -> Arc<Prepared<Rehearsed<O>>> {
        let of_inner = &program.program;
        Arc::new(Prepared { program: of_inner.clone(), source: of_inner.source.clone() })
    }

    fn enter(&self, part: &'static str) {
        self.inner().enter(part);
        self.memory.lock().part = part;
    }

    /// A part has its share of the bytes, so that all of them have all of it, and all that is moved.
    fn finish(&self) -> Rehearsal {
        let found = self.inner().finish();
        let (parts, mut state) = (self.memory.parts, self.memory.lock());
        let bytes = &mut state.bytes;
        let live = bytes.device + bytes.host;
        let (peak_bytes, live_bytes) = (bytes.peak.div_ceil(parts), live.div_ceil(parts));
        let (peak_at, spill) = (bytes.peak_at, Some(bytes.spill));
        bytes.peak = live + bytes.kept;
        Rehearsal { peak_bytes, peak_at, live_bytes, spill, ..found }
    }
}

/// The memory of a rehearsal, of this many parts.
fn shapes_of<O: Operations>(memory: &DeviceMemory<O>, parts: u64) -> Arc<DeviceMemory<Rehearsed<O>>> {
    let inner = Arc::new(Rehearsed::new(memory.inner.clone()));
    DeviceMemory::new(inner, memory.limit, parts, memory.budget.clone())
}
