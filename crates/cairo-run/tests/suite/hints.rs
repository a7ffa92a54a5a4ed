//! The hints of executables, one by one: each result is checked against the hint's purpose, not against its
//! computation.

mod structures;

use cairo_run::{Felt252, Loaded, Machine, Options, Problem, Reason, load};
use num_bigint::{BigInt, BigUint};
use serde_json::{Value, json};

use super::assembler::*;

/// Cell `[fp + offset]`, where main's frame begins.
fn cell(offset: i32) -> Value {
    json!({"register": "FP", "offset": offset})
}

fn deref(offset: i32) -> Value {
    json!({"Deref": cell(offset)})
}

/// `[fp + offset] + value`
fn plus(offset: i32, value: u32) -> Value {
    json!({"BinOp": {"op": "Add", "a": cell(offset), "b": {"Immediate": format!("{value:#x}")}}})
}

fn number(value: &BigUint) -> Value {
    json!({"Immediate": format!("{value:#x}")})
}

/// An executable whose main has these words and these hints, by the index of the word.
fn executable(builtins: &[&str], main: &[Vec<String>], hints: &[(usize, Vec<Value>)]) -> Value {
    let words: Vec<&[String]> = main.iter().map(Vec::as_slice).collect();
    let program = program(builtins, builtins.len() as i64, &words);
    json!({
        "program": {"bytecode": program["data"], "hints": hints},
        "entrypoints": [{"builtins": builtins, "offset": 0, "kind": "Standalone"}],
    })
}

fn run(executable: &Value) -> Result<Loaded, Problem> {
    // The same hints in both machines.
    let options = Options { machine: Machine::Compare, ..Options::default() };
    load(&serde_json::to_vec(executable).unwrap(), &options).map_err(|error| *error.problem)
}

/// An executable that runs `hints` at the start of main. They fill `written` words of the output, whose pointer is `[fp
/// - 3]`, and the cells `[fp]..[fp + results]`, which become output after them.
fn with_hints(hints: &[Value], written: i32, results: i32) -> Value {
    let mut main = vec![advance(results.into()).to_vec()];
    main.extend((0..results).map(|i| vec![word([i, -3, written + i], DST_FP | OP0_FP | ASSERT)]));
    main.extend([push_fp_plus(-3, (written + results).into()).to_vec(), ret().to_vec()]);
    executable(&["output"], &main, &[(6, hints.to_vec())])
}

fn results(hints: &[Value], count: i32) -> Vec<BigUint> {
    let loaded = run(&with_hints(hints, 0, count)).unwrap();
    loaded.output.iter().map(Felt252::to_biguint).collect()
}

fn error(hints: &[Value]) -> String {
    match run(&with_hints(hints, 0, 0)) {
        Err(Problem::Failed(failure)) => failure.message,
        other => panic!("expected a failure; got {other:?}"),
    }
}

fn join(limbs: &[BigUint], bits: u32) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |number, limb| (number << bits) + limb)
}

fn limbs(value: &BigUint, count: u32) -> Vec<Value> {
    let mask = (BigUint::from(1u32) << 128u32) - 1u32;
    (0..count).map(|i| number(&((value >> (128 * i)) & &mask))).collect()
}

fn hex(text: &str) -> BigUint {
    BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
}

fn small(value: u32) -> BigUint {
    value.into()
}

#[test]
fn comparisons() {
    let compare = |name: &str, lhs: Value, rhs: Value| {
        let hint = json!({name: {"lhs": lhs, "rhs": rhs, "dst": cell(0)}});
        results(&[hint], 1)[0] == small(1)
    };
    let numbers = |name: &str, lhs: u32, rhs: u32| compare(name, number(&small(lhs)), number(&small(rhs)));
    assert_eq!([4, 5, 6].map(|lhs| numbers("TestLessThan", lhs, 5)), [true, false, false]);
    assert_eq!([4, 5, 6].map(|lhs| numbers("TestLessThanOrEqual", lhs, 5)), [true, true, false]);
    let addresses = |lhs, rhs| compare("TestLessThanOrEqualAddress", plus(-3, lhs), plus(-3, rhs));
    assert_eq!([4, 5, 6].map(|lhs| addresses(lhs, 5)), [true, true, false]);
}

#[test]
fn divisions() {
    let dividend = hex("f1e2d3c4b5a6978869fa7b8c9d0e1f2031425364758697a8b9cadbecfd0e1f30\
         415263748596a7b8c9daebfc0d1e2f3041526374859607182930a1b2c3d4e5f6");
    for (n, divisor) in [
        (2, hex("1234567890abcdef1234567890abcdef55")),
        (2, small(7)),
        (4, hex("ffffffffffffffffffffffffffffffffffff")),
        (4, small(3)),
    ] {
        let dividend = &dividend % (BigUint::from(1u32) << (128 * n));
        let name = if n == 2 { "Uint256DivMod" } else { "Uint512DivModByUint256" };
        let mut hint = json!({});
        let mut set = |key: &str, values: Vec<Value>| {
            for (i, value) in values.into_iter().enumerate() {
                hint[format!("{key}{i}")] = value;
            }
        };
        set("dividend", limbs(&dividend, n));
        set("divisor", limbs(&divisor, 2));
        set("quotient", (0..n as i32).map(cell).collect());
        set("remainder", (0..2).map(|i| cell(n as i32 + i)).collect());
        let found = results(&[json!({name: hint})], n as i32 + 2);
        let (quotient, remainder) = (join(&found[..n as usize], 128), join(&found[n as usize..], 128));
        assert!(remainder < divisor && found.iter().all(|limb| limb.bits() <= 128), "{name}");
        assert_eq!(quotient * divisor + remainder, dividend, "{name}");
    }
    let (one, zero) = (number(&small(1)), number(&small(0)));
    let zero = json!({"DivMod": {"lhs": one, "rhs": zero, "quotient": cell(0), "remainder": cell(1)}});
    assert!(error(&[zero]).contains("divides by zero"));
}

#[test]
fn square_roots_of_integers() {
    for value in [small(0), small(24), small(25), hex("ffffffffffffffffffffffffffffffff")] {
        let root = &results(&[json!({"SquareRoot": {"value": number(&value), "dst": cell(0)}})], 1)[0];
        assert!(root * root <= value && (root + 1u32) * (root + 1u32) > value, "{value}");
    }
    let one = BigInt::from(1);
    for value in [small(0), hex(&"f".repeat(64)), hex("123456789abcdef00000000000000000000000000000000ffffffffffff")] {
        let parts = limbs(&value, 2);
        let hint = json!({"Uint256SquareRoot": {"value_low": parts[0], "value_high": parts[1],
            "sqrt0": cell(0), "sqrt1": cell(1), "remainder_low": cell(2), "remainder_high": cell(3),
            "sqrt_mul_2_minus_remainder_ge_u128": cell(4)}});
        let found = results(&[hint], 5);
        let (root, remainder) = (join(&found[..2], 64), join(&found[2..4], 128));
        assert!(found[0].bits() <= 64 && found[1].bits() <= 64);
        assert_eq!(&root * &root + &remainder, value);
        assert!((&root + 1u32) * (&root + 1u32) > value);
        let gap = BigInt::from(root) * 2 - BigInt::from(remainder);
        assert_eq!(found[4] == small(1), gap >= (&one << 128), "{value}");
    }
}

#[test]
fn square_roots_of_felts() {
    for value in [0u32, 1, 2, 3, 4, 5, 6, 7, 1 << 20] {
        let hint = json!({"FieldSqrt": {"val": number(&small(value)), "sqrt": cell(0)}});
        let root = &results(&[hint], 1)[0];
        let (value, felt) = (Felt252::from(value), Felt252::from(root));
        assert!(felt * felt == value || felt * felt == value * Felt252::THREE, "{value}");
        assert!(root * 2u32 < Felt252::prime(), "the smaller root of {value}");
    }
}

#[test]
fn inverses_of_256_bits() {
    let inverse = |b: &BigUint, n: &BigUint, cells: i32| {
        let (b, n) = (limbs(b, 2), limbs(n, 2));
        let hint = json!({"U256InvModN": {"b0": b[0], "b1": b[1], "n0": n[0], "n1": n[1], "g0_or_no_inv": cell(0),
            "s_or_r0": cell(1), "s_or_r1": cell(2), "t_or_k0": cell(3), "t_or_k1": cell(4), "g1_option": cell(5)}});
        let found = results(&[hint], cells);
        (found[0].clone(), join(&found[1..3], 128), join(&found[3..5], 128), found.get(5).cloned())
    };
    let prime = hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
    for b in [
        small(1),
        small(2),
        &prime - 1u32,
        hex("123456789abcdef0fedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"),
        &prime + 5u32,
    ] {
        let (none, r, k, _) = inverse(&b, &prime, 5);
        assert_eq!(none, small(0));
        assert!(r < prime);
        assert_eq!(&r * &b, k * &prime + 1u32);
    }
    for (b, n, divisor) in
        [(small(6), small(9), small(3)), (small(12), small(30), small(2)), (small(0), small(15), small(15))]
    {
        let (g0, s, t, g1) = inverse(&b, &n, 6);
        let g = join(&[g0, g1.unwrap()], 128);
        assert_eq!((g.clone(), &g * s, &g * t), (divisor, b, n));
    }
    // Everything is divisible by 1, which takes the form of a number without an inverse.
    let (g0, s, t, g1) = inverse(&small(77), &small(1), 6);
    assert_eq!((g0, s, t, g1), (small(1), small(77), small(1), Some(small(0))));
}

#[test]
fn arcs_of_a_comparison() {
    let third = hex("2aaaaaaaaaaaab05555555555555556"); // ceil(p / (3 * 2^128))
    let half = hex("4000000000000088000000000000001"); // ceil(p / (2 * 2^128))
    let last = Felt252::prime() - 1u32;
    for (a, b) in [(small(0), small(0)), (small(5), &last - 3u32), (small(5), small(9)), (&last - 9u32, &last - 3u32)] {
        let find = json!({"AssertLeFindSmallArcs": {"range_check_ptr": deref(-3), "a": number(&a), "b": number(&b)}});
        let first = json!({"AssertLeIsFirstArcExcluded": {"skip_exclude_a_flag": cell(0)}});
        let second = json!({"AssertLeIsSecondArcExcluded": {"skip_exclude_b_minus_a": cell(1)}});
        let loaded = run(&with_hints(&[find, first, second], 4, 2)).unwrap();
        let words: Vec<_> = loaded.output.iter().map(Felt252::to_biguint).collect();
        assert!(words[..4].iter().all(|word| word.bits() <= 128));
        let lengths = [&words[0] + &words[1] * &third, &words[2] + &words[3] * &half];
        let mut arcs = [a.clone(), &b - &a, &last - &b];
        let longest = (0..3).max_by_key(|i| &arcs[*i]).unwrap();
        assert_eq!([&words[4], &words[5]], [&small((longest != 0).into()), &small((longest != 1).into())]);
        arcs.sort();
        assert_eq!(lengths, arcs[..2]);
    }
    let (a, b) = (number(&small(2)), number(&small(1)));
    let wrong = json!({"AssertLeFindSmallArcs": {"range_check_ptr": deref(-3), "a": a, "b": b}});
    assert!(error(&[wrong]).contains("not less than or equal"));
}

#[test]
fn points_are_the_same_in_every_run() {
    let hints: Vec<_> = [0, 2].map(|i| json!({"RandomEcPoint": {"x": cell(i), "y": cell(i + 1)}})).to_vec();
    let points = results(&hints, 4);
    assert_eq!(points, results(&hints, 4));
    assert_ne!(points[..2], points[2..]);
    let beta = hex("6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89");
    for point in points.chunks(2) {
        let (x, y) = (&point[0], &point[1]);
        assert_eq!((y * y) % Felt252::prime(), (x * x * x + x + &beta) % Felt252::prime());
    }
}

#[test]
fn segments_and_silent_hints() {
    let boxed = |size: u32, dst| json!({"AllocConstantSize": {"size": number(&small(size)), "dst": cell(dst)}});
    let pointers = results(&[boxed(3, 0), boxed(2, 1), boxed(1, 2)], 3);
    assert_eq!((&pointers[1] - &pointers[0], &pointers[2] - &pointers[1]), (small(3), small(2)));
    let silent = [
        json!({"DebugPrint": {"start": deref(-3), "end": deref(-3)}}),
        json!({"AddTrace": {"flag": number(&small(1))}}),
        json!({"AddMarker": {"start": deref(-3), "end": deref(-3)}}),
    ];
    assert!(results(&silent, 0).is_empty());
}

#[test]
fn hints_that_nobody_answers() {
    assert!(error(&[json!({"SystemCall": {"system": deref(-3)}})]).contains("system call"));
    let cheat = json!({"Cheatcode": {"selector": "0x1", "input_start": deref(-3), "input_end": deref(-3),
        "output_start": cell(0), "output_end": cell(1)}});
    assert!(error(&[cheat]).contains("oracle"));
    assert!(
        error(&[json!({"WriteRunParam": {"index": number(&small(1)), "dst": cell(0)}})]).contains("run parameter 1")
    );
    assert!(error(&[json!({"AllocSegment": {"dst": cell(-3)}})]).contains("Inconsistent"));
    assert!(
        error(&[json!({"GetSegmentArenaIndex": {"dict_end_ptr": deref(-3), "dict_index": cell(0)}})])
            .contains("no dictionary")
    );
    let mut unknown = with_hints(&[], 0, 0);
    unknown["program"]["hints"] = json!([[6, [{"Teleport": {}}]]]);
    assert!(matches!(run(&unknown), Err(Problem::Malformed { .. })));
    unknown["program"]["hints"] = json!([[1000, [{"AllocSegment": {"dst": cell(0)}}]]]);
    assert!(matches!(run(&unknown), Err(Problem::Malformed { .. })));
}

#[test]
fn deprecated_assertions() {
    let less = |a: u32, b: u32| json!({"AssertLtAssertValidInput": {"a": number(&small(a)), "b": number(&small(b))}});
    assert!(results(&[less(4, 5)], 0).is_empty());
    assert!(error(&[less(5, 5)]).contains("below"));
    let empty = [json!("AssertCurrentAccessIndicesIsEmpty"), json!("AssertAllKeysUsed")];
    assert!(results(&empty, 0).is_empty());
    assert!(error(&[json!("AssertLeAssertThirdArcExcluded")]).contains("third"));
}

#[test]
fn entry_points() {
    let sound = with_hints(&[], 0, 0);
    assert!(run(&sound).is_ok());
    let malformed = |edit: &dyn Fn(&mut Value), word: &str| {
        let mut executable = sound.clone();
        edit(&mut executable);
        match run(&executable) {
            Err(Problem::Malformed { why, .. }) => assert!(why.contains(word), "{why}"),
            other => panic!("{word}: {other:?}"),
        }
    };
    malformed(&|executable| executable["entrypoints"][0]["kind"] = "Bootloader".into(), "Standalone");
    malformed(&|executable| executable["entrypoints"][0]["offset"] = 2.into(), "word 2");
    malformed(&|executable| executable["entrypoints"][0]["builtins"] = json!(["output", "frob"]), "frob");
    malformed(&|executable| executable["program"]["bytecode"] = json!(["0x1"]), "1 words");
    malformed(&|executable| executable["program"]["bytecode"][3] = "4".into(), "word 3");
    let mut other = sound;
    other["entrypoints"][0]["builtins"] = json!(["range_check"]);
    match run(&other) {
        Err(Problem::Refused(refusal)) => assert_eq!(refusal.reason, Reason::PublicSegments),
        other => panic!("{other:?}"),
    }
}
