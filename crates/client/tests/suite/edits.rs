//! Proofs that are changed after they were made: none is accepted, and nothing panics.

use circle_proof::{CAIRO_PROFILE, Policy};
use client::file::pack;
use client::{ClientVerifier, RefusedError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::files;

/// Edits that are made, unless the environment says another number.
const EDITS: usize = 2_000;
/// The number of edits.
const VARIABLE: &str = "POLYSTARK_EDITS";

fn verifier() -> ClientVerifier {
    ClientVerifier::new(&Policy::asking(CAIRO_PROFILE)).unwrap()
}

#[test]
fn the_public_proof_is_accepted_and_says_what_it_proves() {
    let (verifier, preimage) = (verifier(), files::public_preimage());
    let bytes = pack(&files::public_written()).unwrap();
    let verified = verifier.verify(&bytes, &preimage).unwrap();
    assert_eq!(verified, verifier.verify_facts(&bytes, &verified.facts).unwrap());
    assert_eq!(verified.output_preimage, preimage);
    // Queries and work count 96; drawn elements of the field leave the whole less.
    assert_eq!(verified.security.claimed.bits, 92);
    let mut other = preimage;
    other[7] += cairo_run::Felt252::ONE;
    let refused = verifier.verify(&bytes, &other).unwrap_err();
    assert!(matches!(refused, RefusedError::Circuit(circuits::RefusedError::InteractionWork(_))), "{refused}");
    let strict = Policy { min_query_bits: 97, ..Policy::asking(CAIRO_PROFILE) };
    assert!(matches!(ClientVerifier::new(&strict), Err(RefusedError::Policy(_))));
    let short = Policy { max_bytes: 1000, ..Policy::asking(CAIRO_PROFILE) };
    let refused = ClientVerifier::new(&short).unwrap().check(&bytes, &other).unwrap_err();
    assert!(matches!(refused, RefusedError::Policy(_)), "{refused}");
}

/// All checks that take little time; the published verifier after them is asked about none of these.
#[test]
fn no_edit_passes_the_first_checks() {
    let edits = std::env::var(VARIABLE).map_or(EDITS, |text| text.parse().expect("a number of edits"));
    let (verifier, preimage, written) = (verifier(), files::public_preimage(), files::public_written());
    let bytes = pack(&written).unwrap();
    verifier.check(&bytes, &preimage).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(14);
    // By what became of them: packed otherwise, no proof, refused.
    let mut counts = [0usize; 3];
    for edit in 0..edits {
        let changed = if edit % 2 == 0 {
            pack(&edited_words(&written, &mut random)).unwrap()
        } else {
            edited_bytes(&bytes, &mut random)
        };
        let unpacked = verifier.written(&changed);
        if unpacked.as_ref().is_ok_and(|unpacked| *unpacked == written) {
            // The same proof in another frame, or an edit that changes nothing.
            counts[0] += 1;
            continue;
        }
        let refused = verifier.check(&changed, &preimage);
        assert!(refused.is_err(), "edit {edit} is accepted");
        counts[if unpacked.is_ok() { 2 } else { 1 }] += 1;
    }
    eprintln!("{edits} edits: {counts:?} packed otherwise, no proof, refused as a proof");
    assert!(counts[0] < edits / 100 && counts[1] > edits / 4 && counts[2] > edits / 4, "{counts:?}");
}

/// A word, or a few, of a written proof changed.
fn edited_words(written: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut changed = written.to_vec();
    // Half of them in the first 8 kB, where sums and samples stand; the rest are openings.
    let words = if random.random() { 2_000 } else { written.len() / 4 };
    let at = 4 * random.random_range(0..words);
    let word = u32::from_le_bytes(changed[at..at + 4].try_into().unwrap());
    let other = match random.random_range(0..4) {
        0 => word ^ (1 << random.random_range(0..31)),
        1 => word.wrapping_add(1),
        2 => 0x7fff_ffff,
        _ => random.random_range(0..0x7fff_ffff),
    };
    changed[at..at + 4].copy_from_slice(&other.to_le_bytes());
    if random.random_ratio(1, 8) {
        // Two words change places.
        let other = 4 * random.random_range(0..written.len() / 4);
        (0..4).for_each(|byte| changed.swap(at + byte, other + byte));
    }
    changed
}

/// Bytes of a file changed, left out, put in or repeated.
fn edited_bytes(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let at = random.random_range(0..bytes.len());
    match random.random_range(0..6) {
        0 => changed[at] ^= 1 << random.random_range(0..8),
        1 => changed[at] = random.random(),
        2 => drop(changed.remove(at)),
        3 => changed.insert(at, random.random()),
        4 => changed.truncate(at),
        _ => {
            let end = (at + random.random_range(1..100)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            changed.splice(at..at, part);
        }
    }
    changed
}
