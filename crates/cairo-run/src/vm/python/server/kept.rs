//! Variables that hints leave to later ones: those of a scope, which `vm_enter_scope` begins.

use std::collections::{BTreeMap, HashMap};

use monty_types::MontyObject;

use super::value;

/// Bytes of all of them together.
const MAX_BYTES: usize = 1 << 26;
/// Bytes that a variable takes beside its value.
const VARIABLE_BYTES: usize = 128;

/// The variables of all scopes, by the scopes' numbers.
#[derive(Debug, Default)]
pub(super) struct Kept {
    scopes: HashMap<u64, BTreeMap<String, MontyObject>>,
    bytes: usize,
}

/// The variables would take too much memory.
#[derive(Debug)]
pub(super) struct TooMuch;

fn cost(name: &str, value: &MontyObject) -> Option<usize> {
    Some(value::bytes(value)?.saturating_add(VARIABLE_BYTES + name.len()))
}

impl Kept {
    /// A variable of a scope.
    pub(super) fn get(&self, scope: u64, name: &str) -> Option<&MontyObject> {
        self.scopes.get(&scope)?.get(name)
    }

    /// Keeps a variable. A value that lives as long as its hint alone, such as a function, is not kept, and neither is
    /// the one before it.
    pub(super) fn keep(&mut self, scope: u64, name: &str, value: MontyObject) -> Result<(), TooMuch> {
        self.drop(scope, name);
        let Some(more) = cost(name, &value) else { return Ok(()) };
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > MAX_BYTES {
            return Err(TooMuch);
        }
        self.scopes.entry(scope).or_default().insert(name.to_owned(), value);
        Ok(())
    }

    /// Drops a variable of a scope.
    pub(super) fn drop(&mut self, scope: u64, name: &str) {
        let before = self.scopes.get_mut(&scope).and_then(|variables| variables.remove(name));
        self.bytes -= before.and_then(|value| cost(name, &value)).unwrap_or(0);
    }

    /// Drops the variables of a scope that was left.
    pub(super) fn drop_scope(&mut self, scope: u64) {
        let variables = self.scopes.remove(&scope).unwrap_or_default();
        self.bytes -= variables.iter().filter_map(|(name, value)| cost(name, value)).sum::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_while_they_are_kept() {
        let text = |bytes| MontyObject::String("x".repeat(bytes));
        let mut kept = Kept::default();
        kept.keep(1, "x", text(MAX_BYTES / 2)).unwrap();
        // In the place of the first one.
        kept.keep(1, "x", text(MAX_BYTES / 2)).unwrap();
        assert_eq!(kept.get(1, "x"), Some(&text(MAX_BYTES / 2)));
        kept.keep(2, "x", text(MAX_BYTES / 4)).unwrap();
        kept.drop_scope(1);
        kept.drop_scope(1);
        assert_eq!(kept.get(1, "x"), None);
        kept.keep(1, "y", text(MAX_BYTES / 2)).unwrap();
        assert!(kept.keep(1, "z", text(MAX_BYTES / 2)).is_err());
        let function = MontyObject::Function { name: "y".into(), docstring: None };
        kept.keep(1, "y", function).unwrap();
        assert_eq!(kept.get(1, "y"), None);
    }
}
