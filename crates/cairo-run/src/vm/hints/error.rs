//! Errors of hints.

use cairo_vm::vm::errors::hint_errors::HintError;

/// An error with a text of ours.
pub(in crate::vm) fn custom(text: impl Into<String>) -> HintError {
    HintError::CustomHint(text.into().into_boxed_str())
}
