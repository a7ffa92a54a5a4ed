//! How an operation is ended before its time.

use alloc::sync::Arc;
use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::{ErrorKind, HalError, Operation, Result};

std::thread_local! {
    static HERE: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// A flag that ends operations. Once set it stays set.
///
/// It belongs to a thread, so that no operation and no backend between a prover and a device must hand it on:
/// [`Self::over`] runs something under it. Operations that this thread begins under it when it is set are
/// [`ErrorKind::Stopped`], and one that is at work looks at it between its parts, if the backend says
/// [`crate::Capabilities::stops`]. Results of such an operation mean nothing, and its caller gets the same error
/// instead.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    above: Option<CancelToken>,
}

impl CancelToken {
    /// Sets it.
    pub fn stop(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    pub fn is_stopped(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed) || self.0.above.as_ref().is_some_and(Self::is_stopped)
    }

    /// The flag that this thread is under; one that nobody sets, if it is under none. Backends ask where an operation
    /// begins, before they spread it over threads: a thread of a pool may be under the flag of another operation.
    pub fn here() -> Self {
        HERE.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// A flag that is set, too, when that of this thread is: for work that is handed to another thread.
    pub fn below_here() -> Self {
        Self(Arc::new(Flag { is_set: AtomicBool::new(false), above: HERE.with_borrow(Clone::clone) }))
    }

    /// Runs something under it on this thread.
    pub fn over<R>(&self, run: impl FnOnce() -> R) -> R {
        let _before = RestoreFlag(HERE.replace(Some(self.clone())));
        run()
    }

    /// Whether the flag of this thread is set.
    ///
    /// # Errors
    /// [`ErrorKind::Stopped`], of the operation.
    pub(crate) fn check(operation: Operation) -> Result<()> {
        if HERE.with_borrow(|stop| stop.as_ref().is_some_and(Self::is_stopped)) {
            return Err(HalError::new(ErrorKind::Stopped, operation, "whoever asked for it ended it"));
        }
        Ok(())
    }
}

/// The thread's earlier flag; it is set again at the end, after a panic too.
struct RestoreFlag(Option<CancelToken>);

impl Drop for RestoreFlag {
    fn drop(&mut self) {
        HERE.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_under_the_innermost_flag() {
        let (outer, inner) = (CancelToken::default(), CancelToken::default());
        let is_stopped = || CancelToken::check(Operation::Sync).is_err();
        outer.stop();
        outer.over(|| {
            assert!(is_stopped() && CancelToken::here().is_stopped());
            inner.over(|| assert!(!is_stopped() && !CancelToken::here().is_stopped()));
            std::panic::catch_unwind(|| inner.over(|| panic!("on purpose"))).expect_err("a panic");
            assert!(is_stopped());
            std::thread::scope(|scope| {
                scope.spawn(|| assert!(!is_stopped())).join().expect("no flag of another thread")
            });
        });
        assert!(!is_stopped());
    }

    #[test]
    fn a_flag_below_another_is_set_by_both() {
        let outer = CancelToken::default();
        let [below, other] = outer.over(|| [CancelToken::below_here(), CancelToken::below_here()]);
        other.stop();
        assert!(other.is_stopped() && !below.is_stopped() && !outer.is_stopped());
        outer.stop();
        assert!(below.is_stopped());
        assert!(!CancelToken::below_here().is_stopped(), "this thread is under no flag");
    }
}
