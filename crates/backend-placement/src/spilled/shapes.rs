//! Plans: a proof is gone through on shapes, which are moved as the tables will be.

use std::sync::Arc;

use gpu_hal::{Operations, Prepared, Rehearsal, Rehearse, Rehearsed};

use super::room::Room;
use crate::Spilled;

impl<O: Operations> Rehearse for Spilled<Rehearsed<O>> {
    type Of = Spilled<O>;

    fn of(backend: Arc<Spilled<O>>) -> Self {
        let inner = Arc::new(Rehearsed::new(backend.inner.clone()));
        let room = backend.room.as_ref().map(|room| Room::new(inner.clone(), room.limit, 1, room.budget.clone()));
        backend.like(inner, room)
    }

    /// Parts of one device are that in the rehearsal, too.
    fn of_all(backends: &[Arc<Spilled<O>>]) -> Vec<Self> {
        type Pair<O> = (Arc<Room<O>>, Arc<Room<Rehearsed<O>>>);
        let mut rooms: Vec<Pair<O>> = Vec::new();
        let is_of = |backend: &Spilled<O>, room: &Arc<Room<O>>| {
            backend.room.as_ref().is_some_and(|other| Arc::ptr_eq(other, room))
        };
        let mut of_one = |backend: &Arc<Spilled<O>>| {
            let Some(room) = &backend.room else { return Self::of(backend.clone()) };
            let known = rooms.iter().find(|(known, _)| is_of(backend, known)).map(|(_, rehearsed)| rehearsed.clone());
            let rehearsed = known.unwrap_or_else(|| {
                let parts = backends.iter().filter(|other| is_of(other, room)).count() as u64;
                let inner = Arc::new(Rehearsed::new(room.inner.clone()));
                let rehearsed = Room::new(inner, room.limit, parts, room.budget.clone());
                rooms.push((room.clone(), rehearsed.clone()));
                rehearsed
            });
            backend.like(rehearsed.inner.clone(), Some(rehearsed))
        };
        backends.iter().map(&mut of_one).collect()
    }

    fn program(program: &Arc<Prepared<Spilled<O>>>) -> Arc<Prepared<Rehearsed<O>>> {
        let of_inner = &program.program;
        Arc::new(Prepared { program: of_inner.clone(), source: of_inner.source.clone() })
    }

    fn enter(&self, part: &'static str) {
        self.inner.enter(part);
        if let Some(room) = &self.room {
            room.lock().part = part;
        }
    }

    /// A part has its share of the bytes, so that all of them have all of it, and all that is moved.
    fn finish(&self) -> Rehearsal {
        let mut found = self.inner.finish();
        if let Some(room) = &self.room {
            let mut state = room.lock();
            let tally = &mut state.tally;
            let live = tally.device + tally.host;
            found.peak_bytes = tally.peak.div_ceil(room.parts);
            found.peak_at = tally.peak_at;
            found.live_bytes = live.div_ceil(room.parts);
            found.spill = Some(tally.spill);
            tally.peak = live + tally.kept;
        }
        found
    }
}
