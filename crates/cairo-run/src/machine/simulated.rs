//! Builtins that the run does not have, which bootloaders simulate in segments of their own: they check the instances
//! by instructions.

use std::collections::HashMap;

use num_bigint::BigUint;
use starknet_types_core::curve::{AffinePoint, ProjectivePoint};
use starknet_types_core::felt::Felt;

use super::cell::{Cell, Pointer};
use super::compute::{Results, compute};
use super::keccak::{STATE, permute};
use super::memory::Memory;
use super::stop::Stop;
use crate::BuiltinName;

/// Cells of a state of Keccak, and bytes in each.
const KECCAK_CELLS: usize = 8;
const KECCAK_BYTES: usize = 25;

/// The order of the curve.
const ORDER: [u32; 8] =
    [0xadc6_4d2f, 0x1e66_a241, 0xcae7_b232, 0xb781_126d, 0xffff_ffff, 0xffff_ffff, 0x0000_0010, 0x0800_0000];

/// The builtins that are simulated.
#[derive(Debug, Default)]
pub(super) struct Simulated {
    segments: Vec<(i64, BuiltinName)>,
    /// Sums of points that were computed, by the first cell of their instance.
    sums: HashMap<Pointer, Results>,
    /// Signatures, `r` and `s`, by the cell of the public key.
    signatures: HashMap<Pointer, [Felt; 2]>,
}

/// Cells of an instance before its results.
fn inputs(name: BuiltinName) -> usize {
    match name {
        BuiltinName::EcOp => 5,
        BuiltinName::Keccak => KECCAK_CELLS,
        _ => name.cells(),
    }
}

impl Simulated {
    /// Whether a builtin may be simulated, and is not yet.
    pub(super) fn can_be(&self, name: BuiltinName) -> bool {
        let can_be = matches!(name, BuiltinName::EcOp | BuiltinName::Keccak | BuiltinName::Ecdsa);
        can_be && self.segments.iter().all(|(_, other)| *other != name)
    }

    pub(super) fn add(&mut self, segment: i64, name: BuiltinName) {
        self.segments.push((segment, name));
    }

    /// Lets a signature belong to a public key, unless another one does. `false` if no signatures are simulated.
    pub(super) fn add_signature(&mut self, key: Pointer, signature: [Felt; 2]) -> bool {
        self.signatures.entry(key).or_insert(signature);
        self.segments.iter().any(|(_, name)| *name == BuiltinName::Ecdsa)
    }

    pub(super) fn signature(&self, key: Pointer) -> Option<[Felt; 2]> {
        self.signatures.get(&key).copied()
    }

    fn of(&self, segment: i64) -> Option<BuiltinName> {
        self.segments.iter().find(|(simulated, _)| *simulated == segment).map(|(_, name)| *name)
    }

    /// Whether a cell may be a result.
    #[inline(always)]
    pub(super) fn is_result(&self, at: Pointer) -> bool {
        self.of(at.segment).is_some_and(|name| at.offset as usize % name.cells() >= inputs(name))
    }

    /// The value of a cell that has none yet, if its builtin says it.
    pub(super) fn deduce(&mut self, memory: &Memory, at: Pointer) -> Result<Option<Cell>, Stop> {
        let Some(name) = self.of(at.segment) else { return Ok(None) };
        let (cell, number) = (at.offset as usize % name.cells(), inputs(name));
        let Some(result) = cell.checked_sub(number) else { return Ok(None) };
        let first = Pointer { offset: at.offset - cell as u64, ..at };
        if let Some(results) = self.sums.get(&first) {
            return Ok(Some(results[result]));
        }
        let cells = (0..number as u64).map(|index| memory.get(Pointer { offset: first.offset + index, ..at }));
        let cells: Vec<Cell> = cells.collect();
        if name == BuiltinName::Keccak {
            return Ok(permuted(&cells)?.map(|state| state[result]));
        }
        let Some(results) = compute(name, &cells)? else { return Ok(None) };
        self.sums.insert(first, results);
        Ok(Some(results[result]))
    }

    /// Whether each public key that has a message has a signature of it.
    pub(super) fn check_signatures(&self, memory: &Memory) -> Result<(), Stop> {
        const WRONG: Stop = Stop::Fails("a message has no signature, or a wrong one");
        let of_ecdsa = self.segments.iter().find(|(_, name)| *name == BuiltinName::Ecdsa);
        let Some((segment, _)) = of_ecdsa else { return Ok(()) };
        let cells = memory.segments.get(*segment as usize).map_or(0, |segment| segment.length());
        for offset in (0..cells as u64).step_by(BuiltinName::Ecdsa.cells()) {
            let [at, message_at] = [offset, offset + 1].map(|offset| Pointer { segment: *segment, offset });
            let [key, message] = [at, message_at].map(|at| memory.get(at));
            if !key.is_known() {
                continue;
            }
            let key = key.to_felt().ok_or(WRONG)?;
            if message.is_known() {
                let message = message.to_felt().ok_or(WRONG)?;
                let signature = self.signature(at).ok_or(WRONG)?;
                is_signed(key, message, signature).filter(|is_signed| *is_signed).ok_or(WRONG)?;
            }
        }
        Ok(())
    }
}

/// The state of Keccak behind one; `None` if a part of it has no value.
fn permuted(cells: &[Cell]) -> Result<Option<[Cell; KECCAK_CELLS]>, Stop> {
    const WRONG: Stop = Stop::Fails("an input of keccak is no number of 200 bits");
    let mut bytes = [0; KECCAK_CELLS * KECCAK_BYTES];
    for (cell, bytes) in cells.iter().zip(bytes.chunks_exact_mut(KECCAK_BYTES)) {
        if !cell.is_known() {
            return Ok(None);
        }
        let number = cell.to_felt().ok_or(WRONG)?.to_bytes_le();
        let (low, high) = number.split_at(KECCAK_BYTES);
        if high.iter().any(|byte| *byte != 0) {
            return Err(WRONG);
        }
        bytes.copy_from_slice(low);
    }
    let mut state = [0; STATE];
    for (word, bytes) in state.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    permute(&mut state);
    bytes.as_chunks_mut().0.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    let mut results = [Cell::default(); KECCAK_CELLS];
    for (result, bytes) in results.iter_mut().zip(bytes.chunks_exact(KECCAK_BYTES)) {
        *result = Cell::felt(&Felt::from_bytes_le_slice(bytes));
    }
    Ok(Some(results))
}

/// Whether a signature is one of a message by a public key, the x of a point. `None` if one of them is out of range, or
/// there is no such point.
fn is_signed(key: Felt, message: Felt, [r, s]: [Felt; 2]) -> Option<bool> {
    let is_in = |felt: &Felt| felt.bits() <= 251;
    if ![message, r, s].iter().all(is_in) || r == Felt::ZERO || s == Felt::ZERO {
        return None;
    }
    let point = |point: AffinePoint| ProjectivePoint::try_from(point).ok();
    let (generator, public) = (point(AffinePoint::generator())?, point(AffinePoint::new_from_x(&key, false)?)?);
    let order = BigUint::from_slice(&ORDER);
    let w = s.to_biguint().modinv(&order)?;
    if Felt::from(&w).bits() > 251 {
        return None;
    }
    let scaled = |factor: Felt| Felt::from(factor.to_biguint() * &w % &order);
    let (of_message, of_key) = (&generator * scaled(message), &public * scaled(r));
    let x = |point: ProjectivePoint| point.to_affine().ok().map(|point| point.x());
    Some(x(&of_message + &of_key)? == r || x(&of_message - &of_key)? == r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signature by a secret key, with a number that is used once.
    fn sign(secret: u64, once: u64, message: Felt) -> (Felt, [Felt; 2]) {
        let order = BigUint::from_slice(&ORDER);
        let generator = ProjectivePoint::try_from(AffinePoint::generator()).unwrap();
        let x = |factor: u64| (&generator * Felt::from(factor)).to_affine().unwrap().x();
        let r = x(once);
        let sum = message.to_biguint() + r.to_biguint() * secret;
        let s = Felt::from(sum * BigUint::from(once).modinv(&order).unwrap() % &order);
        (x(secret), [r, s])
    }

    #[test]
    fn signatures_are_those_of_their_message_and_key() {
        for (secret, once) in [(7, 11), (1 << 40, 3), (12345, 1 << 50)] {
            let message = Felt::from(secret * 31);
            let (key, [r, s]) = sign(secret, once, message);
            assert_eq!(is_signed(key, message, [r, s]), Some(true));
            assert_eq!(is_signed(key, message + Felt::ONE, [r, s]), Some(false));
            assert_eq!(is_signed(key, message, [r, s + Felt::ONE]), Some(false));
            let (other, _) = sign(secret + 1, once, message);
            assert_eq!(is_signed(other, message, [r, s]), Some(false));
            for wrong in [[Felt::ZERO, s], [r, Felt::ZERO], [-Felt::ONE, s], [r, -Felt::ONE]] {
                assert_eq!(is_signed(key, message, wrong), None);
            }
            assert_eq!(is_signed(key, -Felt::ONE, [r, s]), None);
        }
    }

    #[test]
    fn keccak_takes_numbers_of_200_bits() {
        let mut cells = [Cell::small(0); KECCAK_CELLS];
        let state = permuted(&cells).unwrap().unwrap();
        // The first bytes of the permutation of zeros.
        let first = state[0].to_felt().unwrap().to_bytes_le();
        assert_eq!(hex::encode(&first[..8]), "e7dde140798f25f1");
        cells[3] = Cell::default();
        assert_eq!(permuted(&cells), Ok(None));
        cells[3] = Cell::felt(&Felt::TWO.pow(200u32));
        assert!(permuted(&cells).is_err());
        cells[3] = Cell::felt(&(Felt::TWO.pow(200u32) - Felt::ONE));
        assert!(permuted(&cells).unwrap().is_some());
    }
}
