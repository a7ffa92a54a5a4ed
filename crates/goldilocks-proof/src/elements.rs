//! Goldilocks elements on the wire.

use alloc::vec::Vec;

use field::{ExtensionField, Field, Goldilocks, PrimeField};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_len};

/// Appends the coordinates of an element, big-endian, nothing between them.
pub(crate) fn put_coordinates<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, element: &E) {
    for coordinate in element.coordinates() {
        out.extend_from_slice(&coordinate.value().to_be_bytes());
    }
}

/// Appends an element with its length.
pub(crate) fn put_element<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, element: &E) {
    put_len(out, 8 * E::DEGREE);
    put_coordinates(out, element);
}

/// An element of the field, or of an extension of it, with its length before it.
///
/// # Errors
/// If it is none, or not reduced.
pub(crate) fn element<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>) -> Result<E> {
    let offset = r.offset();
    let expected = 8 * E::DEGREE as u64;
    let found = r.int()?;
    if found != expected {
        return Err(DecodeError { offset, kind: DecodeErrorKind::ElementLength { expected, found } });
    }
    coordinates(r)
}

/// An element of the field, or of an extension of it, by its coordinates alone.
///
/// # Errors
/// If it is none, or not reduced.
pub(crate) fn coordinates<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>) -> Result<E> {
    let mut element = E::ZERO;
    for index in 0..E::DEGREE {
        let offset = r.offset();
        let coordinate = Goldilocks::from_canonical(u64::from_be_bytes(r.array()?))
            .ok_or(DecodeError { offset, kind: DecodeErrorKind::NotCanonical })?;
        if !coordinate.is_zero() {
            element += E::basis(index) * coordinate;
        }
    }
    Ok(element)
}
