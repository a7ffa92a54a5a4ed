//! Where compiled kernels are kept: one binary archive an entry point, named by the hash of its source. Metal itself
//! says whether an archive is of this GPU and this system; one that is not is made anew.

use std::path::PathBuf;

use gpu_runtime::owned;
use sha2::{Digest, Sha256};

/// The folder of archives, if there is one that can be used.
pub(crate) struct Archives {
    folder: Option<PathBuf>,
}

impl Archives {
    /// The given folder, or the default one; made if it is not there. Without one that can be used, everything is
    /// compiled.
    pub(crate) fn open(folder: Option<PathBuf>) -> Self {
        let folder =
            folder.or_else(|| std::env::var_os("POLYSTARK_METAL_CACHE").map(PathBuf::from)).or_else(default_folder);
        Self { folder: folder.filter(|folder| owned::make_folder(folder).is_ok()) }
    }

    /// A name that differs whenever one of these does.
    pub(crate) fn key(parts: &[&str]) -> String {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        gpu_hal::Hex(&hash.finalize()).to_string()
    }

    /// The file for an entry point.
    pub(crate) fn path(&self, unit: &str, key: &str, entry: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{unit}-{entry}-{key}.metalarchive")))
    }
}

fn default_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(PathBuf::from(home).join("Library/Caches/polystark/metal"))
}
