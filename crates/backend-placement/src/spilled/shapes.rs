//! Plans: a proof is gone through on shapes, which are moved as the tables will be.

use std::sync::Arc;

use gpu_hal::decorate::Rehearsed;
use gpu_hal::rehearsal::{Prepared, Rehearsal};
use gpu_hal::{Operations, Rehearse};

use super::room::DeviceMemory;
use crate::Spilled;

impl<O: Operations> Rehearse for Spilled<Rehearsed<O>> {
    type Of = Spilled<O>;

    fn of(backend: Arc<Spilled<O>>) -> Self {
        backend.like(shapes_of(&backend.room, 1))
    }

    /// Parts of one device are that in the rehearsal, too.
    fn of_all(backends: &[Arc<Spilled<O>>]) -> Vec<Self> {
        type Pair<O> = (Arc<DeviceMemory<O>>, Arc<DeviceMemory<Rehearsed<O>>>);
        let mut rooms: Vec<Pair<O>> = Vec::new();
        let mut of_one = |backend: &Arc<Spilled<O>>| {
            let is_its = |room: &Arc<DeviceMemory<O>>| Arc::ptr_eq(&backend.room, room);
            let known = rooms.iter().find(|(known, _)| is_its(known)).map(|(_, shapes)| shapes.clone());
            backend.like(known.unwrap_or_else(|| {
                let parts = backends.iter().filter(|other| is_its(&other.room)).count();
                let shapes = shapes_of(&backend.room, parts as u64);
                rooms.push((backend.room.clone(), shapes.clone()));
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
        self.room.lock().part = part;
    }

    /// A part has its share of the bytes, so that all of them have all of it, and all that is moved.
    fn finish(&self) -> Rehearsal {
        let found = self.inner().finish();
        let (parts, mut state) = (self.room.parts, self.room.lock());
        let tally = &mut state.tally;
        let live = tally.device + tally.host;
        let (peak_bytes, live_bytes) = (tally.peak.div_ceil(parts), live.div_ceil(parts));
        let (peak_at, spill) = (tally.peak_at, Some(tally.spill));
        tally.peak = live + tally.kept;
        Rehearsal { peak_bytes, peak_at, live_bytes, spill, ..found }
    }
}

/// The room of a rehearsal, of this many parts.
fn shapes_of<O: Operations>(room: &DeviceMemory<O>, parts: u64) -> Arc<DeviceMemory<Rehearsed<O>>> {
    let inner = Arc::new(Rehearsed::new(room.inner.clone()));
    DeviceMemory::new(inner, room.limit, parts, room.budget.clone())
}
