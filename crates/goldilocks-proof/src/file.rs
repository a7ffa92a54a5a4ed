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
//! suite            name: [`crate::Suite`], or [`crate::compact::Suite`]
//! options          blowup, queries, grinding, coset offset: integers; others for a compact proof
//! seed             option of a byte string: none is the default seed of [`crate::seed`]
//! public inputs    list of field elements
//! proof            byte string: the encoding of [`crate::codec`], or of [`crate::compact::codec`]
//! ```
//!
//! Integers, lists, options and elements are as in the encoding of a proof (section 12); byte strings and names have
//! their length before them. A statement has exactly one encoding. The constraints are not in the file: a verifier
//! builds the AIR from its name and parameters, and the default seed binds the proof to the result.
//!
//! The options of a compact proof are in section 8 of `docs/protocol/goldilocks-compact.md`. It has no seed.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use field::Goldilocks;

use proof_format::file::{
    MAX_VALUES, check_count, header, name, parameters, put_header, put_name, put_parameters, small,
};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_bytes, put_int, put_len};

use crate::any_options::AnyOptions;
use crate::elements::{element, put_element};
use crate::file_options::FileOptions;
use crate::lambdaworks;

/// A statement and its proof in the format of [`crate::codec`].
pub type ProofFile = ProofFileOf<lambdaworks::Options>;

/// A statement and its proof in any format.
pub type AnyProofFile = ProofFileOf<AnyOptions>;

/// A statement and its proof, with options of some format. The proof is kept as bytes: the protocol named here decides
/// how it decodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFileOf<O> {
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
    /// Options of the proof. In range for the file, not validated for the statement: see
    /// [`lambdaworks::Options::validate`].
    pub options: O,
    /// Transcript seed; `None` is the default seed.
    pub seed: Option<Vec<u8>>,
    /// Public inputs.
    pub public_inputs: Vec<Goldilocks>,
    /// The encoded proof.
    pub proof: Vec<u8>,
}

impl<O: FileOptions> ProofFileOf<O> {
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
        self.options.put(&mut out)?;
        match &self.seed {
            None => out.push(0),
            Some(_) if !self.options.takes_seed() => {
                return Err(DecodeError { offset: out.len(), kind: DecodeErrorKind::NotNone });
            }
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
        let options = O::read(r)?;
        let offset = r.offset();
        let seed = r.option(|r| r.short_list(MAX_VALUES, 1, Reader::byte))?;
        if seed.is_some() && !options.takes_seed() {
            return Err(DecodeError { offset, kind: DecodeErrorKind::NotNone });
        }
        let public_inputs = r.short_list(MAX_VALUES, 9, element)?;
        let proof = r.bytes()?.to_vec();
        reader.end()?;
        Ok(Self { protocol, extension_degree, air, parameters, log_rows, options, seed, public_inputs, proof })
    }
}
