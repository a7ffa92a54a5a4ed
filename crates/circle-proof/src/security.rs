//! How many bits of security a proof has: claimed, conjectured, provable and first-order.
//!
//! All four are the weakest round of the protocol, as the crate `goldilocks_proof` explains in its module `security`,
//! and its references hold here, too: a circle code is a Reed-Solomon code up to the choice of coordinates (Haböck,
//! Levit, Papini, *Circle STARKs*, ePrint 2024/278). *Claimed* counts log2 of the blowup for each query: the conjecture
//! of ethSTARK (ePrint 2021/582), which since November 2025 is known to be slightly too much (Diamond, Gruen, ePrint
//! 2025/2010; Crites, Stewart, ePrint 2025/2046). stwo's own figure, [`CircleOptions::claimed_bits`], which
//! configurations are named by, is that of the queries and the work alone: the claimed one is at most that, and less
//! where another round is worth less.
//!
//! # Rounds
//! `Q = (2^31 - 1)^4` elements of the extension, `N = 2^L` points of the common domain, `2^m = N/b`, `q` queries, `G`
//! bits of work, `k` folds by two in a layer. `rho+ = (2^m + 3)/N` is the rate of the code that committed columns are
//! near. `theta` is the distance up to which a cheating prover is followed, `l` the number of codewords that near, `ca`
//! the error of correlated agreement of two words; all three are of that rate. `G` are the bits that the hash function
//! makes of the options' `pow_bits` ([`Suite::work_bits`](crate::Suite::work_bits)).
//!
//! | round | error | why |
//! |---|---|---|
//! | elements of the AIR | `l 2 F max(v - 1, 1) 2^-G'/Q` | `F` lookup fractions ([`Parts::fractions`](crate::layout::Parts::fractions)), of relations of `v` values at most, `G'` bits of work before they are drawn: a denominator is a polynomial of degree `v - 1` in one of the two elements of its relation, and in no other relation's |
//! | the same, other interaction columns | `l D 2^-G'/Q` | `D` as the statement says, the degree in these elements of what such columns prove; both are added up |
//! | weight of the constraints | `l C/Q` | `C` constraints |
//! | out-of-domain point | `l^2 3 (2^m + 2)/(Q - N)` | a column vanishes at `2^m + 2` points at most, a constraint has degree 3 at most |
//! | weight of the quotients | `S (b rho+)^1.5 ca` | `S` samples, periodicity samples included: each has a power of the weight |
//! | folds | `(2^k - 1) (b rho+)^1.5 ca` | one factor and its squares fold `k` times: a curve of that degree |
//! | queries | `(1 - theta)^q 2^-G` | positions are drawn with replacement |
//!
//! A denominator is taken to be `sum alpha^i v_i - z`, as stwo's `combine` makes it, in order of the powers; `v` is
//! read off the recorded denominators. Where one has another form, `v` counts as the largest number there is, and the
//! figures lose 64 bits in that round.
//!
//! # The rate
//! Functions on the circle of degree `d` at most are, in the coordinate `t` of `x = (1 - t^2)/(1 + t^2)`,
//! `y = 2t/(1 + t^2)`, polynomials of degree `2d` at most, divided by `(1 + t^2)^d`: a Reed-Solomon code of dimension
//! `2d + 1` whose symbols are scaled (ePrint 2024/278). FRI lets pass words near the functions `p(x) + y q(x)` with
//! `p`, `q` of degree below `2^(m-1)`, which have degree `2^(m-1)` at most: dimension `2^m + 1`. So of each quotient
//! `(c f - b - a y)/line` it is known that it is near such a function; times the line, which has degree 1, the column
//! `f` is near a function of degree `2^(m-1) + 1`. Functions of that degree have dimension `2^m + 3`, and no more than
//! `2^m + 2` zeros. The larger code, which holds the others, counts in all rounds. At one distance the bound on `ca` of
//! a code of a smaller rate `rho` is `(rho+/rho)^1.5` times that of `rho+` at most, by which quotients and folds are
//! worth less; here `rho = 1/b`.
//!
//! Columns of components with fewer rows are words on the same domain, near the same code; `docs/security.md` has the
//! lemma that they need not be lifts for the proof to be sound.
//!
//! Provable figures are the better of two regimes of [`Proximity`](proof_format::security::Proximity) (ePrint
//! 2025/2055) at the rate `rho+`: unique decoding, and list decoding up to the Johnson bound with the best integer
//! `3 <= m <= 1000`. First-order figures are the best of these and of the bounds of ePrint 2026/2056 for the dimensions
//! `2^m + 3` of columns and `2^m + 1` of quotients ([`Code`]). Claimed and conjectured figures have `l = 1`,
//! `ca = N/Q`; conjectured ones count a query `-log2(rho + eta)` bits, `eta = rho log2(e/rho)/log2(Q)`, the distance of
//! a random word.

use proof_format::security::math::{exp2, log2};
use proof_format::security::{Code, Fold, Limit, Rounds, Security, Space, Term};

use crate::CircleOptions;

/// The inputs of the estimate, beside the options.
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

/// The most that a proof with these options is worth for any statement: the bits of its queries and work, and of the
/// hash function. So weak options are known before there is a statement.
pub fn bound(options: &CircleOptions) -> Security {
    let log_blowup = options.log_blowup;
    let (log_field, proven_rate) = (4.0 * log2(2_147_483_647.0), exp2(-f64::from(log_blowup)));
    let (queries, work) = (options.queries, options.suite.work_bits(options.pow_bits));
    let hash_bits = options.suite.hash_bits();
    let rounds = Rounds { hash_bits, log_field, log_blowup, proven_rate, code: None, terms: vec![], queries, work };
    let security = rounds.security();
    // A proven figure is conjectured, too.
    Security { first_order: Some(security.conjectured), ..security }
}

/// The rounds of a proof: the table of the module's documentation, in its order.
pub(crate) fn rounds(options: &CircleOptions, shape: &Shape) -> Rounds {
    let log = |count: f64| log2(count.max(1.0));
    let log_field = 4.0 * log2(2_147_483_647.0);
    let log_points = f64::from(shape.log_domain);
    let rows = exp2(log_points - f64::from(options.log_blowup));
    let log_rows = shape.log_domain.checked_sub(options.log_blowup);
    let curve = exp2(f64::from(options.fold_step)) - 1.0;
    // How much more than that of the columns' code the agreement error of a narrower one may be.
    let narrower = 1.5 * log2((rows + 3.0) / rows);
    let width = log(shape.relation_width.saturating_sub(1) as f64);
    let (elements, words) = (Space::Elements(log_field), Space::Words(log_points));
    let mut terms = vec![
        Term::new(Limit::Constraints, elements, 1, log(shape.constraints as f64)),
        Term::new(Limit::OutOfDomain, elements, 2, log2(3.0) + log2(rows + 2.0)),
        Term::new(Limit::Batching, words, 0, log(shape.samples as f64) + narrower),
        Term::new(Limit::Folding, words, 0, log(curve) + narrower),
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
        hash_bits: options.suite.hash_bits(),
        log_field,
        log_blowup: options.log_blowup,
        proven_rate: (rows + 3.0) / exp2(log_points),
        code: log_rows.map(|log_rows| Code {
            log_points: shape.log_domain,
            log_rows,
            columns: (1 << log_rows) + 3,
            words: (1 << log_rows) + 1,
            // The characteristic of M31.
            characteristic: (1 << 31) - 1,
            combined: shape.samples as u64,
            folds: Fold::each_halving(log_rows, (1 << options.fold_step.min(32)) - 1),
        }),
        terms,
        queries: options.queries,
        work: options.suite.work_bits(options.pow_bits),
    }
}

#[cfg(test)]
mod tests {
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
        // A query is worth -log2(sqrt(1/2) (1 + 1/(2m))) bits: with m = 130, 60.61 in all, and 60.62 are left for the
        // samples.
        assert_eq!(security.provable, Bits { bits: 60, limit: Limit::Queries });
    }

    /// The claimed bits of the queries are a whole number, from which rounding takes nothing.
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
    fn no_statement_is_worth_more_than_the_bound() {
        for (log_blowup, queries) in [(1, 70), (2, 40), (4, 3)] {
            let options = CircleOptions { log_blowup, queries, ..CircleOptions::default() };
            let kinds = proof_format::SecurityKind::ALL;
            let found = rounds(&options, &SHAPE).security_by(proof_format::SecurityKind::FirstOrder);
            let bound = bound(&options);
            assert!(kinds.into_iter().all(|kind| kind.of(&bound).bits >= kind.of(&found).bits), "{bound:?} {found:?}");
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
        // 2^37 are 2 * 2^30 * 64, so that the error is a little more than twice the earlier one.
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
        assert_eq!(default(15, 40), Bits { bits: 100, limit: Limit::Queries });
        assert_eq!(default(22, 40).bits, 98);
        // Fewer rows have a higher rate, and take more queries.
        assert_eq!(default(14, 40), Bits { bits: 99, limit: Limit::Queries });
        for log_rows in 2..=16 {
            let options = CircleOptions::for_rows(1 << log_rows);
            let shape = Shape { log_domain: log_rows + 2, samples: 40, ..SHAPE };
            assert!(estimate(&options, &shape).provable.bits >= 100, "2^{log_rows} rows");
            // With very few rows the Johnson bound is worth more.
            let fewer = CircleOptions { queries: options.queries - 1, ..options };
            assert!(estimate(&fewer, &shape).provable.bits < 100 || log_rows < 6, "2^{log_rows} rows");
        }
        assert_eq!([4, 12, 13].map(|log| CircleOptions::for_rows(1 << log).queries), [129, 119, 118]);
    }

    /// Bounds of 2026 are worth a bit where queries and samples have as many: so in a Cairo proof of many columns.
    #[test]
    fn the_newer_figure_is_no_less() {
        let options =
            CircleOptions { pow_bits: 26, log_blowup: 1, queries: 70, fold_step: 3, ..CircleOptions::default() };
        let figures = |options: &CircleOptions, shape: &Shape| {
            let security = rounds(options, shape).security_by(proof_format::SecurityKind::FirstOrder);
            (security.provable.bits, security.first_order.map(|figure| figure.bits))
        };
        let shape = Shape { log_domain: 24, samples: 6000, ..SHAPE };
        assert_eq!(figures(&options, &shape), (59, Some(60)));
        let code = Code {
            log_points: 24,
            log_rows: 23,
            columns: (1 << 23) + 3,
            words: (1 << 23) + 1,
            characteristic: 2_147_483_647,
            combined: 6000,
            folds: Fold::each_halving(23, 7),
        };
        assert_eq!(rounds(&options, &shape).code, Some(code));
        // Half the distance is best.
        assert_eq!(figures(&CircleOptions::default(), &SHAPE), (96, Some(96)));
        // Two rows have no code: three dimensions more are all points.
        let options = CircleOptions { log_blowup: 1, ..options };
        assert_eq!(figures(&options, &Shape { log_domain: 2, ..SHAPE }), (25, Some(25)));
        assert_eq!(rounds(&options, &SHAPE).table().columns.len(), 8);
    }

    /// Options that were found for the rate 1/b, of which 100 bits were claimed.
    #[test]
    fn columns_are_of_a_higher_rate_than_their_rows() {
        let provable = |log_rows, log_blowup, queries, pow_bits| {
            let options = CircleOptions { queries, pow_bits, log_blowup, ..CircleOptions::default() };
            let shape = Shape { log_domain: log_rows + log_blowup, samples: 14, ..SHAPE };
            estimate(&options, &shape).provable.bits
        };
        let expected = [(4, 88), (6, 95), (8, 99), (10, 99), (12, 100), (16, 100)];
        for (log_rows, bits) in expected {
            assert_eq!(provable(log_rows, 1, 193, 20), bits, "2^{log_rows} rows");
        }
        // 2 rows and 5 dimensions on 4 points: only work is left, rounded down.
        assert_eq!(provable(1, 1, 1000, 20), 19);
    }
}
