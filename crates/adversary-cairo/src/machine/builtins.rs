//! The cells of builtins' instances that follow from the others.

use starknet_types_core::curve::{AffinePoint, ProjectivePoint};
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Pedersen, Poseidon, StarkHash};

/// Inputs and cells of an instance, in the order of [`crate::assembler::BUILTINS`]. Builtins without instances here
/// have none.
pub(super) const CELLS: [Option<(usize, usize)>; 11] = [
    None,
    Some((2, 3)),
    Some((1, 1)),
    None,
    Some((2, 5)),
    Some((5, 7)),
    None,
    Some((3, 6)),
    Some((1, 1)),
    Some((7, 7)),
    Some((7, 7)),
];

/// The other cells of an instance with these inputs; `None` if there is no such instance.
pub(super) fn outputs(builtin: usize, inputs: &[Felt]) -> Option<Vec<Felt>> {
    match (builtin, inputs) {
        (1, [a, b]) => Some(vec![Pedersen::hash(a, b)]),
        (2, [value]) => bits(value, 128).map(|()| Vec::new()),
        (4, [a, b]) => bitwise(a, b),
        (5, [px, py, qx, qy, m]) => ec_op([px, py], [qx, qy], m),
        (7, [a, b, c]) => {
            let mut state = [*a, *b, *c];
            Poseidon::hades_permutation(&mut state);
            Some(state.into())
        }
        (8, [value]) => bits(value, 96).map(|()| Vec::new()),
        _ => None,
    }
}

/// Whether a felt has no more bits.
fn bits(value: &Felt, most: usize) -> Option<()> {
    (value.bits() <= most).then_some(())
}

/// And, exclusive or, or of numbers of 251 bits.
fn bitwise(a: &Felt, b: &Felt) -> Option<Vec<Felt>> {
    bits(a, 251)?;
    bits(b, 251)?;
    let (a, b) = (a.to_bytes_le(), b.to_bytes_le());
    let each = |operation: fn(u8, u8) -> u8| {
        let bytes: [u8; 32] = std::array::from_fn(|at| operation(a[at], b[at]));
        Felt::from_bytes_le(&bytes)
    };
    Some(vec![each(|a, b| a & b), each(|a, b| a ^ b), each(|a, b| a | b)])
}

/// `p + m q`.
fn ec_op(p: [&Felt; 2], q: [&Felt; 2], m: &Felt) -> Option<Vec<Felt>> {
    let point = |[x, y]: [&Felt; 2]| ProjectivePoint::try_from(AffinePoint::new(*x, *y).ok()?).ok();
    let sum = (&point(p)? + &(&point(q)? * *m)).to_affine().ok()?;
    Some(vec![sum.x(), sum.y()])
}
