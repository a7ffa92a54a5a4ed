//! Poseidon over the Cairo field: three felts of state, 4 full rounds, 83 partial rounds, 4 full rounds.
//!
//! | component | a row is |
//! |---|---|
//! | poseidon_aggregator | one permutation: inputs and outputs in memory, and the part between its chains |
//! | poseidon_full_round_chain | one full round |
//! | poseidon_3_partial_rounds_chain | three of the partial rounds, of which the first two are in the aggregator |
//! | cube_252 | `x^3` of a felt |
//! | range_check_252_width_27 | a felt whose words have 27 bits |
//!
//! A felt between components is ten words of 27 bits, least significant first. Round keys are from the optimised
//! permutation: a full round adds its keys after the mix, a partial round adds one key for the whole state.

mod aggregator;
mod chains;
mod cube;
mod linear;
#[cfg(test)]
mod tests;

pub(crate) use aggregator::poseidon_aggregator;
pub(crate) use chains::{poseidon_3_partial_rounds_chain, poseidon_full_round_chain};
pub(crate) use cube::{cube_252, range_check_252_width_27};

use gpu_hal::ir::FELT_WORDS;
use stwo_cairo_common::preprocessed_columns::poseidon::round_keys_m31;

use super::felt::felt_words27;
use super::machine::{Machine, W};

/// Words of 27 bits of a felt.
const WORDS: usize = 10;
/// Felts of the state of a full round.
const STATE: usize = 3;
/// Felts that triple partial rounds hand on: the cubes and sums of two rounds.
const PARTIAL_STATE: usize = 4;
/// Full rounds before the partial rounds, and after them.
const FULL_ROUNDS: usize = 4;
/// Rounds of three partial rounds.
const PARTIAL_ROUNDS: usize = 27;

/// The three keys of a round.
fn round_keys<'r>(machine: &Machine<'r>, round: usize) -> [W<'r>; STATE] {
    std::array::from_fn(|key| {
        let mut words = [0; FELT_WORDS];
        for index in 0..WORDS {
            let word = u64::from(round_keys_m31(round, WORDS * key + index).0);
            let (place, shift) = (27 * index / 32, 27 * index % 32);
            let parts = [word << shift, word << shift >> 32].map(|part| part as u32);
            words[place..].iter_mut().zip(parts).for_each(|(word, part)| *word |= part);
        }
        machine.felt(words)
    })
}

/// `x^3`.
fn cube(x: W<'_>) -> W<'_> {
    x.felt_mul(x).felt_mul(x)
}

/// The words of several felts, one felt after the other.
fn words_of<'r>(machine: &Machine<'r>, felts: &[W<'r>]) -> W<'r> {
    let words: Vec<_> = felts.iter().map(|felt| felt_words27(*felt)).collect();
    machine.recorder().pack(&words)
}

/// Limbs 0, 1, 3, 4, 6, 7, ..., 25 of a felt: two low limbs of each of nine words, whose third limb they imply. 18
/// columns.
fn low_limbs<'r>(machine: &Machine<'r>, felt: W<'r>) -> W<'r> {
    let low = felt.split(27, 9);
    let limbs: Vec<_> = low.iter().flat_map(|word| [word & 511, (word >> 9) & 511]).collect();
    machine.recorder().pack(&limbs)
}
