//! Small circuits.

use std::sync::Arc;

use circuit_common::N_RESERVED;
use circuit_common::finalize::add_zk_blinding;
use circuits::{Circuit, Witness};
use circuits_core::blake::{blake, m31_to_u32, triple_xor};
use circuits_core::context::{Context, FinalizedContext};
use circuits_core::eval;
use circuits_core::ivalue::{IValue, NoValue, qm31_from_u32s};
use circuits_core::ops::{div, eq, guess, permute, pointwise_mul};
use field::QM31;
use stwo::core::fields::qm31::SecureField;

/// Tens of gates of every kind around a hash: its two outputs are the hash of a few values that `seed` begins.
pub(crate) fn context<V: IValue>(seed: u32) -> FinalizedContext<V> {
    let mut context = unblinded(seed);
    add_zk_blinding(&mut context, [seed as u8; 32], BLINDING);
    context
}

/// Rows of each component that blind it.
const BLINDING: usize = 2;

/// The first wires of that circuit, which follow from no others: constants, outputs, and the guesses that it begins
/// with.
pub(crate) const GIVEN: usize = 3 + N_RESERVED + 4;

/// The same without a blinding.
pub(crate) fn unblinded<V: IValue>(seed: u32) -> FinalizedContext<V> {
    built(seed, |values| vec![values[2], values[0], values[1]])
}

/// The circuit with other values of the outputs of its permutation, and all that follow from them.
pub(crate) fn turned(
    seed: u32,
    turn: impl FnOnce(&[SecureField]) -> Vec<SecureField>,
) -> FinalizedContext<SecureField> {
    let mut context = built(seed, turn);
    add_zk_blinding(&mut context, [seed as u8; 32], BLINDING);
    context
}

fn built<V: IValue>(seed: u32, turn: impl FnOnce(&[V]) -> Vec<V>) -> FinalizedContext<V> {
    let mut context = Context::<V>::new(N_RESERVED);
    let mut some = |words: [u32; 4]| {
        let [a, b, c, d] = words;
        guess(&mut context, V::from_qm31(qm31_from_u32s(a, b, c, d)))
    };
    let (x, y) = (some([seed, 2, 3, 4]), some([5, 6, 0x7fff_fffe, seed]));
    let (number, zero) = (some([seed, 0, 0, 0]), some([0; 4]));
    let sum = eval!(&mut context, ((x) * (y)) - ((x) + (y)));
    let quotient = div(&mut context, sum, y);
    let product = pointwise_mul(&mut context, quotient, x);
    let turned = permute(&mut context, &[x, y, product], turn);
    let moved = eval!(&mut context, (turned[1]) + (turned[2]));
    let expected = eval!(&mut context, (x) + (y));
    eq(&mut context, moved, expected);
    let words = [number, zero, zero].map(|value| m31_to_u32(&mut context, value));
    let xor = triple_xor(&mut context, words[0], words[1], words[2]);
    eq(&mut context, xor, words[0]);
    let hash = blake(&mut context, &[turned[0], sum, number], 48);
    context.set_outputs(&[hash.0, hash.1]);
    context.finalize(false)
}

/// The circuit, built without values.
pub(crate) fn circuit() -> Arc<Circuit> {
    Arc::new(Circuit::new(&mut context::<NoValue>(0)).unwrap())
}

/// The witness of that circuit.
pub(crate) fn witness(circuit: &Arc<Circuit>, seed: u32) -> Witness {
    let mut context = context::<SecureField>(seed);
    assert!(context.is_circuit_valid());
    let own = Circuit::new(&mut context).unwrap();
    assert!(own == **circuit, "values do not change a circuit");
    Witness::of(circuit.clone(), &context).unwrap()
}

/// The values of its wires.
pub(crate) fn values(seed: u32) -> Vec<QM31> {
    let mut context = context::<SecureField>(seed);
    Circuit::new(&mut context).unwrap();
    context.values().iter().copied().map(circle_air::qm31).collect()
}
