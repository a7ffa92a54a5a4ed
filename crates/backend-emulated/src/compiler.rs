//! The system's C++ compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::KernelSource;
use sha2::{Digest, Sha256};

/// What stands before every kernel text.
const RUNTIME: &str = include_str!("emulator.h");

/// A compiler and its flags.
#[derive(Debug)]
pub(crate) struct Compiler {
    program: String,
    flags: Vec<String>,
    version: String,
}

impl Compiler {
    /// The compiler that the environment names.
    pub(crate) fn find() -> Result<Self> {
        let program = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let extra = std::env::var("POLYSTARK_EMULATOR_FLAGS").unwrap_or_default();
        let mut flags: Vec<String> =
            ["-std=c++14", "-O1", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-DPOLYSTARK_EMULATED"]
                .map(str::to_owned)
                .to_vec();
        flags.extend(extra.split_whitespace().map(str::to_owned));
        let output = Command::new(&program).arg("--version").output().map_err(|error| {
            let detail = format!("no C++ compiler '{program}': install one or name it in CXX");
            HalError::new(ErrorKind::Unavailable, "open device", detail).with_source(error)
        })?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        Ok(Self { program, flags, version })
    }

    /// The compiler, in words.
    pub(crate) fn name(&self) -> &str {
        &self.version
    }

    /// A key that differs whenever the compiled code may.
    pub(crate) fn key(&self, source: &KernelSource) -> String {
        let mut hash = Sha256::new();
        for part in [&self.program, &self.version, &self.flags.join(" "), &self.text(source)] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn text(&self, source: &KernelSource) -> String {
        let defines: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        format!("{RUNTIME}\n{defines}\n{}", source.text)
    }

    /// Compiles a source in the folder to a shared object; returns where it is.
    pub(crate) fn compile(&self, source: &KernelSource, folder: &Path, stem: &str) -> Result<PathBuf> {
        let (text, object) = (folder.join(format!("{stem}.cpp")), folder.join(format!("{stem}.so")));
        let failed = |what: String| HalError::new(ErrorKind::KernelBuild, "build kernel", what);
        std::fs::write(&text, self.text(source))
            .map_err(|error| failed(format!("cannot write {}", text.display())).with_source(error))?;
        let output =
            Command::new(&self.program).args(&self.flags).arg("-o").arg(&object).arg(&text).output().map_err(
                |error| failed(format!("the compiler '{}' does not start", self.program)).with_source(error),
            )?;
        // The text is of no use once it is compiled, and leaving it behind is no failure.
        let _ = std::fs::remove_file(&text);
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let message: String = message.lines().take(20).collect::<Vec<_>>().join("\n");
            return Err(failed(format!("{} does not compile the kernels '{}':\n{message}", self.program, source.name)));
        }
        Ok(object)
    }
}
