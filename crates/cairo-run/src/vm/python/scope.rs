//! Variables that hints leave to each other: those of a scope, which `vm_enter_scope` begins.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::vm::errors::hint_errors::HintError;
use monty_types::MontyObject;
use num_bigint::{BigInt, BigUint};

use super::value;
use crate::vm::hint_error::custom;
use crate::vm::library::At;

/// The name under which a scope has its variables.
const NAME: &str = "__python";
/// Bytes that a variable takes beside its value.
const VARIABLE_BYTES: usize = 128;

/// The variables of a scope, and the bytes that were taken for them.
#[derive(Clone, Default)]
pub(super) struct Scope(Rc<RefCell<Kept>>);

#[derive(Default)]
struct Kept {
    variables: BTreeMap<String, MontyObject>,
    bytes: usize,
    taken: usize,
}

impl Scope {
    /// The current scope.
    pub(super) fn current(scopes: &mut ExecutionScopes) -> Self {
        if let Ok(scope) = scopes.get::<Self>(NAME) {
            return scope;
        }
        let scope = Self::default();
        scopes.insert_value(NAME, scope.clone());
        scope
    }

    /// A variable of the scope, which a hint in Python or one of the library has left.
    pub(super) fn get(&self, scopes: &ExecutionScopes, name: &str) -> Option<MontyObject> {
        self.0.borrow().variables.get(name).cloned().or_else(|| of_library(scopes, name))
    }

    /// Keeps a variable. A value that lives as long as its hint alone, such as a function, is not kept.
    pub(super) fn keep(&self, at: &mut At<'_>, name: &str, value: &MontyObject) -> Result<(), HintError> {
        let Some(bytes) = value::bytes(value) else { return Ok(()) };
        let mut kept = self.0.borrow_mut();
        let cost = |bytes: usize| bytes.saturating_add(VARIABLE_BYTES + name.len());
        let before = kept.variables.get(name).and_then(value::bytes).map_or(0, cost);
        kept.bytes = kept.bytes.saturating_sub(before).saturating_add(cost(bytes));
        let more = kept.bytes.saturating_sub(kept.taken);
        at.keep(more as u64)?;
        kept.taken += more;
        kept.variables.insert(name.to_owned(), value.clone());
        Ok(())
    }
}

/// A number that a hint of the library has left.
fn of_library(scopes: &ExecutionScopes, name: &str) -> Option<MontyObject> {
    let value = scopes.data.last()?.get(name)?;
    let number = |number: &BigInt| value::number(number.clone());
    value
        .downcast_ref::<Felt252>()
        .map(value::felt)
        .or_else(|| value.downcast_ref().map(number))
        .or_else(|| value.downcast_ref().map(|known: &BigUint| value::number(known.clone().into())))
        .or_else(|| value.downcast_ref().map(|known: &usize| value::number((*known).into())))
        .or_else(|| value.downcast_ref().map(|known: &u64| value::number((*known).into())))
}

/// Begins a scope with these variables. Numbers are there for hints of the library, too.
pub(super) fn enter(at: &mut At<'_>, variables: Option<&MontyObject>) -> Result<(), HintError> {
    let mut of_library: HashMap<String, Box<dyn Any>> = HashMap::new();
    let scope = Scope::default();
    match variables {
        None => {}
        Some(MontyObject::Dict(entries)) => {
            for (name, value) in entries {
                let MontyObject::String(name) = name else {
                    return Err(custom("vm_enter_scope: a name is no text"));
                };
                scope.keep(at, name, value)?;
                if let Some(felt) = value::to_felt(value) {
                    of_library.insert(name.clone(), Box::new(felt));
                }
            }
        }
        Some(_) => return Err(custom("vm_enter_scope: no dictionary is given")),
    }
    of_library.insert(NAME.into(), Box::new(scope));
    at.scopes.enter_scope(of_library);
    Ok(())
}

/// Ends the current scope.
pub(super) fn exit(at: &mut At<'_>) -> Result<(), HintError> {
    Ok(at.scopes.exit_scope()?)
}
