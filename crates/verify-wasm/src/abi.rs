//! The exports of the module, for any host of WebAssembly. There are no imports.
//!
//! 1. `polystark_alloc(length)` gives room for the file, in the module's memory; 0 if there is none.
//! 2. The host writes the file there. If a file is longer than `polystark_most_bytes()`, its first
//!    `polystark_most_bytes() + 1` bytes are enough.
//! 3. `polystark_verify(file, length, channel, channel_length, statement, statement_length)` gives the verdict. The
//!    channel is a name in UTF-8, in another block; with a length of 0 its address may be anything, and the default is
//!    asked for. So it is with the statement: the facts or the output preimage of a client proof of Starknet in JSON,
//!    the columns of a batch of GKR. Other files need none. The verdict is a block of 4 bytes, the length of what
//!    follows, little-endian, and as many bytes of JSON ([`crate::json()`]). Room for the file may have grown the
//!    memory, so the host looks at it anew.
//! 4. `polystark_free(block, length)` takes back a block of that length: the file, and the verdict with its 4 bytes.
#![allow(unsafe_code, reason = "pointers into the memory that the module shares with its host")]

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{MOST_BYTES, json};

/// Most bytes of a file that are read.
#[unsafe(no_mangle)]
pub extern "C" fn polystark_most_bytes() -> usize {
    MOST_BYTES
}

/// A block of `length` zeros; null if the memory is used up, or for a length that no file may have.
#[unsafe(no_mangle)]
pub extern "C" fn polystark_alloc(length: usize) -> *mut u8 {
    let mut block: Vec<u8> = Vec::new();
    if length > MOST_BYTES + 1 || block.try_reserve_exact(length).is_err() {
        return core::ptr::null_mut();
    }
    block.resize(length, 0);
    leak(block)
}

/// The verdict on the file in a block: see the module's documentation.
///
/// # Safety
/// `file` is a block of `length` bytes that [`polystark_alloc`] gave, and nobody writes to it meanwhile; so is
/// `channel` one of `channel_length` bytes, if that is not 0, and `statement` one of `statement_length`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polystark_verify(
    file: *const u8,
    length: usize,
    channel: *const u8,
    channel_length: usize,
    statement: *const u8,
    statement_length: usize,
) -> *mut u8 {
    // SAFETY: the caller says that there are `length` bytes, which stay as they are.
    let file = unsafe { core::slice::from_raw_parts(file, length) };
    let channel = match channel_length {
        0 => Default::default(),
        // SAFETY: the caller says that there are so many bytes, which stay as they are.
        _ => String::from_utf8_lossy(unsafe { core::slice::from_raw_parts(channel, channel_length) }),
    };
    let statement = match statement_length {
        0 => &[],
        // SAFETY: the caller says that there are so many bytes, which stay as they are.
        _ => unsafe { core::slice::from_raw_parts(statement, statement_length) },
    };
    let verdict = json(file, &channel, statement);
    // A verdict is a few times as long as what a file may list.
    let mut block = (verdict.len() as u32).to_le_bytes().to_vec();
    block.extend_from_slice(verdict.as_bytes());
    leak(block)
}

/// Takes a block back.
///
/// # Safety
/// `block` was given by [`polystark_alloc`] or [`polystark_verify`], has `length` bytes, and was not taken back before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polystark_free(block: *mut u8, length: usize) {
    // SAFETY: by the caller's promise `leak` made it of a box of that length.
    drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(block, length)) });
}

fn leak(block: Vec<u8>) -> *mut u8 {
    Box::into_raw(block.into_boxed_slice()).cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_its_length_before_it() {
        let text = b"no proof";
        let (file, name) = (polystark_alloc(text.len()), b"blake2s_m31");
        let channel = polystark_alloc(name.len());
        // SAFETY: the block has that many bytes, and each block is taken back once, with its length.
        let (length, verdict) = unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr(), file, text.len());
            core::ptr::copy_nonoverlapping(name.as_ptr(), channel, name.len());
            let verdict = polystark_verify(file, text.len(), channel, name.len(), core::ptr::null(), 0);
            polystark_free(file, text.len());
            polystark_free(channel, name.len());
            let length = u32::from_le_bytes(*verdict.cast::<[u8; 4]>()) as usize;
            let bytes = core::slice::from_raw_parts(verdict.add(4), length).to_vec();
            polystark_free(verdict, 4 + length);
            (length, bytes)
        };
        assert_eq!((verdict.as_slice(), length), (json(text, "blake2s_m31", b"").as_bytes(), verdict.len()));
        assert!(polystark_alloc(MOST_BYTES + 2).is_null());
    }
}
