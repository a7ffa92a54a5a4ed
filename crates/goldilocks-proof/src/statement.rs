//! The file that holds a statement together with its proof.
//!
//! ```text
//! magic            8 bytes, [`MAGIC`]
//! version          integer, [`VERSION`]
//! protocol         name
//! extension degree integer
//! AIR              name
//! parameters       list of (name, integer), names in ascending order
//! log2 of the rows integer
//! suite            name: [`Suite`]
//! blowup, queries, grinding, coset offset   integers
//! seed             option of a byte string: none is the default seed of [`crate::seed`]
//! public inputs    list of field elements
//! proof            byte string: the encoding of [`crate::codec`]
//! ```
//!
//! Integers, lists, options and elements are as in the encoding of a proof (section 12); byte strings and names have
//! their length before them. A statement has exactly one encoding. The constraints are not in the file: a verifier
//! builds the AIR from its name and parameters, and the default seed binds the proof to the result.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use field::{Goldilocks, PrimeField};

use proof_format::file::{
    MAX_VALUES, check_count, header, name, parameters, put_header, put_name, put_parameters, small,
};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_bytes, put_int, put_len};

use crate::elements::{element, put_element};
use crate::{ProofOptions, Suite};

/// A statement and its proof. The proof is kept as bytes: the protocol named here decides how it decodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Name of the protocol, [`gpu_hal::Protocol::NAME`].
    pub protocol: String,
    /// Degree of the extension.
    pub extension_degree: u64,
    /// Name of the AIR.
    pub air: String,
    /// Its parameters other than the number of rows.
    pub parameters: BTreeMap<String, u64>,
    /// Log2 of the number of rows; at most 32.
    pub log_rows: u32,
    /// Options of the proof. In range for the file, not validated for the statement: see [`ProofOptions::validate`].
    pub options: ProofOptions,
    /// Transcript seed; `None` is the default seed.
    pub seed: Option<Vec<u8>>,
    /// Public inputs.
    pub public_inputs: Vec<Goldilocks>,
    /// The encoded proof.
    pub proof: Vec<u8>,
}

impl Statement {
    /// The bytes of the file.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Name`], [`DecodeErrorKind::Range`] or [`DecodeErrorKind::NotCanonical`], at the offset where
    /// the file would be unreadable, if a name is not one by [`proof_format::file::is_name`], there are too many
    /// parameters, public inputs, bytes of a seed or more than `2^32` rows, or the coset offset is not below p.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.proof.len() + 256);
        put_header(&mut out, &self.protocol)?;
        put_int(&mut out, self.extension_degree);
        put_name(&mut out, &self.air)?;
        put_parameters(&mut out, &self.parameters)?;
        if self.log_rows > 32 {
            let kind = DecodeErrorKind::Range(u64::from(self.log_rows));
            return Err(DecodeError { offset: out.len(), kind });
        }
        put_int(&mut out, u64::from(self.log_rows));
        put_name(&mut out, self.options.suite.name())?;
        for value in [self.options.blowup, self.options.queries, self.options.grinding] {
            put_int(&mut out, u64::from(value));
        }
        if self.options.coset_offset >= Goldilocks::ORDER {
            return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::NotCanonical });
        }
        put_int(&mut out, self.options.coset_offset);
        match &self.seed {
            None => out.push(0),
            Some(seed) => {
                out.push(1);
                check_count(&out, seed.len(), MAX_VALUES)?;
                put_bytes(&mut out, seed);
            }
        }
        check_count(&out, self.public_inputs.len(), MAX_VALUES)?;
        put_len(&mut out, self.public_inputs.len());
        self.public_inputs.iter().for_each(|input| put_element(&mut out, input));
        put_bytes(&mut out, &self.proof);
        Ok(out)
    }

    /// The statement that these bytes encode. Strict, bounded and free of panics, as [`crate::decode`] is.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let r = &mut reader;
        let protocol = header(r)?;
        let extension_degree = r.int()?;
        let air = name(r)?;
        let parameters = parameters(r)?;
        let log_rows = small(r, 32)?;
        let offset = r.offset();
        let word = name(r)?;
        let unknown = |_| DecodeError { offset, kind: DecodeErrorKind::Suite(word.clone()) };
        let suite = word.parse::<Suite>().map_err(unknown)?;
        let any = u32::MAX;
        let options = ProofOptions {
            blowup: small(r, any)?,
            queries: small(r, any)?,
            grinding: small(r, any)?,
            coset_offset: coset_offset(r)?,
            suite,
        };
        let seed = r.option(|r| r.short_list(MAX_VALUES, 1, Reader::byte))?;
        let public_inputs = r.short_list(MAX_VALUES, 9, element)?;
        let proof = r.bytes()?.to_vec();
        reader.end()?;
        Ok(Self { protocol, extension_degree, air, parameters, log_rows, options, seed, public_inputs, proof })
    }
}

/// A coset offset. One that is not below the prime is a second name of a smaller one.
fn coset_offset(r: &mut Reader<'_>) -> Result<u64> {
    let offset = r.offset();
    let value = r.int()?;
    if value < Goldilocks::ORDER { Ok(value) } else { Err(DecodeError { offset, kind: DecodeErrorKind::NotCanonical }) }
}
