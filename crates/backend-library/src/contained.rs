//! A backend that a program with another standard library can call.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use gpu_hal::decorate::{Call, Hook, Hooked};
use gpu_hal::erased::Device;
use gpu_hal::op::Outcome;
use gpu_hal::{ErrorKind, ErrorSite, HalError, Protocol, Result, StarkBackend};

use crate::allocator::stop_here;
use crate::contract::OpenOptions;

/// Opens a device whose operations do not panic, and end when the program's thread is told to.
///
/// # Errors
/// The errors of `open`, and [`ErrorKind::Backend`] if it panics.
pub fn contained<P: Protocol, B: StarkBackend<P = P>>(
    options: &OpenOptions,
    open: impl FnOnce(&OpenOptions) -> Result<B>,
) -> Result<Device<P>> {
    let backend = caught("open", || open(options))?;
    Ok(Device::new(Arc::new(Hooked::with_hook(backend, Contained))))
}

/// The names of the devices; none if asking for them panics. Opening one says why there are none.
pub fn names(ask: impl FnOnce() -> Vec<String>) -> Vec<String> {
    caught("devices", || Ok(ask())).unwrap_or_default()
}

/// The hook around each operation.
struct Contained;

impl<B: StarkBackend> Hook<B> for Contained {
    fn around<R>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        _outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        // The flag of the program's thread is one of this copy's, too, for as long as the operation runs.
        stop_here().over(|| caught(call.operation, run))
    }
}

/// Turns a panic into an error: the program's standard library does not know panics of this one.
fn caught<R>(site: impl Into<ErrorSite>, run: impl FnOnce() -> Result<R>) -> Result<R> {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word");
        let detail = format!("the library of the backend panicked: {said}; this is a fault of the library");
        Err(HalError::new(ErrorKind::Backend, site, detail))
    })
}

#[cfg(test)]
mod tests {
    use gpu_hal::Operation;

    use super::*;

    #[test]
    fn a_panic_is_an_error_that_names_the_operation() {
        assert_eq!(caught(Operation::Grind, || Ok(7)).expect("no panic"), 7);
        for (said, run) in
            [("number 3", (|| panic!("number {}", 3)) as fn() -> Result<u32>), ("plain", || panic!("plain"))]
        {
            let error = caught(Operation::Grind, run).expect_err("a panic");
            assert_eq!((error.kind, error.op), (ErrorKind::Backend, Operation::Grind.into()));
            assert!(error.detail.contains(&format!("panicked: {said};")), "{error}");
        }
        let error = caught::<u32>("root", || panic::panic_any(3)).expect_err("a panic");
        assert!(error.detail.contains("without a word"), "{error}");
    }
}
