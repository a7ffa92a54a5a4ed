//! How many bits of security a proof has: claimed, conjectured, and provable.
//!
//! All three are the weakest round of the protocol, as the Goldilocks crate `proof` explains in its module `security`, and its references hold here, too: a circle
//! code is a Reed-Solomon code up to the choice of coordinates (Haböck, Levit, Papini, *Circle STARKs*, ePrint 2024/278).
//! *Claimed* counts log2 of the blowup for each query: the conjecture of ethSTARK (ePrint 2021/582), which since November 2025
//! is known to be slightly too much (Diamond, Gruen, ePrint 2025/2010; Crites, Stewart, ePrint 2025/2046). stwo's own figure,
//! [`CircleOptions::claimed_bits`], which configurations are named by, is that of the queries and the work alone: the claimed one is at
//! most that, and less where another round is worth less.
//!
//! # Rounds
//! `Q = (2^31 - 1)^4` elements of the extension, `N = 2^L` points of the common domain, `2^m = N/b`, `q` queries, `G` bits of
//! work, `k` folds by two in a layer. `theta` is the distance up to which a cheating prover is followed, `l` the number of
//! codewords that near, `ca` the error of correlated agreement of two words.
//!
//! | round | error | why |
//! |---|---|---|
//! | elements of the AIR | `l 2 F (v - 1) 2^-G'/Q` | `F` lookup fractions, at most two in each group of four interaction columns, of relations of `v` values at most, `G'` bits of work before they are drawn: a denominator is a polynomial of degree `v - 1` in one of the two elements of its relation, and in no other relation's |
//! | the same, other interaction columns | `l D 2^-G'/Q` | `D` as the statement says, the degree in these elements of what such columns prove; both are added up |
//! | weight of the constraints | `l C/Q` | `C` constraints |
//! | out-of-domain point | `l^2 3 2^m/(Q - N)` | a column vanishes at `2^m` points at most, a constraint has degree 3 at most |
//! | weight of the quotients | `S ca` | `S` samples, those of periods included: each has a power of the weight |
//! | folds | `(2^k - 1) ca` | one factor and its squares fold `k` times: a curve of that degree |
//! | queries | `(1 - theta)^q 2^-G` | positions are drawn with replacement |
//!
//! A denominator is taken to be `sum alpha^i v_i - z`, as stwo's `combine` makes it, in order of the powers; `v` is read off the recorded
//! denominators. Where one has another form, `v` counts as the largest number there is, and the figures lose 64 bits in that round.
//!
//! Provable figures are the better of two regimes of [`Proximity`](proof_format::security::Proximity) (ePrint 2025/2055) at the rate `1/b`: unique decoding, and list
//! decoding up to the Johnson bound with the best integer `3 <= m <= 1000`. Claimed and conjectured figures have `l = 1`, `ca = N/Q`;
//! conjectured ones count a query `-log2(rho + eta)` bits, `eta = rho log2(e/rho)/log2(Q)`, the distance of a random word.

use proof_format::security::math::{exp2, log2};
use proof_format::security::{Limit, Rounds, Space, Term};

use crate::CircleOptions;

/// What the estimate depends on, beside the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// `L`.
    pub(crate) log_domain: u32,
    /// `C`.
    pub(crate) constraints: usize,
    /// `S`.
    pub(crate) samples: usize,
    /// `F`.
    pub(crate) fractions: u64,
    /// `v`, of the widest relation.
    pub(crate) relation_width: usize,
    /// `D`.
    pub(crate) given_degree: u64,
    /// Bits of a proof of work before the elements of the AIR, `G'`.
    pub(crate) interaction_pow_bits: u32,
}

/// The rounds of a proof: the table of the module's documentation, in its order.
pub(crate) fn rounds(options: &CircleOptions, shape: &Shape) -> Rounds {
    let log = |count: f64| log2(count.max(1.0));
    let log_field = 4.0 * log2(2_147_483_647.0);
    let log_points = f64::from(shape.log_domain);
    let log_degree = log_points - f64::from(options.log_blowup);
    let curve = exp2(f64::from(options.fold_step)) - 1.0;
    let width = log(shape.relation_width.saturating_sub(1) as f64);
    let (elements, words) = (Space::Elements(log_field), Space::Words(log_points));
    let mut terms = vec![
        Term::new(Limit::Constraints, elements, 1, log(shape.constraints as f64)),
        Term::new(Limit::OutOfDomain, elements, 2, log2(3.0) + log_degree),
        Term::new(Limit::Batching, words, 0, log(shape.samples as f64)),
        Term::new(Limit::Folding, words, 0, log(curve)),
    ];
    let lookups = (shape.fractions > 0).then(|| 1.0 + log(shape.fractions as f64) + width);
    let given = (shape.given_degree > 0).then(|| log(shape.given_degree as f64));
    let degree = match (lookups, given) {
        (Some(lookups), Some(given)) => Some(log2(exp2(lookups) + exp2(given))),
        (one, other) => one.or(other),
    };
    if let Some(degree) = degree {
        let challenges = Term::new(Limit::Challenges, elements, 1, degree);
        terms.insert(0, Term { work: shape.interaction_pow_bits, ..challenges });
    }
    Rounds {
        hash_bits: 128,
        log_field,
        log_blowup: options.log_blowup,
        proven_rate: exp2(-f64::from(options.log_blowup)),
        terms,
        queries: options.queries,
        work: options.pow_bits,
    }
}

#[cfg(test)]
mod tests {
    use proof_format::Security;
    use proof_format::security::Bits;

    use super::*;

    fn estimate(options: &CircleOptions, shape: &Shape) -> Security {
        rounds(options, shape).security()
    }

    const SHAPE: Shape = Shape {
        log_domain: 22,
        constraints: 100,
        samples: 100,
        fractions: 0,
        relation_width: 0,
        given_degree: 0,
        interaction_pow_bits: 0,
    };

    #[test]
    fn figures_by_hand() {
        // Blowup 2, 70 queries, 26 bits of work, as Cairo is proven.
        let options =
            CircleOptions { pow_bits: 26, log_blowup: 1, queries: 70, fold_step: 1, ..CircleOptions::default() };
        let security = estimate(&options, &Shape { samples: 40, ..SHAPE });
        assert_eq!(security.claimed, Bits { bits: 96, limit: Limit::Queries });
        // eta = 0.5 log2(2e)/124 = 0.00985, a query is worth 0.9719 bits: 94.03.
        assert_eq!(security.conjectured, Bits { bits: 94, limit: Limit::Queries });
        // A query is worth -log2(sqrt(1/2) (1 + 1/(2m))) bits: with m = 130, 60.61 in all, and 60.62 are left for the samples.
        assert_eq!(security.provable, Bits { bits: 60, limit: Limit::Queries });
    }

    /// What is claimed for the queries is a whole number, from which no rounding takes a bit.
    #[test]
    fn every_number_of_bits_is_claimed_as_it_is() {
        let few = Shape { log_domain: 5, constraints: 1, samples: 1, ..SHAPE };
        for bits in 1..=117 {
            let pow_bits = bits.min(20) - 1;
            let options = CircleOptions {
                pow_bits,
                log_blowup: 1,
                queries: bits - pow_bits,
                fold_step: 1,
                ..CircleOptions::default()
            };
            assert_eq!(estimate(&options, &few).claimed, Bits { bits, limit: Limit::Queries });
        }
    }

    #[test]
    fn the_field_is_a_limit() {
        let options = CircleOptions { queries: 1000, fold_step: 4, ..CircleOptions::default() };
        // 124 - 22 - log2(3/8) - log2(100) = 96.8.
        let limit = Bits { bits: 96, limit: Limit::Batching };
        assert_eq!(estimate(&options, &SHAPE).provable, limit);
        assert_eq!(estimate(&options, &SHAPE).claimed, limit, "2020 bits for stwo");
        // 124 - 22 - log2(3/8) - log2(15) = 99.5.
        let shape = Shape { samples: 2, ..SHAPE };
        assert_eq!(estimate(&options, &shape).conjectured, Bits { bits: 99, limit: Limit::Folding });
        // 124 - 1 - 30, less a little: p is below 2^31.
        let shape = Shape { fractions: 1 << 30, relation_width: 2, ..shape };
        assert_eq!(estimate(&options, &shape).provable, Bits { bits: 92, limit: Limit::Challenges });
        // Tuples of 66 values: log2(65) = 6.02 less.
        let shape = Shape { relation_width: 66, ..shape };
        assert_eq!(estimate(&options, &shape).claimed, Bits { bits: 86, limit: Limit::Challenges });
        // 2^37 are 2 * 2^30 * 64, so that the error is twice and a little what it was.
        let given = Shape { given_degree: 1 << 37, ..shape };
        assert_eq!(estimate(&options, &given).claimed, Bits { bits: 85, limit: Limit::Challenges });
        // Work before they are drawn makes up for it: 99 of the folds are left.
        let shape = Shape { interaction_pow_bits: 24, ..shape };
        assert_eq!(estimate(&options, &shape).claimed, Bits { bits: 99, limit: Limit::Folding });
    }

    #[test]
    fn the_default_is_worth_100_bits_where_the_field_leaves_them() {
        let default =
            |log_domain, samples| estimate(&CircleOptions::default(), &Shape { log_domain, samples, ..SHAPE }).provable;
        // 118 queries of -log2(5/8) bits and 20 of work: 100.01. 124 + log2(8/3) - 18 - log2(108) = 100.7.
        assert_eq!(default(18, 108), Bits { bits: 100, limit: Limit::Queries });
        assert_eq!(default(19, 108), Bits { bits: 99, limit: Limit::Batching });
        assert_eq!(default(12, 40), Bits { bits: 100, limit: Limit::Queries });
        assert_eq!(default(22, 40).bits, 98);
    }
}
