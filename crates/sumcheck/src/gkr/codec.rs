//! The bytes of a proof, and the strict way back (section 7).

use alloc::vec::Vec;

use field::{CanonicalBytes, Field};
use proof_format::wire::{self, DecodeError, DecodeErrorKind, Reader, put_len};

use super::proof::{BatchProof, Instance, Mask};
use crate::{MAX_DEGREE, Univariate};

/// The bytes of a proof. Shapes are not in them.
pub fn encode<E: Field + CanonicalBytes>(proof: &BatchProof<E>) -> Vec<u8> {
    let mut out = Vec::new();
    let BatchProof { sumchecks, masks, outputs } = proof;
    for polynomial in sumchecks.iter().flatten() {
        put_len(&mut out, polynomial.len());
        put(&mut out, polynomial);
    }
    for mask in masks.iter().flatten() {
        put(&mut out, mask.0.as_flattened());
    }
    outputs.iter().for_each(|output| put(&mut out, output));
    out
}

fn put<E: CanonicalBytes>(out: &mut Vec<u8>, elements: &[E]) {
    elements.iter().for_each(|element| element.write_bytes(out));
}

/// The proof of trees of these shapes that the bytes encode. It takes memory in proportion to the bytes.
///
/// # Errors
/// If the bytes are not exactly the result of [`encode`] for some proof of such trees; the error says where and why.
pub fn decode<E: Field + CanonicalBytes>(bytes: &[u8], instances: &[Instance]) -> wire::Result<BatchProof<E>> {
    let mut r = Reader::new(bytes);
    let layers = instances.iter().map(|instance| instance.variables).max().unwrap_or(0);
    let mut sumchecks = Vec::new();
    for rounds in 0..layers {
        sumchecks.push(r.items(rounds, 1, polynomial)?);
    }
    let (mut masks, mut outputs) = (Vec::new(), Vec::new());
    for Instance { kind, variables } in instances {
        let columns = kind.gate().columns();
        masks.push(r.items(*variables, 2 * columns * E::BYTES, |r| {
            Ok(Mask(r.items(columns, 2 * E::BYTES, |r| Ok([element(r)?, element(r)?]))?))
        })?);
    }
    for Instance { kind, .. } in instances {
        outputs.push(r.items(kind.gate().columns(), E::BYTES, element)?);
    }
    if r.rest().is_empty() {
        Ok(BatchProof { sumchecks, masks, outputs })
    } else {
        Err(DecodeError { offset: r.offset(), kind: DecodeErrorKind::TrailingBytes })
    }
}

fn polynomial<E: Field + CanonicalBytes>(r: &mut Reader<'_>) -> wire::Result<Univariate<E>> {
    Ok(Univariate::new(r.short_list(MAX_DEGREE + 1, E::BYTES, element)?))
}

fn element<E: CanonicalBytes>(r: &mut Reader<'_>) -> wire::Result<E> {
    let offset = r.offset();
    E::read_bytes(r.take(E::BYTES)?).ok_or(DecodeError { offset, kind: DecodeErrorKind::NotCanonical })
}
