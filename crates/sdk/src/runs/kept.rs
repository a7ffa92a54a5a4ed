//! Preprocessed columns that stay on a device for the runs that are proven next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use cairo::Version;
use cairo::ahead::columns;
use cairo::preprocessed::Variant;
use circle_proof::{CircleOptions, Suite};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::{GivenColumns, PreprocessedAhead};

use super::request::{CairoRequest, Columns, Prover};
use crate::batch::Loading;
use crate::devices::backend::AnyBackend;
use crate::error::Error;

type Backend = AnyBackend<CircleStark>;

/// The parameters of preprocessed columns: the variant, the blowup, the lifting and the suite.
type Key = (Variant, u32, Option<u32>, Suite);

fn key(variant: Variant, options: &CircleOptions) -> Key {
    (variant, options.log_blowup, options.lifting, options.suite)
}

/// Columns of further parameters that are made ahead take at most one in this many parts of the device's memory: they
/// may turn out to be in the way of a proof.
const FURTHER_PART: u64 = 16;
/// How often a thread that waits for its turn looks whether it still wants it.
const LOOK: Duration = Duration::from_millis(5);

/// The preprocessed columns that are on a device.
#[derive(Default)]
pub(super) struct KeptColumns {
    columns: Mutex<OnDevice>,
    /// A run is being made ready: from now on nothing is made ahead.
    proves: AtomicBool,
}

#[derive(Default)]
struct OnDevice {
    /// Columns of runs that are proven.
    kept: Vec<(Key, Columns)>,
    /// Columns that were made ahead. Their memory is promised, so they last no longer than until a run is made ready:
    /// that might wait for it.
    ahead: Vec<(Key, PreprocessedAhead<Backend>)>,
}

impl KeptColumns {
    /// Makes columns for a run that is being loaded, and drops those that were made `instead`. The time that it took;
    /// `None` if nothing is made ahead any more.
    pub(super) fn make_ahead(
        &self,
        backend: &Arc<Backend>,
        (variant, options): (Variant, &CircleOptions),
        instead: Option<Variant>,
        loading: &Loading,
    ) -> Result<Option<Duration>, Error> {
        let is_over = || self.proves.load(Ordering::SeqCst) || loading.is_over();
        let Some(mut on_device) = self.turn(is_over) else { return Ok(None) };
        let begun = Instant::now();
        let wrong = instead.map(|variant| key(variant, options));
        on_device.ahead.retain(|(key, _)| Some(*key) != wrong);
        let key = key(variant, options);
        let known = on_device.ahead.iter().map(|(key, _)| key).chain(on_device.kept.iter().map(|(key, _)| key));
        let (mut is_first, mut is_there) = (true, false);
        known.for_each(|known| (is_first, is_there) = (false, is_there || *known == key));
        if !is_there {
            let most = match is_first {
                true => u64::MAX,
                false => backend.memory()?.available.map_or(0, |available| available / FURTHER_PART),
            };
            let made = columns::<Version, _>(backend, variant, options, most)?;
            on_device.ahead.extend(made.map(|made| (key, made)));
        }
        Ok(Some(begun.elapsed()))
    }

    /// A prover of the run, with the columns that are there, or with new ones, which are kept then.
    pub(super) fn prover<'a>(&self, backend: &Arc<Backend>, request: &CairoRequest<'a>) -> Result<Prover<'a>, Error> {
        self.proves.store(true, Ordering::SeqCst);
        let key = key(request.variant, &request.options);
        let mut on_device = self.lock();
        let mut given = None;
        for (other, ahead) in std::mem::take(&mut on_device.ahead) {
            match other {
                other if other == key => given = Some(GivenColumns::Ahead(ahead)),
                // A guess at the variant that was wrong.
                (_, blowup, lifting, suite) if (blowup, lifting, suite) == (key.1, key.2, key.3) => drop(ahead),
                other => on_device.kept.push((other, ahead.into_shared())),
            }
        }
        if let Some((_, columns)) = on_device.kept.iter().find(|(known, _)| *known == key) {
            let columns = columns.clone();
            drop(on_device);
            return request.prover(backend, Some(GivenColumns::Shared(columns)));
        }
        // They are made under the lock: another run that needs them waits and has them then. A proof that is being made
        // needs no lock, so that memory that it holds comes back.
        let made = request.prover(backend, given)?;
        on_device.kept.push((key, made.preprocessed().clone()));
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, OnDevice> {
        // Columns that a panic left out can be made again.
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, when it is this thread's turn; `None` if that is not wanted any more.
    fn turn(&self, is_over: impl Fn() -> bool) -> Option<MutexGuard<'_, OnDevice>> {
        while !is_over() {
            match self.columns.try_lock() {
                Ok(on_device) => return Some(on_device).filter(|_| !is_over()),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()).filter(|_| !is_over()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// A run that is made ready before the lock is there takes the turn, after a panic, too.
    #[test]
    fn a_turn_that_comes_too_late_is_none() {
        let kept = KeptColumns::default();
        for is_poisoned in [false, true] {
            assert_eq!(kept.columns.is_poisoned(), is_poisoned);
            assert!(kept.turn(|| false).is_some());
            let is_over = AtomicBool::new(false);
            assert!(kept.turn(|| is_over.swap(true, Ordering::SeqCst)).is_none());
            let panics = || {
                let _columns = kept.lock();
                panic!("as a test wants it");
            };
            assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        }
    }
}
