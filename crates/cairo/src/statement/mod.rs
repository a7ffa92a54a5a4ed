//! The statement about a run of a Cairo program: its claim, its transcript, its components.
//!
//! [`CairoStatement`] is what prover and verifier know of a proof. Components are cairo-air's own evaluators, and
//! cairo-air itself mixes a claim into the transcript (`air_1_3`).

mod error;
mod public;

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::verifier::INTERACTION_POW_BITS;
use cairo_run::Run;
use circle_air::{AirComponent, ClaimedSumError, Mix, Mixes, PreprocessedColumn, Statement, qm31};
use field::{M31, QM31};
use gpu_hal::EvalOrder;
use stwo::core::fields::m31::P;

pub use self::error::RunError;
use crate::air_1_3;
pub use crate::air_1_3::elements;
#[cfg(test)]
pub(crate) use crate::air_1_3::{Visitor, visit};
use crate::preprocessed::{self, Variant};
use crate::verify;
use crate::witness::sizes::Sizes;

/// The statement of a proof: a run exists with the program, output, registers at both ends and sizes of the claim.
#[derive(Clone)]
pub struct CairoStatement {
    claim: CairoClaim,
    variant: Variant,
    salt: u32,
    /// Added to where ids of big values begin: not zero in a variant of a statement only, which tells constants from
    /// parameters.
    first_big_id: u32,
}

impl CairoStatement {
    /// The statement about a run of these sizes. The salt goes into the transcript first; it is 0 if nobody needs it.
    ///
    /// # Errors
    /// [`RunError`] if public data are missing, or no proof about the run would be accepted.
    pub fn new(run: &Run, sizes: &Sizes, salt: u32) -> Result<Self, RunError> {
        if salt >= P {
            return Err(RunError::Salt(salt));
        }
        let claim = air_1_3::claim(public::public_data(run)?, sizes);
        verify::check_claim(&claim, sizes.variant()).map_err(Box::new)?;
        Ok(Self { claim, variant: sizes.variant(), salt, first_big_id: 0 })
    }

    /// The claim.
    pub fn claim(&self) -> &CairoClaim {
        &self.claim
    }

    /// The variant of the preprocessed columns.
    pub fn preprocessed_variant(&self) -> Variant {
        self.variant
    }

    /// The number that is mixed into the transcript first.
    pub fn salt(&self) -> u32 {
        self.salt
    }

    /// The claimed sums of a proof as cairo-air has them: one for each component, in order.
    pub fn interaction_claim(&self, claimed_sums: &[QM31]) -> CairoInteractionClaim {
        air_1_3::interaction_claim(&self.claim, claimed_sums)
    }
}

/// Elements that are drawn for the lookups: z and alpha.
pub(crate) const DRAWS: usize = 2;

/// The words and elements that a claim mixes into the transcript, with a salt.
pub fn mixes(claim: &CairoClaim, salt: u32) -> Mixes {
    Mixes {
        before_config: vec![Mix::Felts(vec![QM31::from(M31::new(salt))])],
        before_preprocessed: Vec::new(),
        before_main: air_1_3::mixed(claim),
    }
}

impl Statement for CairoStatement {
    fn name(&self) -> &str {
        "cairo"
    }

    /// None: a claim is mixed as [`Self::mixes`] says.
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }

    fn mixes(&self) -> Mixes {
        mixes(&self.claim, self.salt)
    }

    fn interaction_pow_bits(&self) -> u32 {
        INTERACTION_POW_BITS
    }

    fn order(&self) -> EvalOrder {
        EvalOrder::Storage
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        preprocessed::columns(self.variant)
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        let all: Vec<usize> = (0..preprocessed::columns(self.variant).len()).collect();
        preprocessed::values(self.variant, &all)
    }

    fn draws(&self) -> usize {
        DRAWS
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        air_1_3::components(&self.claim, &elements(drawn), self.first_big_id)
    }

    fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        let public = qm31(self.claim.public_data.logup_sum(&elements(drawn)));
        let claimed: QM31 = sums.iter().copied().sum();
        if claimed == -public {
            return Ok(());
        }
        Err(ClaimedSumError::Value { claimed: claimed.to_string(), expected: (-public).to_string() })
    }

    /// [`crate::verify`] counts the uses of each relation.
    fn has_bounded_multiplicities(&self) -> bool {
        true
    }

    /// Where segments of builtins and ids of big values begin are parameters.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let mut other = self.clone();
        other.first_big_id += 1;
        air_1_3::move_segments(&mut other.claim);
        Some(Box::new(other))
    }
}
