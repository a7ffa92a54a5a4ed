//! Machines without the device.

use gpu_hal::{ErrorKind, Result};

use crate::left_out::left_out;

/// The variable that turns a skip into a failure.
const REQUIRE: &str = "POLYSTARK_REQUIRE_BACKEND";

/// The backend, or `None` where its device is not available: then standard error says so.
///
/// # Panics
/// If the device is not available but `POLYSTARK_REQUIRE_BACKEND` names the backend, and on every other error: a
/// backend that is there and does not start is broken.
pub fn require_or_skip<B>(name: &str, backend: Result<B>) -> Option<B> {
    decide(name, backend, std::env::var(REQUIRE).ok().as_deref())
}

fn decide<B>(name: &str, backend: Result<B>, required: Option<&str>) -> Option<B> {
    let error = match backend {
        Ok(backend) => return Some(backend),
        Err(error) => error,
    };
    let is_required = required.unwrap_or("").split(',').any(|wanted| wanted.trim() == name);
    if error.kind != ErrorKind::Unavailable {
        panic!("backend '{name}' does not start: {error}");
    }
    if is_required {
        panic!("backend '{name}' is required by {REQUIRE} but not available: {error}");
    }
    left_out(format_args!("tests of the backend '{name}', which is not available: {error}"));
    None
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use gpu_hal::HalError;

    use super::*;

    fn error(kind: ErrorKind) -> Result<u8> {
        Err(HalError::new(kind, "open device", "no device"))
    }

    #[test]
    fn a_backend_without_device_is_skipped_unless_required() {
        assert_eq!(decide("cuda", Ok(3), Some("cuda")), Some(3));
        assert_eq!(decide("cuda", error(ErrorKind::Unavailable), None), None);
        assert_eq!(decide("cuda", error(ErrorKind::Unavailable), Some("metal,cud")), None);
        assert!(catch_unwind(|| decide("cuda", error(ErrorKind::Unavailable), Some("metal, cuda"))).is_err());
    }

    #[test]
    fn a_backend_that_fails_to_start_is_no_skip() {
        assert!(catch_unwind(|| decide("cuda", error(ErrorKind::KernelBuild), None)).is_err());
    }
}
