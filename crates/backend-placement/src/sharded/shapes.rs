//! Plans: a proof is gone through on shapes of every device, so that a plan knows the tables on each of them.

use std::sync::Arc;

use gpu_hal::rehearsal::{Prepared, Rehearsal};
use gpu_hal::{Operations, Rehearse};

use crate::{Sharded, ShardedProgram};

impl<S> Rehearse for Sharded<S>
where
    S: Rehearse<Of: Operations<T = <S as Rehearse>::TypesOf>>,
{
    type Of = Sharded<S::Of>;
    type TypesOf = Sharded<S::Of>;

    fn of(backend: Arc<Sharded<S::Of>>) -> Self {
        backend.rehearsed(S::of_all(backend.devices()))
    }

    fn program(program: &Arc<Prepared<Sharded<S::Of>>>) -> ShardedProgram<S> {
        let of_device =
            |on: &Arc<Prepared<S::TypesOf>>| Arc::new(Prepared { program: S::program(on), source: on.source.clone() });
        ShardedProgram(program.program.0.iter().map(of_device).collect())
    }

    fn enter(&self, part: &'static str) {
        self.devices().iter().for_each(|device| device.enter(part));
    }

    /// The figures of the fullest device, times the number of devices; the steps are the first device's, which has some
    /// of every operation. Moved bytes are added up, as if all devices had most in the host's memory at the same time:
    /// nobody knows which of them is ahead.
    fn finish(&self) -> Rehearsal {
        let mut all = self.devices()[0].finish();
        for (number, other) in self.devices().iter().enumerate().skip(1).map(|(at, device)| (at, device.finish())) {
            if other.peak_bytes > all.peak_bytes {
                (all.peak_bytes, all.peak_at) = (other.peak_bytes, other.peak_at);
            }
            all.live_bytes = all.live_bytes.max(other.live_bytes);
            // Another part of a device says the same of it.
            if number < self.reals() {
                all.spill = all.spill.zip(other.spill).map(|(one, other)| one.plus(other));
            }
        }
        let count = self.count() as u64;
        all.peak_bytes = all.peak_bytes.saturating_mul(count);
        all.live_bytes = all.live_bytes.saturating_mul(count);
        all
    }
}
