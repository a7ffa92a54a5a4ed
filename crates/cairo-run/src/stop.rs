//! A run that nobody wants any more is stopped.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two questions whether to go on.
const LOOK: Duration = Duration::from_millis(20);

/// A flag that stops runs from another thread: [`crate::Problem::Cancelled`]. All clones are one flag; it stays set.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Stops the runs that look at this flag: within some ten thousand steps, the turns of hints' loops included.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they are to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Calls `run`, which looks at the flag, on a thread of its own, and asks meanwhile on this one, fifty times a
    /// second, whether to go on. If not, the flag is set.
    ///
    /// # Panics
    /// If `run` or `goes_on` does.
    pub fn watch<T: Send>(&self, mut goes_on: impl FnMut() -> bool, run: impl FnOnce() -> T + Send) -> T {
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            // Owned by the closure: if `goes_on` panics, the run ends before the scope waits for it.
            let stop = StopOnDrop(self);
            let running = scope.spawn(move || {
                // It is dropped when the run has ended, by a panic, too.
                let _end = end;
                run()
            });
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if !self.is_stopped() && !goes_on() {
                    self.stop();
                }
            }
            std::mem::forget(stop);
            running.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

/// Sets a flag when it is dropped.
struct StopOnDrop<'a>(&'a StopFlag);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Ends when the flag is set, or after a minute.
    fn endless(stop: &StopFlag) -> bool {
        let begun = Instant::now();
        while !stop.is_stopped() && begun.elapsed() < Duration::from_secs(60) {
            thread::yield_now();
        }
        stop.is_stopped()
    }

    #[test]
    fn a_run_ends_when_it_is_not_to_go_on() {
        let (stop, mut asked) = (StopFlag::default(), 0);
        let goes_on = || {
            asked += 1;
            asked < 3
        };
        assert!(stop.watch(goes_on, || endless(&stop)) && asked == 3);
        let stop = StopFlag::default();
        assert_eq!(stop.watch(|| true, || 7), 7);
        assert!(!stop.is_stopped());
    }

    #[test]
    fn panics_end_both() {
        let stop = StopFlag::default();
        let asked = crate::caught(|| stop.watch(|| panic!("asked"), || endless(&stop)));
        assert!(asked.is_err() && stop.is_stopped());
        assert!(crate::caught(|| StopFlag::default().watch(|| true, || panic!("run"))).is_err());
    }
}
