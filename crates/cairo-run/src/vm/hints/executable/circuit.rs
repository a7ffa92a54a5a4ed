//! The evaluation of circuits: gates of addition and multiplication modulo a number of 384 bits.
//!
//! A gate is three values of a table: its two operands, and its result. Either the result or the first operand is
//! unknown; then the gate subtracts or divides. The instances of the builtins are written last.

use cairo_lang_casm::operand::ResOperand;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::{Machine, custom, integer, operand};
use crate::vm::hints::instance::{GATE, INSTANCE, OFFSETS, TABLE, cells, value_at, write_instance, write_value};

/// The gates of one builtin.
struct Gates {
    instances: Relocatable,
    offsets: Relocatable,
    count: usize,
}

struct Circuit {
    table: Relocatable,
    modulus: BigUint,
}

/// Evaluates the circuit whose first instances stand at the given pointers. If a division has no result, the instances
/// of the gates before it are written, and the first operand of the gate becomes a number that its second operand takes
/// to zero: the program proves the failure by it.
pub(super) fn evaluate(
    vm: &mut Machine<'_>,
    (n_add, add): (&ResOperand, &ResOperand),
    (n_mul, mul): (&ResOperand, &ResOperand),
) -> Result<(), HintError> {
    let (n_add, n_mul) = (operand::count(vm, n_add)?, operand::count(vm, n_mul)?);
    let (add, mul) = (operand::pointer(vm, add)?, operand::pointer(vm, mul)?);
    let table = vm.get_relocatable((mul + TABLE)?)?;
    let mul = Gates { instances: mul, offsets: vm.get_relocatable((mul + OFFSETS)?)?, count: n_mul };
    let add_offsets = if n_add == 0 { mul.offsets } else { vm.get_relocatable((add + OFFSETS)?)? };
    let add = Gates { instances: add, offsets: add_offsets, count: n_add };
    vm.work(n_add.saturating_add(n_mul))?;
    let modulus = value_at(vm, mul.instances)?.ok_or_else(|| custom("a circuit has no modulus"))?;
    if modulus.is_zero() {
        return Err(custom("a circuit has the modulus zero"));
    }
    let circuit = Circuit { table, modulus };
    let done = circuit.run(vm, &add, &mul)?;
    circuit.write_instances(vm, &add, add.count)?;
    circuit.write_instances(vm, &mul, done)
}

impl Circuit {
    /// Evaluates the gates; returns how many multiplications have a result.
    fn run(&self, vm: &mut Machine<'_>, add: &Gates, mul: &Gates) -> Result<usize, HintError> {
        let mut next_add = 0;
        for gate in 0..mul.count {
            self.run_additions(vm, add, &mut next_add)?;
            let [lhs, rhs, result] = cells(vm, (self.table, mul.offsets), gate)?;
            let rhs = value_at(vm, rhs)?.ok_or_else(|| custom("an operand of a circuit's gate is unknown"))?;
            if let Some(value) = value_at(vm, lhs)? {
                write_value(vm, result, &(value * rhs % &self.modulus))?;
                continue;
            }
            let (divisor, inverse) = integer::inverse(&rhs, &self.modulus);
            if !divisor.is_one() {
                write_value(vm, lhs, &(&self.modulus / divisor))?;
                return Ok(gate);
            }
            write_value(vm, lhs, &inverse)?;
        }
        self.run_additions(vm, add, &mut next_add)?;
        Ok(mul.count)
    }

    /// Evaluates additions and subtractions until one has operands that are still unknown.
    fn run_additions(&self, vm: &mut Machine<'_>, add: &Gates, next: &mut usize) -> Result<(), HintError> {
        while *next < add.count {
            let [lhs, rhs, result] = cells(vm, (self.table, add.offsets), *next)?;
            let Some(b) = value_at(vm, rhs)? else { return Ok(()) };
            if let Some(a) = value_at(vm, lhs)? {
                write_value(vm, result, &((a + b) % &self.modulus))?;
            } else if let Some(c) = value_at(vm, result)? {
                // b may exceed the modulus; c + m - b mod m must not turn negative.
                let b = b % &self.modulus;
                write_value(vm, lhs, &((c + &self.modulus - b) % &self.modulus))?;
            } else {
                return Ok(());
            }
            *next += 1;
        }
        Ok(())
    }

    fn write_instances(&self, vm: &mut Machine<'_>, gates: &Gates, count: usize) -> Result<(), HintError> {
        for index in 0..count {
            let start = (gates.instances + INSTANCE * index)?;
            let offsets = (gates.offsets + GATE * index)?;
            write_instance(vm, start, &self.modulus, (self.table, offsets), count - index)?;
        }
        Ok(())
    }
}
