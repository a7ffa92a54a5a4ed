//! The note of a library: a C string, which programs of all versions can read.

use std::mem::{align_of, size_of};

use gpu_hal::erased::{AnyBuffer, AnyTree, Device, Erased};
use gpu_hal::rehearsal::{Rehearsal, Step};
use gpu_hal::stash::{Stash, StoredRequest};
use gpu_hal::{
    BUILT, Basis, Capabilities, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, DeferredFault,
    Footprint, GoldilocksStark, HalError, Leaves, LinearRecurrence, MemoryInfo, NonceSearch, OpenRequest, Opened,
    Operation, Protocol, RowProgram, RowRun, RunningRequest,
};

use crate::contract::CONTRACT;

/// First line of a note.
const TITLE: &str = "polystark backend library";

/// Bytes of a note. Bytes after the text are zero.
const LENGTH: usize = 512;

/// A note as it lies in a library.
pub type Note = [u8; LENGTH];

/// The names of the lines, in their order.
pub(crate) const KEYS: [&str; 6] = ["contract", "gpu-hal", "sources", "layout", "compiler", "target"];

/// The note of this copy of the crate: the title, and a line `name: value` for each name of `KEYS`.
pub const NOTE: Note = {
    let mut text = Text { bytes: [0; LENGTH], length: 0 };
    text.add(TITLE);
    text.add("\ncontract: ");
    text.add_digit(CONTRACT);
    text.add("\ngpu-hal: ");
    text.add(BUILT.version);
    text.add("\nsources: ");
    text.add(BUILT.sources);
    text.add("\nlayout: ");
    text.add_hexadecimal(LAYOUT);
    text.add("\ncompiler: ");
    text.add(BUILT.compiler);
    text.add("\ntarget: ");
    text.add(BUILT.target);
    text.add("\n");
    // The last byte ends the C string.
    assert!(text.length < LENGTH, "the note is too long");
    text.bytes
};

/// The values of a note in the order of `KEYS`, empty where a line is missing; `None` if it is no note.
pub(crate) fn values(note: &[u8]) -> Option<[String; 6]> {
    let end = note.iter().position(|byte| *byte == 0).unwrap_or(note.len());
    let text = String::from_utf8_lossy(&note[..end]);
    let lines: Vec<&str> = text.strip_prefix(TITLE)?.lines().collect();
    let value = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    Some(KEYS.map(|key| value(key).unwrap_or_default().to_owned()))
}

/// A text that is written when the crate is compiled.
struct Text {
    bytes: Note,
    length: usize,
}

impl Text {
    const fn add_byte(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    const fn add(&mut self, part: &str) {
        let part = part.as_bytes();
        let mut at = 0;
        while at < part.len() {
            self.add_byte(part[at]);
            at += 1;
        }
    }

    const fn add_digit(&mut self, digit: u32) {
        assert!(digit < 10, "more than a digit");
        self.add_byte(b'0' + digit as u8);
    }

    const fn add_hexadecimal(&mut self, number: u64) {
        let mut shift = 64;
        while shift > 0 {
            shift -= 4;
            self.add_byte(b"0123456789abcdef"[(number >> shift & 15) as usize]);
        }
    }
}

/// FNV-1a, when the crate is compiled.
struct Hash(u64);

impl Hash {
    const fn add(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            self.0 = (self.0 ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
    }

    const fn add_type<T>(&mut self) {
        self.add(&(size_of::<T>() as u64).to_le_bytes());
        self.add(&(align_of::<T>() as u64).to_le_bytes());
    }

    const fn add_protocol<P: Protocol>(&mut self) {
        self.add_type::<P::Base>();
        self.add_type::<P::Ext>();
        self.add_type::<P::Point>();
        self.add_type::<P::Domain>();
        self.add_type::<Basis<P::Domain>>();
        self.add_type::<Device<P>>();
        self.add_type::<ConstraintProgram<P>>();
        self.add_type::<Constraints<'_, Erased<P>>>();
        self.add_type::<DeepTerm<P>>();
        self.add_type::<Footprint<'_, Erased<P>>>();
        self.add_type::<OpenRequest<'_, Erased<P>>>();
        self.add_type::<Opened<P::Base>>();
        self.add_type::<LinearRecurrence<P::Base>>();
        self.add_type::<RowProgram<P::Base>>();
        self.add_type::<RowRun<'_, Erased<P>>>();
        self.add_type::<RunningRequest<'_, Erased<P>>>();
        self.add_type::<StoredRequest<'_, Erased<P>>>();
    }
}

/// A hash of sizes and alignments of types that cross, and of the file that declares this crate's. It sees, too, what
/// sources do not tell, such as a layout that the compiler is told to choose by chance.
const LAYOUT: u64 = {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.add(include_bytes!("contract.rs"));
    hash.add_protocol::<GoldilocksStark>();
    hash.add_protocol::<CircleStark>();
    hash.add_type::<AnyBuffer>();
    hash.add_type::<AnyTree>();
    hash.add_type::<Capabilities>();
    hash.add_type::<Columns<AnyBuffer>>();
    hash.add_type::<NonceSearch>();
    hash.add_type::<HalError>();
    hash.add_type::<Leaves>();
    hash.add_type::<MemoryInfo>();
    hash.add_type::<Operation>();
    hash.add_type::<Rehearsal>();
    hash.add_type::<Stash>();
    hash.add_type::<Step>();
    hash.add_type::<DeferredFault>();
    hash.0
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_the_library_is_built_for() {
        let [contract, version, sources, layout, compiler, target] = values(&NOTE).expect("a note");
        assert_eq!(contract, CONTRACT.to_string());
        assert_eq!((version.as_str(), sources.as_str()), (BUILT.version, BUILT.sources));
        assert_eq!(layout, format!("{LAYOUT:016x}"));
        assert!(compiler.starts_with("rustc ") && compiler == BUILT.compiler, "{compiler}");
        assert_eq!(target, BUILT.target);
        assert_eq!(sources.len(), 16);
    }

    #[test]
    fn other_texts_are_no_notes_and_missing_lines_are_empty() {
        assert_eq!(values(b"something else\ncontract: 1\n\0"), None);
        let note = values(b"polystark backend library\ncontract: 7\n\0target: x\n").expect("a title");
        assert_eq!(note, ["7", "", "", "", "", ""]);
    }
}
