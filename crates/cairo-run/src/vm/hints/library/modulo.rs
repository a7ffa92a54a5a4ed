//! The hint of `modulo`, which evaluates a circuit: gates of addition and multiplication modulo a number of 384 bits.
//!
//! A gate is three values of a table: its operands, and its result. The hint finds the one of the three that is
//! unknown.

use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::Hint;
use super::context::At;
use super::math::ensure;
use crate::vm::hints::error::custom;
use crate::vm::hints::instance::{GATE, INSTANCE, LEFT, OFFSETS, TABLE, cells, value_at, write_instance, write_value};

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[(hint_code::RUN_P_CIRCUIT, evaluate)];

/// The gates of one builtin.
struct Gates {
    modulus: BigUint,
    table: Relocatable,
    offsets: Relocatable,
    count: usize,
    is_product: bool,
}

/// Fills the table, and the instances behind the first ones.
fn evaluate(at: &mut At<'_>) -> Result<(), HintError> {
    let add = Gates::at(at, ("add_mod_ptr", "add_mod_n"), false)?;
    let mul = Gates::at(at, ("mul_mod_ptr", "mul_mod_n"), true)?;
    ensure(add.is_some() || mul.is_some(), "a circuit has no gates")?;
    let [mut added, mut multiplied] = [0, 0];
    loop {
        let gate = match (&add, &mul) {
            (Some(add), _) if added < add.count && add.evaluate(at, added)? => &mut added,
            (_, Some(mul)) if multiplied < mul.count => {
                ensure(mul.evaluate(at, multiplied)?, UNKNOWN)?;
                &mut multiplied
            }
            (Some(add), _) if added < add.count => return Err(custom(UNKNOWN)),
            _ => return Ok(()),
        };
        *gate += 1;
    }
}

const UNKNOWN: &str = "two values of a circuit's gate are unknown";

impl Gates {
    /// Reads the first instance, and writes the others. `None` if there is no gate.
    fn at(at: &mut At<'_>, (first, count): (&str, &str), is_product: bool) -> Result<Option<Self>, HintError> {
        let (first, count) = (at.pointer(first)?, at.count(count)?);
        if count == 0 {
            return Ok(None);
        }
        at.work(count)?;
        let pointer = |cell: usize| {
            let pointer = at.cell((first + cell)?)?.get_relocatable();
            pointer.ok_or_else(|| custom("an instance of a circuit has no pointer"))
        };
        let (table, offsets) = (pointer(TABLE)?, pointer(OFFSETS)?);
        ensure(at.read(first, LEFT)? == count.into(), "the first instance of a circuit counts other gates")?;
        let modulus = value_at(at.vm, first)?.filter(|modulus| *modulus != BigUint::ZERO);
        let modulus = modulus.ok_or_else(|| custom("a circuit has no modulus"))?;
        for index in 1..count {
            let start = (first + INSTANCE * index)?;
            write_instance(at.vm, start, &modulus, (table, (offsets + GATE * index)?), count - index)?;
        }
        Ok(Some(Self { modulus, table, offsets, count, is_product }))
    }

    /// Finds the unknown value of a gate. Returns whether no other one is unknown.
    fn evaluate(&self, at: &mut At<'_>, index: usize) -> Result<bool, HintError> {
        let [a, b, c] = cells(at.vm, (self.table, self.offsets), index)?;
        let (cell, found) = match (value_at(at.vm, a)?, value_at(at.vm, b)?, value_at(at.vm, c)?) {
            (Some(a), Some(b), None) => (c, self.result(a, b)),
            (Some(a), None, Some(c)) => (b, self.operand(&a, c)?),
            (None, Some(b), Some(c)) => (a, self.operand(&b, c)?),
            (known_a, known_b, known_c) => return Ok(known_a.is_some() && known_b.is_some() && known_c.is_some()),
        };
        write_value(at.vm, cell, &found)?;
        Ok(true)
    }

    /// The result of two operands. A sum takes the modulus away once at most.
    fn result(&self, a: BigUint, b: BigUint) -> BigUint {
        if self.is_product {
            return a * b % &self.modulus;
        }
        let sum = a + b;
        if sum < self.modulus { sum } else { sum - &self.modulus }
    }

    /// The other operand.
    fn operand(&self, known: &BigUint, result: BigUint) -> Result<BigUint, HintError> {
        if self.is_product {
            let inverse = (known % &self.modulus).modinv(&self.modulus);
            return Ok(result * inverse.ok_or_else(|| custom("a factor has no inverse"))? % &self.modulus);
        }
        let minuend = if *known <= result { result } else { result + &self.modulus };
        ensure(*known <= minuend, "a summand is far above the modulus")?;
        Ok(minuend - known)
    }
}
