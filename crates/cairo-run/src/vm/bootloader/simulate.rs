//! The hints by which bootloaders simulate builtins that the run does not have.

use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use crate::BuiltinName;
use crate::vm::hints::error::custom;
use crate::vm::hints::library::{At, Hint};

/// By the digests of their texts.
pub(super) const HINTS: &[(u64, Hint)] = &[
    (0xad5e_d71b_4116_a4b3, ec_op),
    (0xb88e_02c0_d8b5_e5ca, keccak),
    (0x745d_008c_b7d9_232c, ecdsa),
    (0x456c_8ef7_817d_b304, signature),
    (0x9b3b_5d32_e206_83f8, inverses),
    (0xe66d_4735_6c03_e832, limbs),
];

/// Makes a simulated builtin, and stores the pointer to it. A second one of a name is refused: bootloaders make one of
/// each.
fn simulate(at: &mut At<'_>, pointer: &str, builtin: BuiltinName) -> Result<(), HintError> {
    let segment = at.vm.add_simulated(builtin)?;
    at.set(pointer, segment)
}

pub(super) fn ec_op(at: &mut At<'_>) -> Result<(), HintError> {
    simulate(at, "new_ec_op_ptr", BuiltinName::EcOp)
}

pub(super) fn keccak(at: &mut At<'_>) -> Result<(), HintError> {
    simulate(at, "new_keccak_ptr", BuiltinName::Keccak)
}

pub(super) fn ecdsa(at: &mut At<'_>) -> Result<(), HintError> {
    simulate(at, "new_ecdsa_ptr", BuiltinName::Ecdsa)
}

/// The signature whose public key stands at `start`.
fn signature(at: &mut At<'_>) -> Result<(), HintError> {
    let start = at.pointer("start")?;
    let signature = at.vm.signature(start);
    let [r, s] = signature.ok_or_else(|| custom(format!("there is no signature for the public key at {start}")))?;
    at.set("r", r)?;
    at.set("s", s)
}

/// `1 / s`, `message / s` and `r / s` modulo the order of the curve.
pub(super) fn inverses(at: &mut At<'_>) -> Result<(), HintError> {
    let order = at.constant("StarkCurve.ORDER")?.to_biguint();
    if order == BigUint::ZERO {
        return Err(custom("the constant StarkCurve.ORDER is 0"));
    }
    let [message, r, s] = ["message", "signature_r", "signature_s"].map(|name| at.integer(name));
    let w = s?.modinv(&order).ok_or_else(|| custom("the signature has no inverse"))?;
    let (wz, wr) = (&w * message? % &order, &w * r? % &order);
    at.set("wz", Felt252::from(wz))?;
    at.set("wr", Felt252::from(wr))?;
    at.set("w", Felt252::from(w))
}

/// A number in three limbs of 96 bits.
fn limbs(at: &mut At<'_>) -> Result<(), HintError> {
    let (number, to) = (at.integer("num")?, at.pointer("res_96_felts")?);
    let mask = (BigUint::from(1_u32) << 96) - 1_u32;
    (0..3).try_for_each(|index| at.write(to, index, Felt252::from((&number >> (96 * index)) & &mask)))
}
