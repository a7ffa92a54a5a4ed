//! The rounds between the aggregator's columns.

use gpu_hal::ir::RowProgramError;

use super::super::felt::felt_words27;
use super::super::machine::{ComponentProgram, Counter, List, Machine, Table, W, record};
use super::linear::{Combination, Digits, Felt};
use super::{PARTIAL_STATE, STATE, WORDS, cube};

/// Values of an entry before its state: the number of the chain, and of the round.
const HEAD: usize = 2;
/// Words of an entry of [`List::PoseidonFullRound`]: chain, round, state.
pub(super) const FULL_ENTRY: usize = HEAD + WORDS * STATE;
/// Words of an entry of [`List::PoseidonPartialRounds`]: chain, round, state.
pub(super) const PARTIAL_ENTRY: usize = HEAD + WORDS * PARTIAL_STATE;

/// The result of a full round, of cubes: coefficients, and the bias of the numbers that show it.
const FULL_ROUND: [([i32; STATE], u32); STATE] = [([3, 1, 1], 1), ([1, -1, 1], 2), ([1, 1, -2], 3)];

/// The keys of the entry's round as words, which are 30 columns, and one use of the round's row.
fn keys<'r>(machine: &Machine<'r>, round: W<'r>) -> W<'r> {
    machine.uses(Counter::PoseidonKeys, 0, round);
    machine.row_of(Table::PoseidonKeys, round)
}

/// A full round `r`: of cubes `c` of the state `3c0 + c1 + c2 + K0`, `c0 - c1 + c2 + K1` and `c0 + c1 - 2c2 + K2`, with
/// the round's keys.
///
/// Source entries ([`List::PoseidonFullRound`]): the chain's number, the round, 30 words of state. Columns: the same;
/// 30 words of cubes; 30 words of keys; the three sums, 11 columns each; the enabler. Hands the state to
/// [`List::Cube`], ten words each.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn poseidon_full_round_chain() -> Result<ComponentProgram, RowProgramError> {
    record(FULL_ENTRY, |machine| {
        let recorder = machine.recorder();
        let round = recorder.input(1);
        let state: [Felt<'_>; STATE] = Felt::all(recorder.inputs(HEAD, WORDS * STATE));
        let cubes = state.map(|felt| Felt::new(cube(felt.value)));
        let list = machine.list(List::Cube, WORDS, STATE);
        for (site, felt) in state.iter().enumerate() {
            recorder.emit(list, site, felt.words);
        }
        let keys = keys(machine, round);
        machine.columns(recorder.inputs(0, FULL_ENTRY));
        cubes.iter().for_each(|cube| machine.columns(cube.words));
        machine.columns(keys);
        for ((coefficients, bias), key) in FULL_ROUND.into_iter().zip(Felt::all::<STATE>(keys)) {
            let terms: Vec<_> = coefficients.into_iter().zip(cubes).collect();
            let sum = Combination::new(machine, &terms, Some(key));
            sum.check(machine, bias, Digits::Three);
            sum.columns(machine);
        }
        machine.columns(machine.enabler());
    })
}

/// Three partial rounds. A round makes of `(s0, s1, s2, s3)`, with `c = s3^3` and its key `K`, the state
/// `(s2, s3, c, z)`, where `h = 4 s0 + 2 s1 + 3 s2 + s3 - c + K` and `z = 2h`.
///
/// Source entries ([`List::PoseidonPartialRounds`]): the chain's number, the round, 40 words of state. Columns: the
/// same; 30 words of keys; for each round `c`, and `h` and `z` with 11 columns each; the enabler. Hands `s3` to
/// [`List::Cube`] and `h` to [`List::RangeCheck252`], ten words each.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn poseidon_3_partial_rounds_chain() -> Result<ComponentProgram, RowProgramError> {
    record(PARTIAL_ENTRY, |machine| {
        let recorder = machine.recorder();
        let keys = keys(machine, recorder.input(1));
        machine.columns(recorder.inputs(0, PARTIAL_ENTRY));
        machine.columns(keys);
        let cubes = machine.list(List::Cube, WORDS, STATE);
        let sums = machine.list(List::RangeCheck252, WORDS, STATE);
        let mut state: [Felt<'_>; PARTIAL_STATE] = Felt::all(recorder.inputs(HEAD, WORDS * PARTIAL_STATE));
        for (site, key) in Felt::all::<STATE>(keys).into_iter().enumerate() {
            let [s0, s1, s2, s3] = state;
            recorder.emit(cubes, site, s3.words);
            let c = Felt::new(cube(s3.value));
            let h = Combination::new(machine, &[(4, s0), (2, s1), (3, s2), (1, s3), (-1, c)], Some(key));
            h.check(machine, 2, Digits::Four);
            recorder.emit(sums, site, h.felt.words);
            let z = Combination::new(machine, &[(2, h.felt)], None);
            machine.columns(c.words);
            h.columns(machine);
            z.columns(machine);
            state = [s2, s3, c, z.felt];
        }
        machine.columns(machine.enabler());
    })
}

/// An entry of either list.
pub(super) fn entry<'r>(machine: &Machine<'r>, chain: W<'r>, round: usize, state: &[W<'r>]) -> W<'r> {
    let mut parts = vec![chain, machine.word(round as u32)];
    parts.extend(state.iter().map(|felt| felt_words27(*felt)));
    machine.recorder().pack(&parts)
}

/// The state after a full round.
pub(super) fn full_round<'r>(state: [W<'r>; STATE], keys: [W<'r>; STATE]) -> [W<'r>; STATE] {
    let [c0, c1, c2] = state.map(cube);
    let (sum, both) = (c0.felt_add(c1).felt_add(c2), c0.felt_add(c0));
    let [k0, k1, k2] = keys;
    [
        sum.felt_add(both).felt_add(k0),
        sum.felt_sub(c1.felt_add(c1)).felt_add(k1),
        sum.felt_sub(c2.felt_add(c2)).felt_sub(c2).felt_add(k2),
    ]
}

/// The state after a partial round.
pub(super) fn partial_round<'r>(state: [W<'r>; PARTIAL_STATE], key: W<'r>) -> [W<'r>; PARTIAL_STATE] {
    let [s0, s1, s2, s3] = state;
    let double = |x: W<'r>| x.felt_add(x);
    let c = cube(s3);
    let h = double(double(s0).felt_add(s1).felt_add(s2)).felt_add(s2).felt_add(s3).felt_sub(c).felt_add(key);
    [s2, s3, c, double(h)]
}
