//! Why a file is not used as a backend.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use gpu_hal::BUILT;

use crate::contract::{CONTRACT, NOTE_SYMBOL};

/// Why a file is not used as a backend. Each names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read, or is a folder.
    #[error("there is no backend library {path:?}: {source}")]
    File {
        /// The path that was asked for.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system does not load it.
    #[error(
        "{path:?} is no shared library of this system ({}). A backend is a crate of the type `cdylib`, built for {}",
        reason(source), BUILT.target
    )]
    Library {
        /// The path that was asked for.
        path: PathBuf,
        /// The system's message.
        source: libloading::Error,
    },
    /// It has no note, or no entry.
    #[error(
        "{path:?} is a shared library, but no backend of Polystark: it has no {symbol}. Its crate has the line \
         `backend_library::export!(..)`, and is of the type `cdylib`", symbol = if *.has_note { "entry" } else { NOTE_SYMBOL }
    )]
    Stranger {
        /// The path that was asked for.
        path: PathBuf,
        /// Whether it has a note of a backend.
        has_note: bool,
    },
    /// It is built for another number of the contract.
    #[error(
        "{path:?} is built for version {} of the contract of backend libraries, and this program has version {CONTRACT}: build it \
         again with polystark-backend-library {}", shown(library), BUILT.version
    )]
    Contract {
        /// The path that was asked for.
        path: PathBuf,
        /// The number in the library.
        library: String,
    },
    /// It is built from other sources, or otherwise, than this program.
    #[error(
        "{path:?} is built for another program: {}. Rust's types are the same only in equal builds: build it again with {}, for {}, with \
         the sources of polystark-gpu-hal {} that this program is built from",
        differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "),
        BUILT.compiler, BUILT.target, BUILT.version
    )]
    Build {
        /// The path that was asked for.
        path: PathBuf,
        /// The differences, at least one.
        differences: Vec<Difference>,
    },
}

/// A line in which the notes of a library and of the program differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its {} is {}, this program's is {program}", said(name), shown(library))]
pub struct Difference {
    /// The line: `gpu-hal`, `sources`, `layout`, `compiler` or `target`.
    pub name: &'static str,
    /// The library's value; empty if it has none.
    pub library: String,
    /// The program's value.
    pub program: String,
}

/// The system's words, which are beneath the words of the crate that asks it.
fn reason(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// A line in words.
fn said(name: &str) -> &str {
    match name {
        "gpu-hal" => "version of gpu-hal",
        "sources" => "hash of gpu-hal's sources",
        "layout" => "layout of types",
        other => other,
    }
}

/// A value of a library's, which may be anything.
fn shown(value: &str) -> String {
    if value.is_empty() { "unknown".to_owned() } else { value.escape_debug().to_string() }
}
