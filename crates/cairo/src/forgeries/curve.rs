//! ec_op: points that are not on the curve.

use cairo_run::{Felt252, Place, Reason, Run};
use serde_json::json;

use super::unlike::{assert_satisfied, bytes, compiled, machine, refusal};
use crate::preprocessed::Variant;
use crate::witness::tests::run;

type Point = [Felt252; 2];

/// Where the program has its numbers.
const P: [usize; 2] = [8, 10];
const M: usize = 12;
const COUNT: usize = 14;
const Q: [usize; 2] = [18, 21];

fn on_line([x, y]: Point, [other, _]: Point, slope: Felt252) -> Point {
    let sum = slope * slope - x - other;
    [sum, slope * (x - sum) - y]
}

fn add(p: Point, q: Point) -> Point {
    on_line(p, q, (q[1] - p[1]).field_div(&(q[0] - p[0]).try_into().unwrap()))
}

fn double(q: Point) -> Point {
    let [x, y] = q;
    on_line(q, q, (x * x * Felt252::THREE + Felt252::ONE).field_div(&(y + y).try_into().unwrap()))
}

/// `p + m q` by formulas in which the constant term of the curve does not occur.
fn ec_op(mut p: Point, mut q: Point, m: Felt252) -> Point {
    let m = m.to_biguint();
    for bit in 0..m.bits() {
        if m.bit(bit) {
            p = add(p, q);
        }
        q = double(q);
    }
    p
}

/// The value of a cell, of 72 bits or more. All cells that have it have it together.
fn value(input: &mut Run, address: usize) -> &mut [u32; 8] {
    let id = input.memory.address_to_id[address];
    &mut input.memory.f252_values[id.checked_sub(1 << 30).expect("a big value") as usize]
}

fn felt(words: &[u32; 8]) -> Felt252 {
    words.iter().rev().fold(Felt252::ZERO, |high, word| high * Felt252::from(1u64 << 32) + Felt252::from(*word))
}

fn set(input: &mut Run, address: usize, felt: Felt252) {
    let digits = felt.to_biguint().to_u32_digits();
    *value(input, address) = std::array::from_fn(|i| digits.get(i).copied().unwrap_or(0));
}

#[test]
fn the_component_takes_points_that_are_not_on_the_curve() {
    let mut input = run("ec_op_3");
    let begin = input.builtin_segments.ec_op_builtin.unwrap().begin_addr;
    let honest = input.clone();
    // p, q and m of the first of three instances; the next begins with the result.
    let y = felt(value(&mut input, begin + 1)) + Felt252::ONE;
    set(&mut input, begin + 1, y);
    for first in [0, 1, 2].map(|instance| begin + 7 * instance) {
        let [x, y, q_x, q_y, m] = [0, 1, 2, 3, 4].map(|cell| felt(value(&mut input, first + cell)));
        let result = ec_op([x, y], [q_x, q_y], m);
        set(&mut input, first + 5, result[0]);
        set(&mut input, first + 6, result[1]);
    }
    assert_ne!(input.memory.f252_values, honest.memory.f252_values);
    let variant = Variant::CanonicalWithoutPedersen;
    assert_satisfied(&input, variant);
    let refused = refusal(&bincode1::serialize(&input).unwrap());
    assert_eq!((refused.reason, refused.place), (Reason::BuiltinValue, Place::Address(begin as u64)), "{refused}");

    let mut program = compiled("cairo/programs/ec_op_3");
    machine(&program).unwrap();
    program["data"][P[1]] = json!(y.to_hex_string());
    let said = machine(&program).unwrap_err();
    assert!(said.contains("not on the curve") || said.contains("not in the curve"), "{said}");
}

/// The component adds in all 252 rounds, for any bits of m; the machine in the rounds up to the last bit of m.
#[test]
fn the_component_lacks_rows_of_the_machine() {
    let mut program = compiled("cairo/programs/ec_op_3");
    for (p, q) in P.into_iter().zip(Q) {
        program["data"][p] = program["data"][q].clone();
    }
    program["data"][COUNT] = json!("0x1");
    // Twice a point is no sum of two; no times a point is.
    for (m, runs) in [("0x0", true), ("0x1", false)] {
        program["data"][M] = json!(m);
        assert_eq!(machine(&program).is_ok(), runs, "{m}");
        if runs {
            let refusal = refusal(&bytes(&program));
            assert!(refusal.what.contains("two points with the same x"), "{refusal}");
        }
    }
}
