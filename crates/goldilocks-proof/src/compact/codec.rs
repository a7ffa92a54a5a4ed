//! The bytes of a compact proof (section 7) and the strict decoding of them (section 9, steps 3, 4 and 6).
//!
//! A proof is its messages, with nothing between them: statement and options fix the length of the head, the opened
//! positions, which follow from it, that of the rest. Decoding never panics and reads nothing that the input does not
//! hold.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::CosetProtocol;
use proof_format::wire::{Reader, Result};

use super::lengths::DIGEST;
use super::opening::{siblings, unknown};
use super::{Head, Opening, Openings, Options, Proof, Sizes};
use crate::Draw;
use crate::elements::{coordinates, put_coordinates};

/// The bytes of a proof. Its digest is the SHA-256 of them.
pub fn encode<P: CosetProtocol>(proof: &Proof<P>, options: &Options) -> Vec<u8> {
    let Proof { head, openings } = proof;
    let mut out = Vec::new();
    let mut nonces = head.nonces.iter();
    let mut nonce = |out: &mut Vec<u8>, draw| {
        if options.work_of(draw) > 0 {
            out.extend(nonces.next().into_iter().flat_map(|nonce| nonce.to_be_bytes()));
        }
    };
    out.extend_from_slice(&head.main_root);
    nonce(&mut out, Draw::Challenges);
    out.extend(head.aux_root.iter().flatten());
    nonce(&mut out, Draw::Constraints);
    out.extend_from_slice(&head.composition_root);
    nonce(&mut out, Draw::Points);
    put_elements(&mut out, &head.out_of_domain);
    nonce(&mut out, Draw::Terms);
    nonce(&mut out, Draw::Fold(0));
    for (root, layer) in head.layers.iter().zip(1..) {
        out.extend_from_slice(root);
        nonce(&mut out, Draw::Fold(layer));
    }
    put_elements(&mut out, &head.last);
    nonce(&mut out, Draw::Queries);
    let salts = options.salts();
    put_opening(&mut out, &openings.main, salts);
    openings.aux.iter().for_each(|aux| put_opening(&mut out, aux, salts));
    put_opening(&mut out, &openings.composition, salts);
    openings.layers.iter().for_each(|layer| put_opening(&mut out, layer, 0));
    out
}

fn put_elements<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, elements: &[E]) {
    elements.iter().for_each(|element| put_coordinates(out, element));
}

/// A row has so many salts behind its elements.
fn put_opening<E: ExtensionField<Goldilocks>>(out: &mut Vec<u8>, opening: &Opening<E>, salts: usize) {
    opening.leaves(1, salts).flatten().for_each(|element| put_coordinates(out, &element));
    out.extend(opening.digests.iter().flatten());
}

/// The head of a proof whose length was checked, read from its first bytes.
///
/// # Errors
/// If an element is not reduced, or bytes are missing.
pub fn decode_head<E: ExtensionField<Goldilocks>>(
    r: &mut Reader<'_>,
    sizes: &Sizes,
    options: &Options,
) -> Result<Head<E>> {
    let mut nonces = Vec::new();
    let mut nonce = |r: &mut Reader<'_>, draw| {
        if options.work_of(draw) > 0 {
            nonces.push(u64::from_be_bytes(r.array()?));
        }
        Ok(())
    };
    let main_root = r.array()?;
    nonce(r, Draw::Challenges)?;
    let aux_root = if sizes.aux > 0 { Some(r.array()?) } else { None };
    nonce(r, Draw::Constraints)?;
    let composition_root = r.array()?;
    nonce(r, Draw::Points)?;
    let out_of_domain = elements(r, sizes.out_of_domain(options))?;
    nonce(r, Draw::Terms)?;
    nonce(r, Draw::Fold(0))?;
    let mut layers = Vec::with_capacity(options.layers());
    for layer in 1..=options.layers() {
        layers.push(r.array()?);
        nonce(r, Draw::Fold(layer))?;
    }
    let last = elements(r, 1 << options.log_last)?;
    nonce(r, Draw::Queries)?;
    Ok(Head { main_root, aux_root, composition_root, out_of_domain, layers, last, nonces })
}

/// The openings of these positions, which are the rest of a proof.
///
/// # Errors
/// If there are fewer bytes, or more; else if an element is not reduced.
pub fn decode_openings<P: CosetProtocol>(
    mut reader: Reader<'_>,
    sizes: &Sizes,
    options: &Options,
    positions: &[Vec<u64>],
) -> Result<Openings<P>> {
    let log_points = options.lde_domain(sizes.log_rows).log_size;
    let leaves = &positions[0];
    let rows = leaves.len() << options.log_leaf();
    let digests = siblings(leaves, log_points - options.log_leaf()).len();
    let salts = options.salts();
    let of_rows = |width| Shape { rows, width, salts, digests };
    let main = of_rows(sizes.main);
    let aux = (sizes.aux > 0).then(|| of_rows(sizes.aux));
    let composition = of_rows(sizes.parts.saturating_add(options.mask_words()));
    let mut layers = Vec::with_capacity(options.layers());
    for (fold, domain) in (1..options.folds.len()).zip(options.layer_domains(sizes.log_rows)) {
        let (known, leaves, step) = (&positions[fold - 1], &positions[fold], options.folds[fold]);
        let digests = siblings(leaves, domain.log_size - step).len();
        layers.push(Shape { rows: unknown(known, leaves, step).count(), width: 1, salts: 0, digests });
    }
    let over_extension = aux.iter().chain([&composition]).chain(&layers).map(Shape::length::<P::Ext>);
    let length = over_extension.fold(main.length::<Goldilocks>(), usize::saturating_add);
    let mut end = reader.clone();
    end.take(length)?;
    end.end()?;
    let r = &mut reader;
    Ok(Openings {
        main: opening(r, &main)?,
        aux: aux.map(|aux| opening(r, &aux)).transpose()?,
        composition: opening(r, &composition)?,
        layers: layers.iter().map(|layer| opening(r, layer)).collect::<Result<_>>()?,
    })
}

fn elements<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>, count: usize) -> Result<Vec<E>> {
    r.items(count, 8 * E::DEGREE, coordinates)
}

/// The shape of an opening.
struct Shape {
    rows: usize,
    /// Elements of a row.
    width: usize,
    /// Salts of a row.
    salts: usize,
    digests: usize,
}

impl Shape {
    /// Its bytes, with rows over a field.
    fn length<E: ExtensionField<Goldilocks>>(&self) -> usize {
        let row = self.width.saturating_mul(8 * E::DEGREE).saturating_add(8 * self.salts);
        self.rows.saturating_mul(row).saturating_add(self.digests.saturating_mul(DIGEST))
    }
}

fn opening<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>, shape: &Shape) -> Result<Opening<E>> {
    let Shape { rows, width, salts: of_row, digests } = *shape;
    let (mut values, mut salts) = (Vec::new(), Vec::new());
    if of_row == 0 {
        values = elements(r, rows.saturating_mul(width))?;
    } else {
        for _ in 0..rows {
            values.extend(elements::<E>(r, width)?);
            salts.extend(elements::<Goldilocks>(r, of_row)?);
        }
    }
    Ok(Opening { values, salts, digests: r.items(digests, DIGEST, Reader::array)? })
}
