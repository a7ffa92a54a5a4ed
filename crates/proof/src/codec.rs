//! The canonical encoding of a proof (section 12) and the strict decoding of it (section 11.1).
//!
//! `encode` and [`decode`] are inverse to each other: a proof has exactly one encoding, and [`decode`] accepts nothing else.
//! [`decode`] never panics and bounds every length by what is left of the input before it allocates, so its memory is a
//! small multiple of the input.

use field::{ExtensionField, Goldilocks};
use gpu_hal::CosetProtocol;

use crate::types::{DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof};
use crate::wire::{DecodeError, Reader, Result, put_element, put_int, put_len};

/// Bytes of a digest.
const DIGEST: usize = 32;
/// The smallest decommitment: two empty lists.
const LEAST_DECOMMITMENT: usize = 2;
/// The smallest DEEP opening: two openings of four empty lists and an empty option.
const LEAST_DEEP_OPENING: usize = 9;

/// Bytes that an element takes with its length.
const fn element_size<E: ExtensionField<Goldilocks>>() -> usize {
    1 + 8 * E::DEGREE
}

/// The bytes of a proof. Its digest is the SHA-256 of them.
pub fn encode<P: CosetProtocol>(proof: &Proof<P>) -> Vec<u8> {
    let mut out = Vec::with_capacity(estimated_size(proof));
    put_int(&mut out, proof.trace_length);
    out.extend_from_slice(&proof.main_root);
    put_option(&mut out, proof.aux_root.as_ref(), |out, root| out.extend_from_slice(root));
    put_elements(&mut out, &proof.trace_ood.data);
    put_int(&mut out, proof.trace_ood.width);
    put_int(&mut out, proof.trace_ood.height);
    out.extend_from_slice(&proof.composition_root);
    put_elements(&mut out, &proof.composition_ood);
    put_path(&mut out, &proof.fri_roots);
    put_element(&mut out, &proof.fri_last_value);
    put_len(&mut out, proof.fri_decommitments.len());
    for decommitment in &proof.fri_decommitments {
        put_len(&mut out, decommitment.paths.len());
        decommitment.paths.iter().for_each(|path| put_path(&mut out, path));
        put_elements(&mut out, &decommitment.values);
    }
    put_len(&mut out, proof.deep_openings.len());
    for opening in &proof.deep_openings {
        put_opening(&mut out, &opening.composition);
        put_opening(&mut out, &opening.main);
        put_option(&mut out, opening.aux.as_ref(), put_opening);
    }
    put_option(&mut out, proof.nonce.as_ref(), |out, nonce| put_int(out, *nonce));
    // Bus inputs: none.
    out.push(0);
    out
}

/// The proof that these bytes encode.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] gives for some proof; the error says where and why.
pub fn decode<P: CosetProtocol>(bytes: &[u8]) -> std::result::Result<Proof<P>, DecodeError> {
    let mut reader = Reader::new(bytes);
    let r = &mut reader;
    let proof = Proof {
        trace_length: r.int()?,
        main_root: r.digest()?,
        aux_root: r.option(Reader::digest)?,
        trace_ood: OodTable { data: elements(r)?, width: r.int()?, height: r.int()? },
        composition_root: r.digest()?,
        composition_ood: elements(r)?,
        fri_roots: path(r)?,
        fri_last_value: r.element()?,
        fri_decommitments: r
            .list(LEAST_DECOMMITMENT, |r| Ok(FriDecommitment { paths: r.list(1, path)?, values: elements(r)? }))?,
        deep_openings: r.list(LEAST_DEEP_OPENING, |r| {
            Ok(DeepOpening { composition: opening(r)?, main: opening(r)?, aux: r.option(opening)? })
        })?,
        nonce: r.option(Reader::int)?,
    };
    // Bus inputs.
    r.none()?;
    reader.end()?;
    Ok(proof)
}

fn put_option<T>(out: &mut Vec<u8>, value: Option<&T>, put: impl FnOnce(&mut Vec<u8>, &T)) {
    match value {
        None => out.push(0),
        Some(value) => {
            out.push(1);
            put(out, value);
        }
    }
}

fn put_elements<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, elements: &[E]) {
    put_len(out, elements.len());
    elements.iter().for_each(|element| put_element(out, element));
}

fn put_path(out: &mut Vec<u8>, path: &Path) {
    put_len(out, path.len());
    path.iter().for_each(|digest| out.extend_from_slice(digest));
}

fn put_opening<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, opening: &Opening<E>) {
    put_path(out, &opening.path);
    put_path(out, &opening.path_sym);
    put_elements(out, &opening.evaluations);
    put_elements(out, &opening.evaluations_sym);
}

fn elements<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>) -> Result<Vec<E>> {
    r.list(element_size::<E>(), Reader::element)
}

fn path(r: &mut Reader<'_>) -> Result<Path> {
    r.list(DIGEST, Reader::digest)
}

fn opening<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>) -> Result<Opening<E>> {
    Ok(Opening { path: path(r)?, path_sym: path(r)?, evaluations: elements(r)?, evaluations_sym: elements(r)? })
}

/// Enough room for a proof whose queries all look like the first one.
fn estimated_size<P: CosetProtocol>(proof: &Proof<P>) -> usize {
    let path = |path: &Path| 3 + DIGEST * path.len();
    let ext = element_size::<P::Ext>();
    let fri = proof
        .fri_decommitments
        .first()
        .map_or(0, |first| 6 + first.paths.iter().map(path).sum::<usize>() + ext * first.values.len());
    let deep = proof.deep_openings.first().map_or(0, |first| {
        let extension = |o: &Opening<P::Ext>| 6 + path(&o.path) + path(&o.path_sym) + 2 * ext * o.evaluations.len();
        let main = &first.main;
        extension(&first.composition)
            + first.aux.as_ref().map_or(0, extension)
            + (7 + path(&main.path) + path(&main.path_sym) + 2 * element_size::<P::Base>() * main.evaluations.len())
    });
    256 + ext * (proof.trace_ood.data.len() + proof.composition_ood.len())
        + path(&proof.fri_roots)
        + fri * proof.fri_decommitments.len()
        + deep * proof.deep_openings.len()
}
