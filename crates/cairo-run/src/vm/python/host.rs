//! The functions that a hint calls: memory, variables, segments and scopes.

use std::collections::BTreeMap;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use monty_types::MontyObject;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::rewrite::Named;
use super::scope::{Scope, enter, exit};
use super::types::Path;
use super::value::{self, cell, integer, to_cell, to_place};
use crate::vm::hint_error::custom;
use crate::vm::library::At;

/// Numbers that `pow` takes: more than hints have, and little work.
const MAX_BITS: u64 = 1 << 13;

/// All functions, by the names under which a rewritten hint calls them.
pub(super) const FUNCTIONS: [&str; 16] = [
    "__get",
    "__set",
    "__load",
    "__store",
    "__keep",
    "__end",
    "__pow",
    "__memory_get",
    "__memory_get_range",
    "__segments_add",
    "__segments_add_temp_segment",
    "__segments_gen_arg",
    "__segments_write_arg",
    "__segments_load_data",
    "vm_enter_scope",
    "vm_exit_scope",
];

/// A hint at work.
pub(super) struct Host<'a, 'b> {
    pub(super) at: &'a mut At<'b>,
    pub(super) places: &'a [Named],
    /// The scope in which the hint began.
    pub(super) scope: Scope,
    /// Variables that were read of the scope.
    pub(super) read: BTreeMap<String, MontyObject>,
    /// Whether the hint has ended, and hands on its variables.
    pub(super) has_ended: bool,
}

impl Host<'_, '_> {
    /// Calls a function.
    pub(super) fn call(&mut self, name: &str, arguments: &[MontyObject]) -> Result<MontyObject, HintError> {
        self.at.work(1)?;
        match (name, arguments) {
            ("__get", [MontyObject::Int(number)]) => self.get(*number),
            ("__set", [MontyObject::Int(number), value]) => self.set(*number, value),
            ("__load", [address]) => Ok(cell(&self.at.cell(place("memory", address)?)?)),
            ("__store", [address, value]) => {
                self.put(place("memory", address)?, value, "memory").map(|()| MontyObject::None)
            }
            ("__keep", [MontyObject::String(name), value]) => self.keep(name, value),
            ("__end", []) => {
                self.has_ended = true;
                Ok(MontyObject::None)
            }
            ("__pow", [base, exponent]) => power(base, exponent),
            ("__pow", [base, exponent, modulus]) => power_modulo(base, exponent, modulus),
            ("__memory_get", [address, rest @ ..]) if rest.len() < 2 => {
                let found = self.at.vm.get_maybe(&place("memory.get", address)?);
                Ok(found.as_ref().map(cell).or(rest.first().cloned()).unwrap_or(MontyObject::None))
            }
            ("__memory_get_range", [start, MontyObject::Int(count)]) => {
                let start = place("memory.get_range", start)?;
                let count = usize::try_from(*count).map_err(|_| custom("memory.get_range: a negative size"))?;
                self.at.work(count)?;
                let cells = (0..count).map(|offset| Ok(cell(&self.at.cell((start + offset)?)?)));
                Ok(MontyObject::List(cells.collect::<Result<_, HintError>>()?))
            }
            ("__segments_add", []) => Ok(value::pointer(self.at.vm.add_memory_segment()?)),
            ("__segments_add_temp_segment", []) => Ok(value::pointer(self.at.vm.add_temporary_segment()?)),
            ("__segments_gen_arg", [argument]) => Ok(cell(&self.argument(argument)?)),
            ("__segments_write_arg" | "__segments_load_data", [start, items]) => {
                let start = place("segments", start)?;
                Ok(value::pointer(self.write(start, items)?))
            }
            ("vm_enter_scope", arguments) if arguments.len() < 2 => {
                enter(self.at, arguments.first()).map(|()| MontyObject::None)
            }
            ("vm_exit_scope", []) => exit(self.at).map(|()| MontyObject::None),
            _ => Err(custom(format!("`{}` is no function, or takes other arguments", shown(name)))),
        }
    }

    fn named(&self, number: i64) -> Result<&Named, HintError> {
        let named = usize::try_from(number).ok().and_then(|number| self.places.get(number));
        named.ok_or_else(|| custom("a hint names no variable"))
    }

    fn get(&self, number: i64) -> Result<MontyObject, HintError> {
        match self.named(number)? {
            Named::Constant(path) => Ok(value::felt(&self.at.constant(path)?)),
            Named::Place(path @ Path { is_address: true, .. }) => Ok(value::pointer(self.address(path)?)),
            Named::Place(path) if path.offsets.is_empty() => Ok(cell(&self.at.value(&path.name)?)),
            Named::Place(path) => Ok(cell(&self.at.cell(self.address(path)?)?)),
        }
    }

    fn set(&mut self, number: i64, value: &MontyObject) -> Result<MontyObject, HintError> {
        let (address, name) = match self.named(number)? {
            Named::Place(path) if !path.is_address => (self.address(path)?, format!("ids.{}", path.name)),
            _ => return Err(custom("a constant or an address is not written")),
        };
        self.put(address, value, &name).map(|()| MontyObject::None)
    }

    /// Where what a path says stands.
    fn address(&self, path: &Path) -> Result<Relocatable, HintError> {
        let mut at = if path.is_behind { self.at.pointer(&path.name)? } else { self.at.address(&path.name)? };
        for (index, offset) in path.offsets.iter().enumerate() {
            if index > 0 {
                let found = self.at.cell(at)?;
                at = found.get_relocatable().ok_or_else(|| custom(format!("the cell {at} has no pointer")))?;
            }
            at = (at + *offset)?;
        }
        Ok(at)
    }

    fn put(&mut self, address: Relocatable, value: &MontyObject, name: &str) -> Result<(), HintError> {
        let value = to_cell(value).map_err(|fault| custom(format!("{name}: {fault}")))?;
        self.at.vm.put(address, value)
    }

    /// Hands a variable to the hints after this one.
    fn keep(&mut self, name: &str, value: &MontyObject) -> Result<MontyObject, HintError> {
        if self.read.get(name) != Some(value) {
            self.scope.keep(self.at, name, value)?;
        }
        Ok(MontyObject::None)
    }

    /// A list in a segment of its own, by its pointer; anything else as it is.
    fn argument(&mut self, argument: &MontyObject) -> Result<MaybeRelocatable, HintError> {
        match argument {
            MontyObject::List(_) | MontyObject::Tuple(_) => {
                let start = self.at.vm.add_memory_segment()?;
                self.write(start, argument)?;
                Ok(start.into())
            }
            other => to_cell(other).map_err(|fault| custom(format!("segments: {fault}"))),
        }
    }

    /// Writes the items of a list, and returns the place behind them.
    fn write(&mut self, start: Relocatable, items: &MontyObject) -> Result<Relocatable, HintError> {
        let (MontyObject::List(items) | MontyObject::Tuple(items)) = items else {
            return Err(custom("segments: no list is given"));
        };
        self.at.work(items.len())?;
        self.at.vm.has_room(start, items.len())?;
        for (offset, item) in items.iter().enumerate() {
            let item = self.argument(item)?;
            self.at.vm.put((start + offset)?, item)?;
        }
        Ok((start + items.len())?)
    }
}

fn shown(name: &str) -> String {
    let name = name.strip_prefix("__").unwrap_or(name);
    let (object, method) = name.split_once('_').unwrap_or((name, ""));
    if ["memory", "segments"].contains(&object) { format!("{object}.{method}") } else { name.to_owned() }
}

fn place(name: &str, value: &MontyObject) -> Result<Relocatable, HintError> {
    to_place(value).map_err(|fault| custom(format!("{name}: {fault}")))
}

fn bounded(value: &MontyObject) -> Result<BigInt, HintError> {
    let number = integer(value).ok_or_else(|| custom("pow: an argument is no integer"))?;
    if number.bits() > MAX_BITS { Err(custom(format!("pow: more than {MAX_BITS} bits"))) } else { Ok(number) }
}

fn power(base: &MontyObject, exponent: &MontyObject) -> Result<MontyObject, HintError> {
    let (base, exponent) = (bounded(base)?, bounded(exponent)?);
    let exponent = exponent.to_u32().ok_or_else(|| custom("pow: the exponent is negative or too large"))?;
    if base.bits().saturating_mul(u64::from(exponent)) > MAX_BITS && base.bits() > 1 {
        return Err(custom(format!("pow: more than {MAX_BITS} bits")));
    }
    Ok(value::number(base.pow(exponent)))
}

/// As in Python: of the sign of the modulus; the inverse's power, if the exponent is negative.
fn power_modulo(base: &MontyObject, exponent: &MontyObject, modulus: &MontyObject) -> Result<MontyObject, HintError> {
    let (base, exponent, modulus) = (bounded(base)?, bounded(exponent)?, bounded(modulus)?);
    if modulus == BigInt::ZERO {
        return Err(custom("pow: the modulus is 0"));
    }
    let inverse = |base: BigInt| base.modinv(&modulus).ok_or_else(|| custom("pow: the base has no inverse"));
    let base = if exponent.is_negative() { inverse(base)? } else { base };
    Ok(value::number(base.modpow(&exponent.abs(), &modulus)))
}
