//! The end of a process that is told to end: whole files, and a sentence.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use super::lock::lock;

/// Files with a temporary name.
static NAMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// How many times results were written. An interrupt waits for it.
static WRITTEN: Mutex<usize> = Mutex::new(0);
/// The kind of files that are written.
static SUBJECT: OnceLock<&'static str> = OnceLock::new();

/// The subject of a command that writes nothing.
pub(crate) const NOTHING: &str = "";

/// From now on SIGINT and SIGTERM end the process with a sentence about how many of its subject (`proof`) were written,
/// and with 128 plus the signal's number as exit code. The first subject stays.
pub(crate) fn watch(subject: &'static str) {
    if SUBJECT.set(subject).is_ok() {
        #[cfg(unix)]
        signals::watch();
    }
}

/// Writes results; an interrupt waits until all of them are written.
pub(super) fn hold<E>(write: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let mut written = lock(&WRITTEN);
    write()?;
    *written += 1;
    Ok(())
}

/// Makes a file that an interrupt removes.
pub(super) fn keep<T>(path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut named = lock(&NAMED);
    let made = make()?;
    named.insert(path.to_owned());
    Ok(made)
}

/// Gives such a file its own name. The temporary one may be another file's at once.
pub(super) fn rename(path: &Path, target: &Path) -> io::Result<()> {
    let mut named = lock(&NAMED);
    fs::rename(path, target)?;
    named.remove(path);
    Ok(())
}

/// Removes such a file.
pub(super) fn remove(path: &Path) {
    let mut named = lock(&NAMED);
    let _ = fs::remove_file(path);
    named.remove(path);
}

/// The message after `written` results.
fn sentence(subject: &str, written: usize) -> String {
    match written {
        _ if subject == NOTHING => "interrupted".to_owned(),
        0 => format!("interrupted, no {subject} was written"),
        1 => format!("interrupted, the {subject} that was complete is written"),
        more => format!("interrupted, the {more} {subject}s that were complete are written"),
    }
}

#[cfg(unix)]
mod signals {
    use std::io::{IsTerminal as _, Write as _, stderr};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::*;

    pub(super) fn watch() {
        let watched: Vec<i32> = [SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
        let started = Signals::new(watched).and_then(|mut signals| {
            let wait = move || signals.forever().for_each(end);
            std::thread::Builder::new().name("interrupts".to_owned()).spawn(wait)
        });
        if let Err(error) = started {
            tracing::warn!(%error, "signals are not watched: the system ends the process");
        }
    }

    /// Whether the parent process wants this one to ignore the signal, as a shell does for processes in the background.
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }

    /// Holds both locks to the end: nothing is written or named any more.
    fn end(signal: i32) {
        let (written, named) = (lock(&WRITTEN), lock(&NAMED));
        named.iter().for_each(|path| drop(fs::remove_file(path)));
        let mut stderr = stderr();
        // A line that shows progress is not ended.
        let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
        let said = sentence(SUBJECT.get().copied().unwrap_or("file"), *written);
        let _ = stderr.write_all(format!("{clear}polystark: {said}\n").as_bytes());
        signal_hook::low_level::exit(128 + signal);
    }
}
