//! Hints on points of the curve of Starknet, as `ec` and `chained_ec_op` take them.

use std::sync::LazyLock;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use sha2::{Digest, Sha256};

use super::Hint;
use super::context::At;
use super::math::ensure;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::RECOVER_Y, |at| {
        let (x, to) = (at.felt("x")?, at.address("p")?);
        let y = y_of(&x).ok_or_else(|| custom(format!("no point has the x coordinate {x}")))?;
        at.write_all(to, [x, y])
    }),
    (hint_code::RANDOM_EC_POINT, |at| {
        let [p, q] = [at.address("p")?, at.address("q")?];
        let seed = [at.read(p, 0)?, at.read(p, 1)?, at.felt("m")?, at.read(q, 0)?, at.read(q, 1)?];
        set_random_point(at, &seed)
    }),
    (hint_code::CHAINED_EC_OP_RANDOM_EC_POINT, |at| {
        let (p, m, q, count) = (at.address("p")?, at.pointer("m")?, at.pointer("q")?, at.count("len")?);
        ensure(count > 0, "a chain has no points")?;
        at.work(count.saturating_mul(3))?;
        let mut seed = vec![at.read(p, 0)?, at.read(p, 1)?];
        for (start, cells) in [(m, count), (q, 2 * count)] {
            (0..cells).try_for_each(|cell| at.read(start, cell).map(|felt| seed.push(felt)))?;
        }
        set_random_point(at, &seed)
    }),
];

/// `y^2 = x^3 + x + BETA`.
static BETA: LazyLock<Felt252> = LazyLock::new(|| {
    let digits = "3141592653589793238462643383279502884197169399375105820974944592307816406665";
    Felt252::from_dec_str(digits).unwrap_or_default()
});

/// The smaller y coordinate of a point.
fn y_of(x: &Felt252) -> Option<Felt252> {
    (x * x * x + x + *BETA).sqrt()
}

/// Hashes that are tried for a point.
const TRIES: u8 = 100;

/// `s`: a point that depends on felts in a way that nobody can foresee.
fn set_random_point(at: &mut At<'_>, felts: &[Felt252]) -> Result<(), HintError> {
    let bytes: Vec<u8> = felts.iter().flat_map(Felt252::to_bytes_be).collect();
    let seed: [u8; 32] = Sha256::digest(bytes).into();
    let is_negative = seed[0] & 1 == 1;
    for index in 0..TRIES {
        // A number of ten bytes, the least significant one first.
        let mut tried = seed[1..].to_vec();
        tried.push(index);
        tried.extend([0; 9]);
        let x = Felt252::from(BigUint::from_bytes_be(&Sha256::digest(tried)));
        if let Some(y) = y_of(&x) {
            return at.write_all(at.address("s")?, [x, if is_negative { -y } else { y }]);
        }
    }
    Err(custom("no point was found"))
}
