use cairo_run::Felt252;
use num_bigint::BigInt;
use num_traits::Num;
use starknet_types_core::hash::Poseidon;

use super::super::constants;
use super::super::machine::{List, Table};
use super::super::testing::{ProgramOutput, Values, felt, id, limbs, memory, run, transposed, words27};
use super::chains::{FULL_ENTRY, PARTIAL_ENTRY};
use super::*;
use crate::preprocessed::Variant;

/// Rows of the aggregator.
const LOG: u32 = 4;
/// Distinct permutations.
const COUNT: usize = 7;

fn inputs() -> Vec<[Felt252; STATE]> {
    let (zero, one, last) = (Felt252::ZERO, Felt252::ONE, -Felt252::ONE);
    let mut inputs = vec![[zero; STATE], [last; STATE], [zero, last, one], [one, zero, last]];
    let power = |exponent: usize| Felt252::THREE.pow(1000 + exponent as u64);
    inputs.extend((0..COUNT - inputs.len()).map(|k| [power(3 * k), power(3 * k + 1), power(3 * k + 2)]));
    inputs
}

/// Inputs and outputs, one permutation after the other.
fn felts() -> Vec<Felt252> {
    let of = |mut state: [Felt252; STATE]| {
        let inputs = state;
        Poseidon::hades_permutation(&mut state);
        [inputs, state].concat()
    };
    inputs().into_iter().flat_map(of).collect()
}

fn table(felts: &[Felt252]) -> impl Fn(Table) -> Values {
    let memory = memory(felts);
    move |table| match table {
        Table::PoseidonKeys => {
            let keys = constants::values(table, Variant::CanonicalSmall);
            keys.chunks(keys.len() / table.width())
                .map(|column| column.iter().map(|key| key.value()).collect())
                .collect()
        }
        other => memory(other),
    }
}

/// The aggregator over these felts. Row `k` has the multiplicity `k + 1`.
fn aggregated(felts: &[Felt252]) -> gpu_hal::Result<ProgramOutput> {
    let component = poseidon_aggregator().unwrap();
    assert_eq!(
        component.lists,
        [List::PoseidonFullRound, List::PoseidonPartialRounds, List::Cube, List::RangeCheck252]
    );
    let row = |k: usize| (0..6).map(|cell| id(6 * k + cell)).chain([k as u32 + 1]).collect();
    let rows: Vec<Vec<u32>> = (0..1 << LOG).map(|k| if k < COUNT { row(k) } else { row(0) }).collect();
    run(&component, &[transposed(&rows)], 1, LOG, &table(felts))
}

#[test]
fn the_aggregator_is_the_permutation() {
    let felts = felts();
    let made = aggregated(&felts).unwrap();
    assert_eq!(made.columns.len(), 342);
    for row in 0..COUNT {
        let last = made.entry(0, FULL_ENTRY, 7, row);
        assert_eq!(last[..2], [2 * row as u32 + 1, 34]);
        let outputs: Vec<u32> = felts[6 * row + STATE..][..STATE].iter().flat_map(|felt| words27(*felt)).collect();
        assert_eq!(made.row(row, 342 - 1 - 54 - 30, 30), outputs);
    }
    for changed in 0..6 {
        let mut felts = felts.clone();
        felts[12 + changed] += Felt252::ONE;
        let error = aggregated(&felts).err().unwrap().to_string();
        assert!(error.contains("row 2: 'the outputs of a Poseidon instance in memory"), "{error}");
    }
}

/// A row of a chain's program gives the next entry of the chain, by other columns than the aggregator's.
#[test]
fn chains_follow_the_aggregator() {
    let felts = felts();
    let made = aggregated(&felts).unwrap();
    let rows = 1 << LOG;

    let full = run(&poseidon_full_round_chain().unwrap(), &made.lists[..1], 16, 7, &table(&felts)).unwrap();
    assert_eq!(full.columns.len(), 126);
    for site in (0..7).filter(|site| *site != 3) {
        for row in 0..rows {
            let sums: Vec<u32> = (0..STATE).flat_map(|sum| full.row(rows * site + row, 92 + 11 * sum, 10)).collect();
            assert_eq!(made.entry(0, FULL_ENTRY, site + 1, row)[2..], sums, "round {site} of row {row}");
        }
    }

    let partial = run(&poseidon_3_partial_rounds_chain().unwrap(), &made.lists[1..2], 16, 9, &table(&felts)).unwrap();
    assert_eq!(partial.columns.len(), 169);
    for site in 0..26 {
        for row in 0..rows {
            // After three rounds the state is the cube and the sum of the last two of them.
            let state: Vec<u32> = [104, 104 + 21, 136, 136 + 21]
                .into_iter()
                .flat_map(|from| partial.row(rows * site + row, from, 10))
                .collect();
            assert_eq!(made.entry(1, PARTIAL_ENTRY, site + 1, row)[2..], state, "round {site} of row {row}");
        }
    }
    // Rows beyond the entries are about one of the first 16.
    assert_eq!(partial.columns.last().unwrap()[27 * rows - 1..=27 * rows], [1, 0]);
    assert_eq!(partial.row(27 * rows + 5, 0, 168), partial.row(5, 0, 168));
}

/// `y + k p` is the combination over the integers.
#[test]
fn a_combination_is_an_equation_of_integers() {
    let felts = felts();
    let made = aggregated(&felts).unwrap();
    let full = run(&poseidon_full_round_chain().unwrap(), &made.lists[..1], 16, 7, &table(&felts)).unwrap();
    let prime = BigInt::from_str_radix("800000000000011000000000000000000000000000000000000000000000001", 16).unwrap();
    let integer = |words: &[u32]| words.iter().rev().fold(BigInt::ZERO, |sum, word| (sum << 27) + BigInt::from(*word));
    let mut quotients = std::collections::BTreeSet::new();
    for row in 0..128 {
        let at = |from| integer(&full.row(row, from, 10));
        let [c0, c1, c2] = [32, 42, 52].map(at);
        let sums = [3 * &c0 + &c1 + &c2, &c0 - &c1 + &c2, c0 + c1 - 2 * c2];
        for (index, sum) in sums.into_iter().enumerate() {
            let quotient = i64::from(full.row(row, 92 + 11 * index + 10, 1)[0]);
            let quotient = if quotient > 1 << 30 { quotient - ((1 << 31) - 1) } else { quotient };
            quotients.insert((index, quotient));
            assert_eq!(sum + at(62 + 10 * index), at(92 + 11 * index) + BigInt::from(quotient) * &prime);
        }
    }
    assert!(quotients.len() > 9, "{quotients:?}");
}

#[test]
fn cubes_and_words() {
    let felts = felts();
    let rows: Vec<Vec<u32>> = (0..32).map(|row| words27(felts[row])).collect();
    let source = [transposed(&rows)];
    let cubes = run(&cube_252().unwrap(), &source, 16, 5, &table(&[])).unwrap();
    let words = run(&range_check_252_width_27().unwrap(), &source, 16, 5, &table(&[])).unwrap();
    assert_eq!((cubes.columns.len(), words.columns.len()), (141, 20));
    for (row, x) in felts.iter().enumerate().take(32) {
        let (of_x, square) = (limbs(*x), *x * *x);
        assert_eq!(felt(&cubes.row(row, 28, 28), 9), square);
        assert_eq!(felt(&cubes.row(row, 84, 28), 9), square * *x);
        let low: Vec<u32> = (0..27).filter(|limb| limb % 3 < 2).map(|limb| of_x[limb]).collect();
        assert_eq!(cubes.row(row, 10, 18), low);
        let parts = [2, 3, 8, 9, 14, 15, 20, 21, 26].map(|limb| of_x[limb]);
        assert_eq!(words.row(row, 10, 9), parts);
    }
    // 14 pairs of limbs of three numbers, `k` and 27 carries of two products.
    let counted = |made: &ProgramOutput, counter: usize| made.counters[counter].iter().sum::<u32>();
    assert_eq!([counted(&cubes, 0), counted(&cubes, 1)], [32 * 42, 32 * 56]);
    assert_eq!([counted(&words, 0), counted(&words, 1)], [32 * 5, 32 * 9]);
}
