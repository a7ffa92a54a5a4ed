//! One value of each type, such as a device of each protocol.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Values by their types, each made when it is first asked for.
#[derive(Default)]
pub struct OneOfEach(Mutex<HashMap<TypeId, Box<dyn Any + Send>>>);

impl OneOfEach {
    /// The value of a type. Others wait while it is made.
    ///
    /// # Errors
    /// Errors of `make`, which is called again then.
    pub fn get<T: Any + Clone + Send, E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        // A value is in the map when it is whole.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref::<T>()) {
            Some(value) => Ok(value.clone()),
            None => {
                let value = make()?;
                known.insert(TypeId::of::<T>(), Box::new(value.clone()));
                Ok(value)
            }
        }
    }
}

impl fmt::Debug for OneOfEach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneOfEach")
    }
}
