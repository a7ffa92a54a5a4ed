//! Parameters of a proof (section 5).

use field::{Field, Goldilocks, PrimeField, TwoAdicField};
use gpu_hal::CosetDomain;

use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Proximity, fewest_queries};

use crate::compact::limits::{MAX_FOLDS, MAX_LOG_LAST, MAX_STEP};
use crate::{Draw, Suite, grinding};

/// The prover's choices. `Default` is worth 100 bits, provable (see [`crate::security`]), of every AIR whose frames
/// have 3 rows at most, from 16 rows on; [`GoldilocksOptions::for_rows`] of shorter traces, too. [`crate::cheapest()`]
/// finds options for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GoldilocksOptions {
    /// LDE points per trace row, `b`: a power of two, 2 to 128.
    pub blowup: u32,
    /// Number of queries: 1 to 65536.
    pub queries: u32,
    /// Leading zero bits of the proof of work: 0 to 64; 0 is no proof of work.
    pub grinding: u32,
    /// First point of the LDE domain, `h`: below p, neither zero nor in the subgroup of the LDE's order.
    pub coset_offset: u64,
    /// Hash functions and format.
    pub suite: Suite,
}

impl Default for GoldilocksOptions {
    fn default() -> Self {
        Self { blowup: 4, queries: 96, grinding: 20, coset_offset: 3, suite: Suite::Keccak256 }
    }
}

/// Rows of the largest frame that [`GoldilocksOptions::for_rows`] allows for.
const FRAME_ROWS: f64 = 3.0;

impl GoldilocksOptions {
    /// The default options for a trace of `rows` rows: a short one, whose code has a higher rate, gets more queries and
    /// so the same 100 bits, provable.
    pub fn for_rows(rows: u64) -> Self {
        let default = Self::default();
        let rate = (rows as f64 + FRAME_ROWS) / (rows as f64 * f64::from(default.blowup));
        let query_bits = Proximity::multiplicity(rate, 1000).map_or(0.0, |proximity| proximity.query_bits());
        let needed = fewest_queries(Profile::DEFAULT.bits, default.grinding, query_bits).unwrap_or(0);
        Self { queries: needed.max(default.queries), ..default }
    }
}

/// Reasons to refuse parameters, with the allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// Blowup is not a power of two in 2..=128.
    #[error("blowup {0} is not allowed: take a power of two from 2 to 128")]
    Blowup(u32),
    /// Number of queries is not in 1..=65536.
    #[error("{0} queries are not allowed: take 1 to {MAX_QUERIES}")]
    Queries(u32),
    /// More than 64 bits of grinding.
    #[error("grinding {0} is not allowed: take 0 to 64 bits")]
    Grinding(u32),
    /// Trace shorter than 4 rows: there would be no FRI layer.
    #[error("a trace of 2^{0} rows is too short: take at least 4 rows")]
    TraceTooShort(u32),
    /// LDE larger than the largest subgroup.
    #[error("2^{log_trace} rows times blowup {blowup} are more than 2^32 points: take a smaller blowup or fewer rows")]
    DomainTooLarge {
        /// Log2 of the rows.
        log_trace: u32,
        /// The blowup.
        blowup: u32,
    },
    /// The AIR has no composition part.
    #[error("0 composition parts are not allowed: the AIR must declare at least 1")]
    NoParts,
    /// The composition has a higher degree than the LDE domain holds.
    #[error("{parts} composition parts need a blowup of at least {parts}, not {blowup}")]
    TooManyParts {
        /// Parts.
        parts: usize,
        /// The blowup.
        blowup: u32,
    },
    /// The coset offset is zero.
    #[error("coset offset 0 is not allowed: take 3 or 7")]
    ZeroOffset,
    /// The coset offset is not below p: it would be a second name of a smaller one.
    #[error("coset offset {0} is not below the prime of the field: take 3 or 7")]
    OffsetNotReduced(u64),
    /// The LDE domain is the subgroup itself, so it meets the trace domain.
    #[error("coset offset {offset} lies in the subgroup of order 2^{log_lde}: take 3 or 7")]
    OffsetInSubgroup {
        /// The offset.
        offset: u64,
        /// Log2 of the points of the LDE domain.
        log_lde: u32,
    },
    /// Not one or two out-of-domain points.
    #[error("{0} out-of-domain points are not allowed: take 1 or 2")]
    Points(u32),
    /// Not 1 to 32 folds.
    #[error("{0} folds are not allowed: take 1 to {MAX_FOLDS}")]
    Folds(usize),
    /// A fold by no power of two that leaves may have rows.
    #[error("fold {fold} by 2^{step} is not allowed: take 2^1 to 2^{MAX_STEP}, or 2^0 for fold 0")]
    FoldStep {
        /// The fold.
        fold: usize,
        /// Log2 of its factor.
        step: u32,
    },
    /// More coefficients of the last layer than 2^10.
    #[error("a last layer of 2^{0} coefficients is not allowed: take at most 2^{MAX_LOG_LAST}")]
    LogLast(u32),
    /// The folds do not lead from the rows to the last layer.
    #[error("folds and last layer are for 2^{steps} rows, the trace has 2^{log_rows}")]
    FoldSum {
        /// The sum of the folds and of the last layer.
        steps: u32,
        /// Log2 of the rows.
        log_rows: u32,
    },
    /// Not one number of bits of work for each draw.
    #[error("bits of work for {found} draws, these folds have {expected}")]
    WorkLength {
        /// Draws.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// More than 64 bits of work.
    #[error("{bits} bits of work before the {draw} are not allowed: take 0 to 64")]
    Work {
        /// The draw.
        draw: Draw,
        /// Its bits.
        bits: u32,
    },
    /// Work before a draw that there is not.
    #[error("there is no work before the {0}, because none are drawn")]
    WorkOfNothing(Draw),
    /// Another extension than the one of the format.
    #[error("an extension of degree {0} is not allowed: the compact format has degree 3")]
    Extension(usize),
    /// Not enough rows for the masks of a proof that hides its witness.
    #[error(
        "{needed} rows at the end must be free for masks, this AIR leaves {found}: no constraint may read them, so let its \
         transitions end earlier (`except_last`) and its boundaries stand above, as the parameter `free` of shipped AIRs \
         does; or take more rows, fewer queries, or a smaller first fold"
    )]
    FreeRows {
        /// Rows that the options need.
        needed: u64,
        /// Rows that no constraint reads.
        found: u64,
    },
    /// An option of compact proofs for one of another format.
    #[error("{0} are not options of this format: compact proofs alone have them")]
    OnlyCompact(&'static str),
    /// A transcript seed for a compact proof.
    #[error("a compact proof takes no transcript seed: its transcript always starts from the statement")]
    Seed,
}

impl GoldilocksOptions {
    /// Checks everything that does not depend on the statement.
    pub fn validate_alone(&self) -> Result<(), OptionsError> {
        if !self.blowup.is_power_of_two() || !(2..=128).contains(&self.blowup) {
            return Err(OptionsError::Blowup(self.blowup));
        }
        if !(1..=MAX_QUERIES).contains(&self.queries) {
            return Err(OptionsError::Queries(self.queries));
        }
        if self.grinding > grinding::MAX_BITS {
            return Err(OptionsError::Grinding(self.grinding));
        }
        match Goldilocks::from_canonical(self.coset_offset) {
            None => Err(OptionsError::OffsetNotReduced(self.coset_offset)),
            Some(offset) if offset.is_zero() => Err(OptionsError::ZeroOffset),
            Some(_) => Ok(()),
        }
    }

    /// Checks the options for a trace of `2^log_trace` rows and `parts` composition parts. Call this before all other
    /// uses, in the prover and in the verifier.
    pub fn validate(&self, log_trace: u32, parts: usize) -> Result<(), OptionsError> {
        self.validate_alone()?;
        if log_trace < 2 {
            return Err(OptionsError::TraceTooShort(log_trace));
        }
        if self.log_lde(log_trace) > Goldilocks::TWO_ADICITY {
            return Err(OptionsError::DomainTooLarge { log_trace, blowup: self.blowup });
        }
        if parts == 0 {
            return Err(OptionsError::NoParts);
        }
        if parts > self.blowup as usize {
            return Err(OptionsError::TooManyParts { parts, blowup: self.blowup });
        }
        let log_lde = self.log_lde(log_trace);
        if self.offset().pow_two_to(log_lde) == Goldilocks::ONE {
            return Err(OptionsError::OffsetInSubgroup { offset: self.coset_offset, log_lde });
        }
        Ok(())
    }

    /// Log2 of the blowup.
    pub fn log_blowup(&self) -> u32 {
        self.blowup.trailing_zeros()
    }

    /// Log2 of the points of the LDE domain for a trace of `2^log_trace` rows.
    pub fn log_lde(&self, log_trace: u32) -> u32 {
        log_trace.saturating_add(self.log_blowup())
    }

    /// The coset offset in the field.
    pub fn offset(&self) -> Goldilocks {
        Goldilocks::new(self.coset_offset)
    }

    /// The LDE domain for a trace of `2^log_trace` rows.
    pub fn lde_domain(&self, log_trace: u32) -> CosetDomain<Goldilocks> {
        CosetDomain::new(self.offset(), self.log_lde(log_trace))
    }

    /// 22 bytes for the transcript seed, integers big-endian: blowup (4), queries (4), grinding (4), coset offset (8),
    /// suite (2: 1 Keccak-256, 2 Poseidon2).
    pub fn to_bytes(&self) -> [u8; 22] {
        let mut out = [0; 22];
        out[0..4].copy_from_slice(&self.blowup.to_be_bytes());
        out[4..8].copy_from_slice(&self.queries.to_be_bytes());
        out[8..12].copy_from_slice(&self.grinding.to_be_bytes());
        out[12..20].copy_from_slice(&self.offset().value().to_be_bytes());
        out[20..22].copy_from_slice(&self.suite.number().to_be_bytes());
        out
    }
}
