//! A shared library with two devices, each of which is a thread of the processor:
//! `--backend libtwo_devices.so --devices 2`.

use backend_cpu::CpuOptions;
use backend_library::OpenOptions;
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::{ErrorKind, HalError, Result};

fn open<P: DeviceFrom<CpuOptions>>(options: &OpenOptions) -> Result<Device<P>> {
    match options.device {
        None | Some(0 | 1) => P::device(&CpuOptions { threads: Some(1), ..CpuOptions::default() }),
        Some(number) => {
            Err(HalError::new(ErrorKind::Unavailable, "open", format!("there is no device {number}: there are 2")))
        }
    }
}

fn names() -> Vec<String> {
    ["first", "second"].map(str::to_owned).into()
}

backend_library::export!(goldilocks: open, circle: open, devices: names);
