//! The key of a statement: all that a verifier must know of it beforehand, beside the public inputs.
//!
//! A verifier that builds the AIR itself trusts its own code. One that takes the AIR from somewhere else, or has many,
//! compares it with a key that somebody made who looked at it. Nothing is preprocessed in this protocol: the digest of
//! the recorded AIR has the periodic columns, too.
//!
//! Public inputs that an AIR states as constants of its boundaries are in its digest, and so in the key. Functions that
//! are given to `boundary_with` are not: two AIRs in Rust of one name that differ only there have one key.
//!
//! The file of a key, with integers and names as in `docs/protocol/goldilocks.md`, section 12; no bytes follow:
//!
//! ```text
//! magic                89 50 53 4B 45 59 0D 0A, version 1 (integer)
//! protocol             name, and the degree of the extension (integer)
//! AIR                  name, log2 of the rows (integer)
//! layout               5 integers: main and auxiliary columns, rows of the frame, challenges, composition parts
//! digest of the AIR    32 bytes
//! suite                name
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use air::{Layout, RecordedAir};
use field::Hex;
use goldilocks_proof::{Digest, compact};
use gpu_hal::CosetProtocol;
use proof_format::file::{magic, name, put_name, small};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, put_int};

/// First bytes of the file of a key.
pub const MAGIC: [u8; 8] = *b"\x89PSKEY\r\n";
/// Version of its layout.
const VERSION: u64 = 1;
/// Most rows, by log2.
const MOST_LOG_ROWS: u32 = 32;

/// The key of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The protocol.
    pub protocol: String,
    /// Degree of the extension.
    pub extension_degree: u32,
    /// The AIR by its own name.
    pub air: String,
    /// Log2 of the rows.
    pub log_rows: u32,
    /// The shape of the AIR.
    pub layout: Layout,
    /// [`RecordedAir::digest`]: constraints, rows, boundaries, periodic columns.
    pub digest: Digest,
    /// The suite, which says the hash functions and the format.
    pub suite: String,
}

/// A statement that is not that of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}, the key is of {expected}")]
pub struct KeyMismatch {
    /// The part that differs.
    pub what: &'static str,
    /// In the statement.
    pub found: String,
    /// In the key.
    pub expected: String,
}

impl Key {
    /// The key of a statement whose proofs are of a suite ([`goldilocks_proof::AnyOptions::suite`]). How much they must
    /// be worth is a policy's to say.
    pub fn of<P: CosetProtocol>(air: &RecordedAir<P>, suite: &str) -> Self {
        Self {
            protocol: P::NAME.to_string(),
            extension_degree: P::DEGREE as u32,
            air: air.name().to_string(),
            log_rows: air.log_trace_length(),
            layout: air.layout(),
            digest: air.digest(),
            suite: suite.to_string(),
        }
    }

    /// Compares the key of a proof's statement with this one, which is trusted.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, found: &Self) -> Result<(), KeyMismatch> {
        let same = |what, found: &dyn fmt::Display, expected: &dyn fmt::Display| {
            let (found, expected) = (found.to_string(), expected.to_string());
            if found == expected { Ok(()) } else { Err(KeyMismatch { what, found, expected }) }
        };
        same("the protocol", &found.protocol, &self.protocol)?;
        same("the degree of the extension", &found.extension_degree, &self.extension_degree)?;
        same("the AIR", &found.air, &self.air)?;
        same("the number of rows", &Rows(found.log_rows), &Rows(self.log_rows))?;
        same("the layout", &Shape(&found.layout), &Shape(&self.layout))?;
        same("the digest of the AIR", &Hex(&found.digest), &Hex(&self.digest))?;
        same("the suite", &found.suite, &self.suite)
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// If a name is none that a file can have.
    pub fn encode(&self) -> Result<Vec<u8>, DecodeError> {
        let mut out = MAGIC.to_vec();
        put_int(&mut out, VERSION);
        put_name(&mut out, &self.protocol)?;
        put_int(&mut out, self.extension_degree.into());
        put_name(&mut out, &self.air)?;
        put_int(&mut out, self.log_rows.into());
        counts(&self.layout).into_iter().for_each(|count| put_int(&mut out, count as u64));
        out.extend_from_slice(&self.digest);
        put_name(&mut out, &self.suite)?;
        Ok(out)
    }

    /// The key in the bytes of a file. There is one file for a key.
    ///
    /// # Errors
    /// Where they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let r = &mut reader;
        magic(r, &MAGIC, VERSION)?;
        let (protocol, extension_degree) = (name(r)?, small(r, u32::MAX)?);
        let (air, log_rows) = (name(r)?, small(r, MOST_LOG_ROWS)?);
        let mut count = || Ok(small(r, u32::MAX)? as usize);
        let layout = Layout {
            main_columns: count()?,
            aux_columns: count()?,
            frame_rows: count()?,
            challenges: count()?,
            composition_parts: count()?,
        };
        let (digest, offset) = (r.array()?, r.offset());
        let suite = name(r)?;
        let is_known = suite.parse::<compact::Suite>().is_ok() || suite.parse::<goldilocks_proof::Suite>().is_ok();
        if !is_known {
            return Err(DecodeError { offset, kind: DecodeErrorKind::Suite(suite) });
        }
        reader.end()?;
        Ok(Self { protocol, extension_degree, air, log_rows, layout, digest, suite })
    }
}

fn counts(layout: &Layout) -> [usize; 5] {
    let Layout { main_columns, aux_columns, frame_rows, challenges, composition_parts } = *layout;
    [main_columns, aux_columns, frame_rows, challenges, composition_parts]
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, extension_degree, air, log_rows, layout, digest, suite } = self;
        let (rows, layout, digest) = (Rows(*log_rows), Shape(layout), Hex(digest));
        write!(f, "{air}, {rows} rows, {layout}, digest {digest}, {protocol} of degree {extension_degree}, {suite}")
    }
}

/// A number of rows by its log2, of any file.
struct Rows(u32);

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{}", self.0)
    }
}

struct Shape<'a>(&'a Layout);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [main, aux, frame, challenges, parts] = counts(self.0);
        write!(f, "{main} + {aux} columns, frames of {frame} rows, {challenges} challenges, {parts} parts")
    }
}
