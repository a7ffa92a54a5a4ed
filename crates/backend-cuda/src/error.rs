//! Result codes as errors. Nothing here calls the driver: its own texts are missing exactly when they are needed.

use cudarc::driver::sys::CUresult;
use gpu_hal::{ErrorKind, HalError, Result};

/// An error of a set-up step: this machine lacks something.
pub(crate) fn unavailable(detail: impl Into<String>) -> HalError {
    HalError::new(ErrorKind::Unavailable, "open device", detail)
}

/// The error of every call after the one that found the device lost.
pub(crate) fn lost() -> HalError {
    HalError::new(ErrorKind::DeviceLost, "device", format!("an earlier call lost the device: {LOST}"))
}

/// The remedy for a lost device.
const LOST: &str = "CUDA gives this process no device any more: restart the program; if that fails, see nvidia-smi";

/// `Ok` for success; otherwise the failure of `call` and its remedy.
pub(crate) fn check(code: CUresult, call: &'static str) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(error(code, call)) }
}

fn error(code: CUresult, call: &'static str) -> HalError {
    use CUresult as C;
    let number = code as u32;
    let (kind, hint) = match code {
        C::CUDA_ERROR_OUT_OF_MEMORY => {
            (ErrorKind::OutOfMemory, "use a smaller statement, or end other programs on the device")
        }
        C::CUDA_ERROR_NO_DEVICE => {
            (ErrorKind::Unavailable, "no device is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES")
        }
        C::CUDA_ERROR_STUB_LIBRARY => (
            ErrorKind::Unavailable,
            "the toolkit's stub was loaded for the driver: take its folder 'stubs' out of LD_LIBRARY_PATH",
        ),
        C::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            (ErrorKind::Unavailable, "driver and kernel module differ: restart the machine after the driver's update")
        }
        C::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE | C::CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER => {
            (ErrorKind::Unavailable, "install a newer driver")
        }
        C::CUDA_ERROR_SYSTEM_NOT_READY
        | C::CUDA_ERROR_NOT_INITIALIZED
        | C::CUDA_ERROR_DEVICE_NOT_LICENSED
        | C::CUDA_ERROR_OPERATING_SYSTEM
        | C::CUDA_ERROR_INVALID_DEVICE => {
            (ErrorKind::Unavailable, "the driver does not start: see nvidia-smi and the system's log")
        }
        C::CUDA_ERROR_INVALID_IMAGE
        | C::CUDA_ERROR_INVALID_PTX
        | C::CUDA_ERROR_NO_BINARY_FOR_GPU
        | C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | C::CUDA_ERROR_JIT_COMPILER_NOT_FOUND
        | C::CUDA_ERROR_INVALID_SOURCE
        | C::CUDA_ERROR_NOT_FOUND => (
            ErrorKind::KernelBuild,
            "the driver does not take the kernels: it may be older than NVRTC; install a newer one",
        ),
        C::CUDA_ERROR_DEINITIALIZED
        | C::CUDA_ERROR_DEVICE_UNAVAILABLE
        | C::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | C::CUDA_ERROR_INVALID_CONTEXT
        | C::CUDA_ERROR_ECC_UNCORRECTABLE
        | C::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | C::CUDA_ERROR_CONTAINED
        | C::CUDA_ERROR_ILLEGAL_ADDRESS
        | C::CUDA_ERROR_LAUNCH_TIMEOUT
        | C::CUDA_ERROR_ASSERT
        | C::CUDA_ERROR_HARDWARE_STACK_ERROR
        | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | C::CUDA_ERROR_MISALIGNED_ADDRESS
        | C::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | C::CUDA_ERROR_INVALID_PC
        | C::CUDA_ERROR_LAUNCH_FAILED
        | C::CUDA_ERROR_EXTERNAL_DEVICE => (ErrorKind::DeviceLost, LOST),
        _ => (ErrorKind::Backend, "this is a defect of the backend or of the driver"),
    };
    HalError::new(kind, "device", format!("{call} gave {code:?} ({number}): {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_kinds_and_hints_without_a_driver() {
        let kind = |code| check(code, "cuTest").expect_err("not a success").kind;
        assert_eq!(kind(CUresult::CUDA_ERROR_OUT_OF_MEMORY), ErrorKind::OutOfMemory);
        assert_eq!(kind(CUresult::CUDA_ERROR_NO_DEVICE), ErrorKind::Unavailable);
        assert_eq!(kind(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS), ErrorKind::DeviceLost);
        assert_eq!(kind(CUresult::CUDA_ERROR_INVALID_IMAGE), ErrorKind::KernelBuild);
        assert_eq!(kind(CUresult::CUDA_ERROR_INVALID_VALUE), ErrorKind::Backend);
        check(CUresult::CUDA_SUCCESS, "cuTest").expect("a success");
        let text = check(CUresult::CUDA_ERROR_NO_DEVICE, "cuInit").expect_err("not a success").to_string();
        assert!(text.contains("cuInit gave CUDA_ERROR_NO_DEVICE (100)") && text.contains("nvidia-smi"), "{text}");
    }
}
