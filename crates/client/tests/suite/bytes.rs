//! The bytes of a client proof, next to Starknet's public one, and bytes that are none.

use std::io::Write;

use client::file::{FileError, VERSION, pack, unpack};
use zstd::stream::Encoder;
use zstd::zstd_safe::{CParameter, version_string};

use crate::files;

#[test]
fn the_public_proof_is_packed_into_its_bytes() {
    // Others pack some proofs into other bytes.
    assert_eq!(version_string(), "1.5.7");
    let (written, vector) = (files::public_written(), files::public());
    let bytes = pack(&written).unwrap();
    assert_eq!(bytes.len() as u64, vector["final"]["len"]);
    assert_eq!(files::sha256(&bytes), vector["final"]["sha256"]);
    assert_eq!(unpack(&bytes, written.len()).unwrap(), written);
}

/// A file with a frame of zstd that somebody else has made.
fn file(content: &[u8], change: impl FnOnce(&mut Encoder<'static, Vec<u8>>)) -> Vec<u8> {
    let mut encoder = Encoder::new(VERSION.to_vec(), 5).unwrap();
    change(&mut encoder);
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn other_frames_are_read_and_bounded() {
    const LENGTH: usize = 1 << 16;
    let content: Vec<u8> = (0..LENGTH).map(|at| ((at * at) >> 7) as u8).collect();
    let whole = file(&content, |_| ());
    assert_eq!(unpack(&whole, LENGTH).unwrap(), content);
    assert_eq!(unpack(&file(&content, |encoder| encoder.include_checksum(true).unwrap()), LENGTH).unwrap(), content);

    let refused = |bytes: &[u8]| unpack(bytes, LENGTH).unwrap_err();
    for end in 0..3 {
        assert!(matches!(refused(&whole[..end]), FileError::Version { found } if found.len() == end));
    }
    assert!(matches!(refused(&[&[1, 2, 3], &whole[3..]].concat()), FileError::Version { found } if found == [1, 2, 3]));
    for end in (3..whole.len()).step_by(97).chain([whole.len() - 1]) {
        assert!(matches!(refused(&whole[..end]), FileError::Zstd(_)), "{end} bytes");
    }
    assert!(matches!(refused(&[&whole[..], &[0]].concat()), FileError::Trailing(1)));
    assert!(matches!(refused(&[&whole[..], &whole[3..]].concat()), FileError::Trailing(_)));
    let length = |content: &[u8]| match refused(&file(content, |_| ())) {
        FileError::Length { is_longer, expected: LENGTH } => is_longer,
        other => panic!("another error: {other}"),
    };
    assert!(length(&[&content[..], &[0]].concat()) && !length(&content[1..]) && !length(&[]));
    // A gigabyte in a few bytes.
    assert!(length(&vec![0; 1 << 30]));
    // A frame that looks back farther, which would take memory for it.
    let far = |log_window| {
        file(&content, |encoder| {
            encoder.set_pledged_src_size(None).unwrap();
            encoder.set_parameter(CParameter::WindowLog(log_window)).unwrap();
        })
    };
    assert_eq!(unpack(&far(21), LENGTH).unwrap(), content);
    assert!(matches!(refused(&far(22)), FileError::Zstd(_)));
    // A frame without content that decompressors pass over.
    let skipped = [&VERSION[..], &[0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7], &whole[3..]].concat();
    refused(&skipped);
}
