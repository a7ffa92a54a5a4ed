//! Claims of cairo-air 1.3: what they say of each component, and the claimed sums beside them.

use cairo_air::air::PublicData;
use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::components::*;
use cairo_run::BuiltinName;
use circle_air::secure;
use field::QM31;
use num_traits::Zero;
use stwo::core::fields::qm31::SecureField;

use super::with_components;
use crate::witness::sizes::Sizes;

macro_rules! claim {
    (
        ($public_data:expr, $sizes:ident)
        $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*
    ) => {
        CairoClaim { public_data: $public_data, $($name: claim!(@$shape $(($start))? $name, $sizes),)* }
    };
    (@rows $name:ident, $sizes:ident) => {
        $sizes.get(stringify!($name)).map(|size| $name::Claim { log_size: size.log_size })
    };
    (@numbered $name:ident, $sizes:ident) => { claim!(@rows $name, $sizes) };
    // An address is below 2^29.
    (@segment($start:ident) $name:ident, $sizes:ident) => {
        $sizes.get(stringify!($name)).map(|size| $name::Claim { log_size: size.log_size, $start: size.start as u32 })
    };
    (@chunks $name:ident, $sizes:ident) => { Some($name::Claim { big_log_sizes: $sizes.big_log_sizes() }) };
    (@table $name:ident, $sizes:ident) => { $sizes.get(stringify!($name)).map(|_| $name::Claim {}) };
}

/// The claim of a run of these sizes.
pub(crate) fn claim(public_data: PublicData, sizes: &Sizes) -> CairoClaim {
    with_components!(claim!(public_data, sizes))
}

macro_rules! interaction {
    (
        ($claim:ident, $sums:ident)
        $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*
    ) => {
        // Fields are evaluated in this order, as the sums come one after the other.
        CairoInteractionClaim { $($name: interaction!(@$shape $name, $claim, $sums),)* }
    };
    (@chunks $name:ident, $claim:ident, $sums:ident) => {
        $claim.$name.as_ref().map(|claim| {
            let big_claimed_sums: Vec<SecureField> = $sums.by_ref().take(claim.big_log_sizes.len()).collect();
            let claimed_sum = big_claimed_sums.iter().fold(SecureField::zero(), |sum, chunk| sum + *chunk);
            $name::InteractionClaim { big_claimed_sums, claimed_sum }
        })
    };
    (@$other:ident $name:ident, $claim:ident, $sums:ident) => {
        $claim.$name.as_ref().and_then(|_| $sums.next()).map(|claimed_sum| $name::InteractionClaim { claimed_sum })
    };
}

/// The claimed sums, one for each of [`super::components`], as a proof has them.
pub(crate) fn interaction_claim(claim: &CairoClaim, claimed_sums: &[QM31]) -> CairoInteractionClaim {
    let mut sums = claimed_sums.iter().copied().map(secure);
    with_components!(interaction!(claim, sums))
}

/// A component of a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimed {
    /// The component's name.
    pub(crate) name: &'static str,
    /// Log2 of its rows, if it numbers them; `None` also for chunks.
    pub(crate) numbered: Option<u32>,
    /// The builtin, the first address of its segment and log2 of the rows, if it is a builtin's.
    pub(crate) builtin: Option<(BuiltinName, u32, u32)>,
}

macro_rules! claimed {
    (($claim:ident) $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*) => {
        [$($claim.$name.as_ref().map(|_claim| Claimed {
            name: stringify!($name),
            numbered: claimed!(@numbered $shape _claim),
            builtin: claimed!(@builtin $(($start))? _claim $source($($of)*)),
        }),)*]
    };
    (@numbered numbered $claim:ident) => { Some($claim.log_size) };
    (@numbered segment $claim:ident) => { Some($claim.log_size) };
    (@numbered $other:ident $claim:ident) => { None };
    (@builtin ($start:ident) $claim:ident builtin($program:path, $builtin:ident, $serves:ident)) => {
        Some((BuiltinName::$builtin, $claim.$start, $claim.log_size))
    };
    (@builtin $claim:ident $source:ident($($of:tt)*)) => { None };
}

/// The components that a claim has, in order.
pub(crate) fn claimed(claim: &CairoClaim) -> impl Iterator<Item = Claimed> {
    with_components!(claimed!(claim)).into_iter().flatten()
}

macro_rules! presence {
    (
        ($claim:ident, $sums:ident)
        $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*
    ) => {
        [$((stringify!($name), $claim.$name.is_some(), $sums.$name.is_some()),)*]
    };
}

/// Each component's name, whether the claim has the component, and whether there is a sum of it.
pub(crate) fn presence(
    claim: &CairoClaim,
    sums: &CairoInteractionClaim,
) -> impl Iterator<Item = (&'static str, bool, bool)> {
    with_components!(presence!(claim, sums)).into_iter()
}

macro_rules! move_segments {
    (($claim:ident) $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*) => {
        $($(if let Some(claim) = &mut $claim.$name { claim.$start += 1; })?)*
    };
}

/// Moves all segments of builtins by an address.
pub(crate) fn move_segments(claim: &mut CairoClaim) {
    with_components!(move_segments!(claim));
}
