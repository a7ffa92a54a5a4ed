//! Runs of one test on one backend.

use backend_reference::CpuReference;
use gpu_hal::{Protocol, Result, StarkBackend};

use crate::suite::Find;
use crate::{Suite, TestProtocol, require_or_skip, tests};

/// Runs one of the [`crate::tests`], by its name, on a backend, against the protocol's default reference.
/// [`crate::goldilocks!`] expands to calls of this.
///
/// # Panics
/// As [`run_with_reference`].
pub fn run<P: TestProtocol, B: StarkBackend<P = P>>(name: &str, make: impl FnOnce() -> Result<B>, test: &str) {
    run_with_reference(name, make, || Ok(CpuReference::<P>::new()), test);
}

/// The protocol of the backend is the one that the macro's name says. It needs no device.
///
/// # Panics
/// If it is another.
pub fn is_of_protocol<B: StarkBackend>(name: &str, _make: impl FnOnce() -> Result<B>, protocol: &str) {
    assert_eq!(B::P::NAME, protocol, "'{name}' is a backend of another protocol: use the other macro");
}

/// Runs one of the [`crate::tests`], by its name, on a backend, against another. Skips it where the backend's device is
/// not available.
///
/// # Panics
/// If the test fails, or there is none of that name.
pub fn run_with_reference<P: TestProtocol, B: StarkBackend<P = P>, R: StarkBackend<P = P>>(
    name: &str,
    make: impl FnOnce() -> Result<B>,
    reference: impl FnOnce() -> Result<R>,
    test: &str,
) {
    let Some(backend) = require_or_skip(name, make()) else {
        return;
    };
    let reference = reference().unwrap_or_else(|error| panic!("the reference of '{name}' does not start: {error}"));
    let finders = tests::finders();
    let find = finders.iter().find_map(|find| find.downcast_ref::<Find<P>>());
    let run = find.and_then(|find| find(test)).unwrap_or_else(|| panic!("there is no test '{test}'"));
    run(&Suite::new(name, backend, reference));
}
