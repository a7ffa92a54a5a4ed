//! Panics of dependencies, as errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught and told as an error.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does the work. If it panics on this thread, its message is the error, and nothing is written to standard error:
/// panics of other work are told by the hook that was there.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    quieten();
    let was_guarded = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    done.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

/// Puts itself before the hook of the process, once.
fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.try_with(Cell::get).unwrap_or(false) {
                told(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| -> u32 { panic!("{} is wrong", 7) }), Err("7 is wrong".to_owned()));
        assert_eq!(caught(|| -> u32 { panic!("wrong") }), Err("wrong".to_owned()));
        assert!(!IS_GUARDED.get());
        // Within another: the outer one stays.
        assert_eq!(caught(|| caught(|| -> u32 { panic!("inner") }).is_err() && IS_GUARDED.get()), Ok(true));
    }
}
