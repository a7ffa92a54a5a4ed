//! Running the program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use polystark::air::Trace;
use polystark::field::{Goldilocks, PrimeField};
use tempfile::TempDir;

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, its environment cleared of what would change its output.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polystark"));
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    Ran {
        code: output.status.code().expect("the program ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs the program to its end.
pub(crate) fn run(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
    let ran = ran(command().args(arguments).output().expect("the program starts"));
    assert!(!ran.stderr.contains("panicked at"), "{ran:?}");
    ran
}

/// Runs the program with arguments that are separated by spaces, then further ones.
pub(crate) fn words(line: &str, more: &[&str]) -> Ran {
    run(line.split(' ').chain(more.iter().copied()))
}

/// The JSON object that a run wrote.
pub(crate) fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// A folder with one proof in it.
pub(crate) struct Proved {
    pub(crate) folder: TempDir,
    pub(crate) file: PathBuf,
}

impl Proved {
    /// Proves with the given arguments; the file is `proof`.
    pub(crate) fn new(arguments: &str) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let file = folder.path().join("proof");
        let ran = words(arguments, &["-o", text(&file)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        Self { folder, file }
    }

    /// A small proof of the format of lambdaworks that meets the default policy.
    pub(crate) fn small() -> Self {
        Self::new(
            "prove --air fibonacci-rap --rows 64 --param steps=20 --grinding 16 --queries 88 --format lambdaworks",
        )
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.file).expect("the file was written")
    }

    /// Another file in the same folder.
    pub(crate) fn sibling(&self, bytes: &[u8]) -> PathBuf {
        let file = self.folder.path().join("changed");
        std::fs::write(&file, bytes).expect("there is room for a file");
        file
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have UTF-8 names")
}

/// A trace as NumPy writes it, column after column.
pub(crate) fn npy(trace: &Trace<Goldilocks>) -> Vec<u8> {
    let shape = (trace.height(), trace.width());
    let header = format!("{{'descr': '<u8', 'fortran_order': True, 'shape': {shape:?}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(trace.data().iter().flat_map(|value| value.as_u64().to_le_bytes()));
    bytes
}
