//! NVRTC: kernel sources to machine code.

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::KernelSource;
use sha2::{Digest, Sha256};

use crate::error::unavailable;

/// The oldest compiler that is known to take the kernels.
const OLDEST: (u32, u32) = (12, 0);

/// The target of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Machine code for one architecture, 10 * major + minor of its compute capability.
    Cubin(u32),
    /// Text of a virtual architecture, which the driver or ptxas compiles.
    Ptx(u32),
}

/// A compiled source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Machine code or text, without a zero at the end.
    pub code: Vec<u8>,
}

/// The compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    version: (u32, u32),
    architectures: Vec<u32>,
}

impl Compiler {
    /// Loads NVRTC from the folders that the system's loader searches.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if it is not there or too old.
    pub fn find() -> Result<Self> {
        // SAFETY: loading runs the initialisers of the library of that name, which is NVIDIA's compiler.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            return Err(unavailable(
                "no NVRTC (libnvrtc.so): install the CUDA toolkit or the PyPI package nvidia-cuda-nvrtc, and name the library's \
                 folder in LD_LIBRARY_PATH",
            ));
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the compiler writes two integers.
        ok(unsafe { sys::nvrtcVersion(&mut major, &mut minor) }, "nvrtcVersion")?;
        let version = (major.max(0) as u32, minor.max(0) as u32);
        if version < OLDEST {
            return Err(unavailable(format!(
                "NVRTC {major}.{minor} is too old: install {}.{} or newer",
                OLDEST.0, OLDEST.1
            )));
        }
        let mut count = 0;
        // SAFETY: the compiler writes one integer.
        ok(unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) }, "nvrtcGetNumSupportedArchs")?;
        let mut list: Vec<c_int> = vec![0; count.max(0) as usize];
        // SAFETY: the list has room for as many integers as the compiler said.
        ok(unsafe { sys::nvrtcGetSupportedArchs(list.as_mut_ptr()) }, "nvrtcGetSupportedArchs")?;
        let mut architectures: Vec<u32> = list.into_iter().filter_map(|arch| u32::try_from(arch).ok()).collect();
        architectures.sort_unstable();
        Ok(Self { version, architectures })
    }

    /// Its version, major and minor.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The target for a device: its own machine code, or the text nearest below if the device is newer than the
    /// compiler.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] for a device that is too old for the compiler.
    pub fn target(&self, capability: (u32, u32)) -> Result<Target> {
        let own = 10 * capability.0 + capability.1;
        match self.architectures.iter().rev().find(|arch| **arch <= own) {
            Some(arch) if *arch == own => Ok(Target::Cubin(own)),
            Some(arch) => Ok(Target::Ptx(*arch)),
            None => Err(unavailable(format!(
                "NVRTC {}.{} does not compile for compute capability {}.{}: install an older one",
                self.version.0, self.version.1, capability.0, capability.1
            ))),
        }
    }

    /// A key that differs whenever the compiled code may.
    pub fn key(&self, source: &KernelSource, target: Target) -> String {
        let version = format!("{VERSION} {}.{}", self.version.0, self.version.1);
        key(&version, source, target).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Compiles a source.
    ///
    /// # Errors
    /// [`ErrorKind::KernelBuild`] with the compiler's messages.
    pub fn compile(&self, source: &KernelSource, target: Target) -> Result<Compiled> {
        let failed = |detail: String| HalError::new(ErrorKind::KernelBuild, "build kernel", detail);
        let zero = |_| failed(format!("the kernels '{}' have a zero byte in their text", source.name));
        let (text, name) =
            (CString::new(text(source)).map_err(zero)?, CString::new(format!("{}.cu", source.name)).map_err(zero)?);
        let program = Program::new(&text, &name)?;
        let options: Vec<CString> =
            options(target).into_iter().map(CString::new).collect::<Result<_, _>>().map_err(zero)?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program and all options live through the call.
        let code = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as c_int, pointers.as_ptr()) };
        if code != nvrtcResult::NVRTC_SUCCESS {
            let log = program.log();
            let log = log.lines().take(20).collect::<Vec<_>>().join("\n");
            return Err(failed(format!(
                "NVRTC {}.{} does not compile the kernels '{}' ({code:?}):\n{log}",
                self.version.0, self.version.1, source.name
            )));
        }
        let mut code = match target {
            Target::Cubin(_) => program.output(sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN, "nvrtcGetCUBIN")?,
            Target::Ptx(_) => program.output(sys::nvrtcGetPTXSize, sys::nvrtcGetPTX, "nvrtcGetPTX")?,
        };
        if matches!(target, Target::Ptx(_)) && code.last() == Some(&0) {
            code.pop();
        }
        Ok(Compiled { code })
    }
}

/// This program's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The key of a source among shipped kernels, independent of the compiler.
pub(crate) fn shipped_key(source: &KernelSource, target: Target) -> [u8; 32] {
    key(VERSION, source, target)
}

fn key(version: &str, source: &KernelSource, target: Target) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [version, &options(target).join(" "), &text(source)] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn options(target: Target) -> Vec<String> {
    let architecture = match target {
        Target::Cubin(arch) => format!("--gpu-architecture=sm_{arch}"),
        Target::Ptx(arch) => format!("--gpu-architecture=compute_{arch}"),
    };
    vec![architecture, "--std=c++14".to_owned(), "-DPOLYSTARK_CUDA".to_owned()]
}

fn text(source: &KernelSource) -> String {
    let defines: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    format!("{defines}{}", source.text)
}

fn ok(code: nvrtcResult, call: &str) -> Result<()> {
    if code == nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(HalError::new(ErrorKind::KernelBuild, "build kernel", format!("{call} gave {code:?}")))
}

/// A program of the compiler, released on drop.
struct Program(nvrtcProgram);

type Size = unsafe fn(nvrtcProgram, *mut usize) -> nvrtcResult;
type Get = unsafe fn(nvrtcProgram, *mut c_char) -> nvrtcResult;

impl Program {
    fn new(text: &CString, name: &CString) -> Result<Self> {
        let mut program = ptr::null_mut();
        // SAFETY: both texts end with a zero, and the compiler copies them; there are no headers.
        let code =
            unsafe { sys::nvrtcCreateProgram(&mut program, text.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        ok(code, "nvrtcCreateProgram")?;
        Ok(Self(program))
    }

    fn output(&self, size: Size, get: Get, call: &str) -> Result<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: the program is alive; the compiler writes one integer.
        ok(unsafe { size(self.0, &mut bytes) }, call)?;
        let mut out = vec![0u8; bytes];
        // SAFETY: the output has room for as many bytes as the compiler said.
        ok(unsafe { get(self.0, out.as_mut_ptr().cast()) }, call)?;
        Ok(out)
    }

    fn log(&self) -> String {
        self.output(sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog, "nvrtcGetProgramLog")
            .map(|log| String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned())
            .unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made once, released once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}
