//! Loading a library.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::path::Path;
use std::{fs, io, path};

use gpu_hal::CancelToken;

use crate::allocator::ProgramAllocator;
use crate::contract::{ENTRY_SYMBOL, Entry, Exports, Host, NOTE_SYMBOL};
use crate::error::{Difference, LoadError};
use crate::note::{KEYS, NOTE, values};

/// The functions that this program gives.
static HOST: Host = Host { allocator: &ProgramAllocator, stop_here: CancelToken::here };

/// A backend in a shared library, loaded until the process ends. Clones are the same library.
#[derive(Clone)]
pub struct Library {
    exports: &'static Exports,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(self.exports).finish()
    }
}

impl Library {
    /// Loads the backend in a file, which is trusted code: this runs it, with all rights of the program. A path without
    /// folders is of the current one; the system's folders of libraries are not searched. A file that is loaded already
    /// is not loaded again.
    ///
    /// # Errors
    /// [`LoadError`], before any function of the library that is not the system's to call has run.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let absolute = file(path).map_err(|source| LoadError::File { path: path.into(), source })?;
        // SAFETY: the system runs functions of the file when it loads it. The caller trusts them, as the documentation
        // demands.
        let library = unsafe { libloading::Library::new(&absolute) };
        let library = library.map_err(|source| LoadError::Library { path: path.into(), source })?;
        // Its tables, errors and threads may live as long as the process.
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        // SAFETY: in each version of the contract the symbol is the beginning of a C string that never changes.
        let note = unsafe { library.get::<*const c_char>(NOTE_SYMBOL).map(|note| CStr::from_ptr(*note)) };
        let note = note.map_err(|_| LoadError::Stranger { path: path.into(), has_note: false })?;
        check(path, note.to_bytes())?;
        // SAFETY: a library with this note has a function of this type under the symbol, compiled for equal types.
        let entry = unsafe { library.get::<Entry>(ENTRY_SYMBOL) };
        let entry = entry.map_err(|_| LoadError::Stranger { path: path.into(), has_note: true })?;
        Ok(Self { exports: entry(&HOST) })
    }

    /// Its entries.
    pub fn exports(&self) -> &'static Exports {
        self.exports
    }
}

/// The whole path of a file.
fn file(path: &Path) -> io::Result<path::PathBuf> {
    let absolute = path::absolute(path)?;
    if fs::metadata(&absolute)?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(absolute) }
}

/// Compares the note of a library with this program's.
fn check(path: &Path, note: &[u8]) -> Result<(), LoadError> {
    let stranger = || LoadError::Stranger { path: path.into(), has_note: false };
    let (library, program) = (values(note).ok_or_else(stranger)?, values(&NOTE).ok_or_else(stranger)?);
    if library[0] != program[0] {
        let [library, ..] = library;
        return Err(LoadError::Contract { path: path.into(), library });
    }
    let lines = KEYS.into_iter().zip(library).zip(program);
    let differences = lines.filter(|((_, library), program)| library != program);
    let differences: Vec<Difference> =
        differences.map(|((name, library), program)| Difference { name, library, program }).collect();
    if differences.is_empty() { Ok(()) } else { Err(LoadError::Build { path: path.into(), differences }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for a note that differs from this program's in one text.
    fn refused(from: &str, to: &str) -> LoadError {
        let note = String::from_utf8_lossy(&NOTE).replace(from, to);
        check(Path::new("./libmine.so"), note.as_bytes()).expect_err("another note")
    }

    #[test]
    fn equal_notes_pass_and_each_difference_is_named() {
        check(Path::new("./libmine.so"), &NOTE).expect("the program's own note");

        let error = refused("contract: 1", "contract: 0");
        assert!(matches!(&error, LoadError::Contract { library, .. } if library == "0"), "{error}");
        assert!(error.to_string().starts_with(r#""./libmine.so" is built for version 0 of the contract"#), "{error}");

        for (key, from, to) in [
            ("gpu-hal", "gpu-hal: ", "gpu-hal: 9."),
            ("sources", "sources: ", "sources: 0"),
            ("layout", "layout: ", "layout: 0"),
            ("compiler", "rustc 1.", "rustc 0."),
            ("target", "target: ", "target: pdp11-"),
        ] {
            let error = refused(from, to);
            let LoadError::Build { differences, .. } = &error else { panic!("{error}") };
            assert_eq!(differences.iter().map(|one| one.name).collect::<Vec<_>>(), [key]);
            let text = error.to_string();
            assert!(text.contains(&differences[0].library) && text.contains(&differences[0].program), "{text}");
        }
        assert!(matches!(refused("polystark", "another"), LoadError::Stranger { has_note: false, .. }));
        assert!(refused("target: ", "aim: ").to_string().contains("its target is unknown"));
    }
}
