//! Hints of programs on other fields: square roots and inverses modulo numbers that the program names.

use std::sync::LazyLock;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::math_utils::sqrt_prime_power;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::Hint;
use super::context::At;
use super::math::ensure;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::UINT256_GET_SQUARE_ROOT, |at| square_roots(at, 2)),
    (hint_code::UINT384_GET_SQUARE_ROOT, |at| square_roots(at, 3)),
    (hint_code::INV_MOD_P_UINT512, inverse),
    (hint_code::SPLIT_XX, even_root),
];

/// Steps in whose time a square root modulo a prime of 384 bits is found, but for the zero bits before the prime.
pub(in crate::vm) const ROOT: usize = 1 << 10;

/// The work of a square root modulo a number, which grows with the square of the zero bits at the end of that less 1.
pub(in crate::vm) fn work_modulo(p: &BigUint) -> usize {
    // From an even number, no prime, 1 is not subtracted: it has no more zeros then.
    let before = if p.bit(0) { p - 1_u8 } else { p.clone() };
    let zeros = usize::try_from(before.trailing_zeros().unwrap_or(0)).unwrap_or(usize::MAX);
    ROOT.saturating_add(zeros.saturating_mul(zeros).saturating_mul(8))
}

/// `2^255 - 19`.
static PRIME: LazyLock<BigUint> = LazyLock::new(|| (BigUint::from(1_u8) << 255_u8) - 19_u8);

/// The roots of `x` and of `generator * x`, each 0 if there is none. One of them has one, unless `x` is 0.
fn square_roots(at: &mut At<'_>, limbs: usize) -> Result<(), HintError> {
    let [generator, x, p] = ["generator", "x", "p"].map(|name| at.packed(name, limbs));
    let (generator, x, p) = (generator?, x?, p?);
    ensure(p != BigUint::ZERO, "a square root modulo 0")?;
    at.work(work_modulo(&p))?;
    let squares = [("success_x", "sqrt_x", x.clone()), ("success_gx", "sqrt_gx", generator * &x)];
    let found = squares.map(|(flag, root, square)| (flag, root, is_square(&square, &p), square));
    ensure(x == BigUint::ZERO || found[0].2 != found[1].2, "one of two numbers has a root, and the other one none")?;
    for (flag, _, is_square, _) in &found {
        at.set_flag(flag, *is_square)?;
    }
    for (_, root, is_square, square) in &found {
        let value = if *is_square { sqrt_prime_power(square, &p) } else { None };
        at.set_packed(root, &value.unwrap_or_default(), limbs)?;
    }
    Ok(())
}

/// Whether a number is a square modulo a prime.
fn is_square(number: &BigUint, prime: &BigUint) -> bool {
    let (number, one) = (number % prime, BigUint::from(1_u8));
    number <= one || *prime < BigUint::from(3_u8) || number.modpow(&((prime - 1_u8) / 2_u8), prime) == one
}

/// `x_inverse_mod_p`, as a felt.
fn inverse(at: &mut At<'_>) -> Result<(), HintError> {
    let (x, p) = (at.packed("x", 4)?, at.packed("p", 2)?);
    ensure(p != BigUint::ZERO, "an inverse modulo 0")?;
    let inverse = x.modinv(&p).ok_or_else(|| custom("a number has no inverse"))?;
    at.set_packed("x_inverse_mod_p", &Felt252::from(inverse).to_biguint(), 2)
}

/// `x`: the even root of `xx`, or of its product with a root of -1, modulo [`PRIME`].
fn even_root(at: &mut At<'_>) -> Result<(), HintError> {
    let start = at.address("xx")?;
    let high = at.read(start, 1)? * Felt252::TWO.pow(128_u8);
    let square = at.read(start, 0)?.to_biguint() + high.to_biguint();
    let prime = &*PRIME;
    let mut x = square.modpow(&((prime + 3_u8) / 8_u8), prime);
    if &x * &x % prime != &square % prime {
        x = x * BigUint::from(2_u8).modpow(&((prime - 1_u8) / 4_u8), prime) % prime;
    }
    if x.bit(0) {
        x = prime - x;
    }
    at.set_packed("x", &x, 2)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::{
        BuiltinHintProcessor, HintProcessorData,
    };
    use cairo_vm::hint_processor::hint_processor_definition::{HintProcessorLogic, HintReference};
    use cairo_vm::serde::deserialize_program::ApTracking;
    use cairo_vm::types::exec_scope::ExecutionScopes;
    use cairo_vm::types::relocatable::MaybeRelocatable;
    use cairo_vm::vm::runners::cairo_runner::RunResources;
    use cairo_vm::vm::vm_core::VirtualMachine;

    use super::*;
    use crate::vm::bounds::{Bounds, Budget};
    use crate::vm::hints::library::Variables;
    use crate::vm::vm_memory::VmMemory;

    /// Cells of the frame.
    const CELLS: usize = 24;

    fn machine(cells: &[(usize, u128)]) -> VirtualMachine {
        let mut vm = VirtualMachine::new(false, false);
        let [_, frame] = [(); 2].map(|()| vm.add_memory_segment());
        for (cell, number) in cells {
            vm.insert_value((frame + *cell).unwrap(), Felt252::from(*number)).unwrap();
        }
        vm
    }

    fn frame(vm: &VirtualMachine) -> Vec<Option<MaybeRelocatable>> {
        (0..CELLS).map(|cell| vm.get_maybe(&MaybeRelocatable::from((1, cell)))).collect()
    }

    /// Compares the cells that a hint writes, if it does not fail: they are the same in cairo-vm and by ours.
    fn compare(code: &str, names: &[(&str, usize)], cells: &[(usize, u128)]) -> bool {
        let references: Vec<_> =
            names.iter().map(|(name, cell)| (*name, HintReference::new_simple(*cell as i32))).collect();
        let by_name: HashMap<String, HintReference> =
            references.iter().map(|(name, reference)| ((*name).to_owned(), reference.clone())).collect();
        let mut theirs = machine(cells);
        let data: Box<dyn std::any::Any> = Box::new(HintProcessorData::new_default(code.to_owned(), by_name));
        let mut processor = BuiltinHintProcessor::new(HashMap::new(), RunResources::default());
        let their = processor.execute_hint(&mut theirs, &mut ExecutionScopes::new(), &data);
        let mut ours = machine(cells);
        let references = references.iter().map(|(name, reference)| (*name, reference));
        let ids = Variables::new(references, &ApTracking::default(), Vec::new());
        let bounds = Bounds { steps: 1 << 20, addresses: 1 << 20, ..Bounds::default() };
        let mut budget = Budget::new(bounds);
        let mut memory = VmMemory { vm: &mut ours, budget: &mut budget };
        let hint = HINTS.iter().find(|(text, _)| *text == code).unwrap().1;
        let our = hint(&mut At { vm: &mut memory, scopes: &mut ExecutionScopes::new(), ids: &ids });
        assert_eq!(our.is_ok(), their.is_ok(), "{cells:?}: {our:?}, and {their:?} in cairo-vm");
        assert!(our.is_err() || frame(&ours) == frame(&theirs), "{cells:?}");
        our.is_ok()
    }

    #[test]
    fn both_machines_write_the_same() {
        // They are 3, 5 and 1 modulo 8; 7 is no square of the last one's field.
        let primes = [(19, 2), (13, 2), (97, 5)];
        let mut done = 0;
        for (p, generator) in primes {
            for x in 0..40 {
                let two = [
                    ("generator", 0),
                    ("x", 2),
                    ("p", 4),
                    ("success_x", 6),
                    ("success_gx", 7),
                    ("sqrt_x", 8),
                    ("sqrt_gx", 10),
                ];
                let cells = [(0, generator), (1, 0), (2, x), (3, 0), (4, p), (5, 0)];
                done += u32::from(compare(hint_code::UINT256_GET_SQUARE_ROOT, &two, &cells));
                let three = [
                    ("generator", 0),
                    ("x", 3),
                    ("p", 6),
                    ("success_x", 9),
                    ("success_gx", 10),
                    ("sqrt_x", 11),
                    ("sqrt_gx", 14),
                ];
                let cells = [(0, generator), (1, 0), (2, 0), (3, x), (4, 0), (5, 0), (6, p), (7, 0), (8, 0)];
                done += u32::from(compare(hint_code::UINT384_GET_SQUARE_ROOT, &three, &cells));
                let names = [("x", 0), ("p", 4), ("x_inverse_mod_p", 6)];
                let cells = [(0, x + 1), (1, 7 * x), (2, u128::MAX - x), (3, 1), (4, p), (5, x << 90)];
                done += u32::from(compare(hint_code::INV_MOD_P_UINT512, &names, &cells));
                let cells = [(0, (x + 2) * (x + 2)), (1, x << 120)];
                done += u32::from(compare(hint_code::SPLIT_XX, &[("xx", 0), ("x", 2)], &cells));
            }
        }
        assert!(done > 300, "{done}");
    }
}
