//! Compiled kernels on disk: one file a source, named by the hash of all that went into it, followed by its own hash,
//! so that a file that was cut short or changed is compiled again and never loaded. A cache that cannot be used costs
//! time, nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_hal::Result;
use gpu_runtime::{KernelSource, owned};
use sha2::{Digest, Sha256};

use crate::compiler::{Compiled, Compiler, Target};

const HASH_BYTES: usize = 32;

/// The folder of compiled kernels, if there is one that can be used.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The given folder, or the default one; made if it is not there. Without one that can be used, everything is
    /// compiled.
    pub fn open(folder: Option<PathBuf>) -> Self {
        let folder =
            folder.or_else(|| std::env::var_os("POLYSTARK_CUDA_CACHE").map(PathBuf::from)).or_else(default_folder);
        Self { folder: folder.filter(|folder| owned::make_folder(folder).is_ok()) }
    }

    /// Machine code of this source, from the folder or compiled; and whether it was compiled now.
    ///
    /// # Errors
    /// The errors of [`Compiler::compile`].
    pub fn get(&self, compiler: &Compiler, source: &KernelSource, target: Target) -> Result<(Compiled, bool)> {
        let path = self.path(compiler, source, target);
        if let Some(code) = path.as_deref().and_then(read) {
            return Ok((Compiled { code }, false));
        }
        self.renew(compiler, source, target).map(|compiled| (compiled, true))
    }

    /// Compiles this source even if the folder has its kernels, and keeps the result.
    ///
    /// # Errors
    /// The errors of [`Compiler::compile`].
    pub fn renew(&self, compiler: &Compiler, source: &KernelSource, target: Target) -> Result<Compiled> {
        let compiled = compiler.compile(source, target)?;
        if let Some(path) = self.path(compiler, source, target) {
            // A full disk costs the next process a compilation.
            let _ = write(&path, &compiled.code);
        }
        Ok(compiled)
    }

    /// The bytes of the file that keeps this code: the code and its hash.
    pub fn sealed(code: &[u8]) -> Vec<u8> {
        let mut bytes = code.to_vec();
        bytes.extend_from_slice(&Sha256::digest(code));
        bytes
    }

    /// The code in a file, if nothing of it is missing or changed.
    pub fn unsealed(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
        let end = bytes.len().checked_sub(HASH_BYTES)?;
        if Sha256::digest(&bytes[..end]).as_slice() != &bytes[end..] {
            return None;
        }
        bytes.truncate(end);
        Some(bytes)
    }

    fn path(&self, compiler: &Compiler, source: &KernelSource, target: Target) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{}-{}.bin", source.name, compiler.key(source, target))))
    }
}

fn default_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .map(|base| base.join("polystark/cuda"))
}

/// The content of a sound file that no other user may have written.
fn read(path: &Path) -> Option<Vec<u8>> {
    Cache::unsealed(owned::read(path).ok()?)
}

/// Writes under a name of its own, then renames: another process sees the whole file or none.
fn write(path: &Path, code: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let other = path.with_extension(format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    owned::write(&other, &Cache::sealed(code)).and_then(|()| fs::rename(&other, path)).inspect_err(|_| {
        let _ = fs::remove_file(&other);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_back_unless_it_was_changed_or_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("unit-key.bin");
        assert_eq!(read(&path), None);
        write(&path, b"machine code").expect("written");
        assert_eq!(read(&path).as_deref(), Some(&b"machine code"[..]));
        let sound = fs::read(&path).expect("the file");
        for at in [0, 5, sound.len() - 1] {
            let mut changed = sound.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).expect("written");
            assert_eq!(read(&path), None, "byte {at}");
        }
        for length in [0, 10, sound.len() - 1] {
            fs::write(&path, &sound[..length]).expect("written");
            assert_eq!(read(&path), None, "{length} bytes");
        }
        write(&path, b"again").expect("written");
        assert_eq!(read(&path).as_deref(), Some(&b"again"[..]));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert_eq!(Cache::open(Some(file.path().join("below a file"))).folder, None);
    }
}
