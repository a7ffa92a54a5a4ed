//! Variables of the environment.

/// A variable of the environment, if it is set to some text.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
