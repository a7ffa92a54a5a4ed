//! The file that holds a statement of the Circle protocol together with its proof.
//!
//! ```text
//! header           as in all files: magic, version, protocol ([`PROTOCOL`])
//! AIR              name
//! parameters       list of (name, integer), names in ascending order: as the statement names them
//! log2 of the rows integer: of the first component, where there are several
//! words            list of integers below 2^32, mixed for the statement (section 17), public values included
//! claimed sums     list of extension elements: one for each component with lookups, then the statement's other claims
//! proof            byte string: the encoding of [`crate::codec`]
//! suite            its name; left out if it is `blake2s`
//! ```
//!
//! Integers, lists and strings are as in [`proof_format::wire`]; an extension element is its four coordinates, each in
//! 4 bytes, little-endian. The configuration is in the proof. A file has exactly one encoding. A verifier builds the
//! statement from name, rows, parameters and, where public values are digests, the words
//! ([`circle_air::airs::stated`]); all words must be the statement's.

use std::collections::BTreeMap;

use field::{CanonicalBytes, Field, M31, QM31};
use proof_format::file::{
    MAX_VALUES, check_count, header, name, parameters, put_header, put_name, put_parameters, small,
};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_bytes, put_int, put_len};

use crate::Suite;

/// Name of the protocol in files.
pub const PROTOCOL: &str = "circle";
/// Largest log2 of the rows.
const MAX_LOG_ROWS: u32 = crate::options::MAX_LOG_DOMAIN;

/// A statement and its proof. The proof is kept as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// Name of the AIR.
    pub air: String,
    /// Its parameters other than the number of rows, as far as the statement names them.
    pub parameters: BTreeMap<String, u64>,
    /// Log2 of the number of rows; at most 30.
    pub log_rows: u32,
    /// The statement's words.
    pub words: Vec<u32>,
    /// Claimed sums, in component order, and then the statement's other claims.
    pub claimed_sums: Vec<QM31>,
    /// The encoded proof.
    pub proof: Vec<u8>,
    /// Hash functions, format and hiding of the proof.
    pub suite: Suite,
}

impl ProofFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// At the offset where the file would be unreadable, if a name is not one by [`proof_format::file::is_name`], there
    /// are too many parameters, words, claimed sums or rows, or a claimed sum is not reduced.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.proof.len() + 256);
        put_header(&mut out, PROTOCOL)?;
        put_name(&mut out, &self.air)?;
        put_parameters(&mut out, &self.parameters)?;
        if self.log_rows > MAX_LOG_ROWS {
            let kind = DecodeErrorKind::Range(u64::from(self.log_rows));
            return Err(DecodeError { offset: out.len(), kind });
        }
        put_int(&mut out, u64::from(self.log_rows));
        check_count(&out, self.words.len(), MAX_VALUES)?;
        put_len(&mut out, self.words.len());
        self.words.iter().for_each(|word| put_int(&mut out, u64::from(*word)));
        check_count(&out, self.claimed_sums.len(), MAX_VALUES)?;
        put_len(&mut out, self.claimed_sums.len());
        for coordinate in self.claimed_sums.iter().flat_map(|sum| sum.0) {
            if !coordinate.is_canonical() {
                return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::NotCanonical });
            }
            coordinate.write_bytes(&mut out);
        }
        put_bytes(&mut out, &self.proof);
        if self.suite != Suite::default() {
            put_name(&mut out, self.suite.name())?;
        }
        Ok(out)
    }

    /// The file that these bytes encode. Strict, bounded and free of panics, as [`crate::decode`] is.
    ///
    /// # Errors
    /// If they encode none; the error says where and why.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let r = &mut reader;
        let protocol = header(r)?;
        if protocol != PROTOCOL {
            return Err(DecodeError { offset: proof_format::file::MAGIC.len(), kind: DecodeErrorKind::Protocol });
        }
        let air = name(r)?;
        let parameters = parameters(r)?;
        let log_rows = small(r, MAX_LOG_ROWS)?;
        let words = r.short_list(MAX_VALUES, 1, |r| small(r, u32::MAX))?;
        let claimed_sums = r.short_list(MAX_VALUES, 16, secure)?;
        let proof = r.bytes()?.to_vec();
        let suite = suite(r)?;
        reader.end()?;
        Ok(Self { air, parameters, log_rows, words, claimed_sums, proof, suite })
    }
}

/// The suite at the end of a file, which is not there if it is the first one.
fn suite(r: &mut Reader<'_>) -> Result<Suite> {
    if r.rest().is_empty() {
        return Ok(Suite::default());
    }
    let offset = r.offset();
    let kind = match name(r).map(|name| (name.parse(), name)) {
        Ok((Ok(suite), _)) if suite != Suite::default() => return Ok(suite),
        Ok((Err(_), name)) => DecodeErrorKind::Suite(name),
        _ => DecodeErrorKind::TrailingBytes,
    };
    Err(DecodeError { offset, kind })
}

fn secure(r: &mut Reader<'_>) -> Result<QM31> {
    let mut coordinates = [M31::ZERO; 4];
    for coordinate in &mut coordinates {
        let offset = r.offset();
        let read = M31::read_bytes(r.take(M31::BYTES)?);
        *coordinate = read.ok_or(DecodeError { offset, kind: DecodeErrorKind::NotCanonical })?;
    }
    Ok(QM31(coordinates))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: u32 = (1 << 31) - 1;

    fn file() -> ProofFile {
        ProofFile {
            air: "plonk".into(),
            parameters: [("v0".into(), 1), ("v1".into(), 300)].into(),
            log_rows: 5,
            words: vec![3, 5, 1, 300, u32::MAX],
            claimed_sums: vec![QM31([1, 2, 3, P - 1].map(M31::new))],
            proof: vec![7; 300],
            suite: Suite::default(),
        }
    }

    #[test]
    fn one_encoding() {
        let bytes = file().encode().unwrap();
        assert_eq!(ProofFile::decode(&bytes), Ok(file()));
        assert_eq!(proof_format::file::protocol(&bytes).as_deref(), Ok(PROTOCOL));
        for length in 0..bytes.len() {
            assert!(ProofFile::decode(&bytes[..length]).is_err(), "{length}");
        }
        assert!(ProofFile::decode(&[&bytes[..], &[0]].concat()).is_err());
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 0x81;
            if let Ok(file) = ProofFile::decode(&changed) {
                assert_eq!(file.encode(), Ok(changed), "byte {index}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        assert!(ProofFile { air: "a b".into(), ..file() }.encode().is_err());
        assert!(ProofFile { log_rows: MAX_LOG_ROWS, ..file() }.encode().is_ok());
        assert!(ProofFile { log_rows: MAX_LOG_ROWS + 1, ..file() }.encode().is_err());
        let parameters = |count: usize| (0..count).map(|index| (format!("v{index}"), 1)).collect();
        assert!(ProofFile { parameters: parameters(64), ..file() }.encode().is_ok());
        assert!(ProofFile { parameters: parameters(65), ..file() }.encode().is_err());
        let words = |count| ProofFile { words: vec![0; count], ..file() }.encode();
        assert!(words(MAX_VALUES).is_ok() && words(MAX_VALUES + 1).is_err());
        let sums = |count| ProofFile { claimed_sums: vec![QM31::ZERO; count], ..file() }.encode();
        assert!(sums(MAX_VALUES).is_ok() && sums(MAX_VALUES + 1).is_err());
        let unreduced = vec![bytemuck::cast([P, 0, 0, 0])];
        assert!(ProofFile { claimed_sums: unreduced, ..file() }.encode().is_err());
    }

    #[test]
    fn a_claimed_sum_has_one_encoding() {
        // The last coordinate is `P - 1`; `P` would be another zero.
        let mut bytes = file().encode().unwrap();
        let at = bytes.windows(4).position(|word| word == (P - 1).to_le_bytes()).unwrap();
        bytes[at..at + 4].copy_from_slice(&P.to_le_bytes());
        let refused = DecodeError { offset: at, kind: DecodeErrorKind::NotCanonical };
        assert_eq!(ProofFile::decode(&bytes), Err(refused));
    }

    #[test]
    fn what_follows_the_proof_is_the_name_of_a_suite() {
        let with = |name: &str| {
            let mut bytes = file().encode().unwrap();
            let offset = bytes.len();
            put_name(&mut bytes, name).unwrap();
            ProofFile::decode(&bytes).map_err(|error| (error.offset - offset, error.kind))
        };
        for suite in Suite::ALL {
            let expected = match suite == Suite::default() {
                // It has one encoding.
                true => Err((0, DecodeErrorKind::TrailingBytes)),
                false => Ok(ProofFile { suite, ..file() }),
            };
            assert_eq!(with(suite.name()), expected);
        }
        assert_eq!(with("keccak256"), Err((0, DecodeErrorKind::Suite("keccak256".to_owned()))));
    }

    #[test]
    fn files_of_other_protocols_are_told_apart() {
        let mut bytes = Vec::new();
        put_header(&mut bytes, "goldilocks").unwrap();
        assert_eq!(ProofFile::decode(&bytes).map_err(|error| error.kind), Err(DecodeErrorKind::Protocol));
    }
}
