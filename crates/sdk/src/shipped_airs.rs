//! The AIRs that come with Polystark, of each proof system.

use std::any::Any;

use crate::airs::Airs;
use crate::system::ProofSystem;

/// The makers of the [`Airs`] of each.
const SHIPPED: &[fn() -> Box<dyn Any>] = &[
    #[cfg(feature = "circle")]
    || Box::new(crate::circle::shipped_airs()),
    #[cfg(feature = "goldilocks")]
    || Box::new(crate::goldilocks::shipped_airs()),
];

impl<F: ProofSystem> Default for Airs<F> {
    /// The AIRs that come with Polystark.
    fn default() -> Self {
        let of_system = SHIPPED.iter().find_map(|make| make().downcast().ok());
        of_system.map_or_else(Self::none, |airs| *airs)
    }
}
