//! The statement of a client proof: the output of the task, as the preimage of the bootloader's output, or as the facts
//! that Starknet's blocks name.
//!
//! | | felts |
//! |---|---|
//! | preimage | 1, number of felts without this one, hash of the task's program, output of the task |
//! | facts | `PROOF1`, `VIRTUAL_SNOS`, hash of the task's program, output of the task |

use cairo_run::felt::{text, to_words};
use cairo_run::{Felt252, program_hash};
use field::{M31, QM31};
use gpu_hal::HashFn;
use stwo_cairo_common::prover_types::felt::split_f252;

/// The first fact: the version of the proof.
pub const PROOF_VERSION: &[u8] = b"PROOF1";
/// The second fact: the kind of the program.
pub const PROGRAM_VARIANT: &[u8] = b"VIRTUAL_SNOS";

/// Felts before the output of the task, in both.
const HEADER: usize = 3;

/// Felts that are no statement of a client proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactsError {
    /// Too few.
    #[error("{found} felts, and there are {HEADER} before the output of the task: it is no list of them")]
    Few {
        /// Found.
        found: usize,
    },
    /// A felt that all statements have in common is another.
    #[error("felt {index} is {found}, not {expected}: {hint}")]
    Felt {
        /// Its place.
        index: usize,
        /// The felt.
        found: String,
        /// The one that it must be.
        expected: String,
        /// The other form that the list may have.
        hint: &'static str,
    },
}

/// The facts of a preimage.
///
/// # Errors
/// [`FactsError`] if it is none.
pub fn facts(preimage: &[Felt252]) -> Result<Vec<Felt252>, FactsError> {
    check_preimage(preimage)?;
    Ok([marker(PROOF_VERSION), marker(PROGRAM_VARIANT)].into_iter().chain(preimage[2..].iter().copied()).collect())
}

/// The preimage of facts.
///
/// # Errors
/// [`FactsError`] if they are none.
pub fn preimage(facts: &[Felt252]) -> Result<Vec<Felt252>, FactsError> {
    const HINT: &str = "if the list is an output preimage, give it as one";
    at_least(facts)?;
    expect(facts, 0, marker(PROOF_VERSION), HINT)?;
    expect(facts, 1, marker(PROGRAM_VARIANT), HINT)?;
    Ok([Felt252::ONE, (facts.len() - 1).into()].into_iter().chain(facts[2..].iter().copied()).collect())
}

/// The felt that the bootloader puts out for a preimage: the Blake2s hash of it.
pub fn output(preimage: &[Felt252]) -> Felt252 {
    program_hash(&preimage.iter().map(to_words).collect::<Vec<_>>())
}

/// The public outputs of the circuit for a preimage: the hash of the limbs of [`output`], in two elements.
///
/// # Errors
/// [`FactsError`] if it is no preimage.
pub fn circuit_outputs(preimage: &[Felt252]) -> Result<[QM31; 2], FactsError> {
    check_preimage(preimage)?;
    let limbs = split_f252(to_words(&output(preimage))).map(|limb| M31::new(limb.0));
    let digest = HashFn::Blake2sM31.leaf(limbs);
    let words: Vec<M31> = digest.as_chunks().0.iter().map(|word| M31::new(u32::from_le_bytes(*word))).collect();
    Ok([0, 4].map(|first| QM31([0, 1, 2, 3].map(|word| words[first + word]))))
}

/// Felts in JSON: a list of their texts, hexadecimal, one a line. [`cairo_run::parse_arguments_file`] reads it.
pub fn json(felts: &[Felt252]) -> String {
    let lines: Vec<String> = felts.iter().map(|value| format!("  \"{}\"", text(value))).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn check_preimage(preimage: &[Felt252]) -> Result<(), FactsError> {
    const HINT: &str = "if the list is of facts, give it as such";
    at_least(preimage)?;
    expect(preimage, 0, Felt252::ONE, HINT)?;
    expect(preimage, 1, (preimage.len() - 1).into(), HINT)
}

fn at_least(felts: &[Felt252]) -> Result<(), FactsError> {
    if felts.len() < HEADER { Err(FactsError::Few { found: felts.len() }) } else { Ok(()) }
}

fn expect(felts: &[Felt252], index: usize, expected: Felt252, hint: &'static str) -> Result<(), FactsError> {
    let found = felts[index];
    if found == expected {
        return Ok(());
    }
    Err(FactsError::Felt { index, found: text(&found), expected: text(&expected), hint })
}

/// The felt of a short text.
fn marker(text: &[u8]) -> Felt252 {
    Felt252::from_bytes_be_slice(text)
}
