//! The encoding of programs, which tells them apart.

use std::collections::HashSet;

use field::protocol::{CircleStark, GoldilocksStark, Protocol};
use field::{ExtensionField, Goldilocks, PrimeField};
use ir::{Group, Kind, NodeId, ProgramBuilder};

use super::record;

/// Programs that differ in one thing each.
fn neighbours<P: Protocol>() -> Vec<Vec<u8>> {
    type Change<P> = fn(&mut ProgramBuilder<P>, NodeId, NodeId) -> NodeId;
    let group = |width, kind| Group { width, kind };
    let layouts = [
        (vec![group(2, Kind::Base)], 2),
        (vec![group(3, Kind::Base)], 2),
        (vec![group(2, Kind::Ext)], 2),
        (vec![group(2, Kind::Base), group(0, Kind::Base)], 2),
        (vec![group(2, Kind::Base)], 3),
    ];
    let changes: [Change<P>; 14] = [
        |b, x, y| b.add(x, y),
        |b, x, y| b.sub(x, y),
        |b, x, y| b.sub(y, x),
        |b, x, y| b.mul(x, y),
        |b, x, _| b.neg(x),
        |b, _, y| b.neg(y),
        |_, x, _| x,
        |_, _, y| y,
        |b, _, _| b.load(0, 0, 1),
        |b, _, _| b.load(0, 0, -1),
        |b, _, _| b.param(0),
        |b, _, _| b.param(1),
        |b, _, _| b.constant(P::Base::from_u64(2)),
        |b, _, _| b.constant_ext(P::Ext::basis(P::DEGREE - 1) + P::Base::from_u64(2)),
    ];
    let mut encodings = Vec::new();
    for (groups, params) in layouts {
        for change in changes {
            for outputs in 0..3 {
                let mut builder = ProgramBuilder::<P>::new(groups.clone(), params);
                let (x, y) = (builder.load(0, 0, 0), builder.load(0, 1, 0));
                let node = change(&mut builder, x, y);
                for _ in 0..outputs {
                    builder.output(node);
                }
                encodings.push(builder.finish().expect("within the layout").encode());
            }
        }
    }
    encodings
}

#[test]
fn the_encoding_tells_programs_apart() {
    let mut all = neighbours::<GoldilocksStark>();
    all.extend(neighbours::<CircleStark>());
    let distinct: HashSet<&Vec<u8>> = all.iter().collect();
    // With no output the changes "x" and "y" record nothing, so they are one program: a pair in 5 layouts of 2
    // protocols.
    let same = 2 * 5;
    assert_eq!(distinct.len(), all.len() - same);

    let programs: Vec<_> =
        (0..300).map(|seed| record::<GoldilocksStark>(seed % 250, 1 + seed as usize % 250 % 7).program).collect();
    for (i, a) in programs.iter().enumerate() {
        for b in &programs[i..] {
            assert_eq!(a == b, a.encode() == b.encode(), "{a:?}\n{b:?}");
        }
    }
    let base_only = record::<GoldilocksStark<Goldilocks>>(1, 5).program.encode();
    assert_ne!(base_only, record::<GoldilocksStark>(1, 5).program.encode());
}
