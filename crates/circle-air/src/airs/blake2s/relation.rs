//! The tuples that the components exchange. All are of one relation; the first element says of which kind they are.

use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::{EvalAtRow, RelationEntry};

use crate::airs::lookup::Lookup;

/// Bytes `(x, y, x ^ y)`.
pub(super) const XOR: u32 = 1;
/// `(node, round, the message in the order of the round, each word as two 16-bit halves)`.
pub(super) const MESSAGE: u32 = 2;
/// `(node, the state after the last round in bytes)`.
pub(super) const STATE: u32 = 3;
/// `(node, digest in 16-bit halves)`.
pub(super) const NODE: u32 = 4;

/// Values of a node's tuple.
pub(super) const NODE_TUPLE: usize = 2 + 16;
/// The longest tuple: kind, node, state.
pub(super) const TUPLE: usize = 2 + 64;

/// Adds a tuple of a kind.
pub(super) fn entry<E: EvalAtRow>(
    eval: &mut E,
    lookup: &Lookup<TUPLE>,
    multiplicity: E::EF,
    kind: u32,
    values: impl IntoIterator<Item = E::F>,
) {
    let kind = E::F::from(BaseField::from(kind));
    let tuple: Vec<E::F> = std::iter::once(kind).chain(values).collect();
    eval.add_to_relation(RelationEntry::new(lookup, multiplicity, &tuple));
}

/// Two bytes, the lower first, as one number.
pub(super) fn half<E: EvalAtRow>(bytes: &[E::F]) -> E::F {
    bytes[0].clone() + bytes[1].clone() * BaseField::from(256)
}

/// Bytes as 16-bit halves.
pub(super) fn halves<E: EvalAtRow>(bytes: &[E::F]) -> impl Iterator<Item = E::F> {
    bytes.chunks_exact(2).map(half::<E>)
}
