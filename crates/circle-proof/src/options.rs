//! Parameters of a proof (section 5).

use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Proximity, fewest_queries};

use crate::Suite;

/// Largest number of proof-of-work bits: the search order of section 12 is defined for nonces that this many bits need.
pub const MAX_POW_BITS: u32 = 32;
/// Largest log2 of the blowup.
pub const MAX_LOG_BLOWUP: u32 = 16;
/// Largest log2 of the coefficients of the last FRI layer.
pub const MAX_LOG_LAST: u32 = 10;
/// Largest log2 of the common domain: `D_L` has a half coset of points of order `2^(L+1)`, and the group has order
/// `2^31`.
pub const MAX_LOG_DOMAIN: u32 = 30;

/// The prover's choices: the fields of stwo's `PcsConfig`, with names of this project, and the hash functions.
/// `Default` is 100 bits, provable, in queries and work from 2^13 rows on, [`CircleOptions::for_rows`] of fewer, too,
/// and works for every statement of at least 4 rows; the field may limit them, depending on the statement (see
/// [`crate::security()`]). [`crate::cheapest()`] finds options for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CircleOptions {
    /// Bits of the proof of work: 0 to 32.
    pub pow_bits: u32,
    /// Log2 of the points of the extended domain per row: 1 to 16.
    pub log_blowup: u32,
    /// Number of queries: 1 to 65536.
    pub queries: u32,
    /// Log2 of the number by which an FRI layer shrinks: at least 1.
    pub fold_step: u32,
    /// Log2 of the coefficients of the last FRI layer: 0 to 10.
    pub log_last: u32,
    /// Log2 of the common domain, the blowup included; `None` is the natural one: the longest component's times the
    /// blowup.
    pub lifting: Option<u32>,
    /// The hash functions, which are not mixed and not in the bytes of the proof.
    pub suite: Suite,
}

impl Default for CircleOptions {
    fn default() -> Self {
        Self {
            pow_bits: 20,
            log_blowup: 2,
            queries: 118,
            fold_step: 2,
            log_last: 0,
            lifting: None,
            suite: Suite::Blake2s,
        }
    }
}

/// Reasons to refuse parameters, with the allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// More than 32 bits of proof of work.
    #[error("{0} bits of proof of work are not allowed: take 0 to {MAX_POW_BITS}")]
    PowBits(u32),
    /// Log2 of the blowup is not in 1..=16.
    #[error("a blowup of 2^{0} is not allowed: take 2^1 to 2^{MAX_LOG_BLOWUP}")]
    LogBlowup(u32),
    /// Number of queries is not in 1..=65536.
    #[error("{0} queries are not allowed: take 1 to {MAX_QUERIES}")]
    Queries(u64),
    /// Log2 of the last layer is above 10.
    #[error("a last layer of 2^{0} coefficients is not allowed: take 2^0 to 2^{MAX_LOG_LAST}")]
    LogLast(u32),
    /// Folds by 2^0, or by more than any domain has.
    #[error("a fold step of {0} is not allowed: take 1 to {MAX_LOG_DOMAIN}")]
    FoldStep(u32),
    /// A common domain that no circle holds.
    #[error(
        "a common domain of 2^{log_domain} points is not allowed: at most 2^{MAX_LOG_DOMAIN}; take fewer rows, a smaller blowup or a smaller lifting"
    )]
    DomainTooLarge {
        /// Log2 of the points.
        log_domain: u32,
    },
    /// A common domain that is too small for the statement.
    #[error(
        "lifting to 2^{lifting} points is too small: this statement needs 2^{least} at this blowup; take lifting {least} or more, or none"
    )]
    LiftingTooSmall {
        /// Log2 of the points that were asked for.
        lifting: u32,
        /// Log2 of the points that are needed.
        least: u32,
    },
    /// The first fold would go beyond the last layer.
    #[error(
        "the first fold takes the domain of 2^{log_domain} points by {fold_step} below the last layer's 2^{last}: take a smaller fold step or last layer, or more rows"
    )]
    FoldBeyondLast {
        /// Log2 of the points of the common domain, `L`.
        log_domain: u32,
        /// Fold step.
        fold_step: u32,
        /// Log2 of the points of the last layer: last layer's coefficients times the blowup.
        last: u32,
    },
}

impl CircleOptions {
    /// The default options for a statement whose longest component has `rows` rows or fewer: with more queries for few
    /// rows, whose code has a higher rate.
    pub fn for_rows(rows: u64) -> Self {
        let default = Self::default();
        // The rate of `crate::security`.
        let rate = (rows as f64 + 3.0) / (rows as f64 * f64::from(1 << default.log_blowup));
        let query_bits = Proximity::unique_decoding(rate).query_bits();
        let needed = fewest_queries(Profile::DEFAULT.bits, default.pow_bits, query_bits).unwrap_or(0);
        Self { queries: needed.max(default.queries), ..default }
    }

    /// Checks everything that does not depend on the statement.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    pub fn validate_alone(&self) -> Result<(), OptionsError> {
        if self.pow_bits > MAX_POW_BITS {
            return Err(OptionsError::PowBits(self.pow_bits));
        }
        if !(1..=MAX_LOG_BLOWUP).contains(&self.log_blowup) {
            return Err(OptionsError::LogBlowup(self.log_blowup));
        }
        if !(1..=MAX_QUERIES).contains(&self.queries) {
            return Err(OptionsError::Queries(self.queries.into()));
        }
        if self.log_last > MAX_LOG_LAST {
            return Err(OptionsError::LogLast(self.log_last));
        }
        if !(1..=MAX_LOG_DOMAIN).contains(&self.fold_step) {
            return Err(OptionsError::FoldStep(self.fold_step));
        }
        match self.lifting {
            Some(log_domain) if log_domain > MAX_LOG_DOMAIN => Err(OptionsError::DomainTooLarge { log_domain }),
            _ => Ok(()),
        }
    }

    /// Checks the options for a statement whose longest component has `2^log_rows` rows, and returns `L`, the log2 of
    /// the points of the common domain.
    ///
    /// # Errors
    /// The first check that failed.
    pub fn validate(&self, log_rows: u32) -> Result<u32, OptionsError> {
        self.validate_alone()?;
        let natural = log_rows.saturating_add(self.log_blowup);
        if natural > MAX_LOG_DOMAIN {
            return Err(OptionsError::DomainTooLarge { log_domain: natural });
        }
        let log_domain = self.lifting.unwrap_or(natural);
        if log_domain < natural {
            return Err(OptionsError::LiftingTooSmall { lifting: log_domain, least: natural });
        }
        if log_domain < self.fold_step + self.log_last_domain() {
            let (fold_step, last) = (self.fold_step, self.log_last_domain());
            return Err(OptionsError::FoldBeyondLast { log_domain, fold_step, last });
        }
        Ok(log_domain)
    }

    /// Log2 of the points of the last FRI layer's domain.
    pub fn log_last_domain(&self) -> u32 {
        self.log_last + self.log_blowup
    }

    /// The folds by two of each committed FRI layer, first layer first, for a common domain of `2^log_domain` points
    /// (section 11). Needs options that are valid for it.
    pub fn fold_steps(&self, log_domain: u32) -> Vec<u32> {
        let mut steps = vec![self.fold_step];
        let mut left = log_domain.saturating_sub(self.fold_step + self.log_last_domain());
        while left > 0 {
            let step = left.min(self.fold_step);
            steps.push(step);
            left -= step;
        }
        steps
    }

    /// Security bits as stwo counts them: bits of the proof of work, as far as they are worth that in the suite, plus
    /// log2 of the blowup for each query, no other round.
    /// See [`crate::security()`] for their security.
    pub fn claimed_bits(&self) -> u32 {
        self.suite.work_bits(self.pow_bits).saturating_add(self.log_blowup.saturating_mul(self.queries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let good = CircleOptions::default();
        assert_eq!(good.validate_alone(), Ok(()));
        let bad = |change: fn(&mut CircleOptions)| {
            let mut options = good;
            change(&mut options);
            options.validate_alone().unwrap_err()
        };
        let largest = CircleOptions { pow_bits: 32, lifting: Some(MAX_LOG_DOMAIN), ..good };
        assert_eq!(largest.validate_alone(), Ok(()));
        assert_eq!(bad(|o| o.pow_bits = 33), OptionsError::PowBits(33));
        assert_eq!(bad(|o| o.log_blowup = 0), OptionsError::LogBlowup(0));
        assert_eq!(bad(|o| o.log_blowup = 17), OptionsError::LogBlowup(17));
        assert_eq!(bad(|o| o.queries = 0), OptionsError::Queries(0));
        assert_eq!(bad(|o| o.queries = 65537), OptionsError::Queries(65537));
        assert_eq!(bad(|o| o.log_last = 11), OptionsError::LogLast(11));
        assert_eq!(bad(|o| o.fold_step = 0), OptionsError::FoldStep(0));
        assert_eq!(bad(|o| o.fold_step = u32::MAX), OptionsError::FoldStep(u32::MAX));
        assert_eq!(bad(|o| o.lifting = Some(31)), OptionsError::DomainTooLarge { log_domain: 31 });
    }

    #[test]
    fn sizes() {
        let options = CircleOptions::default();
        assert_eq!(options.validate(2), Ok(4));
        assert_eq!(options.validate(28), Ok(30));
        assert_eq!(options.validate(29), Err(OptionsError::DomainTooLarge { log_domain: 31 }));
        assert_eq!(options.validate(u32::MAX), Err(OptionsError::DomainTooLarge { log_domain: u32::MAX }));
        assert_eq!(options.validate(1), Err(OptionsError::FoldBeyondLast { log_domain: 3, fold_step: 2, last: 2 }));
        let lifted = CircleOptions { lifting: Some(7), ..options };
        assert_eq!(lifted.validate(4), Ok(7));
        assert_eq!(lifted.validate(6), Err(OptionsError::LiftingTooSmall { lifting: 7, least: 8 }));
        assert_eq!(options.fold_steps(9), [2, 2, 2, 1]);
        assert_eq!(options.fold_steps(4), [2]);
    }
}
