//! Files as memory.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use memmap2::Mmap;

/// The bytes of a file, mapped.
pub(crate) fn map(path: &Path) -> std::io::Result<Bytes> {
    // Before it is opened: the opening of a pipe would wait for a writer.
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file: it cannot be mapped"));
    }
    let file = File::open(path)?;
    // SAFETY: the crate's documentation asks that nobody changes the file while it is mapped.
    #[allow(unsafe_code, reason = "the only way to map a file")]
    let map = unsafe { Mmap::map(&file)? };
    Ok(Bytes::from_owner(map))
}
