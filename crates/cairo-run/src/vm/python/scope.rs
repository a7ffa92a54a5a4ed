//! Scopes of hints: the run knows their numbers, the process of the hints their variables.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::vm::errors::hint_errors::HintError;
use field::Bytes;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use crate::vm::hints::error::custom;

/// The name under which a scope has its number.
const NAME: &str = "__python";
/// Bytes of all scopes that hints in Python have entered, and not left.
const MAX_BYTES: usize = 1 << 26;
/// Bytes of a scope without variables, and of a variable beside its name.
const SCOPE_BYTES: usize = 512;
const VARIABLE_BYTES: usize = 256;

/// The scopes of a run.
#[derive(Debug, Default)]
pub(super) struct Scopes(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The number of the next one.
    next: Cell<u64>,
    /// Scopes that were left since the process was told.
    left: RefCell<Vec<u64>>,
    /// Bytes of those that are open.
    bytes: Cell<usize>,
}

/// A scope.
#[derive(Debug)]
struct Scope {
    number: u64,
    bytes: usize,
    scopes: Rc<Shared>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        self.scopes.left.borrow_mut().push(self.number);
        self.scopes.bytes.set(self.scopes.bytes.get() - self.bytes);
    }
}

impl Scopes {
    fn scope(&self, bytes: usize) -> Result<Scope, HintError> {
        let all = self.0.bytes.get().saturating_add(bytes);
        if all > MAX_BYTES {
            return Err(custom(format!(
                "vm_enter_scope: the scopes that are open take more than {}",
                Bytes(MAX_BYTES as u64)
            )));
        }
        self.0.bytes.set(all);
        let number = self.0.next.replace(self.0.next.get() + 1);
        Ok(Scope { number, bytes, scopes: self.0.clone() })
    }

    /// The number of the current scope.
    pub(super) fn current(&self, scopes: &mut ExecutionScopes) -> Result<u64, HintError> {
        if let Ok(scope) = scopes.get_ref::<Scope>(NAME) {
            return Ok(scope.number);
        }
        let scope = self.scope(SCOPE_BYTES)?;
        let number = scope.number;
        scopes.insert_value(NAME, scope);
        Ok(number)
    }

    /// The numbers of scopes that were left.
    pub(super) fn take_left(&self) -> Vec<u64> {
        self.0.left.take()
    }

    /// Begins a scope, in which hints of the library find these felts. Returns its number.
    pub(super) fn enter(&self, scopes: &mut ExecutionScopes, felts: Vec<(String, Felt252)>) -> Result<u64, HintError> {
        let bytes = felts.iter().map(|(name, _)| VARIABLE_BYTES + name.len()).sum::<usize>();
        let scope = self.scope(SCOPE_BYTES + bytes)?;
        let number = scope.number;
        let felts = felts.into_iter().map(|(name, felt)| (name, Box::new(felt) as Box<dyn Any>));
        let mut variables: HashMap<String, Box<dyn Any>> = felts.collect();
        variables.insert(NAME.into(), Box::new(scope));
        scopes.enter_scope(variables);
        Ok(number)
    }
}

/// A value of a hint of the library as a number.
fn number(value: &dyn Any) -> Option<BigInt> {
    value
        .downcast_ref::<Felt252>()
        .map(|felt| felt.to_biguint().into())
        .or_else(|| value.downcast_ref::<BigInt>().cloned())
        .or_else(|| value.downcast_ref().map(|known: &BigUint| known.clone().into()))
        .or_else(|| value.downcast_ref().map(|known: &usize| (*known).into()))
        .or_else(|| value.downcast_ref().map(|known: &u64| (*known).into()))
}

/// A number of the type that a value has.
fn of_type(value: &dyn Any, number: &BigInt) -> Option<Box<dyn Any>> {
    let natural = number.to_biguint();
    if value.is::<Felt252>() {
        return Some(Box::new(Felt252::from(natural.filter(|number| *number < Felt252::prime())?)));
    }
    if value.is::<BigInt>() {
        return Some(Box::new(number.clone()));
    }
    if value.is::<BigUint>() {
        return Some(Box::new(natural?));
    }
    if value.is::<usize>() { Some(Box::new(number.to_usize()?)) } else { Some(Box::new(number.to_u64()?)) }
}

/// The numbers that hints of the library have left in the current scope.
pub(super) fn numbers(scopes: &ExecutionScopes) -> Vec<(String, BigInt)> {
    let variables = scopes.data.last().into_iter().flatten();
    variables.filter_map(|(name, value)| Some((name.clone(), number(&**value)?))).collect()
}

/// Gives such a number another value in the scope of a number, or takes it away, if it is none any more.
pub(super) fn set_number(scopes: &mut ExecutionScopes, scope: u64, name: &str, number: Option<BigInt>) {
    let is_scope = |variables: &&mut HashMap<String, Box<dyn Any>>| {
        variables.get(NAME).and_then(|known| known.downcast_ref::<Scope>()).is_some_and(|known| known.number == scope)
    };
    // The hint may have left the scope.
    let Some(variables) = scopes.data.iter_mut().rev().find(is_scope) else { return };
    let Some(known) = variables.get(name).filter(|known| self::number(&***known).is_some()) else { return };
    match number.and_then(|number| of_type(&**known, &number)) {
        Some(value) => drop(variables.insert(name.to_owned(), value)),
        None => drop(variables.remove(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_have_numbers_until_they_are_left() {
        let (known, mut scopes) = (Scopes::default(), ExecutionScopes::new());
        assert_eq!(known.current(&mut scopes).unwrap(), 0);
        assert_eq!(known.enter(&mut scopes, vec![("n".into(), Felt252::from(7))]).unwrap(), 1);
        assert_eq!(known.current(&mut scopes).unwrap(), 1);
        assert_eq!(known.take_left(), Vec::<u64>::new());
        scopes.exit_scope().unwrap();
        assert_eq!((known.current(&mut scopes).unwrap(), known.take_left()), (0, vec![1]));
        assert_eq!(known.take_left(), Vec::<u64>::new());
        // One that the library has entered.
        scopes.enter_scope(HashMap::new());
        assert_eq!(known.current(&mut scopes).unwrap(), 2);
    }

    #[test]
    fn open_scopes_are_bounded_in_bytes() {
        let (known, mut scopes) = (Scopes::default(), ExecutionScopes::new());
        let long = || vec![("n".repeat(MAX_BYTES / 4), Felt252::from(7))];
        for _ in 0..3 {
            known.enter(&mut scopes, long()).unwrap();
        }
        assert!(known.enter(&mut scopes, long()).is_err());
        scopes.exit_scope().unwrap();
        known.enter(&mut scopes, long()).unwrap();
    }

    #[test]
    fn numbers_of_the_library_change_in_their_scope_and_keep_their_type() {
        let (known, mut scopes) = (Scopes::default(), ExecutionScopes::new());
        scopes.insert_value("n", 3_usize);
        scopes.insert_value("m", BigInt::from(-5));
        scopes.insert_value("text", "n".to_owned());
        let outer = known.current(&mut scopes).unwrap();
        let mut found = numbers(&scopes);
        found.sort();
        assert_eq!(found, [("m".to_owned(), BigInt::from(-5)), ("n".to_owned(), BigInt::from(3))]);
        let inner = known.enter(&mut scopes, vec![("n".into(), Felt252::from(7))]).unwrap();
        assert_eq!(numbers(&scopes), [("n".to_owned(), BigInt::from(7))]);
        set_number(&mut scopes, outer, "n", Some(BigInt::from(4)));
        set_number(&mut scopes, outer, "m", Some(BigInt::from(-6)));
        set_number(&mut scopes, inner, "n", Some(Felt252::prime().into()));
        // Neither is a number of the library.
        set_number(&mut scopes, inner, "new", Some(BigInt::from(1)));
        set_number(&mut scopes, outer, "text", Some(BigInt::from(1)));
        set_number(&mut scopes, 99, "n", Some(BigInt::from(1)));
        assert_eq!(numbers(&scopes), []);
        scopes.exit_scope().unwrap();
        assert_eq!((scopes.get::<usize>("n").unwrap(), scopes.get::<BigInt>("m").unwrap()), (4, BigInt::from(-6)));
        assert_eq!(scopes.get::<String>("text").unwrap(), "n");
        set_number(&mut scopes, outer, "n", Some(BigInt::from(-1)));
        set_number(&mut scopes, outer, "m", None);
        assert_eq!(numbers(&scopes), []);
    }
}
