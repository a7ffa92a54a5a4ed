//! Constraint programs as machine code, made in the process that runs it.
//!
//! A program of `ir` that adds up weighted outputs over Goldilocks becomes functions of AVX-512 with IFMA
//! ([`Compiled::new`]), which run on 256 rows or so at a time ([`Compiled::run`]). `docs/machine-code.md` says how, and
//! why so. The steps, each in its module:
//!
//! | module | what it does |
//! |---|---|
//! | `straight` | a schedule as operations on base elements, each coordinate of the extension one |
//! | `order` | their order, and where an element is reduced to a word below the modulus |
//! | `cut` | parts that stay in the nearest caches; what crosses from one to another has a place in memory |
//! | `allocate` | values on registers |
//! | `machine` | instructions, and pages of them that are never writable and executable at once |
//!
//! Elsewhere than on x86-64 and Unix, on processors without the instructions, and where the system gives no executable
//! pages, there is a [`JitError`] in place of code: programs are interpreted.
#![cfg_attr(
    not(all(target_arch = "x86_64", unix)),
    allow(dead_code, reason = "nothing reads what is planned where no code is made of it")
)]

mod allocate;
mod compiled;
mod cut;
mod error;
mod layout;
mod machine;
mod order;
mod straight;

pub use compiled::{Compiled, Uniforms, Workspace};
pub use error::JitError;
pub use straight::Load;

/// Whether code can be made here: the machine has the instructions, and the system gives executable pages.
///
/// # Errors
/// [`JitError`] says what is missing.
pub fn available() -> Result<(), JitError> {
    machine::available()
}
