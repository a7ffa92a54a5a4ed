//! Public values that are computed when they are asked for first.

use std::sync::OnceLock;

/// How many nodes are hashed between two questions whether to go on.
const OFTEN: usize = 1 << 10;

/// A public value that takes time by the rows: only its users wait for it.
#[derive(Clone, Debug)]
pub(super) struct Lazy<T>(OnceLock<T>);

impl<T: Copy> Lazy<T> {
    /// One that is known.
    pub(super) fn known(value: T) -> Self {
        Self(OnceLock::from(value))
    }

    /// One that is to be computed.
    pub(super) fn unknown() -> Self {
        Self(OnceLock::new())
    }

    /// The value. `make` asks whether to go on, and goes on.
    pub(super) fn get(&self, make: impl Fn(&dyn Fn() -> bool) -> Option<T>) -> T {
        let whole = || make(&|| true).unwrap_or_else(|| unreachable!("nobody says that it is not to go on"));
        *self.0.get_or_init(whole)
    }

    /// Computes the value, unless `make` stops. Whether it is there.
    pub(super) fn prepare(&self, make: impl FnOnce() -> Option<T>) -> bool {
        if self.0.get().is_none()
            && let Some(value) = make()
        {
            // Somebody else may have computed the same.
            let _ = self.0.set(value);
        }
        self.0.get().is_some()
    }
}

/// Whether to go on at this node, asked now and then.
pub(super) fn goes_on_at(node: usize, goes_on: &dyn Fn() -> bool) -> bool {
    !node.is_multiple_of(OFTEN) || goes_on()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_computed_once_and_can_be_given_up() {
        let lazy = Lazy::unknown();
        assert!(!lazy.prepare(|| None));
        assert_eq!(lazy.get(|goes_on| goes_on().then_some(7)), 7);
        assert_eq!(lazy.get(|_| unreachable!("it is known")), 7);
        assert!(lazy.prepare(|| None) && Lazy::known(1).prepare(|| None));
        assert!(goes_on_at(1, &|| false) && !goes_on_at(OFTEN, &|| false));
    }
}
