//! The kernels as Metal's compiler sees them, checked by clang: no Metal outside of Apple's systems, but its language
//! is C++ with address spaces.

use crate::run;

/// Every kernel, the generated ones of sessions of all operations included.
pub(crate) fn all() -> crate::Result {
    run::example("metal_kernels", &[], &[])
}
