//! The system's C++ compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::KernelSource;
use sha2::{Digest, Sha256};

use crate::metal;

/// The text before every kernel text.
const RUNTIME: &str = include_str!("emulator.h");

/// The language that kernels are compiled as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Plain C++, the emulator's own.
    #[default]
    Emulated,
    /// Metal's, with a stand-in for its library and under its limits. The compiler is clang if there is one: it checks
    /// address spaces.
    Metal {
        /// How products of 64 bits are made, 32 or 64: `METAL_PRODUCT_BITS` of `dialect.h`.
        product_bits: u32,
    },
}

impl Dialect {
    /// Metal's with the products that it has by default.
    pub const METAL: Self = Self::Metal { product_bits: 32 };

    /// Whether it is Metal's.
    pub(crate) fn is_metal(self) -> bool {
        self != Self::Emulated
    }
}

/// A compiler and its flags.
#[derive(Debug)]
pub(crate) struct Compiler {
    dialect: Dialect,
    program: String,
    flags: Vec<String>,
    version: String,
}

impl Compiler {
    /// The compiler that the environment names; for Metal's dialect otherwise clang, if there is one.
    pub(crate) fn find(dialect: Dialect) -> Result<Self> {
        let version = |program: &str| Command::new(program).arg("--version").output();
        let named = std::env::var("CXX").ok();
        let clang = || dialect.is_metal() && version("clang++").is_ok_and(|output| output.status.success());
        let program = named.unwrap_or_else(|| if clang() { "clang++" } else { "c++" }.to_owned());
        let extra = std::env::var("POLYSTARK_EMULATOR_FLAGS").unwrap_or_default();
        let macros = match dialect {
            Dialect::Emulated => vec!["-DPOLYSTARK_EMULATED".to_owned()],
            Dialect::Metal { product_bits } => {
                vec!["-w".to_owned(), "-DPOLYSTARK_METAL".to_owned(), format!("-DMETAL_PRODUCT_BITS={product_bits}")]
            }
        };
        let flags = ["-std=c++14", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti"].map(str::to_owned);
        let extra = extra.split_whitespace().map(str::to_owned);
        let flags = flags.into_iter().chain(macros).chain(extra).collect();
        let output = version(&program).map_err(|error| {
            let detail = format!("no C++ compiler '{program}': install one or name it in CXX");
            HalError::new(ErrorKind::Unavailable, "open device", detail).with_source(error)
        })?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        Ok(Self { dialect, program, flags, version })
    }

    /// The language that it compiles kernels as.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether it knows address spaces.
    pub(crate) fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Whether kernels run under the address sanitizer.
    pub(crate) fn sanitizes_addresses(&self) -> bool {
        self.flags.iter().any(|flag| flag.starts_with("-fsanitize=") && flag.contains("address"))
    }

    /// The compiler, in words.
    pub(crate) fn name(&self) -> &str {
        &self.version
    }

    /// A key that differs whenever the compiled code may.
    pub(crate) fn key(&self, source: &KernelSource) -> String {
        let mut hash = Sha256::new();
        let library = if self.dialect.is_metal() { metal::LIBRARY } else { "" };
        let (flags, text) = (self.flags.join(" "), with_defines(source));
        for part in [&self.program, &self.version, level(source), &flags, RUNTIME, library, VERSION, &text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        gpu_hal::Hex(&hash.finalize()).to_string()
    }

    /// Compiles a source in the folder to a shared object; returns where it is.
    pub(crate) fn compile(&self, source: &KernelSource, folder: &Path, stem: &str) -> Result<PathBuf> {
        let object = folder.join(format!("{stem}.so"));
        let text = self.text(source, folder, stem)?;
        let output = object.to_string_lossy();
        self.run(source.name, &text, folder, stem, &[level(source), "-o", &output])?;
        Ok(object)
    }

    /// Whether a source compiles: nothing is made of it.
    pub(crate) fn check(&self, source: &KernelSource, folder: &Path, stem: &str) -> Result<()> {
        let text = self.text(source, folder, stem)?;
        self.run(source.name, &text, folder, stem, &["-fsyntax-only"]).map(|_| ())
    }

    /// The text to compile.
    fn text(&self, source: &KernelSource, folder: &Path, stem: &str) -> Result<String> {
        let text = with_defines(source);
        if !self.dialect.is_metal() {
            return Ok(format!("{RUNTIME}\n{text}"));
        }
        // A definition from the stand-in for Metal's library, which is not there yet.
        let one_space = if self.is_clang() { None } else { Some("-DPOLYSTARK_ONE_SPACE") };
        let arguments: Vec<&str> = ["-E"].into_iter().chain(one_space).collect();
        let text = self.run(source.name, &metal::without_library(&text)?, folder, stem, &arguments)?;
        Ok(format!("{RUNTIME}\n{}\n{}", metal::LIBRARY, metal::translate(&text)?))
    }

    /// Runs the compiler on a text; returns its messages.
    fn run(&self, name: &str, text: &str, folder: &Path, stem: &str, arguments: &[&str]) -> Result<String> {
        let file = folder.join(format!("{stem}.cpp"));
        let failed = |what: String| HalError::new(ErrorKind::KernelBuild, "build kernel", what);
        std::fs::write(&file, text)
            .map_err(|error| failed(format!("cannot write {}", file.display())).with_source(error))?;
        // Flags of the environment come last, so that they count.
        let output = Command::new(&self.program).args(arguments).args(&self.flags).arg(&file).output();
        // The text is of no use once it is compiled, and leaving it behind is no failure.
        let _ = std::fs::remove_file(&file);
        let output = output
            .map_err(|error| failed(format!("the compiler '{}' does not start", self.program)).with_source(error))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let message: String = message.lines().take(20).collect::<Vec<_>>().join("\n");
            return Err(failed(format!("{} does not compile the kernels '{name}':\n{message}", self.program)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Bytes of a text that is long: a constraint program of many instructions, as no kernel of the sources is.
const LONG: usize = 1 << 17;

/// The optimisation. A long constraint program runs on a few rows here, and takes the compiler ten times as long with.
fn level(source: &KernelSource) -> &'static str {
    let is_program = matches!(source.name, "program" | "circle_program");
    if is_program && source.text.len() > LONG { "-O0" } else { "-O1" }
}

/// The version of the translator, by which the cache tells its texts apart.
const VERSION: &str = "1";

fn with_defines(source: &KernelSource) -> String {
    let defines: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    format!("{defines}\n{}", source.text)
}
