//! The canonical encoding of a proof of lambdaworks' format (section 12) and the strict decoding of it (section
//! 11.1).
//!
//! [`encode`] and [`decode`] are inverse to each other: a proof has exactly one encoding, and [`decode`] accepts
//! nothing else. Decoding never panics and bounds every length by the rest of the input before it allocates, so its
//! memory is a small multiple of the input. [`decode_exactly`] takes only proofs of the lengths that a statement has.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::CosetProtocol;

use crate::Part;
use crate::lambdaworks::layout;
use crate::types::{DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof};
use proof_format::wire::{DecodeError, DecodeErrorKind, Reader, Result, put_int, put_len};

use crate::elements::{element, put_element};

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

/// The proof that these bytes encode, of any statement. Takes up to 33 times the memory of the input, because an
/// empty list has one byte: a caller that knows the statement uses [`decode_exactly`].
///
/// # Errors
/// If the bytes are not exactly the result of [`encode`] for some proof; the error says where and why.
pub fn decode<P: CosetProtocol>(bytes: &[u8]) -> Result<Proof<P>> {
    read(bytes, None)
}

/// The proof that these bytes encode, of a statement of which all lengths are known. A wrong one is found before
/// anything is allocated for the rest.
///
/// # Errors
/// As [`decode`], and [`DecodeErrorKind::Length`] and [`DecodeErrorKind::Count`] if a length is another one.
pub fn decode_exactly<P: CosetProtocol>(bytes: &[u8], counts: &Counts) -> Result<Proof<P>> {
    counts.check_length::<P>(bytes.len())?;
    read(bytes, Some(counts))
}

fn read<P: CosetProtocol>(bytes: &[u8], counts: Option<&Counts>) -> Result<Proof<P>> {
    let mut reader = Reader::new(bytes);
    let r = &mut reader;
    let (layers, queries) = (counts.map(Counts::layers), counts.map(|counts| counts.queries));
    let depth = |part: Part| counts.map(|counts| counts.depth(part));
    let [main, aux, parts] = [|c: &Counts| c.main, |c: &Counts| c.aux, |c: &Counts| c.parts].map(|of| counts.map(of));
    let proof = Proof {
        trace_length: r.int()?,
        main_root: r.array()?,
        aux_root: r.option(Reader::array)?,
        trace_ood: OodTable {
            data: elements(r, counts.map(Counts::out_of_domain))?,
            width: r.int()?,
            height: r.int()?,
        },
        composition_root: r.array()?,
        composition_ood: elements(r, parts)?,
        fri_roots: path(r, layers)?,
        fri_last_value: element(r)?,
        fri_decommitments: r.list_of(queries, LEAST_DECOMMITMENT, |r| {
            let mut layer = 0;
            let paths = r.list_of(layers, 1, |r| {
                layer += 1;
                path(r, depth(Part::Fri(layer)))
            })?;
            Ok(FriDecommitment { paths, values: elements(r, layers)? })
        })?,
        deep_openings: r.list_of(queries, LEAST_DEEP_OPENING, |r| {
            Ok(DeepOpening {
                composition: opening(r, depth(Part::Composition), parts)?,
                main: opening(r, depth(Part::Main), main)?,
                aux: r.option(|r| opening(r, depth(Part::Aux), aux))?,
            })
        })?,
        nonce: r.option(Reader::int)?,
    };
    // Bus inputs.
    r.none()?;
    reader.end()?;
    Ok(proof)
}

/// The lengths of all lists of a proof, as the statement and the options fix them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Log2 of the rows, `log n`.
    pub log_rows: u32,
    /// Log2 of the points of the LDE domain.
    pub log_lde: u32,
    /// Main columns.
    pub main: usize,
    /// Auxiliary columns.
    pub aux: usize,
    /// Rows of the frame.
    pub frame_rows: usize,
    /// Composition parts.
    pub parts: usize,
    /// Queries.
    pub queries: usize,
    /// Whether there is a nonce.
    pub nonce: bool,
}

impl Counts {
    /// FRI layers with a root.
    fn layers(&self) -> usize {
        layout::layers(self.log_rows)
    }

    /// Digests of a path.
    fn depth(&self, part: Part) -> usize {
        layout::log_leaves(part, self.log_lde) as usize
    }

    /// Out-of-domain values of the columns.
    fn out_of_domain(&self) -> usize {
        self.main.saturating_add(self.aux).saturating_mul(self.frame_rows)
    }

    /// Checks that a proof can have `found` bytes: all but the nonce, an integer of 1 to 9 bytes, is fixed.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Length`].
    pub fn check_length<P: CosetProtocol>(&self, found: usize) -> Result<()> {
        let least = self.length::<P>();
        let most = least + if self.nonce { 8 } else { 0 };
        if (least..=most).contains(&(found as u128)) {
            return Ok(());
        }
        Err(DecodeError { offset: 0, kind: DecodeErrorKind::Length { least, most, found } })
    }

    /// Bytes of a proof with the shortest nonce; others have up to 8 more.
    pub fn length<P: CosetProtocol>(&self) -> u128 {
        let int = |value: u128| match value {
            0..=250 => 1,
            251..=0xFFFF => 3,
            0x1_0000..=0xFFFF_FFFF => 5,
            _ => 9,
        };
        let list = |count: usize, item: usize| int(count as u128) + count as u128 * item as u128;
        let (base, ext) = (element_size::<P::Base>(), element_size::<P::Ext>());
        let path = |part| list(self.depth(part), DIGEST);
        let opening = |part, columns: usize, item: usize| 2 * path(part) + 2 * list(columns, item);
        let (layers, aux) = (self.layers(), self.aux > 0);
        let decommitment =
            int(layers as u128) + (1..=layers).map(|layer| path(Part::Fri(layer))).sum::<u128>() + list(layers, ext);
        let openings = opening(Part::Composition, self.parts, ext) + opening(Part::Main, self.main, base);
        let openings = openings + 1 + if aux { opening(Part::Aux, self.aux, ext) } else { 0 };
        let roots = 2 * DIGEST + 1 + if aux { DIGEST } else { 0 };
        int(1 << self.log_rows.min(64))
            + roots as u128
            + list(self.out_of_domain(), ext)
            + int(self.main as u128 + self.aux as u128)
            + int(self.frame_rows as u128)
            + list(self.parts, ext)
            + list(layers, DIGEST)
            + ext as u128
            + 2 * int(self.queries as u128)
            + self.queries as u128 * (decommitment + openings)
            + if self.nonce { 2 } else { 1 }
            // No bus inputs.
            + 1
    }
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

fn elements<E: ExtensionField<Goldilocks>>(r: &mut Reader<'_>, count: Option<usize>) -> Result<Vec<E>> {
    r.list_of(count, element_size::<E>(), element)
}

fn path(r: &mut Reader<'_>, depth: Option<usize>) -> Result<Path> {
    r.list_of(depth, DIGEST, Reader::array)
}

fn opening<E: ExtensionField<Goldilocks>>(
    r: &mut Reader<'_>,
    depth: Option<usize>,
    columns: Option<usize>,
) -> Result<Opening<E>> {
    Ok(Opening {
        path: path(r, depth)?,
        path_sym: path(r, depth)?,
        evaluations: elements(r, columns)?,
        evaluations_sym: elements(r, columns)?,
    })
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
