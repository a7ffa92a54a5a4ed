//! Folding and sharing by the builder, and its refusals.

use field::protocol::GoldilocksStark;
use field::{ExtensionField, Field, Goldilocks, PrimeField};
use ir::{Group, Kind, ProgramBuilder, ProgramError};

#[test]
fn equal_expressions_are_one_node() {
    let groups = vec![Group { width: 2, kind: Kind::Base }];
    let b = &mut ProgramBuilder::<GoldilocksStark>::new(groups, 1);
    let (x, y) = (b.load(0, 0, 0), b.load(0, 1, 0));
    assert_eq!(b.load(0, 0, 0), x);
    assert_ne!(b.load(0, 0, 1), x);
    assert_eq!(b.add(x, y), b.add(y, x));
    assert_eq!(b.mul(x, y), b.mul(y, x));
    assert_ne!(b.sub(x, y), b.sub(y, x));
    assert_eq!(b.param(0), b.param(0));
    assert_eq!(b.constant(Goldilocks::new(9)), b.constant(Goldilocks::new(9)));
    assert_eq!(b.constant_ext(field::Fp3::from(Goldilocks::new(9))), b.constant(Goldilocks::new(9)));
}

#[test]
fn constants_and_trivial_operations_are_folded() {
    let b = &mut ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let (x, y, alpha) = (b.load(0, 0, 0), b.load(0, 1, 0), b.param(0));
    let number = |b: &mut ProgramBuilder<GoldilocksStark>, value: u64| b.constant(Goldilocks::from_u64(value));
    let (zero, one, two, three) = (number(b, 0), number(b, 1), number(b, 2), number(b, 3));
    let minus_one = b.constant(-Goldilocks::ONE);
    for node in [x, alpha] {
        assert_eq!(b.add(node, zero), node);
        assert_eq!(b.add(zero, node), node);
        assert_eq!(b.sub(node, zero), node);
        assert_eq!(b.sub(node, node), zero);
        assert_eq!(b.mul(node, one), node);
        assert_eq!(b.mul(one, node), node);
        assert_eq!(b.mul(node, zero), zero);
        assert_eq!(b.mul(zero, node), zero);
        let negated = b.neg(node);
        assert_eq!(b.mul(node, minus_one), negated);
        assert_eq!(b.sub(zero, node), negated);
        assert_eq!(b.neg(negated), node);
        assert_eq!(b.kind(negated), b.kind(node));
    }
    assert_eq!(b.add(one, two), three);
    assert_eq!(b.sub(three, two), one);
    assert_eq!(b.mul(one, two), two);
    assert_eq!(b.neg(one), minus_one);
    let (minus_y, difference) = (b.neg(y), b.sub(x, y));
    assert_eq!(b.add(x, minus_y), difference);
    assert_eq!(b.add(minus_y, x), difference);
    let sum = b.add(x, y);
    assert_eq!(b.sub(x, minus_y), sum);
    let reversed = b.neg(difference);
    assert_eq!(reversed, b.sub(y, x));

    // Extension constants fold too, and fall back to the base field where the result is in it.
    let w: field::Fp3 = ExtensionField::<Goldilocks>::basis(1);
    let (root, square) = (b.constant_ext(w), b.constant_ext(w * w));
    assert_eq!(b.kind(root), Kind::Ext);
    assert_eq!(b.mul(root, root), square);
    assert_eq!(b.mul(root, square), two, "w^3 = 2");
    assert_eq!(b.kind(two), Kind::Base);
    let mixed = b.add(x, root);
    assert_eq!(b.kind(mixed), Kind::Ext);
}

#[test]
fn wrong_uses_are_named() {
    let builder = || ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let mut b = builder();
    b.load(0, 2, 0);
    b.param(1);
    assert_eq!(b.finish(), Err(ProgramError::Column { group: 0, column: 2, width: 2 }), "the first one");
    let mut b = builder();
    b.load(1, 0, 0);
    assert_eq!(b.finish(), Err(ProgramError::Column { group: 1, column: 0, width: 0 }));
    let mut b = builder();
    b.param(1);
    assert_eq!(b.finish(), Err(ProgramError::Param { param: 1, params: 1 }));
}

#[test]
fn groups_without_columns_can_be_left_out() {
    let group = |width| Group { width, kind: Kind::Base };
    let program = |groups: Vec<Group>, [first, last]: [usize; 2]| {
        let mut b = ProgramBuilder::<GoldilocksStark>::new(groups, 1);
        let (x, y, alpha) = (b.load(first, 1, 0), b.load(last, 0, -1), b.param(0));
        let product = b.mul(x, y);
        let sum = b.add(product, alpha);
        b.output(sum);
        b.finish().expect("a program")
    };
    let with_empty = program(vec![group(0), group(2), group(0), group(0), group(3)], [1, 4]);
    let without = program(vec![group(2), group(3)], [0, 1]);
    assert_ne!(with_empty, without);
    assert_eq!(with_empty.without_empty_groups(), without);
    assert_eq!(without.without_empty_groups(), without);
}

#[test]
fn degrees_and_offsets() {
    let mut b = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let (x, y, alpha) = (b.load(0, 0, -2), b.load(0, 1, 5), b.param(0));
    let square = b.mul(x, x);
    let cubic = b.mul(square, y);
    let scaled = b.mul(alpha, x);
    let sum = b.sub(cubic, scaled);
    let negated = b.neg(scaled);
    for node in [alpha, x, square, sum, negated] {
        b.output(node);
    }
    let program = b.finish().expect("within the layout");
    assert_eq!(program.output_degrees(), [0, 1, 2, 3, 1]);
    assert_eq!(program.offsets(), (-2, 5));
}
