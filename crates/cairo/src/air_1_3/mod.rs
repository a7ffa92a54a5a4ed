//! cairo-air 1.3, one version of Cairo's AIR: its components in one table, its claims, its transcript, its proofs, its
//! verifier.
//!
//! Nothing else of the crate names a type of cairo-air. Another version is another module like this one.

mod addresses;
mod channel;
mod claim;
mod evaluators;
mod extended;
mod felts;
mod files;
mod kinds;
mod layout;
mod numbers;
mod proof;
mod public;
mod roots;
mod serialize;
mod sizes;
mod sums;
mod table;
mod witness;

use cairo_air::CairoProofForRustVerifier;
use cairo_air::claims::CairoClaim;
use cairo_air::verifier::INTERACTION_POW_BITS;
use circle_air::{AirComponent, Mix, PreprocessedColumn, TupleKind, qm31};
use circle_proof::{CircleOptions, Suite};
use field::{M31, QM31};
use gpu_hal::Digest;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;

pub use self::channel::elements;
#[cfg(test)]
pub(crate) use self::evaluators::{Visitor, visit};
#[cfg(test)]
pub(crate) use self::layout::parts;
use self::table::with_components;
use crate::components::Component;
use crate::components::bounds::MIN_ROWS;
use crate::error::ClaimError;
use crate::preprocessed::{self, Variant};
use crate::version::{AirVersion, Claimed, PublicData};

/// A proof of a run of a Cairo program, as stwo-cairo 1.3 has it. Its digests are 32 bytes in all suites, felts of
/// Poseidon252 little-endian; the suite is not in it.
type Proof = CairoProofForRustVerifier<Blake2sMerkleHasher>;

/// cairo-air 1.3.
#[derive(Clone, Copy, Debug)]
pub enum Air13 {}

impl AirVersion for Air13 {
    type Claim = CairoClaim;
    type Proof = Proof;

    const NAME: &'static str = "cairo-air 1.3";
    const INTERACTION_POW_BITS: u32 = INTERACTION_POW_BITS;
    /// z and alpha.
    const DRAWS: usize = 2;
    const COMPONENTS: &'static [Component] = witness::COMPONENTS;

    /// Padding rows request the same as rows of entries.
    fn calling_rows(entries: usize) -> usize {
        entries.next_power_of_two().max(MIN_ROWS)
    }

    fn preprocessed(variant: Variant) -> Vec<PreprocessedColumn> {
        preprocessed::columns(variant)
    }

    fn preprocessed_values(variant: Variant) -> Vec<Vec<M31>> {
        let all: Vec<usize> = (0..preprocessed::columns(variant).len()).collect();
        preprocessed::values(variant, &all)
    }

    fn root(variant: Variant, options: &CircleOptions) -> Option<Digest> {
        roots::root(variant, options)
    }

    fn takes(suite: Suite) -> bool {
        match suite {
            Suite::Blake2s | Suite::Blake2sM31 | Suite::Poseidon252 => true,
        }
    }

    fn claim(public: PublicData, components: &[Claimed]) -> CairoClaim {
        claim::claim(public::published(public), components)
    }

    fn public_data(claim: &CairoClaim) -> PublicData {
        public::public_data(&claim.public_data)
    }

    fn claimed(claim: &CairoClaim) -> Vec<Claimed> {
        claim::claimed(claim)
    }

    fn check_sizes(claim: &CairoClaim, variant: Variant) -> Result<(), ClaimError> {
        sizes::check(&claim::claimed(claim), variant)
    }

    fn relation_uses(claim: &CairoClaim) -> Vec<(&'static str, u64)> {
        let mut uses = Default::default();
        claim.accumulate_relation_uses(&mut uses);
        uses.into_iter().collect()
    }

    fn mixed(claim: &CairoClaim) -> Vec<Mix> {
        channel::mixed(claim)
    }

    fn components(claim: &CairoClaim, drawn: &[QM31], first_big_id: u32) -> Vec<Box<dyn AirComponent>> {
        evaluators::components(claim, &elements(drawn), first_big_id)
    }

    fn tuple_kinds() -> Vec<TupleKind> {
        kinds::kinds()
    }

    fn public_sum(claim: &CairoClaim, drawn: &[QM31]) -> QM31 {
        qm31(claim.public_data.logup_sum(&elements(drawn)))
    }

    fn move_segments(claim: &mut CairoClaim) {
        claim::move_segments(claim);
    }
}

impl From<PreProcessedTraceVariant> for Variant {
    fn from(variant: PreProcessedTraceVariant) -> Self {
        match variant {
            PreProcessedTraceVariant::Canonical => Self::Canonical,
            PreProcessedTraceVariant::CanonicalWithoutPedersen => Self::CanonicalWithoutPedersen,
            PreProcessedTraceVariant::CanonicalSmall => Self::CanonicalSmall,
        }
    }
}

impl From<Variant> for PreProcessedTraceVariant {
    fn from(variant: Variant) -> Self {
        match variant {
            Variant::Canonical => Self::Canonical,
            Variant::CanonicalWithoutPedersen => Self::CanonicalWithoutPedersen,
            Variant::CanonicalSmall => Self::CanonicalSmall,
        }
    }
}
