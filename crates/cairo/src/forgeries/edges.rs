//! Where machine and AIR take the same inputs: the last that both take, and the first that both refuse. And the memory
//! that both have, of which the AIR knows less.

use cairo_air::components::{
    add_opcode, bitwise_builtin, ec_op_builtin, jnz_opcode_taken, memory_id_to_big, range_check_builtin,
    range_check96_builtin,
};
use cairo_run::{BuiltinName, Felt252, Options, Reason, Run, load};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use stwo::core::fields::m31::BaseField;

use super::lookups::{Lookups, RANGE_CHECK_6, XOR_8, XOR_9, drawn, limbs, satisfies};
use super::row::Component;
use super::unlike::{Cell, Program, assert_satisfied, bytes, machine, refusal, unchecked};
use crate::preprocessed::Variant;

/// Where the instance lies.
const INSTANCE: u32 = 1000;

fn power(exponent: u32) -> BigUint {
    BigUint::one() << exponent
}

fn prime() -> BigUint {
    Felt252::prime()
}

/// Whether the machine takes an instance of a builtin; this crate must agree.
fn machine_takes(builtin: BuiltinName, cells: &[BigUint]) -> bool {
    let mut program = Program::default();
    program.writes(builtin, cells.iter().map(|cell| Cell::Felt(cell.into())));
    let json = program.json();
    let takes = machine(&json).is_ok();
    assert_eq!(load(&bytes(&json), &Options::default()).is_ok(), takes, "{builtin}: {cells:?}");
    takes
}

fn broken(component: &impl Component, cells: &[u32]) -> usize {
    let cells: Vec<_> = cells.iter().map(|cell| BaseField::from_u32_unchecked(*cell)).collect();
    component.see(&cells, &vec![BaseField::zero(); component.fixed().len()]).broken
}

#[test]
fn range_checks() {
    // 15 limbs, of which the last has two bits.
    let has_row = |value: &BigUint| {
        (0..=1).any(|upper| {
            let mut lookups = Lookups::default();
            let mut cells = lookups.read(INSTANCE, &limbs(value, 15));
            cells.push(upper);
            let component = |common_lookup_elements| range_check_builtin::Eval {
                claim: range_check_builtin::Claim { log_size: 4, range_check_builtin_segment_start: INSTANCE },
                common_lookup_elements,
            };
            satisfies(component, &cells, &lookups).is_ok()
        })
    };
    let cases = [(BigUint::zero(), true), (power(128) - 1u32, true), (power(128), false), (power(135) - 1u32, false)];
    for (value, takes) in cases {
        assert_eq!([has_row(&value), machine_takes(BuiltinName::RangeCheck, &[value])], [takes; 2]);
    }
}

#[test]
fn range_checks_of_96_bits() {
    // 11 limbs, of which the last has six bits.
    let has_row = |value: &BigUint| {
        let mut lookups = Lookups::default();
        let cells = lookups.read(INSTANCE, &limbs(value, 11));
        lookups.push(RANGE_CHECK_6, cells.last().copied());
        let component = |common_lookup_elements| range_check96_builtin::Eval {
            claim: range_check96_builtin::Claim { log_size: 4, range_check96_builtin_segment_start: INSTANCE },
            common_lookup_elements,
        };
        satisfies(component, &cells, &lookups).is_ok()
    };
    let cases = [(BigUint::zero(), true), (power(96) - 1u32, true), (power(96), false), (power(99) - 1u32, false)];
    for (value, takes) in cases {
        assert_eq!([has_row(&value), machine_takes(BuiltinName::RangeCheck96, &[value])], [takes; 2]);
    }
}

#[test]
fn bitwise_operands_have_251_bits() {
    let y = power(250) + 12345u32;
    let results = |x: &BigUint| [x & &y, x ^ &y, x | &y];
    let has_row = |x: &BigUint| {
        let mut lookups = Lookups::default();
        let mut cells = lookups.read(INSTANCE, &limbs(x, 28));
        cells.extend(lookups.read(INSTANCE + 1, &limbs(&y, 28)));
        let [and, xor, or] = results(x).map(|number| limbs(&number, 28));
        for limb in 0..28 {
            let relation = if limb == 27 { XOR_8 } else { XOR_9 };
            lookups.push(relation, [cells[1 + limb], cells[30 + limb], xor[limb]]);
        }
        cells.extend(&xor);
        for (address, limbs) in (INSTANCE + 2..).zip([and, xor, or]) {
            cells.push(lookups.read(address, &limbs)[0]);
        }
        let component = |common_lookup_elements| bitwise_builtin::Eval {
            claim: bitwise_builtin::Claim { log_size: 4, bitwise_builtin_segment_start: INSTANCE },
            common_lookup_elements,
        };
        satisfies(component, &cells, &lookups).is_ok()
    };
    for (x, takes) in [(power(251) - 1u32, true), (power(251), false), (prime() - 1u32, false)] {
        let cells = [vec![x.clone(), y.clone()], results(&x).to_vec()].concat();
        assert_eq!([has_row(&x), machine_takes(BuiltinName::Bitwise, &cells)], [takes; 2], "{x}");
    }
}

/// The factor of ec_op, as the operands of pedersen and the x of points in ec_op, is below the prime: by a subroutine
/// that all of them share.
#[test]
fn what_is_read_bit_by_bit_is_reduced() {
    let claim = ec_op_builtin::Claim { log_size: 4, ec_op_builtin_segment_start: INSTANCE };
    let component = ec_op_builtin::Eval { claim, common_lookup_elements: drawn() };
    // The limbs of the factor are columns from 117 on; then whether the last is as large as can be, whether the limbs
    // in the middle are, too, and the value that must be below 2^8 then. So must the last limb, unless it is as large
    // as can be.
    let has_row = |factor: &BigUint| {
        let factor = limbs(factor, 28);
        [[0, 0], [1, 0], [1, 1]].into_iter().any(|[last, middle]| {
            let checked = last * (120 + factor[21] - middle);
            let mut cells = vec![0; 273];
            cells[117..145].copy_from_slice(&factor);
            cells[145..148].copy_from_slice(&[last, middle, checked]);
            let in_table = |value: u32| value < 1 << 8;
            broken(&component, &cells) == 0 && in_table(checked) && factor[27].checked_sub(last).is_some_and(in_table)
        })
    };
    for (factor, takes) in [
        (BigUint::zero(), true),
        (power(251) - 1u32, true),
        (power(251), true),
        (prime() - 1u32, true),
        (prime(), false),
        (prime() + 1u32, false),
        (power(251) + power(198), false),
        (power(252) - 1u32, false),
    ] {
        assert_eq!(has_row(&factor), takes, "{factor}");
    }
}

/// Memory holds `v + p` in place of `v` where that is below 2^252. Sums do not tell them apart; a jump takes neither 0
/// nor p for true.
#[test]
fn memory_holds_felts_that_are_not_reduced() {
    let row = |number: &BigUint| [limbs(number, 28), vec![1]].concat();
    let memory = memory_id_to_big::BigEval::new(4, 0, drawn());
    for number in [prime(), prime() + 3u32, power(252) - 1u32] {
        assert_eq!(broken(&memory, &row(&number)), 0);
    }

    let sum = add_opcode::Eval { claim: add_opcode::Claim { log_size: 4 }, common_lookup_elements: drawn() };
    // dst, op0 and op1 with their limbs, and whether the prime is subtracted.
    let broken_by = |dst: &BigUint, subtracts: u32| {
        let mut cells = vec![0; 103];
        for (first, number) in [(15, dst), (44, &(prime() - 2u32)), (73, &BigUint::from(5u32))] {
            cells[first..first + 28].copy_from_slice(&limbs(number, 28));
        }
        cells[101] = subtracts;
        broken(&sum, &cells)
    };
    let three = BigUint::from(3u32);
    let by_right = broken_by(&three, 1);
    assert_eq!(broken_by(&(&three + prime()), 0), by_right);
    assert!(broken_by(&(&three + 1u32), 1) > by_right && broken_by(&(three + prime()), 1) > by_right);

    let jump =
        jnz_opcode_taken::Eval { claim: jnz_opcode_taken::Claim { log_size: 4 }, common_lookup_elements: drawn() };
    let broken_by = |dst: &BigUint| {
        let limbs = limbs(dst, 28);
        let square = |limb: usize, of_prime: u32| limbs[limb].abs_diff(of_prime).pow(2);
        let sum: u32 = limbs.iter().sum();
        let distance = sum - limbs[0] - limbs[21] - limbs[27] + square(0, 1) + square(21, 136) + square(27, 256);
        let inverse = |of: u32| if of == 0 { 0 } else { BaseField::from_u32_unchecked(of).inverse().0 };
        let mut cells = vec![0; 47];
        cells[8..36].copy_from_slice(&limbs);
        cells[36..38].copy_from_slice(&[inverse(sum), inverse(distance)]);
        broken(&jump, &cells)
    };
    let by_right = broken_by(&BigUint::one());
    assert_eq!(broken_by(&(prime() + 1u32)), by_right);
    assert_eq!([BigUint::zero(), prime()].map(|dst| broken_by(&dst)), [by_right + 1; 2]);
}

/// The machine has no value there, and the adapter of a run 0; a prover may choose another.
#[test]
fn a_word_of_the_output_that_nobody_writes_has_any_value() {
    let mut program = Program::default();
    program.writes(BuiltinName::Output, [Cell::Hole, Cell::Felt(Felt252::from(5))]);
    machine(&program.json()).unwrap();
    let mut input = unchecked(&bytes(&program.json()));
    let first = input.builtin_segments.output.unwrap().begin_addr;
    let value = |input: &Run| input.memory.small_values[input.memory.address_to_id[first] as usize];
    assert_eq!(value(&input), 0);
    input.memory.address_to_id[first] = input.memory.small_values.len() as u32;
    input.memory.small_values.push(123_456_789);
    assert_eq!(value(&input), 123_456_789);
    assert_satisfied(&input, Variant::CanonicalSmall);
}

#[test]
fn segments_may_lie_on_each_other() {
    let mut program = Program::default();
    for builtin in [BuiltinName::RangeCheck, BuiltinName::RangeCheck96] {
        program.writes(builtin, [Cell::Felt(Felt252::from(5))]);
    }
    let mut input = unchecked(&bytes(&program.json()));
    let segments = &mut input.builtin_segments;
    let [from, to] =
        [segments.range_check96_builtin, segments.range_check_builtin].map(|at| at.unwrap().begin_addr as u128);
    segments.range_check96_builtin = segments.range_check_builtin;
    // Both pointers of the one become the other's: before the number is written, and behind it.
    let pointers = input.memory.small_values.iter_mut().filter(|value| (from..=from + 1).contains(*value));
    let mut moved = 0;
    for pointer in pointers {
        *pointer = *pointer - from + to;
        moved += 1;
    }
    assert_eq!(moved, 2);
    assert_satisfied(&input, Variant::CanonicalSmall);
    let refusal = refusal(&bincode1::serialize(&input).unwrap());
    assert!(refusal.reason == Reason::Builtin && refusal.what.contains("overlap"), "{refusal}");
}
