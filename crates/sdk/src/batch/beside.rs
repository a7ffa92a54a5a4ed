//! The loading of a statement's data, and the work of a device that does not wait for them.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use gpu_hal::{CancelToken, ErrorKind, HalError};
use tracing::Span;
use tracing::dispatcher::{get_default, with_default};

use crate::error::Error;
use crate::stage::{Follow, Stage};

/// How long nobody asks the follower, at most.
const PATIENCE: Duration = Duration::from_millis(50);
/// As much as a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// The loading of data, as the work beside it sees it.
#[derive(Debug, Default)]
pub struct Loading {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Loading {
    /// Waits until the data are there, or are not going to be, but no longer than `most`; says whether it is over.
    pub fn wait(&self, most: Duration) -> bool {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        // An assignment is all that changes it.
        *self.changed.wait_timeout_while(is_over, most, |over| !*over).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Whether the data are there, or are not going to be.
    pub fn is_over(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

/// Ends the work beside a loading that fails or panics.
struct EndOnDrop<'a> {
    loading: &'a Loading,
    stop: &'a CancelToken,
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.stop.stop();
        self.loading.end();
    }
}

/// Loads data on this thread, while a device does `ahead` on another, which does not need them. Returns both results:
/// what fails on the device does not hide what a program printed.
///
/// If the loading fails, operations of a device that are at work are stopped, and their errors do not count: so the
/// error is the same, however far the device was. Once the data are there, `follow` is asked again and again whether to
/// wait for the device, in [`Stage::Columns`]. On a thread of a rayon pool one comes after the other.
///
/// # Errors
/// Those of `load`; [`Error::Cancelled`].
///
/// # Panics
/// If `ahead`, `load` or `follow` does.
pub fn load_beside<L, A, E>(
    ahead: impl FnOnce(&Loading) -> Result<A, E> + Send,
    load: impl FnOnce() -> Result<L, E>,
    follow: &Follow<'_>,
) -> Result<(L, Result<A, E>), E>
where
    A: Send,
    E: From<Error> + Send,
{
    let (loading, stop) = (Loading::default(), CancelToken::below_here());
    // A thread of a pool that waits would keep the device on the processor from its pool.
    if rayon::current_thread_index().is_some() {
        let loaded = load()?;
        loading.end();
        return Ok((loaded, ahead(&loading)));
    }
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let (log, span, under, seen) = (get_default(Clone::clone), Span::current(), stop.clone(), &loading);
        let work = move || {
            // It is dropped when the work has ended, by a panic, too.
            let _done = done;
            with_default(&log, || span.in_scope(|| under.over(|| ahead(seen))))
        };
        let working = Builder::new().name("ahead".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let working = working.map_err(|error| {
            let detail = "no thread can be started beside the run: end other programs, or allow more threads";
            Error::from(HalError::new(ErrorKind::Unavailable, "prove", detail).with_source(error))
        })?;
        let end = EndOnDrop { loading: &loading, stop: &stop };
        let loaded = load()?;
        loading.end();
        let mut patience = Duration::ZERO;
        while is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            if let ControlFlow::Break(()) = follow(Stage::Columns) {
                return Err(Error::Cancelled(Stage::Columns).into());
            }
            patience = PATIENCE;
        }
        let made = working.join().unwrap_or_else(|panic| resume_unwind(panic));
        drop(end);
        Ok((loaded, made))
    })
}
