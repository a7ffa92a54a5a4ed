//! The folder that becomes the package.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is empty at first.
pub(super) struct Staging(PathBuf);

impl Staging {
    pub(super) fn new(root: PathBuf) -> Result<Self, String> {
        let fail = |error: std::io::Error| format!("{}: {error}", root.display());
        if root.exists() {
            fs::remove_dir_all(&root).map_err(fail)?;
        }
        fs::create_dir_all(&root).map_err(fail)?;
        Ok(Self(root))
    }

    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    /// Where a file goes, whose folder is there then.
    pub(super) fn path(&self, file: &str) -> Result<PathBuf, String> {
        let path = self.0.join(file);
        let folder = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(path)
    }

    pub(super) fn write(&self, file: &str, bytes: &[u8]) -> crate::Result {
        let path = self.path(file)?;
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Gives a file of the folder another name beside it: a link, or a copy where the system has no links.
    pub(super) fn link(&self, file: &str, name: &str) -> crate::Result {
        link(&self.0.join(file), name)
    }

    pub(super) fn copy(&self, from: &Path, file: &str) -> crate::Result {
        let bytes = fs::read(from).map_err(|error| format!("{}: {error}", from.display()))?;
        self.write(file, &bytes)
    }

    /// Copies the files of a folder, of which there must be some.
    pub(super) fn copy_all(&self, from: &Path, to: &str) -> crate::Result {
        let fail = |error: std::io::Error| format!("{}: {error}", from.display());
        let mut is_empty = true;
        for entry in fs::read_dir(from).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            if entry.path().is_file() {
                self.copy(&entry.path(), &format!("{to}/{}", entry.file_name().to_string_lossy()))?;
                is_empty = false;
            }
        }
        if is_empty { Err(format!("{}: there is no file in it", from.display())) } else { Ok(()) }
    }

    /// Gives everything the rights that an installed file has, whatever rights new files get here. The bytes of all
    /// files.
    pub(super) fn settle(&self) -> Result<u64, String> {
        settle(&self.0).map_err(|error| format!("{}: {error}", self.0.display()))
    }
}

/// Gives a file another name beside it: a link, or a copy where the system has no links.
pub(super) fn link(file: &Path, name: &str) -> crate::Result {
    let to = file.with_file_name(name);
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(file.file_name().unwrap_or_default(), &to);
    #[cfg(not(unix))]
    let linked = fs::copy(file, &to).map(drop);
    linked.map_err(|error| format!("{}: {error}", to.display()))
}

fn settle(path: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_symlink() {
            continue;
        }
        bytes += if path.is_dir() { settle(&path)? } else { set_mode(&path, is_program(&path))? };
    }
    set_mode(path, true)?;
    Ok(bytes)
}

fn is_program(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("usr/bin"))
}

/// The bytes of the file.
fn set_mode(path: &Path, executable: bool) -> std::io::Result<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
    }
    #[cfg(not(unix))]
    let _ = executable;
    Ok(fs::metadata(path)?.len())
}
