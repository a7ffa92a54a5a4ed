//! What a verifier asks of a proof's configuration, which travels inside the proof: so it must be judged before it is used.

use std::fmt;
use std::ops::RangeInclusive;

use proof::security::{Bits, Limit};

use crate::{CircleOptions, Security};

/// Which estimate of the security a policy goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecurityKind {
    /// Proof-of-work bits plus log2 of the blowup for each query, as stwo counts.
    Claimed,
    /// The weakest round, with the conjecture that [`crate::security()`] describes.
    Conjectured,
    /// The weakest round, without conjectures.
    Provable,
}

impl SecurityKind {
    /// The estimate of this kind.
    pub fn of(self, security: &Security) -> Bits {
        match self {
            Self::Claimed => Bits { bits: security.claimed, limit: Limit::Queries },
            Self::Conjectured => security.conjectured,
            Self::Provable => security.provable,
        }
    }
}

impl fmt::Display for SecurityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claimed => "claimed",
            Self::Conjectured => "conjectured",
            Self::Provable => "provable",
        })
    }
}

/// Which configurations are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Allowed {
    /// All that are valid.
    #[default]
    Any,
    /// Those whose parameters are in these ranges.
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

/// What a proof must be. `Default`: 96 bits as claimed, any configuration, at most `2^26` preprocessed cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Fewer bits are refused.
    pub min_security_bits: u32,
    /// Which bits.
    pub kind: SecurityKind,
    /// Which configurations.
    pub allowed: Allowed,
    /// Most cells of preprocessed columns that are read for one proof. The verifier evaluates them itself, in time and memory
    /// proportional to their number, so a hostile statement must not choose it.
    pub max_preprocessed_cells: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            min_security_bits: 96,
            kind: SecurityKind::Claimed,
            allowed: Allowed::Any,
            max_preprocessed_cells: 1 << 26,
        }
    }
}

/// A configuration that the policy does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Not worth enough.
    #[error("{kind} security is {} bits ({}), {required} are required", found.bits, found.limit)]
    Security {
        /// What the policy asks for.
        required: u32,
        /// Which estimate.
        kind: SecurityKind,
        /// The estimate.
        found: Bits,
    },
    /// A parameter is not what the policy takes.
    #[error("{what} is {found}, the policy takes {least} to {most}")]
    Range {
        /// Which parameter.
        what: &'static str,
        /// In the proof.
        found: u32,
        /// The smallest that is taken.
        least: u32,
        /// The largest that is taken.
        most: u32,
    },
    /// The lifting is not the one that the policy takes.
    #[error("lifting is {}, the policy takes {}", or_none(*.found), or_none(*.expected))]
    Lifting {
        /// In the proof.
        found: Option<u32>,
        /// The one that is taken.
        expected: Option<u32>,
    },
    /// More preprocessed cells than the policy lets the verifier read.
    #[error(
        "the preprocessed columns have {found} cells, the policy has at most {most} evaluated: allow more if the statement is trusted"
    )]
    Preprocessed {
        /// In the statement.
        found: u64,
        /// Most that are taken.
        most: u64,
    },
}

impl Policy {
    /// Takes every valid configuration and any statement: for tests, for what one has proven oneself, and for looking at
    /// foreign proofs.
    pub const ANY: Self = Self {
        min_security_bits: 0,
        kind: SecurityKind::Claimed,
        allowed: Allowed::Any,
        max_preprocessed_cells: u64::MAX,
    };

    /// Whether the parameters are among those that are taken.
    pub(crate) fn check_options(&self, options: &CircleOptions) -> Result<(), PolicyError> {
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

    /// Whether the verifier may read that many cells of preprocessed columns.
    pub(crate) fn check_preprocessed(&self, cells: u64) -> Result<(), PolicyError> {
        if cells > self.max_preprocessed_cells {
            return Err(PolicyError::Preprocessed { found: cells, most: self.max_preprocessed_cells });
        }
        Ok(())
    }

    /// Whether it is worth enough.
    pub(crate) fn check_security(&self, security: &Security) -> Result<(), PolicyError> {
        let (found, required) = (self.kind.of(security), self.min_security_bits);
        if found.bits < required {
            return Err(PolicyError::Security { required, kind: self.kind, found });
        }
        Ok(())
    }
}

fn or_none(lifting: Option<u32>) -> String {
    lifting.map_or("none".to_owned(), |lifting| lifting.to_string())
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
        assert_eq!(check(ranges(40..=80), &options), Ok(()));
        let error = PolicyError::Range { what: "the number of queries", found: 40, least: 41, most: 80 };
        assert_eq!(check(ranges(41..=80), &options), Err(error));
        assert_eq!(check(Allowed::Exactly(options), &options), Ok(()));
        let changes: [fn(&mut CircleOptions); 6] = [
            |o| o.pow_bits += 1,
            |o| o.log_blowup += 1,
            |o| o.queries -= 1,
            |o| o.fold_step += 1,
            |o| o.log_last += 1,
            |o| o.lifting = Some(20),
        ];
        for change in changes {
            let mut changed = options;
            change(&mut changed);
            assert!(check(Allowed::Exactly(options), &changed).is_err(), "{changed:?}");
        }
    }
}
