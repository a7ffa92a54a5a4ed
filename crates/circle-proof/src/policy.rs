//! The verifier's demands on a proof's configuration, which travels inside the proof and so must be judged before it is
//! used.

use std::ops::RangeInclusive;

use gpu_hal::Digest;
use proof_format::policy::{self, MAX_BYTES, PolicyError};
use proof_format::security::{Bits, Limit};
use proof_format::{Profile, Security, SecurityKind};

use crate::{CircleOptions, Suite};

/// The accepted configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Allowed {
    /// All that are valid.
    #[default]
    Any,
    /// Configurations whose parameters are in these ranges.
    Ranges {
        /// Bits of the proof of work.
        pow_bits: RangeInclusive<u32>,
        /// Log2 of the blowup.
        log_blowup: RangeInclusive<u32>,
        /// Number of queries.
        queries: RangeInclusive<u32>,
        /// Folds by two in a layer.
        fold_step: RangeInclusive<u32>,
        /// Log2 of the coefficients of the last layer.
        log_last: RangeInclusive<u32>,
    },
    /// This one.
    Exactly(CircleOptions),
}

/// The demand on Cairo proofs and client proofs unless the caller says otherwise: stwo-cairo's standard configuration
/// claims 96 bits, and the field leaves large statements less. Its provable figure is about 60.
pub const CAIRO_PROFILE: Profile = Profile { kind: SecurityKind::Claimed, bits: 80 };

/// A verifier's demands on a proof. `Default`: worth 100 bits, provable ([`Profile::DEFAULT`]), any configuration, at
/// most `2^26` preprocessed cells and 64 MiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The hash functions of the proof. Its bytes do not say them, so that one of another suite is a wrong proof; a
    /// file that says another is refused.
    pub suite: Suite,
    /// Fewer bits are refused.
    pub min_security_bits: u32,
    /// The kind of the bits.
    pub kind: SecurityKind,
    /// Fewer bits of queries and proof of work, [`CircleOptions::claimed_bits`], are refused. `Default` asks for none:
    /// every figure counts queries, too.
    pub min_query_bits: u32,
    /// The accepted configurations.
    pub allowed: Allowed,
    /// Most cells of preprocessed columns that are read for one proof. The verifier evaluates them itself, in time and
    /// memory proportional to their number, so a hostile statement must not choose it. Columns that repeat a few values
    /// except for a few rows have a closed form; a statement that has no others costs no cells.
    pub max_preprocessed_cells: u64,
    /// The root of the preprocessed tree that the caller vouches for. A proof with another one is refused, and the
    /// columns of one with this one are not evaluated.
    pub preprocessed_root: Option<Digest>,
    /// Longer proofs, and files, are refused unread.
    pub max_bytes: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self::asking(Profile::DEFAULT)
    }
}

impl Policy {
    /// Takes every valid configuration of the suite `blake2s` and any statement: for tests, for statements that one has
    /// proven oneself, and for looking at foreign proofs.
    pub const ANY: Self = Self {
        suite: Suite::Blake2s,
        min_security_bits: 0,
        kind: SecurityKind::Claimed,
        min_query_bits: 0,
        allowed: Allowed::Any,
        max_preprocessed_cells: u64::MAX,
        preprocessed_root: None,
        max_bytes: u64::MAX,
    };

    /// Asks for a profile, and takes any configuration, at most `2^26` preprocessed cells and 64 MiB.
    pub const fn asking(profile: Profile) -> Self {
        Self {
            suite: Suite::Blake2s,
            min_security_bits: profile.bits,
            kind: profile.kind,
            min_query_bits: 0,
            allowed: Allowed::Any,
            max_preprocessed_cells: 1 << 26,
            preprocessed_root: None,
            max_bytes: MAX_BYTES,
        }
    }

    /// Checks that a file or a proof of `length` bytes is short enough to be read.
    ///
    /// # Errors
    /// [`PolicyError::Bytes`].
    pub fn check_length(&self, length: usize) -> Result<(), PolicyError> {
        policy::check_length(length, self.max_bytes)
    }

    /// Whether a proof of that suite is accepted.
    ///
    /// # Errors
    /// [`PolicyError::Suite`].
    pub fn check_suite(&self, suite: Suite) -> Result<(), PolicyError> {
        check_suite(suite, self.suite)
    }

    /// Whether the parameters are accepted, and have enough bits by queries and work.
    ///
    /// # Errors
    /// [`PolicyError::Suite`], [`PolicyError::Security`], [`PolicyError::Range`] or [`PolicyError::Lifting`].
    pub fn check_options(&self, options: &CircleOptions) -> Result<(), PolicyError> {
        self.check_suite(options.suite)?;
        let (bits, required) = (options.claimed_bits(), self.min_query_bits);
        if bits < required {
            let found = Bits { bits, limit: Limit::Queries };
            return Err(PolicyError::Security { required, kind: SecurityKind::Claimed, found });
        }
        let exact = |value: u32| value..=value;
        let [pow_bits, log_blowup, queries, fold_step, log_last] = match &self.allowed {
            Allowed::Any => return Ok(()),
            Allowed::Ranges { pow_bits, log_blowup, queries, fold_step, log_last } => {
                [pow_bits, log_blowup, queries, fold_step, log_last].map(RangeInclusive::clone)
            }
            Allowed::Exactly(o) => {
                if options.lifting != o.lifting {
                    return Err(PolicyError::Lifting { found: options.lifting, expected: o.lifting });
                }
                check_suite(options.suite, o.suite)?;
                [o.pow_bits, o.log_blowup, o.queries, o.fold_step, o.log_last].map(exact)
            }
        };
        let parameters = [
            ("the number of proof-of-work bits", options.pow_bits, pow_bits),
            ("log2 of the blowup", options.log_blowup, log_blowup),
            ("the number of queries", options.queries, queries),
            ("the fold step", options.fold_step, fold_step),
            ("log2 of the last layer", options.log_last, log_last),
        ];
        match parameters.into_iter().find(|(_, found, range)| !range.contains(found)) {
            None => Ok(()),
            Some((what, found, range)) => {
                Err(PolicyError::Range { what, found, least: *range.start(), most: *range.end() })
            }
        }
    }

    /// Whether the verifier evaluates that many cells of preprocessed columns.
    ///
    /// # Errors
    /// [`PolicyError::Preprocessed`].
    pub fn check_preprocessed(&self, cells: u64) -> Result<(), PolicyError> {
        if cells > self.max_preprocessed_cells {
            return Err(PolicyError::Preprocessed { found: cells, most: self.max_preprocessed_cells });
        }
        Ok(())
    }

    /// Whether it is worth enough.
    ///
    /// # Errors
    /// [`PolicyError::Security`].
    pub fn check_security(&self, security: &Security) -> Result<(), PolicyError> {
        policy::check_security(security, self.kind, self.min_security_bits)
    }
}

fn check_suite(found: Suite, expected: Suite) -> Result<(), PolicyError> {
    if found == expected {
        return Ok(());
    }
    Err(PolicyError::Suite { found: found.name(), expected: expected.name() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_one_configuration() {
        let options = CircleOptions::default();
        let ranges = |queries| Allowed::Ranges {
            pow_bits: 20..=26,
            log_blowup: 1..=4,
            queries,
            fold_step: 1..=4,
            log_last: 0..=10,
        };
        let check = |allowed, options: &CircleOptions| Policy { allowed, ..Policy::default() }.check_options(options);
        assert_eq!(check(Allowed::Any, &options), Ok(()));
        assert_eq!(check(ranges(40..=180), &options), Ok(()));
        let error = PolicyError::Range { what: "the number of queries", found: 118, least: 119, most: 180 };
        assert_eq!(check(ranges(119..=180), &options), Err(error));
        assert_eq!(check(Allowed::Exactly(options), &options), Ok(()));
        let changes: [fn(&mut CircleOptions); 7] = [
            |o| o.pow_bits += 1,
            |o| o.log_blowup += 1,
            |o| o.queries -= 1,
            |o| o.fold_step += 1,
            |o| o.log_last += 1,
            |o| o.lifting = Some(20),
            |o| o.suite = Suite::Blake2sM31,
        ];
        for change in changes {
            let mut changed = options;
            change(&mut changed);
            assert!(check(Allowed::Exactly(options), &changed).is_err(), "{changed:?}");
        }
        let suite = Suite::Blake2sM31;
        let reduced = CircleOptions { suite, ..options };
        let refused = PolicyError::Suite { found: "blake2s_m31", expected: "blake2s" };
        assert_eq!(check(Allowed::Any, &reduced), Err(refused));
        let taking = |options| Policy { suite, allowed: Allowed::Exactly(options), ..Policy::default() };
        assert_eq!(taking(reduced).check_options(&reduced), Ok(()));
        assert!(taking(options).check_options(&reduced).is_err());
    }
}
