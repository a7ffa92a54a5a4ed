//! Files that are either written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::exit::Failure;

/// Names tried for a temporary file.
const ATTEMPTS: u32 = 100;

/// Whether there can be a file at this path, asked before hours of work.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(path);
    if metadata.is_ok_and(|metadata| metadata.is_dir()) || path.file_name().is_none() {
        return Err(Failure::file(path, "this is a folder: name a file"));
    }
    let folder = folder(path);
    match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Failure::file(folder, "this is no folder")),
        Err(error) => Err(Failure::file(folder, error)),
    }
}

/// Writes the files: first all of them under temporary names, then each takes its place. What is no ordinary file, such as
/// `/dev/null` or a pipe, is written to as it is.
pub(crate) fn save(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let mut written = Vec::new();
    for (path, bytes) in files {
        let saved = if is_special(path) {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes))
        } else {
            Temporary::write(path, bytes).map(|file| written.push(file))
        };
        saved.map_err(|error| Failure::file(path, error))?;
    }
    written.into_iter().try_for_each(Temporary::persist)
}

fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A file that is removed unless it takes its place.
struct Temporary {
    path: PathBuf,
    target: PathBuf,
}

impl Temporary {
    fn write(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let (mut file, path) = create(&target)?;
        let temporary = Self { path, target };
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(temporary)
    }

    fn persist(self) -> Result<(), Failure> {
        fs::rename(&self.path, &self.target).map_err(|error| Failure::file(&self.target, error))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.path);
    }
}

fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy();
    for attempt in 0..ATTEMPTS {
        let path = folder(target).join(format!(".{name}.{}.{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, path)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_replace_what_was_there_and_leave_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "old").unwrap();
        save(&[(&a, b"new"), (&b, b"other")]).unwrap();
        assert_eq!(fs::read(&a).unwrap(), b"new");
        assert_eq!(fs::read(&b).unwrap(), b"other");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn if_one_file_cannot_be_written_none_is() {
        let folder = tempfile::tempdir().unwrap();
        let (a, missing) = (folder.path().join("a"), folder.path().join("no/b"));
        fs::write(&a, "old").unwrap();
        assert!(save(&[(&a, b"new"), (&missing, b"other")]).is_err());
        assert_eq!(fs::read(&a).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a"]);
        assert!(check(&missing).is_err() && check(folder.path()).is_err() && check(&a).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (a, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&a, "old").unwrap();
        std::os::unix::fs::symlink(&a, &link).unwrap();
        save(&[(&link, b"new"), (Path::new("/dev/null"), b"x")]).unwrap();
        assert_eq!(fs::read(&a).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
