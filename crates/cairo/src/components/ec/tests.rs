use cairo_run::Felt252;
use starknet_types_core::curve::AffinePoint;
use starknet_types_core::hash::{Pedersen, StarkHash};
use stwo_cairo_common::preprocessed_columns::pedersen::PedersenPoints;

use super::super::constants;
use super::super::machine::{ComponentProgram, List, Table, record};
use super::super::testing::{ProgramOutput, Values, felt, id, limbs, memory, run, transposed, words27};
use super::generic::ENTRY;
use super::window::Windows;
use super::*;
use crate::preprocessed::Variant;

/// Rows of a caller.
const LOG: u32 = 4;

fn power(exponent: u64) -> Felt252 {
    Felt252::THREE.pow(1000 + exponent)
}

/// Adds one.
fn bump(felts: &mut [Felt252], index: usize) {
    felts[index] += Felt252::ONE;
}

fn error(made: gpu_hal::Result<ProgramOutput>) -> String {
    made.err().expect("a fault").to_string()
}

/// Words of 27 bits of the reference's points, from their limbs.
fn points() -> Values {
    let limbs: Vec<Vec<u32>> =
        (0..56).map(|column| PedersenPoints::<9>::new(column).get_data().iter().map(|limb| limb.0).collect()).collect();
    let of = |coordinate: &[Vec<u32>], word: usize| -> Vec<u32> {
        let limbs = &coordinate[3 * word..28.min(3 * word + 3)];
        (0..limbs[0].len()).map(|row| limbs.iter().rev().fold(0, |high, limb| (high << 9) + limb[row])).collect()
    };
    limbs.chunks(28).flat_map(|coordinate| (0..10).map(move |word| of(coordinate, word))).collect()
}

/// The reference's points where it has a table of that size, ours where theirs has 2^23 rows.
fn table(windows: Windows, felts: &[Felt252]) -> impl Fn(Table) -> Values {
    let memory = memory(felts);
    move |table| match (table, windows) {
        (Table::PedersenPoints, Windows::Bits9) => points(),
        (Table::PedersenPoints, Windows::Bits18) => {
            let values = constants::values(table, Variant::Canonical);
            values.chunks(1 << 15).map(|column| column.iter().map(|word| word.value()).collect()).collect()
        }
        (table, _) => memory(table),
    }
}

#[test]
fn chains_start_at_a_multiple_of_the_shift_point() {
    let [zero, one] = [Felt252::ZERO, Felt252::ONE];
    let first = |column| PedersenPoints::<9>::new(column).get_data()[0].0;
    let coordinate = |from: usize| felt(&(from..from + 28).map(first).collect::<Vec<_>>(), 9);
    // Row 0 of the table is minus the shift point.
    let shift = AffinePoint::new(coordinate(0), -coordinate(28)).unwrap();
    for (windows, times) in [(Windows::Bits9, 57u64), (Windows::Bits18, 29)] {
        let program = record(0, |machine| {
            let start = windows.start(machine);
            machine.columns(felt_words27(start.x));
            machine.columns(felt_words27(start.y));
        });
        let made = run(&program.unwrap(), &[], 1, 0, &memory(&[zero, one])).unwrap();
        let expected = &shift * Felt252::from(times);
        assert_eq!(felt(&made.row(0, 0, 10), 27), expected.x());
        assert_eq!(felt(&made.row(0, 10, 10), 27), expected.y());
    }
}

/// Operands and hashes.
fn hashes() -> Vec<Felt252> {
    let (zero, one, last) = (Felt252::ZERO, Felt252::ONE, -Felt252::ONE);
    let mut operands = vec![(zero, zero), (last, last), (one, zero), (zero, last)];
    operands.extend((0..12).map(|k| (power(2 * k), power(2 * k + 1))));
    operands.into_iter().flat_map(|(a, b)| [a, b, Pedersen::hash(&a, &b)]).collect()
}

fn hashed(windows: Windows, felts: &[Felt252]) -> gpu_hal::Result<ProgramOutput> {
    let rows: Vec<Vec<u32>> = (0..16).map(|row| (0..3).map(|cell| id(3 * row + cell)).chain([2]).collect()).collect();
    let component = match windows {
        Windows::Bits9 => pedersen_aggregator_window_bits_9(),
        Windows::Bits18 => pedersen_aggregator_window_bits_18(),
    };
    let component = component.unwrap();
    assert_eq!(component.lists, [List::PartialEcMulWindow]);
    run(&component, &[transposed(&rows)], 1, LOG, &table(windows, felts))
}

fn addition(windows: Windows) -> ComponentProgram {
    let component = match windows {
        Windows::Bits9 => partial_ec_mul_window_bits_9(),
        Windows::Bits18 => partial_ec_mul_window_bits_18(),
    };
    component.unwrap()
}

#[test]
fn the_aggregators_are_the_hash() {
    let felts = hashes();
    for (windows, width) in [(Windows::Bits9, 234), (Windows::Bits18, 206)] {
        let made = hashed(windows, &felts).unwrap();
        assert_eq!(made.columns.len(), width);
        for cell in 0..3 {
            let mut felts = felts.clone();
            bump(&mut felts, 3 * 5 + cell);
            let error = error(hashed(windows, &felts));
            assert!(error.contains("row 5: 'the result of a Pedersen instance in memory"), "{error}");
        }
    }
}

#[test]
fn windows_follow_the_aggregators() {
    let felts = hashes();
    for (windows, width) in [(Windows::Bits9, 311), (Windows::Bits18, 297)] {
        let made = hashed(windows, &felts).unwrap();
        let (count, rounds) = (windows.count(), 2 * windows.count());
        let log_height = (16 * rounds).next_power_of_two().ilog2();
        let added = run(&addition(windows), &made.lists, 16, log_height, &table(windows, &felts)).unwrap();
        assert_eq!(added.columns.len(), width);
        // Chain, round, windows, two points; then the slope, x and y of the sum, with 56 columns each.
        let sum = [2 + count + 112 + 56, 2 + count + 112 + 112];
        for site in 0..rounds - 1 {
            for row in 0..16 {
                let next = made.entry(0, windows.entry(), site + 1, row);
                let own = 16 * site + row;
                assert_eq!(next[..2], [2 * row as u32 + u32::from(site + 1 >= count), site as u32 + 1]);
                let sum = sum.map(|from| felt(&added.row(own, from, 28), 9));
                let accumulator = [2 + count, 12 + count].map(|from| felt(&next[from..from + 10], 27));
                assert_eq!(sum, accumulator, "round {site} of row {row}");
                if site + 1 != count {
                    assert_eq!(next[2..1 + count], added.row(own, 3, count - 1), "windows move down");
                    assert_eq!(next[1 + count], 0);
                }
            }
        }
        let entries = 16 * rounds;
        assert_eq!(added.columns.last().unwrap().iter().sum::<u32>(), entries as u32);
        assert_eq!(added.row(entries + 3, 0, width - 1), added.row(3, 0, width - 1));
    }
}

/// `p`, `p + 1` and `p - 1 + 2^198`, which the requests do not find.
#[test]
fn operands_of_the_prime_or_more_are_refused() {
    let prime = |limb: usize, value: u32| {
        let mut limbs = limbs(-Felt252::ONE);
        limbs[limb] += value;
        limbs.chunks(3).map(|limbs| limbs.iter().rev().fold(0, |high, limb| (high << 9) + limb)).collect::<Vec<_>>()
    };
    let (hashes, operations) = (hashes(), operations());
    for words in [prime(0, 1), prime(0, 2), prime(22, 1)] {
        let with = |table: Table, cell: usize, mut columns: Values| {
            if table == Table::Big {
                columns.iter_mut().zip(&words).for_each(|(column, word)| column[cell] = *word);
            }
            columns
        };
        for operand in 0..2 {
            let memory = table(Windows::Bits9, &hashes);
            let rows: Vec<Vec<u32>> = vec![vec![id(0), id(1), id(2), 2]; 16];
            let component = pedersen_aggregator_window_bits_9().unwrap();
            let table = |table| with(table, operand, memory(table));
            let error = error(run(&component, &[transposed(&rows)], 1, LOG, &table));
            assert!(error.contains("row 0: 'an operand in memory is below the Cairo prime'"), "{error}");
        }
        let memory = memory(&operations);
        let table = |table| with(table, 4, memory(table));
        let error = error(run(&ec_op_builtin().unwrap(), &[vec![vec![1]]], 1, LOG, &table));
        assert!(error.contains("row 0: 'an operand in memory is below the Cairo prime'"), "{error}");
    }
}

/// An accumulator that is plus or minus the point of the window.
#[test]
fn a_window_s_point_is_no_accumulator() {
    let points = points();
    let row = (3 << 9) + 77;
    let point: Vec<u32> = points.iter().map(|column| column[row]).collect();
    let negative = words27(-felt(&point[10..], 27));
    for point in [point.clone(), [&point[..10], &negative].concat()] {
        let entry = [&[0, 3, 77], &[0; 27][..], &point].concat();
        let rows = vec![entry; 16];
        let made = run(&addition(Windows::Bits9), &[transposed(&rows)], 16, LOG, &table(Windows::Bits9, &[]));
        let error = error(made);
        assert!(error.contains("row 0: 'unprovable: the accumulator of a Pedersen hash meets"), "{error}");
    }
}

/// `p`, `q`, `m` and `p + m q`, 16 times.
fn operations() -> Vec<Felt252> {
    let generator = AffinePoint::generator();
    let multiple = |k: u64| &generator * power(k);
    let (zero, one, last) = (Felt252::ZERO, Felt252::ONE, -Felt252::ONE);
    let numbers = [zero, one, last, Felt252::TWO.pow(251u64), Felt252::TWO.pow(27u64)];
    let operation = |k: u64| {
        let (p, q) = (multiple(2 * k), multiple(2 * k + 1));
        let m = numbers.get(k as usize).copied().unwrap_or_else(|| power(100 + k));
        let result = p.clone() + &q * m;
        [p.x(), p.y(), q.x(), q.y(), m, result.x(), result.y()]
    };
    (0..16).flat_map(operation).collect()
}

fn operated(felts: &[Felt252]) -> gpu_hal::Result<ProgramOutput> {
    let component = ec_op_builtin().unwrap();
    assert_eq!(component.lists, [List::PartialEcMulGeneric]);
    run(&component, &[vec![vec![1]]], 1, LOG, &memory(felts))
}

#[test]
fn the_builtin_is_the_operation() {
    let felts = operations();
    let made = operated(&felts).unwrap();
    assert_eq!(made.columns.len(), 273);
    for changed in [5, 6] {
        let mut felts = felts.clone();
        bump(&mut felts, 7 * 3 + changed);
        let error = error(operated(&felts));
        assert!(error.contains("row 3: 'the result of an ec_op instance in memory"), "{error}");
    }
}

#[test]
fn points_that_meet_are_refused() {
    let felts = operations();
    let q = AffinePoint::new(felts[7 + 2], felts[7 + 3]).unwrap();
    let double = &q * Felt252::TWO;
    // In the first step, in the second, also where the bit is not set.
    for (p, m) in [(q.clone(), 1u64), (-&q, 0), (double.clone(), 0), (-&double, 2)] {
        let mut felts = felts.clone();
        [felts[7], felts[7 + 1], felts[7 + 4]] = [p.x(), p.y(), Felt252::from(m)];
        let error = error(operated(&felts));
        assert!(error.contains("row 1: 'unprovable: the accumulator of an ec_op instance meets"), "{error}");
    }
    let mut felts = felts;
    felts[7 + 3] = Felt252::ZERO;
    let error = error(operated(&felts));
    assert!(error.contains("row 1: 'unprovable: an ec_op instance doubles a point whose y is zero"), "{error}");
}

#[test]
fn bits_follow_the_builtin() {
    let felts = operations();
    let made = operated(&felts).unwrap();
    let component: ComponentProgram = partial_ec_mul_generic().unwrap();
    // The first sites are enough: all words of m have moved once by 28.
    let sites = 32;
    let source: Values = made.lists[0][..ENTRY * sites].to_vec();
    let stepped = run(&component, &[source], 16, 9, &memory(&felts)).unwrap();
    assert_eq!(stepped.columns.len(), 624);
    for site in 0..sites - 1 {
        for row in 0..16 {
            let (own, next) = (16 * site + row, made.entry(0, ENTRY, site + 1, row));
            assert_eq!(next[..2], [row as u32, site as u32 + 1]);
            // After chain, round, m, q, the accumulator, counter, bit, whether it is the last, an inverse.
            assert_eq!(next[2..12], stepped.row(own, 128, 10), "m of round {site} of row {row}");
            assert_eq!(next[52..], stepped.row(own, 138, 1), "counter");
            let coordinates = |from: usize| [from, from + 10].map(|from| felt(&next[from..from + 10], 27));
            let accumulator = [314, 342].map(|from| felt(&stepped.row(own, from, 28), 9));
            assert_eq!(accumulator, coordinates(32), "accumulator of round {site} of row {row}");
            let doubled = [455 + 56, 455 + 112].map(|from| felt(&stepped.row(own, from, 28), 9));
            assert_eq!(doubled, coordinates(12), "q of round {site} of row {row}");
        }
    }
}
