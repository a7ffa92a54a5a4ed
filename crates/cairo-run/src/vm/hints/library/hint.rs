//! The type of hints.

use cairo_vm::vm::errors::hint_errors::HintError;

use super::context::At;

/// A hint, which runs in any machine.
pub(in crate::vm) type Hint = fn(&mut At<'_>) -> Result<(), HintError>;
