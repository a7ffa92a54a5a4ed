//! Kernels of a program against the program, on one row.

use field::SplitMix64;

use super::*;

const DEGREE: u32 = 4;
const LIMIT: u32 = 100;

/// Operations on values that were made lately, on some of long ago, and on constants; some values are stored or added
/// up.
fn program(seed: u64) -> Encoded {
    let mut random = SplitMix64::new(seed);
    let mut code = vec![[op::LOAD_BASE, 0, 0, 0], [op::LOAD_EXT, 1, 1, 0]];
    let (mut loads, mut columns) = (2, 0);
    let mut made = [vec![0], vec![1]];
    while code.len() < 600 {
        let dst = code.len() as u32;
        let mut pick = |is_ext: usize| {
            let list = &made[is_ext];
            match random.below(20) {
                0 => (IS_CONSTANT | if is_ext == 1 { 2 } else { random.below(2) as u32 }, is_ext),
                1..3 => (list[random.below(list.len())], is_ext),
                _ => (list[list.len() - 1 - random.below(list.len().min(12))], is_ext),
            }
        };
        let ((mut a, ext_a), (mut b, ext_b)) =
            (pick(usize::from(dst.is_multiple_of(3))), pick(usize::from(dst.is_multiple_of(5))));
        let ops = [op::ADD, op::MUL, op::SUB][random.below(3)];
        let kind = random.below(12);
        if kind < 3 {
            code.push([if kind == 0 { op::LOAD_EXT } else { op::LOAD_BASE }, dst, loads, 0]);
            made[usize::from(kind == 0)].push(dst);
            loads += 1;
        } else if kind == 3 && a & IS_CONSTANT == 0 {
            code.push([op::MAC[ext_a], 1000 + 4 * random.below(2) as u32, a, IS_CONSTANT | 6]);
        } else if kind == 4 && a & IS_CONSTANT == 0 {
            code.push([if ext_a == 1 { op::STORE[1] } else { op::STORE[2] }, columns, a, 0]);
            columns += DEGREE;
        } else if kind == 5 && a & IS_CONSTANT == 0 {
            code.push([op::NEG[ext_a], dst, a, 0]);
            made[ext_a].push(dst);
        } else if (a | b) & IS_CONSTANT == 0 || a & b & IS_CONSTANT == 0 {
            let form = 2 * ext_a + ext_b;
            if form == 1 && ops != op::SUB {
                (a, b) = (b, a);
            }
            code.push([ops[form], dst, a, b]);
            made[ext_a | ext_b].push(dst);
        }
    }
    // A total of the second sum, with a weight of one.
    code.push([op::MAC[0], 1004, IS_CONSTANT | 10, IS_CONSTANT | 11]);
    Encoded {
        code,
        constants: (3..18).collect(),
        program_constants: 2,
        in_text: vec![true, false],
        loads: (0..loads as usize).map(|load| (0, load, 0)).collect(),
        registers: 1024,
        accumulators: vec![1000, 1004],
        totals: vec![None, Some(11)],
    }
}

/// The effect of instructions on sums, on columns of the result and on handed-on values; an element of the extension is
/// a number here too.
#[derive(Default, PartialEq, Debug)]
struct State {
    sums: BTreeMap<u32, u64>,
    columns: BTreeMap<u32, u64>,
    handed: BTreeMap<u32, (u64, u32)>,
}

fn run(encoded: &Encoded, code: &[[u32; 4]], state: &mut State) {
    const ORDER: u64 = (1 << 31) - 1;
    let mut registers = BTreeMap::new();
    for &[operation, dst, a, b] in code {
        let value = |operand: u32| match operand & IS_CONSTANT {
            0 => registers[&operand],
            _ => encoded.constants[(operand & !IS_CONSTANT) as usize],
        };
        let words = if [op::GIVE[1], op::TAKE[1]].contains(&operation) { DEGREE } else { 1 };
        let made = match operation {
            op::LOAD_BASE | op::LOAD_EXT => 1000 + u64::from(a),
            op::READ => state.columns[&a],
            _ if op::TAKE.contains(&operation) => {
                let (value, first) = state.handed[&a];
                assert!((a..a + words).all(|word| state.handed[&word] == (value, first)), "a part of a value");
                value
            }
            _ if op::GIVE.contains(&operation) => {
                let given = (value(a), dst);
                state.handed.extend((dst..dst + words).map(|word| (word, given)));
                continue;
            }
            _ if op::STORE.contains(&operation) => {
                let value = value(a);
                assert_eq!(state.columns.insert(dst, value), None, "a column is stored once");
                continue;
            }
            _ if op::MAC.contains(&operation) => {
                let product = value(a) * value(b) % ORDER;
                let sum = state.sums.entry(dst).or_default();
                *sum = (*sum + product) % ORDER;
                continue;
            }
            _ if op::ADD.contains(&operation) => value(a) + value(b),
            _ if op::SUB.contains(&operation) => value(a) + ORDER - value(b),
            _ if op::MUL.contains(&operation) => value(a) * value(b),
            _ => ORDER - value(a),
        };
        registers.insert(dst, made % ORDER);
    }
}

#[test]
fn kernels_of_a_program_do_what_it_does() {
    let mut ways = [0; 3];
    for seed in 0..40 {
        let encoded = program(seed);
        let Cut { pieces, handed } = cut(&encoded, DEGREE, LIMIT);
        assert!(pieces.len() > 4, "{} kernels", pieces.len());
        let (mut whole, mut parts) = (State::default(), State::default());
        run(&encoded, encoded.row_code(), &mut whole);
        for piece in &pieces {
            assert!(cost(&piece.code, DEGREE) <= 2 * LIMIT, "a kernel is too long");
            let of = |ops: &[u32]| piece.code.iter().filter(|[operation, ..]| ops.contains(operation)).count();
            for (ways, ops) in ways.iter_mut().zip([&op::GIVE[..], &op::TAKE[..], &[op::READ]]) {
                *ways += of(ops);
            }
            run(&encoded, &piece.code, &mut parts);
        }
        assert!(parts.handed.keys().all(|word| *word < handed), "seed {seed}: {handed} columns handed on");
        parts.handed.clear();
        assert!(whole == parts, "seed {seed}");
        // A total is added once, by a kernel that adds to its sum.
        let totals = pieces.iter().flat_map(|piece| &piece.groups).filter_map(|group| group.total);
        assert_eq!(totals.collect::<Vec<_>>(), [11], "seed {seed}");
        assert_eq!(pieces.iter().map(|piece| piece.is_first).collect::<Vec<_>>(), {
            let mut first = vec![false; pieces.len()];
            first[0] = true;
            first
        });
    }
    assert!(ways.iter().all(|count| *count > 100), "values given, taken and read: {ways:?}");
}
