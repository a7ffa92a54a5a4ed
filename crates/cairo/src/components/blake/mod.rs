//! The row programs of Blake2s: compressions, their rounds, the G functions of these, and the XORs of three words at
//! the end.
//!
//! A compression hands its rounds to blake_round and its last XORs to triple_xor_32; a round hands its eight G
//! functions to blake_g. Words go in lists as two halves of 16 bits, the low one first, since an entry's values are
//! field elements.

mod compress;
mod g;
mod round;
mod triple_xor;

pub(crate) use compress::blake_compress_opcode;
pub(crate) use g::blake_g;
pub(crate) use round::blake_round;
pub(crate) use triple_xor::triple_xor_32;

use gpu_hal::ir::RowRecorder;

use field::M31;

use super::machine::{Counter, Machine, W, WORD27_BITS};

/// Rounds of a compression.
const ROUNDS: usize = stwo_cairo_common::preprocessed_columns::blake::N_BLAKE_ROUNDS;
/// Words of a state of a compression, and of its message.
const WORDS: usize = 16;
/// G functions of a round: four on columns, then four on diagonals.
const GS: usize = 8;

/// Values of an entry of `List::BlakeRound`: chain (row of the compression), round, 32 halves of the state, address of
/// the message.
pub(crate) const ROUND_ENTRY: usize = 2 + 2 * WORDS + 1;
/// Values of an entry of `List::BlakeG`: the halves of `a, b, c, d` and two words of the message.
pub(crate) const G_ENTRY: usize = 12;
/// Values of an entry of `List::TripleXor`: the halves of three words.
pub(crate) const TRIPLE_XOR_ENTRY: usize = 6;

/// The halves of words: the low one of the first word, its high one, and so on.
fn halves(words: W<'_>) -> W<'_> {
    words.split(16, 2 * words.len())
}

/// The words of these halves.
fn words_of_halves(halves: W<'_>) -> W<'_> {
    halves.join(16, halves.len() / 2)
}

/// Rotation of words to the right.
fn rotate(words: W<'_>, bits: u32) -> W<'_> {
    (words >> bits) | (words << (32 - bits))
}

/// The word of 32 bits that an id's value is: one use of the id.
fn read_word<'r>(machine: &Machine<'r>, id: W<'r>) -> W<'r> {
    machine.uses_id(id);
    machine.some_words27_unused(id, &[0, 1]).join(WORD27_BITS, 1)
}

/// The pieces of words that show that their halves are the halves of the limbs of a value.
struct Pieces<'r> {
    low: W<'r>,
    high: W<'r>,
    /// `low >> 9`, `high >> 2`, `high >> 11`.
    parts: [W<'r>; 3],
}

impl<'r> Pieces<'r> {
    /// The halves of each of these words, with the request for each.
    fn of(machine: &Machine<'r>, words: W<'r>) -> Self {
        let (low, high) = (words & 0xffff, words >> 16);
        let parts = [low >> 9, high >> 2, high >> 11];
        machine.uses(Counter::RangeCheck7x2x5, 0, (parts[0] << 7) | ((high & 3) << 5) | parts[2]);
        Self { low, high, parts }
    }

    /// Columns: three parts of word `index`, then an id.
    fn part_columns(&self, machine: &Machine<'r>, index: usize, id: W<'r>) {
        self.parts.iter().for_each(|part| machine.columns(part.at(index)));
        machine.columns(id);
    }

    /// Columns: the halves of word `index`, three parts, an id.
    fn columns(&self, machine: &Machine<'r>, index: usize, id: W<'r>) {
        machine.columns(self.low.at(index));
        machine.columns(self.high.at(index));
        self.part_columns(machine, index, id);
    }
}

/// One of the four steps of a G function: a sum, and the two words that are then combined by XOR.
#[derive(Clone, Copy)]
struct GStep<'r> {
    sum: W<'r>,
    xor: [W<'r>; 2],
}

/// The G function of `a, b, c, d` and two words of the message: their new values, and the steps. Words may be vectors
/// of several functions.
fn g<'r>([a, b, c, d]: [W<'r>; 4], [m0, m1]: [W<'r>; 2]) -> ([W<'r>; 4], [GStep<'r>; 4]) {
    let step = |sum, x, y| GStep { sum, xor: [x, y] };
    let a1 = a + b + m0;
    let d1 = rotate(a1 ^ d, 16);
    let c1 = c + d1;
    let b1 = rotate(b ^ c1, 12);
    let a2 = a1 + b1 + m1;
    let d2 = rotate(a2 ^ d1, 8);
    let c2 = c1 + d2;
    let b2 = rotate(b1 ^ c2, 7);
    ([a2, b2, c2, d2], [step(a1, a1, d), step(c1, b, c1), step(a2, a2, d1), step(c2, b1, c2)])
}

/// The arguments and results of four G functions, which do not depend on each other: vectors of four words.
struct FourGs<'r> {
    state: [W<'r>; 4],
    message: [W<'r>; 2],
    result: [W<'r>; 4],
}

impl<'r> FourGs<'r> {
    fn new(recorder: &'r RowRecorder<M31>, state: [W<'r>; 4], message: &[W<'r>]) -> Self {
        let every_second = |from: usize| recorder.pack(&[0, 2, 4, 6].map(|word| message[from + word]));
        let message = [every_second(0), every_second(1)];
        Self { state, message, result: g(state, message).0 }
    }
}

/// A round on a state, four vectors of four words, with the words of the message in the order of the round. Returns the
/// G functions on columns and on diagonals, and the state after.
fn round<'r>(
    recorder: &'r RowRecorder<M31>,
    state: [W<'r>; 4],
    message: &[W<'r>; WORDS],
) -> ([FourGs<'r>; 2], [W<'r>; 4]) {
    let turned = |words: W<'r>, by: usize| recorder.pack(&[words.slice(by, 4 - by), words.slice(0, by)]);
    let columns = FourGs::new(recorder, state, &message[..8]);
    let [a, b, c, d] = columns.result;
    let diagonals = FourGs::new(recorder, [a, turned(b, 1), turned(c, 2), turned(d, 3)], &message[8..]);
    let [a, b, c, d] = diagonals.result;
    ([columns, diagonals], [a, turned(b, 3), turned(c, 2), turned(d, 1)])
}
