//! Parameters of a proof (section 5).

use field::{Field, Goldilocks, PrimeField, TwoAdicField};
use gpu_hal::CosetDomain;
use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Proximity, fewest_queries};

use crate::{OptionsError, Suite, grinding};

/// The prover's choices. `Default` is worth 100 bits, provable (see [`crate::security`]), of every AIR whose frames
/// have 3 rows at most, from 16 rows on; [`Options::for_rows`] of shorter traces, too. [`crate::cheapest()`]
/// finds options for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// LDE points per trace row, `b`: a power of two, 2 to 128.
    pub blowup: u32,
    /// Number of queries: 1 to 65536.
    pub queries: u32,
    /// Leading zero bits of the proof of work: 0 to 64; 0 is no proof of work.
    pub grinding: u32,
    /// First point of the LDE domain, `h`: below p, neither zero nor in the subgroup of the LDE's order.
    pub coset_offset: u64,
    /// Hash functions of trees and transcript.
    pub suite: Suite,
}

impl Default for Options {
    fn default() -> Self {
        Self { blowup: 4, queries: 96, grinding: 20, coset_offset: 3, suite: Suite::Keccak256 }
    }
}

/// Rows of the largest frame that [`Options::for_rows`] allows for.
const FRAME_ROWS: f64 = 3.0;

impl Options {
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

impl Options {
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
