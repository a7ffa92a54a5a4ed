//! Machine code of segments: made where the machine and the system allow it.

#[cfg(all(target_arch = "x86_64", unix))]
mod assembler;
#[cfg(all(target_arch = "x86_64", unix))]
mod goldilocks;
#[cfg(not(all(target_arch = "x86_64", unix)))]
mod nowhere;
#[cfg(all(target_arch = "x86_64", unix))]
mod pages;
#[cfg(all(target_arch = "x86_64", unix))]
mod segment;

#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) use self::nowhere::{Code, available};
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) use self::pages::{Code, available};
