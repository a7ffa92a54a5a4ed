//! The beginning of the files of all protocols, and the parts that several of them hold: names and parameters.
//!
//! ```text
//! magic            8 bytes, [`MAGIC`]
//! version          integer, [`VERSION`]
//! protocol         name
//! ```
//!
//! The rest depends on the protocol.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_bytes, put_int, put_len};

/// First bytes of a file. The first byte is not ASCII and the end-of-line bytes reveal a transfer as text.
pub const MAGIC: [u8; 8] = *b"\x89PSTK\r\n\x1a";
/// Version of the layout.
pub const VERSION: u64 = 1;
/// Longest name of a protocol, an AIR, a parameter or a hash function.
pub const MAX_NAME: usize = 64;

/// Most parameters of an AIR.
pub const MAX_PARAMETERS: usize = 64;

/// Most public values, claimed sums, or bytes of a seed. Showing them takes many times the memory of the file.
pub const MAX_VALUES: usize = 1 << 16;

/// Whether a name can stand in a file: 1 to [`MAX_NAME`] characters out of `a-z A-Z 0-9 - _ .`, so that it can be
/// printed.
pub fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(fits)
}

/// Appends the magic bytes, the version and the protocol.
///
/// # Errors
/// If the protocol's name is none.
pub fn put_header(out: &mut Vec<u8>, protocol: &str) -> Result<()> {
    out.extend_from_slice(&MAGIC);
    put_int(out, VERSION);
    put_name(out, protocol)
}

/// Reads the magic bytes and the version, and returns the protocol.
///
/// # Errors
/// If this is no file of ours, or one of another version.
pub fn header(r: &mut Reader<'_>) -> Result<String> {
    magic(r, &MAGIC, VERSION)?;
    name(r)
}

/// Reads the first bytes of a file of some kind, and the version.
///
/// # Errors
/// If these are others, or the version is.
pub fn magic(r: &mut Reader<'_>, magic: &[u8; 8], version: u64) -> Result<()> {
    let start = r.rest();
    match r.take(magic.len()) {
        Ok(found) if found == magic => {}
        // A file that begins like one of ours and breaks off was cut.
        Err(truncated) if !start.is_empty() && magic.starts_with(start) => return Err(truncated),
        _ => return Err(DecodeError { offset: 0, kind: DecodeErrorKind::Magic }),
    }
    let offset = r.offset();
    match r.int()? {
        found if found == version => Ok(()),
        found => Err(DecodeError { offset, kind: DecodeErrorKind::Version(found) }),
    }
}

/// The protocol of a file.
///
/// # Errors
/// As [`header`].
pub fn protocol(bytes: &[u8]) -> Result<String> {
    header(&mut Reader::new(bytes))
}

/// Appends a name.
///
/// # Errors
/// If it is none by [`is_name`].
pub fn put_name(out: &mut Vec<u8>, name: &str) -> Result<()> {
    if !is_name(name) {
        return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::Name });
    }
    put_bytes(out, name.as_bytes());
    Ok(())
}

/// A name.
///
/// # Errors
/// If there is none by [`is_name`].
pub fn name(r: &mut Reader<'_>) -> Result<String> {
    let offset = r.offset();
    match core::str::from_utf8(r.bytes()?) {
        Ok(text) if is_name(text) => Ok(text.to_owned()),
        _ => Err(DecodeError { offset, kind: DecodeErrorKind::Name }),
    }
}

/// Appends parameters: their number, then name and value of each, names in ascending order.
///
/// # Errors
/// If a name is none, or there are more than [`MAX_PARAMETERS`].
pub fn put_parameters(out: &mut Vec<u8>, parameters: &BTreeMap<String, u64>) -> Result<()> {
    check_count(out, parameters.len(), MAX_PARAMETERS)?;
    put_len(out, parameters.len());
    for (name, value) in parameters {
        put_name(out, name)?;
        put_int(out, *value);
    }
    Ok(())
}

/// Parameters, as [`put_parameters`] writes them.
///
/// # Errors
/// If there are none, too many, or not in ascending order.
pub fn parameters(r: &mut Reader<'_>) -> Result<BTreeMap<String, u64>> {
    let mut parameters = BTreeMap::new();
    for _ in 0..small(r, MAX_PARAMETERS as u32)? {
        let offset = r.offset();
        let name = name(r)?;
        if parameters.last_key_value().is_some_and(|(last, _)| *last >= name) {
            return Err(DecodeError { offset, kind: DecodeErrorKind::Order });
        }
        parameters.insert(name, r.int()?);
    }
    Ok(parameters)
}

/// Whether a list that is written next can be read again.
///
/// # Errors
/// If it has more items than files may have.
pub fn check_count(out: &[u8], count: usize, most: usize) -> Result<()> {
    if count > most {
        return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::Range(count as u64) });
    }
    Ok(())
}

/// An integer that is at most `max`.
///
/// # Errors
/// If it is none, or larger.
pub fn small(r: &mut Reader<'_>, max: u32) -> Result<u32> {
    let offset = r.offset();
    let value = r.int()?;
    match u32::try_from(value) {
        Ok(small) if small <= max => Ok(small),
        _ => Err(DecodeError { offset, kind: DecodeErrorKind::Range(value) }),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    #[test]
    fn what_begins_a_file_and_what_does_not() {
        let kind = |bytes: &[u8]| header(&mut Reader::new(bytes)).expect_err("no header").kind;
        assert_eq!(kind(&[]), DecodeErrorKind::Magic, "nothing is no file of ours");
        for length in 1..MAGIC.len() {
            // Cut in these bytes, not in the number that follows.
            let missing = (MAGIC.len() - length) as u64;
            let cut = DecodeErrorKind::Truncated { end: length, missing };
            assert_eq!(kind(&MAGIC[..length]), cut, "{length} bytes of a file of ours that was cut");
            assert_eq!(kind(&[&MAGIC[..length - 1], b"?"].concat()), DecodeErrorKind::Magic, "{length}");
        }
    }

    #[test]
    fn only_names_are_written() {
        let mut out = vec![7];
        let parameters = BTreeMap::from([("a b".to_string(), 1)]);
        let error = put_parameters(&mut out, &parameters).expect_err("a blank is in no name");
        // Behind the first byte and the number of the parameters.
        assert_eq!((error.offset, error.kind), (2, DecodeErrorKind::Name));
    }
}
