//! Hints about what programs lay out in memory: dictionaries and circuits.

use super::*;

/// A dictionary in an arena that the program makes by hand. The words before set `[fp]` to the table of dictionaries
/// and `[fp + 1]` to two arenas: with no dictionary yet, and with one.
fn with_dict(hints: &[Value], results: i32) -> Value {
    let segments = [0, 1].map(|i| json!({"AllocSegment": {"dst": cell(i)}}));
    let arena = json!({"AllocFelt252Dict": {"segment_arena_ptr": plus(1, 3)}});
    let table = |offset| vec![word([0, 1, offset], DST_FP | OP0_FP | ASSERT)];
    let count = |count, offset| [push_imm(count).to_vec(), vec![word([-1, 1, offset], OP0_FP | ASSERT)]].concat();
    let mut main = vec![
        // 6: ap += 2, then the arenas
        advance(2).to_vec(),
        [table(0), count(0, 1), table(3), count(1, 4)].concat(),
        // 16: the dictionary; [ap] = [[fp]]; ap++, which is [fp + 4]
        vec![word([0, 0, 0], OP0_FP | ASSERT | AP1)],
        // 17: the hints; their results are [fp + 5]..
        advance(results.into()).to_vec(),
    ];
    main.extend((0..results).map(|i| vec![word([5 + i, -3, i], DST_FP | OP0_FP | ASSERT)]));
    main.extend([push_fp_plus(-3, results.into()).to_vec(), ret().to_vec()]);
    executable(&["output"], &main, &[(6, segments.to_vec()), (16, vec![arena]), (17, hints.to_vec())])
}

#[test]
fn dictionaries() {
    let write = |key: u32, value: u32| {
        let (key, value) = (number(&small(key)), number(&small(value)));
        json!({"Felt252DictWrite": {"dict_ptr": deref(4), "key": key, "value": value}})
    };
    let read = |key: u32, dst| {
        let key = number(&small(key));
        json!({"Felt252DictRead": {"dict_ptr": deref(4), "key": key, "value_dst": cell(dst)}})
    };
    let index = |end, dst| json!({"GetSegmentArenaIndex": {"dict_end_ptr": end, "dict_index": cell(dst)}});
    let loaded = run(&with_dict(&[write(7, 9), read(7, 5), read(8, 6), index(plus(4, 3), 7)], 3)).unwrap();
    assert_eq!(loaded.output, [9, 0, 0].map(Felt252::from));

    // The second dictionary lives in a temporary segment. Somebody must place it.
    let second = json!({"AllocFelt252Dict": {"segment_arena_ptr": plus(1, 6)}});
    let start = json!({"DoubleDeref": [cell(0), 3]});
    match run(&with_dict(&[second.clone(), index(start.clone(), 5)], 1)) {
        Err(Problem::Refused(refusal)) => {
            assert_eq!(refusal.reason, Reason::Address);
            assert!(refusal.remedy.contains("Squash"), "{refusal}");
        }
        other => panic!("{other:?}"),
    }
    let place = json!({"AddRelocationRule": {"src": start, "dst": plus(4, 4)}});
    let loaded = run(&with_dict(&[second, index(start, 5), place], 1)).unwrap();
    assert_eq!(loaded.output, [Felt252::ONE]);
}

/// t0 = a + b, t1 = t0 c, t2 = a - b, t3 = 1 / c modulo a prime, in four words of 96 bits each.
#[test]
fn circuits() {
    let prime = hex("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab");
    let [a, b, c] = [
        "123456789abcdef0123456789abcdef01",
        "fedcba9876543210fedcba9876543210f",
        "deadbeef00000000000000000000000000cafe",
    ]
    .map(hex);
    for (modulus, solvable) in [(prime, true), (small(6) * hex("deadbeef00000000000000000000000000cafe"), false)] {
        // Values in the table: 1, a, b, c, then t0..t3. The table is [fp], the offsets of additions [fp + 1], of
        // products [fp + 2].
        let known = [small(1), a.clone(), b.clone(), c.clone()];
        let mask = (BigUint::from(1u32) << 96u32) - 1u32;
        let mut main = vec![advance(3).to_vec()];
        let mut put = |pointer: i32, offset: i32, value: BigUint| {
            let push = vec![push_imm(0)[0].clone(), format!("{value:#x}")];
            main.push([push, vec![word([-1, pointer, offset], OP0_FP | ASSERT)]].concat());
        };
        for (index, value) in known.iter().enumerate() {
            (0..4).for_each(|i| put(0, 4 * index as i32 + i, (value >> (96 * i as u32)) & &mask));
        }
        let at = |value: u32| small(4 * value);
        // Gates: (a, b, t0) and (t2, b, a); (t0, c, t1) and (t3, c, 1).
        [at(1), at(2), at(4), at(6), at(2), at(1)]
            .into_iter()
            .enumerate()
            .for_each(|(i, offset)| put(1, i as i32, offset));
        [at(4), at(3), at(5), at(7), at(3), at(0)]
            .into_iter()
            .enumerate()
            .for_each(|(i, offset)| put(2, i as i32, offset));
        // Main's pointers: output [fp - 5], add_mod [fp - 4], mul_mod [fp - 3]. The first instances name table and
        // offsets.
        (0..4).for_each(|i| put(-3, i, (&modulus >> (96 * i as u32)) & &mask));
        for (builtin, offsets) in [(-4, 1), (-3, 2)] {
            main.push(vec![word([0, builtin, 4], DST_FP | OP0_FP | ASSERT)]);
            main.push(vec![word([offsets, builtin, 5], DST_FP | OP0_FP | ASSERT)]);
        }
        let words: usize = 6 + main.iter().map(Vec::len).sum::<usize>();
        let segments = [0, 1, 2].map(|i| json!({"AllocSegment": {"dst": cell(i)}}));
        let evaluate = json!({"EvalCircuit": {"n_add_mods": {"Immediate": "0x2"}, "add_mod_builtin": deref(-4),
            "n_mul_mods": {"Immediate": "0x2"}, "mul_mod_builtin": deref(-3)}});
        // Output: t0..t3, read from the table.
        for i in 0..16 {
            main.push(vec![word([0, 0, 16 + i], OP0_FP | ASSERT | AP1)]);
            main.push(vec![word([-1, -5, i], OP0_FP | ASSERT)]);
        }
        let products = if solvable { 2 } else { 1 };
        for (pointer, cells) in [(-5, 16), (-4, 14), (-3, 7 * products)] {
            main.push(push_fp_plus(pointer, cells).to_vec());
        }
        main.push(ret().to_vec());
        let hints = [(6, segments.to_vec()), (words, vec![evaluate])];
        let loaded = run(&executable(&["output", "add_mod", "mul_mod"], &main, &hints)).unwrap();
        let values: Vec<_> = loaded.output.iter().map(Felt252::to_biguint).collect();
        let t: Vec<_> = values.chunks(4).map(|words| join(words, 96)).collect();
        assert_eq!(t[0], (&a + &b) % &modulus);
        assert_eq!(t[1], &t[0] * &c % &modulus);
        assert_eq!((&t[2] + &b) % &modulus, a);
        let product = &t[3] * &c % &modulus;
        assert!(t[3] > small(0) && t[3] < modulus);
        assert_eq!(product, if solvable { small(1) } else { small(0) });
    }
}
