//! The driver library and the devices it sees.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute};
use gpu_hal::Result;

use crate::error::{check, unavailable};

/// The oldest driver that has all that is called, as the driver counts: 1000 * major + 10 * minor.
const OLDEST: c_int = 12080;

/// A device, in words and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// Its number for [`crate::Options::ordinal`].
    pub ordinal: u32,
    /// The name that the driver gives it.
    pub name: String,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// The newest version of CUDA that the driver knows, major and minor.
    pub driver: (u32, u32),
}

/// Proof that the driver is loaded and started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    version: c_int,
}

impl Driver {
    /// Loads and starts the driver; once a process, also if it fails.
    pub(crate) fn load() -> Result<Self> {
        static VERSION: OnceLock<Result<c_int, (gpu_hal::ErrorKind, String)>> = OnceLock::new();
        let version = VERSION.get_or_init(|| start().map_err(|error| (error.kind, error.detail)));
        match version {
            Ok(version) => Ok(Self { version: *version }),
            Err((kind, detail)) => Err(gpu_hal::HalError::new(*kind, "open device", detail.clone())),
        }
    }

    /// Major and minor version of CUDA that it knows.
    pub(crate) fn version(self) -> (u32, u32) {
        ((self.version / 1000) as u32, (self.version % 1000 / 10) as u32)
    }

    pub(crate) fn devices(self) -> Result<Vec<DeviceSummary>> {
        let mut count = 0;
        // SAFETY: the driver is started; it writes one integer.
        check(unsafe { sys::cuDeviceGetCount(&mut count) }, "cuDeviceGetCount")?;
        if count == 0 {
            return Err(unavailable("the driver sees no device: see nvidia-smi and CUDA_VISIBLE_DEVICES"));
        }
        (0..count as u32).map(|ordinal| self.device(ordinal).map(|(_, summary)| summary)).collect()
    }

    /// A device by its number.
    pub(crate) fn device(self, ordinal: u32) -> Result<(CUdevice, DeviceSummary)> {
        let mut device = 0;
        let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: the driver is started; it writes one handle.
        let code = unsafe { sys::cuDeviceGet(&mut device, number) };
        check(code, "cuDeviceGet").map_err(|error| {
            let detail = format!("there is no device {ordinal}: {}", error.detail);
            unavailable(detail)
        })?;
        let mut name = [0 as c_char; 256];
        // SAFETY: the driver writes at most 256 bytes with a zero at their end.
        check(unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), 256, device) }, "cuDeviceGetName")?;
        name[255] = 0;
        // SAFETY: the last byte is zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let mut bytes = 0usize;
        // SAFETY: the driver writes one integer.
        check(unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, device) }, "cuDeviceTotalMem")?;
        use CUdevice_attribute as A;
        let capability = (
            attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let summary = DeviceSummary {
            ordinal,
            name,
            capability,
            memory_bytes: bytes as u64,
            multiprocessors: attribute(device, A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            driver: self.version(),
        };
        Ok((device, summary))
    }
}

/// A number that the driver knows of a device.
pub(crate) fn attribute(device: CUdevice, attribute: CUdevice_attribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: the driver writes one integer.
    check(unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) }, "cuDeviceGetAttribute")?;
    Ok(value.max(0) as u32)
}

fn start() -> Result<c_int> {
    // SAFETY: loading runs the initialisers of the library of that name, which is the system's driver.
    if !unsafe { sys::is_culib_present() } {
        return Err(unavailable(
            "no NVIDIA driver (libcuda.so) on this machine: install one, or use another backend; in a container, start it with the \
             GPU passed through",
        ));
    }
    let mut version = 0;
    // SAFETY: needs no start; writes one integer.
    check(unsafe { sys::cuDriverGetVersion(&mut version) }, "cuDriverGetVersion").map_err(at_start)?;
    if version < OLDEST {
        return Err(unavailable(format!(
            "the driver knows CUDA {}.{}, and {}.{} is needed: install a newer driver (release 570 or later)",
            version / 1000,
            version % 1000 / 10,
            OLDEST / 1000,
            OLDEST % 1000 / 10
        )));
    }
    // SAFETY: may be called at any time.
    check(unsafe { sys::cuInit(0) }, "cuInit").map_err(at_start)?;
    Ok(version)
}

/// Any failure while the driver starts means that it cannot be used here.
fn at_start(error: gpu_hal::HalError) -> gpu_hal::HalError {
    unavailable(error.detail)
}
