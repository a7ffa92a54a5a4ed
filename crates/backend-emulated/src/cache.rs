//! Compiled kernels on disk: one file a source, named by the hash of all that went into it, followed by its own hash,
//! so that a file that was cut short or changed is compiled again and never loaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::{KernelSource, owned};
use sha2::{Digest, Sha256};

use crate::compiler::Compiler;

const HASH_BYTES: usize = 32;

/// The folder of compiled kernels.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The given folder, or the default one; made if it is not there.
    pub(crate) fn open(folder: Option<PathBuf>) -> Result<Self> {
        let folder = folder
            .or_else(|| std::env::var_os("POLYSTARK_EMULATOR_CACHE").map(PathBuf::from))
            .unwrap_or_else(default_folder);
        let fail = |error: std::io::Error| {
            let detail = format!("cannot use {}: name another folder in POLYSTARK_EMULATOR_CACHE", folder.display());
            HalError::new(ErrorKind::Unavailable, "open device", detail).with_source(error)
        };
        owned::make_folder(&folder).map_err(fail)?;
        Ok(Self { folder })
    }

    /// A sound shared object of this source: from the folder, or compiled.
    pub(crate) fn object(&self, compiler: &Compiler, source: &KernelSource) -> Result<PathBuf> {
        let key = compiler.key(source);
        let path = self.folder.join(format!("{}-{key}.so", source.name));
        if is_sound(&path) {
            return Ok(path);
        }
        // Renamed when it is whole: another process sees the whole file or none.
        let stem = stem(&key);
        let object = compiler.compile(source, &self.folder, &stem)?;
        seal(&object).and_then(|()| fs::rename(&object, &path)).map_err(|error| {
            let detail = format!("cannot keep {}", path.display());
            HalError::new(ErrorKind::KernelBuild, "build kernel", detail).with_source(error)
        })?;
        Ok(path)
    }

    /// Whether a source compiles; nothing is kept.
    pub(crate) fn check(&self, compiler: &Compiler, source: &KernelSource) -> Result<()> {
        compiler.check(source, &self.folder, &stem(&compiler.key(source)))
    }
}

/// A name that no other call and no other process uses.
fn stem(key: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{key}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn default_folder() -> PathBuf {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_else(|_| "user".to_owned());
    let user: String = user.chars().filter(char::is_ascii_alphanumeric).collect();
    std::env::temp_dir().join(format!("polystark-emulator-{user}"))
}

/// Appends the file's hash; a loader ignores bytes behind the sections.
fn seal(path: &Path) -> std::io::Result<()> {
    let mut bytes = fs::read(path)?;
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    owned::write(path, &bytes)
}

fn is_sound(path: &Path) -> bool {
    let Ok(bytes) = owned::read(path) else {
        return false;
    };
    bytes.len().checked_sub(HASH_BYTES).is_some_and(|end| Sha256::digest(&bytes[..end]).as_slice() == &bytes[end..])
}
