//! add_mod and mul_mod: instances that the machine refuses and their components take, and the other way round.

use cairo_run::{BuiltinName, Felt252, Options, Place, Reason, load};

use super::unlike::{Cell, Program, assert_satisfied, bytes, machine, refusal, unchecked};
use crate::preprocessed::Variant;

use BuiltinName::{AddMod, MulMod};

/// Words of an integer, the least significant first. They should have 96 bits.
type Words = [u128; 4];

/// Most bits of a word for which the components have rows.
const BITS: u32 = 99;

const fn small(value: u128) -> Words {
    [value, 0, 0, 0]
}

/// `a` and `b` give `c` modulo `modulus`.
#[derive(Clone, Copy)]
struct Operation {
    modulus: Words,
    values: [Words; 3],
    /// How far the pointer to the values is moved on, and the offsets back.
    shift: i64,
    /// Operations left in the batch.
    left: u32,
}

/// A batch of its own.
const fn operation(modulus: Words, a: Words, b: Words, c: Words) -> Operation {
    Operation { modulus, values: [a, b, c], shift: 0, left: 1 }
}

fn words(words: impl IntoIterator<Item = u128>) -> Vec<Felt252> {
    words.into_iter().map(Felt252::from).collect()
}

fn instance(program: &mut Program, name: BuiltinName, modulus: Words, pointers: [i64; 2], left: u32) {
    let [values, offsets] = pointers.map(Cell::Data);
    let cells = words(modulus).into_iter().map(Cell::Felt);
    program.writes(name, cells.chain([values, offsets, Cell::Felt(left.into())]));
}

/// Operations with values of their own.
fn add(program: &mut Program, name: BuiltinName, operations: &[Operation]) {
    for operation in operations {
        let start = program.data.len() as i64;
        program.data.extend(words(operation.values.concat()));
        program.data.extend([0, 4, 8].map(|offset| Felt252::from(offset - operation.shift)));
        instance(program, name, operation.modulus, [start + operation.shift, start + 12], operation.left);
    }
}

/// A batch of one operation again and again.
fn add_batch(program: &mut Program, name: BuiltinName, operation: Operation, lefts: impl Iterator<Item = u32>) {
    let start = program.data.len() as i64;
    program.data.extend(words(operation.values.concat()));
    for (index, left) in (0..).zip(lefts) {
        program.data.extend([0u32, 4, 8].map(Felt252::from));
        instance(program, name, operation.modulus, [start, start + 12 + 3 * index], left);
    }
}

fn program(name: BuiltinName, operations: &[Operation]) -> Program {
    let mut program = Program::default();
    add(&mut program, name, operations);
    program
}

/// Asserts that the machine refuses a program, and that this crate does, for an instance.
fn assert_refused(program: &Program, instance: usize, why: &str) {
    let json = program.json();
    machine(&json).expect_err(why);
    let refusal = refusal(&bytes(&json));
    assert_eq!(refusal.reason, Reason::BuiltinValue, "{refusal}");
    assert!(refusal.what.contains(why), "{refusal}");
    // The run, as somebody else might hand it on, has the same fault.
    let run = unchecked(&bytes(&json));
    let segments = [run.builtin_segments.add_mod_builtin, run.builtin_segments.mul_mod_builtin];
    let begins = segments.into_iter().flatten().map(|segment| segment.begin_addr + 7 * instance);
    let places: Vec<_> = begins.map(|address| Place::Address(address as u64)).collect();
    assert!(places.contains(&refusal.place), "{refusal}");
    assert_eq!(super::unlike::refusal(&bincode1::serialize(&run).unwrap()), refusal);
}

/// A modulus of 0; words of more than 96 bits in values and moduli; negative offsets.
fn beyond(name: BuiltinName) -> Vec<(Operation, &'static str)> {
    let top = (1 << BITS) - 1;
    let [one, seven, twelve] = [1, 7, 12].map(small);
    let of_zero = if name == AddMod { twelve } else { small(35) };
    let neutral = if name == AddMod { small(0) } else { one };
    let modulus = [9, 0, 0, 1 << 98];
    let moved = Operation {
        shift: 8,
        ..operation(seven, small(3), small(2), if name == AddMod { small(5) } else { small(6) })
    };
    vec![
        (operation(small(0), small(5), seven, of_zero), "the modulus of"),
        (operation(seven, [1 << 96, 0, 0, 5], neutral, [1 << 96, 0, 0, 5]), "more than 96 bits"),
        (operation(seven, [top; 4], neutral, [top; 4]), "more than 96 bits"),
        (operation(modulus, [11, 0, 0, 1 << 98], neutral, small(2)), "more than 96 bits"),
        (moved, "negative"),
    ]
}

fn sound(name: BuiltinName) -> Operation {
    operation(small(7), small(5), small(4), if name == AddMod { small(2) } else { small(6) })
}

#[test]
fn the_machine_refuses_what_the_components_take() {
    for name in [AddMod, MulMod] {
        for (operation, why) in beyond(name) {
            assert_refused(&program(name, &[sound(name), operation]), 1, why);
        }
        // A batch of no operation, and one that is cut short, both at the end of a segment without padding.
        let none = Operation { left: 0, ..sound(name) };
        assert_refused(&program(name, &[[sound(name); 15].as_slice(), &[none]].concat()), 15, "no operation left");
        let mut cut = Program::default();
        add_batch(&mut cut, name, sound(name), (2..18).rev());
        assert_refused(&cut, 15, "ends with 2 operations left");
        // As it should be.
        let mut whole = Program::default();
        add_batch(&mut whole, name, sound(name), (1..17).rev());
        machine(&whole.json()).unwrap();
        load(&bytes(&whole.json()), &Options::default()).unwrap();
    }
}

/// As numbers they are right; so a run that somebody else hands on does not show it.
#[test]
fn the_machine_tells_pointers_from_numbers() {
    for name in [AddMod, MulMod] {
        for (cell, other) in [(0, Cell::Data(0)), (4, Cell::Felt(Felt252::from(9))), (5, Cell::Felt(Felt252::from(9)))]
        {
            let mut program = program(name, &[sound(name)]);
            program.cells.get_mut(&name).unwrap()[cell] = other;
            let json = program.json();
            machine(&json).unwrap_err();
            let refusal = refusal(&bytes(&json));
            assert!(refusal.reason == Reason::Builtin && refusal.what.contains("pointer"), "{refusal}");
        }
    }
}

#[test]
fn the_components_take_what_the_machine_refuses() {
    let mut whole = Program::default();
    let mut cut = Program::default();
    for name in [AddMod, MulMod] {
        let mut operations: Vec<_> = beyond(name).into_iter().map(|(operation, _)| operation).collect();
        if name == MulMod {
            // Our witness divides by the modulus, and reads 96 bits: rows of these are in `product`.
            operations = operations.split_off(4);
        }
        operations.resize(15, sound(name));
        operations.push(Operation { left: 0, ..sound(name) });
        add(&mut whole, name, &operations);
        add_batch(&mut cut, name, sound(name), (2..18).rev());
    }
    for program in [whole, cut] {
        assert_satisfied(&unchecked(&bytes(&program.json())), Variant::CanonicalSmall);
    }
}

#[test]
fn the_components_lack_rows_of_the_machine() {
    let most = [(1 << 96) - 1; 4];
    let cases = [
        // c is a + b less the modulus twice.
        (AddMod, operation(small(3), small(10), small(10), small(14))),
        // The quotient is negative; it has more than 384 bits.
        (MulMod, operation(small(7), small(0), small(0), small(7))),
        (MulMod, operation(small(1), most, most, small(0))),
    ];
    for (name, operation) in cases {
        let json = program(name, &[operation]).json();
        machine(&json).unwrap();
        let refusal = refusal(&bytes(&json));
        assert!(refusal.what.contains("right, but its component has no row"), "{refusal}");
    }
}

/// The largest numbers, results that are not reduced, and results that are.
#[test]
fn machine_and_components_agree_within_bounds() {
    let most = [(1 << 96) - 1; 4];
    let cases = [
        (AddMod, operation(small(7), small(5), small(7), small(12))),
        (AddMod, operation(small(7), small(5), small(7), small(5))),
        (AddMod, operation(most, most, most, most)),
        (AddMod, operation(most, most, small(0), small(0))),
        (AddMod, operation(small(1), most, small(0), most)),
        (MulMod, operation(small(7), small(5), small(7), small(35))),
        (MulMod, operation(small(7), small(5), small(7), small(28))),
        (MulMod, operation(most, most, most, small(0))),
        (MulMod, operation(small(1), most, small(1), small(0))),
        (MulMod, operation(small(1), most, small(1), most)),
    ];
    let mut program = Program::default();
    for (name, operation) in cases {
        add(&mut program, name, &[operation]);
    }
    machine(&program.json()).unwrap();
    let loaded = load(&bytes(&program.json()), &Options::default()).unwrap();
    assert_satisfied(&loaded.run, Variant::CanonicalSmall);
    // One off is refused by both.
    for (name, mut operation) in cases {
        operation.values[2][0] ^= 1;
        if operation.modulus == small(1) {
            continue;
        }
        let json = self::program(name, &[operation]).json();
        machine(&json).unwrap_err();
        assert!(refusal(&bytes(&json)).what.contains("wrong result"));
    }
}
