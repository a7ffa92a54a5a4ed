//! Claims of cairo-air 1.3: their part on each component, and the claimed sums beside them.

use cairo_air::air::PublicData;
use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::components::*;
use cairo_run::BuiltinName;
use circle_air::secure;
use field::QM31;
use num_traits::Zero;
use stwo::core::fields::qm31::SecureField;

use super::table::{is_numbered, with_components};
use crate::version::Claimed;

macro_rules! claim {
    (
        ($public_data:expr, $components:ident)
        $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*
    ) => {
        CairoClaim { public_data: $public_data, $($name: claim!(@$shape $(($start))? $name, $components),)* }
    };
    (@rows $name:ident, $components:ident) => {
        find($components, stringify!($name)).and_then(|one| Some($name::Claim { log_size: one.log_size? }))
    };
    (@numbered $name:ident, $components:ident) => { claim!(@rows $name, $components) };
    (@segment($start:ident) $name:ident, $components:ident) => {
        find($components, stringify!($name))
            .and_then(|one| Some($name::Claim { log_size: one.log_size?, $start: one.builtin?.1 }))
    };
    (@chunks $name:ident, $components:ident) => {
        Some($name::Claim { big_log_sizes: all($components, stringify!($name)).filter_map(|one| one.log_size).collect() })
    };
    (@table $name:ident, $components:ident) => { find($components, stringify!($name)).map(|_| $name::Claim {}) };
}

/// The component of this name, or all its chunks.
fn all<'c>(components: &'c [Claimed], name: &str) -> impl Iterator<Item = &'c Claimed> {
    components.iter().filter(move |one| one.name == name)
}

fn find<'c>(components: &'c [Claimed], name: &str) -> Option<&'c Claimed> {
    all(components, name).next()
}

/// The claim that has these components.
pub(super) fn claim(public_data: PublicData, components: &[Claimed]) -> CairoClaim {
    with_components!(claim!(public_data, components))
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
pub(super) fn interaction_claim(claim: &CairoClaim, claimed_sums: &[QM31]) -> CairoInteractionClaim {
    let mut sums = claimed_sums.iter().copied().map(secure);
    with_components!(interaction!(claim, sums))
}

macro_rules! claimed {
    (($claim:ident, $all:ident) $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*) => {
        $(if let Some(claim) = &$claim.$name {
            let component = Claimed {
                name: stringify!($name),
                log_size: None,
                is_numbered: is_numbered!($shape),
                builtin: claimed!(@builtin $(($start))? claim $source($($of)*)),
            };
            claimed!(@rows $shape claim, component, $all);
        })*
    };
    (@rows table $claim:ident, $component:ident, $all:ident) => {{
        let _ = $claim;
        $all.push($component);
    }};
    (@rows chunks $claim:ident, $component:ident, $all:ident) => {
        $all.extend($claim.big_log_sizes.iter().map(|&log_size| Claimed { log_size: Some(log_size), ..$component }))
    };
    (@rows $other:ident $claim:ident, $component:ident, $all:ident) => {
        $all.push(Claimed { log_size: Some($claim.log_size), ..$component })
    };
    (@builtin ($start:ident) $claim:ident builtin($program:path, $builtin:ident, $serves:ident)) => {
        Some((BuiltinName::$builtin, $claim.$start))
    };
    (@builtin $claim:ident $source:ident($($of:tt)*)) => { None };
}

/// The components that a claim has, in order, each chunk for itself.
pub(super) fn claimed(claim: &CairoClaim) -> Vec<Claimed> {
    let mut all = Vec::new();
    with_components!(claimed!(claim, all));
    all
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
pub(super) fn presence(
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
pub(super) fn move_segments(claim: &mut CairoClaim) {
    with_components!(move_segments!(claim));
}
