//! Permutations: memory before and after, and the rounds that the chains leave.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{felt_hex, felt_limbs};
use super::super::machine::{ComponentProgram, List, record};
use super::chains::{FULL_ENTRY, PARTIAL_ENTRY, entry, full_round, partial_round};
use super::linear::{Combination, Digits, Felt};
use super::{FULL_ROUNDS, PARTIAL_ROUNDS, STATE, WORDS, cube, low_limbs, round_keys, words_of};

/// Keys before the first round.
const FIRST_KEYS: [&str; STATE] = [
    "0x06861759ea556a2339dd92f9562a30b9e58e2ad98109ae4780b7fd8eac77fe6f",
    "0x03827681995d5af9ffc8397a3d00425a3da43f76abf28a64e4ab1a22f27508c4",
    "0x03a3956d2fad44d0e7f760a2277dc7cb2cac75dc279b2d687a0dbe17704a8309",
];
/// Keys of the first two partial rounds.
const Z: [&str; 2] = [
    "0x07c74922a456802c44997e959f27a5b06820b1ed97596a969939c46c162517f4",
    "0x04d529024d6042e42ee3074b96582139147af097d191f18197b5a276bf405821",
];
/// Keys of the step from the partial rounds back to three felts.
const E: [&str; 2] = [
    "0x03195d6b2d930e71cede286d5b8b41d49296ddf222bcd3bf3717a12a9a6947ff",
    "0x00a11e58786f887f27f8f48f8c13ef41518567d3c78cd5738f16faf9dae244dd",
];

/// Whole permutations. Source entries: the ids of three inputs and three outputs, how often that permutation is asked
/// for; padding rows count as asked for zero times.
///
/// Columns: the ids; limbs of the inputs; `x_j + key`, 11 columns each; 30 words of state after four full rounds;
/// `c0 = s2^3`; `z1 = s0 + s1 - 2 c0 + key`, 11; `c1 = z1^3`; `z2 = 4 s0 + 2 c0 - 2 c1 + key`, 11; 40 words after 27
/// triple partial rounds, which start with `(c0, z1, c1, z2)`; `e1 = 4 t0 + 2 t1 + t2 + key`, 11;
/// `e0 = 4 t2 + 2 t3 + e1 + key`, 11; 30 words after four full rounds, which start with `(e0, e1, t3)`; 18 low limbs of
/// each output; the multiplicity.
///
/// Chains have the numbers `2 row` and `2 row + 1` of full rounds, 0 to 3 and 31 to 34, and `row` of partial rounds, 4
/// to 30. `s2` and `z1` go to [`List::Cube`], `s0` and `s1` to [`List::RangeCheck252`], ten words each.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn poseidon_aggregator() -> Result<ComponentProgram, RowProgramError> {
    const IDS: usize = 2 * STATE;
    record(IDS + 1, |machine| {
        let recorder = machine.recorder();
        let ids = recorder.inputs(0, IDS);
        let memory: Vec<_> = ids.iter().map(|id| Felt::from_words(machine.words27(id))).collect();
        let (inputs, outputs) = memory.split_at(STATE);
        let full_rounds = machine.list(List::PoseidonFullRound, FULL_ENTRY, 2 * FULL_ROUNDS);
        let partial_rounds = machine.list(List::PoseidonPartialRounds, PARTIAL_ENTRY, PARTIAL_ROUNDS);
        let cubes = machine.list(List::Cube, WORDS, 2);
        let words = machine.list(List::RangeCheck252, WORDS, 2);
        let key = |hex| Felt::new(felt_hex(machine, hex));
        let row = recorder.row();

        machine.columns(ids);
        inputs.iter().for_each(|input| machine.columns(felt_limbs(machine, input.value)));
        let state = std::array::from_fn(|felt| {
            let sum = Combination::new(machine, &[(1, inputs[felt])], Some(key(FIRST_KEYS[felt])));
            sum.columns(machine);
            sum.felt.value
        });

        let full_chain = |half: usize, mut state: [_; STATE]| {
            let first = half * (FULL_ROUNDS + PARTIAL_ROUNDS);
            for index in 0..FULL_ROUNDS {
                let chain = (row << 1) + half as u32;
                let site = half * FULL_ROUNDS + index;
                recorder.emit(full_rounds, site, entry(machine, chain, first + index, &state));
                state = full_round(state, round_keys(machine, first + index));
            }
            machine.columns(words_of(machine, &state));
            state
        };
        let [s0, s1, s2] = full_chain(0, state).map(Felt::new);
        recorder.emit(words, 0, s0.words);
        recorder.emit(words, 1, s1.words);

        recorder.emit(cubes, 0, s2.words);
        let c0 = Felt::new(cube(s2.value));
        let z1 = Combination::new(machine, &[(1, s0), (1, s1), (-2, c0)], Some(key(Z[0])));
        z1.check(machine, 3, Digits::Three);
        recorder.emit(cubes, 1, z1.felt.words);
        let c1 = Felt::new(cube(z1.felt.value));
        let z2 = Combination::new(machine, &[(4, s0), (2, c0), (-2, c1)], Some(key(Z[1])));
        z2.check(machine, 3, Digits::Four);
        machine.columns(c0.words);
        z1.columns(machine);
        machine.columns(c1.words);
        z2.columns(machine);

        let mut state = [c0.value, z1.felt.value, c1.value, z2.felt.value];
        for index in 0..PARTIAL_ROUNDS {
            let round = FULL_ROUNDS + index;
            recorder.emit(partial_rounds, index, entry(machine, row, round, &state));
            state = round_keys(machine, round).into_iter().fold(state, partial_round);
        }
        machine.columns(words_of(machine, &state));

        let [t0, t1, t2, t3] = state.map(Felt::new);
        let e1 = Combination::new(machine, &[(4, t0), (2, t1), (1, t2)], Some(key(E[0])));
        let e0 = Combination::new(machine, &[(4, t2), (2, t3), (1, e1.felt)], Some(key(E[1])));
        for sum in [&e1, &e0] {
            sum.check(machine, 1, Digits::Four);
            sum.columns(machine);
        }

        let state = full_chain(1, [e0.felt.value, e1.felt.value, t3.value]);
        for (made, known) in state.into_iter().zip(outputs) {
            recorder.assert(
                "the outputs of a Poseidon instance in memory are the permutation of its inputs",
                made.same(known.value),
            );
        }
        state.iter().for_each(|output| machine.columns(low_limbs(machine, *output)));
        machine.columns(machine.enabler() * recorder.input(IDS));
    })
}
