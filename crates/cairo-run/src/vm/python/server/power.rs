//! `pow`, which the interpreter has for small numbers alone.

use monty_types::MontyObject;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::link::{Stop, fault};
use super::value::{integer, number};

/// Bits of numbers that `pow` takes and makes.
const MAX_BITS: u64 = 1 << 13;

fn bounded(value: &MontyObject) -> Result<BigInt, Stop> {
    match integer(value) {
        Some(number) if number.bits() <= MAX_BITS => Ok(number),
        Some(_) => fault(format!("pow: more than {MAX_BITS} bits")),
        None => fault("pow: an argument is no integer"),
    }
}

/// `pow(base, exponent)`.
pub(super) fn power(base: &MontyObject, exponent: &MontyObject) -> Result<MontyObject, Stop> {
    let (base, exponent) = (bounded(base)?, bounded(exponent)?);
    let Some(exponent) = exponent.to_u32() else { return fault("pow: the exponent is negative or too large") };
    if base.bits().saturating_mul(u64::from(exponent)) > MAX_BITS && base.bits() > 1 {
        return fault(format!("pow: more than {MAX_BITS} bits"));
    }
    Ok(number(base.pow(exponent)))
}

/// `pow(base, exponent, modulus)` as in Python: of the sign of the modulus; the inverse's power, if the exponent is
/// negative.
pub(super) fn power_modulo(
    base: &MontyObject,
    exponent: &MontyObject,
    modulus: &MontyObject,
) -> Result<MontyObject, Stop> {
    let (base, exponent, modulus) = (bounded(base)?, bounded(exponent)?, bounded(modulus)?);
    if modulus == BigInt::ZERO {
        return fault("pow: the modulus is 0");
    }
    let base = match base.modinv(&modulus) {
        Some(inverse) if exponent.is_negative() => inverse,
        None if exponent.is_negative() => return fault("pow: the base has no inverse"),
        _ => base,
    };
    Ok(number(base.modpow(&exponent.abs(), &modulus)))
}
