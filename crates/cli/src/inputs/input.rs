//! Files that are read whole.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::report::exit::Failure;
use sdk::hal::Bytes;

/// Opens a file, a pipe or a terminal. The bytes of a device have no end, unless it has none.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let failed = |error| Failure::file(path, error);
    let mut file = File::open(path).map_err(failed)?;
    if is_endless(&file).map_err(failed)? && file.read(&mut [0]).map_err(failed)? > 0 {
        return Err(Failure::file(path, "this is a device, whose bytes have no end: name a file"));
    }
    Ok(file)
}

/// Whether it is neither a file nor a pipe nor a terminal.
#[cfg(unix)]
fn is_endless(file: &File) -> std::io::Result<bool> {
    use std::io::IsTerminal as _;
    use std::os::unix::fs::FileTypeExt as _;
    let kind = file.metadata()?.file_type();
    Ok((kind.is_char_device() || kind.is_block_device()) && !file.is_terminal())
}

#[cfg(not(unix))]
fn is_endless(_: &File) -> std::io::Result<bool> {
    Ok(false)
}

/// The bytes of the open file `path`: at most `most`, or one more if it has more.
pub(crate) fn read(path: &Path, from: impl Read, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Failure::file(path, error))?;
    Ok(bytes)
}

/// The bytes of a file that holds `what`, of which no more than `most` are taken.
pub(crate) fn read_bounded(path: &Path, what: &str, most: u64) -> Result<Vec<u8>, Failure> {
    let bytes = read(path, open(path)?, most)?;
    if bytes.len() as u64 > most {
        return Err(Failure::file(path, format!("this file is too long: {what} has at most {}", Bytes(most))));
    }
    Ok(bytes)
}
