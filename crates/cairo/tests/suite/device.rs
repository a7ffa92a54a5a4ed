//! Backends as values.

use std::sync::Arc;

use backend_cpu::CpuOptions;
use gpu_hal::CircleStark;
use gpu_hal::erased::{Device, DeviceFrom as _};
use hal_conformance::left_out_without_backend;

/// The processor's.
pub(crate) fn cpu() -> Arc<Device<CircleStark>> {
    Arc::new(CircleStark::device(&CpuOptions::default()).unwrap())
}

/// The backend that `POLYSTARK_BACKEND` names, `cpu` or `cuda`: for what takes minutes on two cores. If it names none
/// of them, standard error says what is left out.
pub(crate) fn named_or_skip(what: &str) -> Option<Arc<Device<CircleStark>>> {
    match std::env::var("POLYSTARK_BACKEND").unwrap_or_default().as_str() {
        "cpu" => Some(cpu()),
        "cuda" => Some(Arc::new(CircleStark::device(&backend_cuda::Options::default()).unwrap())),
        _ => {
            left_out_without_backend(what);
            None
        }
    }
}
