//! The statement about a run of a Cairo program: its claim, its transcript, its components.
//!
//! [`CairoStatement`] is the common knowledge of prover and verifier. Components are the version's own evaluators, and
//! the version lists the values that a claim mixes into the transcript ([`AirVersion`]).

use cairo_run::{Refusal, Run};
use circle_air::{AirComponent, ClaimedSumError, Mix, Mixes, PreprocessedColumn, Statement, TupleKind};
use field::{M31, PrimeField, QM31};
use gpu_hal::EvalOrder;

use crate::checks::check_claim;
use crate::error::VerifyError;
use crate::preprocessed::Variant;
use crate::version::{AirVersion, PublicData};
use crate::witness::{Size, Sizes};

/// Why there is no statement about a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run has no public memory that a proof can state.
    #[error(transparent)]
    Public(#[from] Refusal),
    /// The salt is no number of the field.
    #[error("the salt {0} is not below 2^31 - 1: take another")]
    Salt(u32),
    /// A proof about the run would be refused.
    #[error("no proof of the run would be accepted: {0}")]
    Refused(#[from] Box<VerifyError>),
}

/// The statement of a proof: a run exists with the program, output, registers at both ends and sizes of the claim.
#[derive(Clone)]
pub struct CairoStatement<V: AirVersion> {
    claim: V::Claim,
    variant: Variant,
    salt: u32,
    samples_all: bool,
    /// Added to where ids of big values begin: not zero in a variant of a statement only, which tells constants from
    /// parameters.
    first_big_id: u32,
}

impl<V: AirVersion> CairoStatement<V> {
    /// The statement about a run of these sizes. The salt goes into the transcript first; it is 0 if nobody needs it.
    ///
    /// # Errors
    /// [`RunError`] if public data are missing, or no proof about the run would be accepted.
    pub fn new(run: &Run, sizes: &Sizes, salt: u32) -> Result<Self, RunError> {
        if u64::from(salt) >= M31::ORDER {
            return Err(RunError::Salt(salt));
        }
        let states = &run.state_transitions;
        let (initial_state, final_state) = (states.initial_state, states.final_state);
        let public = PublicData { memory: run.public_memory()?, initial_state, final_state };
        let components: Vec<_> = sizes.components().iter().map(Size::claimed).collect();
        let claim = V::claim(public, &components);
        check_claim::<V>(&claim, sizes.variant()).map_err(Box::new)?;
        Ok(Self { claim, variant: sizes.variant(), salt, samples_all: false, first_big_id: 0 })
    }

    /// The same statement. Its proofs sample all preprocessed columns, or those alone that a component reads, as the
    /// reference's do by default.
    #[must_use]
    pub fn sampling_all(self, samples_all: bool) -> Self {
        Self { samples_all, ..self }
    }

    /// The claim.
    pub fn claim(&self) -> &V::Claim {
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
}

/// The words and elements that a claim mixes into the transcript, with a salt.
pub fn mixes<V: AirVersion>(claim: &V::Claim, salt: u32) -> Mixes {
    Mixes {
        before_config: vec![Mix::Felts(vec![QM31::from(M31::new(salt))])],
        before_preprocessed: Vec::new(),
        before_main: V::mixed(claim),
    }
}

impl<V: AirVersion> Statement for CairoStatement<V> {
    fn name(&self) -> &str {
        "cairo"
    }

    /// None: a claim is mixed as [`Self::mixes`] says.
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }

    fn mixes(&self) -> Mixes {
        mixes::<V>(&self.claim, self.salt)
    }

    fn interaction_pow_bits(&self) -> u32 {
        V::INTERACTION_POW_BITS
    }

    fn order(&self) -> EvalOrder {
        EvalOrder::Storage
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        V::preprocessed(self.variant)
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        V::preprocessed_values(self.variant)
    }

    fn samples_all_preprocessed(&self) -> bool {
        self.samples_all
    }

    fn draws(&self) -> usize {
        V::DRAWS
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        V::components(&self.claim, drawn, self.first_big_id)
    }

    fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        let public = V::public_sum(&self.claim, drawn);
        let claimed: QM31 = sums.iter().copied().sum();
        if claimed == -public {
            return Ok(());
        }
        Err(ClaimedSumError::Value { claimed: claimed.to_string(), expected: (-public).to_string() })
    }

    fn tuple_kinds(&self) -> Vec<TupleKind> {
        V::tuple_kinds()
    }

    /// [`crate::verify`] counts the uses of each relation.
    fn has_bounded_multiplicities(&self) -> bool {
        true
    }

    /// Where segments of builtins and ids of big values begin are parameters, and the distance of the columns of
    /// addresses.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let mut other = self.clone();
        other.first_big_id += 1;
        V::move_segments(&mut other.claim);
        Some(Box::new(other))
    }
}
