//! One value of each type, such as a device of each protocol.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Values by their types, each made when it is first asked for.
#[derive(Default)]
pub struct TypeMap(Mutex<HashMap<TypeId, Box<dyn Any + Send>>>);

impl TypeMap {
    /// The value of a type. Others wait while it is made.
    ///
    /// # Errors
    /// Errors of `make`, which is called again then.
    pub fn get_or_try_insert_with<T: Any + Clone + Send, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
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

    /// The value of a type, which begins as its default.
    pub fn get_or_default<T: Any + Clone + Default + Send>(&self) -> T {
        let Ok(value) = self.get_or_try_insert_with(|| Ok::<_, Infallible>(T::default()));
        value
    }
}

impl fmt::Debug for TypeMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypeMap")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::TypeMap;

    #[test]
    fn a_value_of_a_type_is_made_once_and_after_an_error_again() {
        let map = TypeMap::default();
        assert_eq!(map.get_or_try_insert_with(|| Err::<u32, _>("no")), Err("no"));
        assert_eq!(map.get_or_try_insert_with(|| Ok::<u32, &str>(3)), Ok(3));
        assert_eq!(map.get_or_try_insert_with(|| Err::<u32, _>("no")), Ok(3));
        assert_eq!(map.get_or_default::<u32>(), 3);
        assert_eq!(map.get_or_default::<u64>(), 0);
        let first = map.get_or_default::<Arc<u8>>();
        assert!(Arc::ptr_eq(&first, &map.get_or_default()));
    }
}
