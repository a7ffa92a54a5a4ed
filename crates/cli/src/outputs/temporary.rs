//! A file on its way to its place.
//!
//! Where the file system has unnamed files (`O_TMPFILE`), it has no name until it is whole, so nothing is left of it,
//! however the process ends. Elsewhere it has a name beside its target, which is removed when the process is told to
//! end, and after a kill by the next process that writes into the folder: each of them holds a lock on its own.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::interrupt;
use crate::lock::lock;

/// Names tried for a temporary file.
const ATTEMPTS: u32 = 100;
/// How its name begins, and how it ends.
const PREFIX: &str = ".polystark.";
const SUFFIX: &str = ".tmp";

/// The folder of a file.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A file that is removed unless it takes its place.
pub(super) struct Temporary {
    file: File,
    /// `None` as long as it has no name.
    path: Option<PathBuf>,
    target: PathBuf,
}

impl Temporary {
    /// In the folder of the target, whose name may be as long as names can be. It takes the mode of `replaced`.
    pub(super) fn beside(target: PathBuf, replaced: Option<&Metadata>) -> io::Result<Self> {
        // A name that is too long is refused here, not where the file takes its place.
        if let Err(error) = fs::symlink_metadata(&target)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error);
        }
        remove_dead_once(folder(&target));
        let temporary = match unnamed(folder(&target)) {
            Some(file) => Self { file, path: None, target },
            None => Self::named(target)?,
        };
        replaced.map_or(Ok(()), |replaced| temporary.file.set_permissions(replaced.permissions()))?;
        Ok(temporary)
    }

    /// With a name, and locked.
    pub(super) fn named(target: PathBuf) -> io::Result<Self> {
        for path in names(&target) {
            let made = interrupt::keep(&path, || {
                let file = File::options().read(true).write(true).create_new(true).open(&path)?;
                // Another process may take it for one that was left behind: then it is gone, or will be.
                let is_kept = is_free(&file) && path.try_exists()?;
                if is_kept { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
            });
            match made {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|file| Self { file, path: Some(path), target }),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// The file, once more.
    pub(super) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Writes all of it, to the disk.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()
    }

    /// Takes its place.
    pub(super) fn persist(mut self) -> io::Result<()> {
        if self.path.is_none() && self.link()? {
            return sync(folder(&self.target));
        }
        if let Some(path) = &self.path {
            interrupt::rename(path, &self.target)?;
            self.path = None;
        }
        sync(folder(&self.target))
    }

    /// Gives it a name: that of the target if there is no such file, which is then in its place, else a temporary one,
    /// as a link replaces nothing. Where no link can be made, it is copied to a file with a name.
    fn link(&mut self) -> io::Result<bool> {
        if link(&self.file, &self.target).is_ok() {
            return Ok(true);
        }
        for path in names(&self.target) {
            match interrupt::keep(&path, || link(&self.file, &path)) {
                Ok(()) => {
                    self.path = Some(path);
                    return Ok(false);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(_) => break,
            }
        }
        let mut copy = Self::named(self.target.clone())?;
        self.file.rewind()?;
        io::copy(&mut self.file, &mut copy.file)?;
        copy.file.set_permissions(self.file.metadata()?.permissions())?;
        copy.file.sync_all()?;
        std::mem::swap(self, &mut copy);
        Ok(false)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            interrupt::remove(path);
        }
    }
}

/// Whether nobody else holds the lock on a file; if so, this process does, where there are locks.
fn is_free(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Temporary names in the folder of a target.
fn names(target: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let (folder, process) = (folder(target).to_owned(), std::process::id());
    (0..ATTEMPTS).map(move |attempt| folder.join(format!("{PREFIX}{process}.{attempt}{SUFFIX}")))
}

/// A file without a name in a folder, if there can be one that gets a name later, and locked.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let mode = Mode::from_raw_mode(0o666);
    let file: File = open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok()?.into();
    (is_free(&file) && descriptor(&file).try_exists().is_ok_and(|exists| exists)).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

/// The name by which the system knows an open file.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a file without a name this one, if nothing has it.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// [`remove_dead`], the first time that this process writes into a folder.
fn remove_dead_once(folder: &Path) {
    static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if lock(&KNOWN).insert(folder.to_owned()) {
        remove_dead(folder);
    }
}

/// Removes temporary files that processes have left behind: the files that nobody holds a lock on. A file that cannot
/// be read or removed stays.
pub(super) fn remove_dead(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            let number = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
            number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
        });
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // The lock is held until the name is gone. Where there are no locks, nothing is known.
        let file = File::open(entry.path());
        if file.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a change of names in a folder last. Where a folder can't be opened or synchronised, there is nothing to be
/// done: the file itself is written.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput) => Ok(()),
        result => result,
    }
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
