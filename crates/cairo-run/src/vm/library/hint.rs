//! The types of hints.

use cairo_vm::vm::errors::hint_errors::HintError;

use super::context::{At, Context};

/// A hint that runs in any machine.
pub(super) type Hint = fn(&mut At<'_>) -> Result<(), HintError>;

/// A hint that runs in cairo-vm.
pub(in crate::vm) type Function = fn(&mut Context<'_>) -> Result<(), HintError>;
