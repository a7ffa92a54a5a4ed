//! Proofs in files, in the formats of the reference's own tool.
//!
//! | format | what | read |
//! |---|---|---|
//! | [`Format::Binary`] | bzip2 of [`Format::Bincode`] | yes |
//! | [`Format::ExtendedBinary`] | bzip2 of bincode of the proof with the auxiliary data of the reference's prover | yes |
//! | [`Format::Json`] | one JSON object | yes |
//! | [`Format::Bincode`] | bincode 1 with its default options: little-endian, numbers of fixed width, lengths of 8 bytes | yes |
//! | [`Format::CairoSerde`] | a JSON array of felts in hexadecimal, which the verifier that is written in Cairo takes | no |
//!
//! In all of them a digest of Poseidon252 is a felt: its decimal digits, or one felt of `CairoSerde`. A file does not
//! say its suite; the caller does.
//!
//! [`decode`] finds out which format it is. Nothing in a file makes it panic, and its memory is a small multiple of the
//! file's length, or of the bytes that `binary` unpacks to, which has the same limit. It says nothing about whether the
//! proof is one: that is [`crate::verify`]'s part.

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write};

use bzip2::Compression;
use bzip2::bufread::BzDecoder;
use bzip2::write::BzEncoder;
use cairo_run::BuiltinName;
use circle_proof::Suite;
use proof_format::policy::check_length;

pub use crate::encoding::{Encoding, FileError, Format};
use crate::verify::auxiliary;
use crate::version::{AirProof, AirVersion};

/// The bytes of a proof of this suite in bincode 1: its digest in the vectors is the SHA-256 of them.
///
/// # Errors
/// If it is too long for this machine, or not of the suite.
pub fn bincode<P: AirProof>(proof: &P, suite: Suite) -> Result<Vec<u8>, FileError> {
    proof.write(suite, Encoding::Bincode)
}

/// The bytes of a proof of this suite in a format.
///
/// # Errors
/// For [`Format::CairoSerde`] if the proof has no such form; if the proof is not of the suite.
pub fn encode<P: AirProof>(proof: &P, format: Format, suite: Suite) -> Result<Vec<u8>, FileError> {
    match format {
        Format::Bincode => bincode(proof, suite),
        Format::Json => proof.write(suite, Encoding::Json),
        Format::CairoSerde => cairo_serde(proof, suite),
        Format::Binary => pack(&bincode(proof, suite)?),
        Format::ExtendedBinary => pack(&extended(proof, suite)?),
    }
}

/// Bincode of the proof with its auxiliary data.
fn extended<P: AirProof>(proof: &P, suite: Suite) -> Result<Vec<u8>, FileError> {
    proof.write_extended(suite, auxiliary(proof, suite).map_err(Box::new)?)
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>, FileError> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(FileError::Bzip2)
}

/// The proof of this suite in a file of at most `max_bytes`, packed or not, and its format.
///
/// # Errors
/// If there is none, with where and why as far as the format says; or if there is one of another suite.
pub fn decode<P: AirProof>(bytes: &[u8], max_bytes: u64, suite: Suite) -> Result<(P, Format), FileError> {
    check_length(bytes.len(), max_bytes)?;
    let format = Format::of(bytes);
    let truncated = || FileError::Truncated { end: bytes.len(), format };
    let unpacked = match format {
        Format::Binary | Format::ExtendedBinary => match unpack(bytes, max_bytes) {
            Err(FileError::Bzip2(error)) if error.kind() == ErrorKind::UnexpectedEof => return Err(truncated()),
            unpacked => Cow::Owned(unpacked?),
        },
        Format::CairoSerde => return Err(FileError::CairoSerde),
        Format::Json | Format::Bincode => Cow::Borrowed(bytes),
    };
    let read = |suite| match format {
        Format::Json => P::read(&unpacked, suite, Encoding::Json).map(|proof| (proof, format)),
        Format::Bincode => P::read(&unpacked, suite, Encoding::Bincode).map(|proof| (proof, format)),
        _ => of_packed(&unpacked, suite)
            .map(|(proof, sorted)| (proof, if sorted.is_some() { Format::ExtendedBinary } else { Format::Binary })),
    };
    let is_of = |other: &Suite| *other != suite && read(*other).is_ok();
    read(suite).map_err(|error| match Suite::ALL.into_iter().find(is_of) {
        Some(found) => FileError::OtherSuite { found, expected: suite },
        None if matches!(&error, FileError::Json(error) if error.is_eof()) => truncated(),
        None => error,
    })
}

/// The proof in unpacked bytes, which are either format of them, and its bytes with sorted maps if it has auxiliary
/// data. That stands before the last fields, so that no bytes are both formats.
fn of_packed<P: AirProof>(unpacked: &[u8], suite: Suite) -> Result<(P, Option<Vec<u8>>), FileError> {
    let bare = P::read(unpacked, suite, Encoding::Bincode).map(|proof| (proof, None));
    bare.or_else(|error| match P::read_extended(unpacked, suite) {
        Ok((proof, sorted)) => Ok((proof, Some(sorted))),
        Err(_) => Err(error),
    })
}

/// Checks that the auxiliary data in a file is that of the proof in it, of this suite, where a file has such. A proof
/// from elsewhere is verified first.
///
/// # Errors
/// [`FileError::Auxiliary`], or the fault of the file.
pub fn check_auxiliary<P: AirProof>(bytes: &[u8], max_bytes: u64, suite: Suite) -> Result<(), FileError> {
    if Format::of(bytes) != Format::Binary {
        return Ok(());
    }
    let (proof, sorted) = of_packed::<P>(&unpack(bytes, max_bytes)?, suite)?;
    match sorted {
        Some(sorted) if sorted != extended(&proof, suite)? => Err(FileError::Auxiliary),
        _ => Ok(()),
    }
}

fn unpack(bytes: &[u8], max_bytes: u64) -> Result<Vec<u8>, FileError> {
    let mut decoder = BzDecoder::new(bytes);
    let mut unpacked = Vec::new();
    decoder.by_ref().take(max_bytes.saturating_add(1)).read_to_end(&mut unpacked).map_err(FileError::Bzip2)?;
    check_length(unpacked.len(), max_bytes)?;
    match decoder.into_inner().len() {
        0 => Ok(unpacked),
        left => Err(FileError::Trailing(left)),
    }
}

/// Whether proofs of a program that takes this many builtins can be written in a format, as known before there is a
/// proof.
///
/// # Errors
/// [`FileError::Builtins`] for [`Format::CairoSerde`] and fewer than all eleven.
pub fn check_builtins(builtins: usize, format: Format) -> Result<(), FileError> {
    match format {
        Format::CairoSerde if builtins < BuiltinName::PUBLIC.len() => Err(FileError::Builtins),
        _ => Ok(()),
    }
}

/// The felts that the verifier in Cairo takes, as an array of strings.
fn cairo_serde<P: AirProof>(proof: &P, suite: Suite) -> Result<Vec<u8>, FileError> {
    check_builtins(P::Version::public_data(proof.claim()).builtins(), Format::CairoSerde)?;
    serde_json::to_vec_pretty(&proof.cairo_serde(suite)?).map_err(FileError::Json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proof;
    use crate::encoding::of_bincode;
    use crate::verify::tests::fib_10;

    const LIMIT: u64 = 1 << 20;
    const SUITE: Suite = Suite::Blake2s;

    #[test]
    fn formats_are_told_apart_and_read() {
        let proof = fib_10();
        let expected = bincode(&proof, SUITE).unwrap();
        for format in [Format::Binary, Format::Json, Format::Bincode] {
            let bytes = encode(&proof, format, SUITE).unwrap();
            let (read, found) = decode::<Proof>(&bytes, LIMIT, SUITE).unwrap();
            assert_eq!((found, bincode(&read, SUITE).unwrap()), (format, expected.clone()));
            for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
                let error = decode::<Proof>(&bytes[..length], LIMIT, SUITE).map(drop).unwrap_err();
                assert!(error.to_string().contains("truncated"), "{format:?}: {length} bytes: {error}");
            }
            assert!(decode::<Proof>(&[&bytes[..], b"1"].concat(), LIMIT, SUITE).is_err(), "{format:?}");
            assert!(matches!(decode::<Proof>(&bytes, bytes.len() as u64 - 1, SUITE), Err(error) if error.is_policy()));
        }
        let pretty = serde_json::to_vec_pretty(&proof).unwrap();
        assert_eq!(decode::<Proof>(&pretty, LIMIT, SUITE).unwrap().1, Format::Json);
    }

    #[test]
    fn keys_of_nothing_are_refused_by_name() {
        let mut json = serde_json::to_value(fib_10()).unwrap();
        let read = |json: &serde_json::Value| {
            decode::<Proof>(&serde_json::to_vec(json).unwrap(), LIMIT, SUITE).map(|(_, format)| format)
        };
        assert_eq!(read(&json).unwrap(), Format::Json);
        json["stark_proof"]["config"]["security"] = 100.into();
        let refused = read(&json).unwrap_err();
        assert!(refused.to_string().contains("the key `stark_proof.config.security`, which no proof has"), "{refused}");
    }

    /// A program of 123 words, or of 91, begins with a byte that JSON could begin with.
    #[test]
    fn lengths_are_no_text() {
        for words in [b'{', b'['] {
            let mut proof = fib_10();
            let word = proof.claim.public_data.public_memory.program[0];
            proof.claim.public_data.public_memory.program.resize(words.into(), word);
            assert_eq!(decode::<Proof>(&bincode(&proof, SUITE).unwrap(), LIMIT, SUITE).unwrap().1, Format::Bincode);
        }
    }

    #[test]
    fn a_changed_byte_is_no_encoding_or_another_proof() {
        let bytes = bincode(&fib_10(), SUITE).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            if let Ok((proof, Format::Bincode)) = decode::<Proof>(&changed, LIMIT, SUITE) {
                assert!(bincode(&proof, SUITE).unwrap() == changed, "byte {at}");
            }
        }
    }

    /// Little is packed that unpacks to much.
    #[test]
    fn what_is_packed_is_bounded() {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![0; 4 * LIMIT as usize]).unwrap();
        let bytes = encoder.finish().unwrap();
        assert!(bytes.len() < 1000);
        assert!(matches!(decode::<Proof>(&bytes, LIMIT, SUITE), Err(error) if error.is_policy()));
    }

    /// Lists that say to be longer than the file take no memory.
    #[test]
    fn lengths_are_bounded() {
        let mut bytes = bincode(&fib_10(), SUITE).unwrap();
        bytes[..8].copy_from_slice(&(1_u64 << 60).to_le_bytes());
        assert!(matches!(of_bincode::<Proof>(&bytes), Err(FileError::Bincode(_))));
    }

    #[test]
    fn felts_for_cairo_are_refused_where_there_are_none() {
        assert!(matches!(encode(&fib_10(), Format::CairoSerde, SUITE), Err(FileError::Queried(_))));
        let mut proof = fib_10();
        proof.claim.public_data.public_memory.public_segments.ecdsa = None;
        assert!(matches!(encode(&proof, Format::CairoSerde, SUITE), Err(FileError::Builtins)));
        assert!(matches!(decode::<Proof>(b"[\"0x1\"]", LIMIT, SUITE), Err(FileError::CairoSerde)));
        assert!(!FileError::CairoSerde.is_policy());
    }
}
