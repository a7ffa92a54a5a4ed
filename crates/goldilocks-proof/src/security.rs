//! How many bits of security a proof has: claimed, conjectured, provable and first-order.
//!
//! Security of `k` bits means that an attacker who makes `t` hash evaluations finds an accepted proof of a false
//! statement with probability about `t/2^k`. The proof is the non-interactive form of an interactive oracle proof; its
//! bits are the minimum of the bits of the hash function and of `-log2` of the *round-by-round* soundness error, which
//! is the largest error of any round (Block, Garreta, Katz, Thaler, Tiwari, Zajac, *Fiat-Shamir Security of FRI and
//! Related SNARKs*, ePrint 2023/1071).
//!
//! # Notation
//! `n` rows, `N = b n` points of the LDE domain, `q` queries, `G` bits of grinding, `Q = p^D` elements of the
//! extension, `w` columns, `R` rows of the frame, `P` composition parts, `C` constraints (transition and boundary) of
//! degree at most `d`. `rho = 1/b` is the rate; `rho+ = (n + R)/N` leaves room for the out-of-domain quotients. `theta`
//! is the distance from the code up to which the analysis follows a cheating prover, `l` the number of codewords that
//! near, `ca` the error of correlated agreement of two words at that distance.
//!
//! # Rounds
//! | round | error | why |
//! |---|---|---|
//! | challenges of the AIR | `l 2n c/Q`, `c` of them | Schwartz-Zippel for a permutation or logup argument over `n` rows, degree at most `2n`; an AIR with other arguments must account for its own |
//! | powers of beta | `l C/Q` | a non-zero polynomial of degree below `C` in beta |
//! | out-of-domain point | `l^2 (max(d, P) + 2)(n + R)/(Q - n - N)` | the composition identity, denominators cleared: a term has degree `d (n + R)`, its exemptions and divisors at most `n` more each; Haböck, *A summary on the FRI low degree test*, ePrint 2022/1216, theorem 8; `l^2` as in *STARK-based Signatures from the RPO Permutation*, ePrint 2024/1553, theorem 2, which is also what Winterfell computes |
//! | powers of gamma | `(w R + P) ca` | curves instead of lines |
//! | each fold | `ca` | a fold by two is a line; later domains are smaller, so the first bounds all |
//! | queries | `(1 - theta)^q 2^-G` | each query misses the difference with probability `1 - theta` at most; each try costs `2^G` hashes |
//!
//! # Provable
//! The better of two analyses, both without conjectures, in the random oracle model; `theta`, `l` and `ca` are as in
//! [`Proximity`](proof_format::security::Proximity) (ePrint 2025/2055) at the rate `rho+`:
//! * *unique decoding*;
//! * *list decoding* up to the Johnson bound, best integer `3 <= m <= 1000`: `theta = 1 - sqrt(rho+)(1 + 1/(2m))`.
//!
//! The public calculator soundcalc counts the same in its rounds. It differs in its rounds: it takes the rate `rho` for
//! `rho+`, one `eta` for all options instead of the best `m`, `l` where here is `l^2`, and knows neither challenges of
//! an AIR nor the hash function's limit. So its figure is a little higher where the domain is small, and ours where
//! another `m` is better.
//!
//! # First-order
//! Without conjectures, too: the best of these two and of the bounds of ePrint 2026/2056, up to the Johnson bound and
//! past it. `ca` is of the code of `n` dimensions, `l` of the code of `n + R`, both in whole numbers
//! ([`Code`]); it is asked for by name.
//!
//! # Conjectured
//! ethSTARK (ePrint 2021/582, section 5.9) conjectures that a query is worth `log2(b)` bits: that `theta` can be taken
//! up to the capacity `1 - rho` of the code. In November 2025 that was shown to be false near capacity (Diamond, Gruen,
//! ePrint 2025/2010; Crites, Stewart, ePrint 2025/2046), with no attack that gains more than a little: a *random* word
//! is about as near as `1 - rho - eta`, `eta = rho log2(e/rho)/log2(Q)`. Here a query is worth `-log2(rho + eta)` bits,
//! the cut-off that ePrint 2025/2010 (section 1.5) names for users of a conjecture. `l = 1` and `ca = N/Q` in the other
//! rounds (Ben-Sasson, Carmon, Ishai, Kopparty, Saraf, *Proximity Gaps for Reed-Solomon Codes*, ePrint 2020/654,
//! theorem 1.4).
//!
//! # Claimed
//! ethSTARK's figure for the queries, `q log2(b) + G`, with the other rounds as conjectured: the figure by which
//! configurations are named.
//!
//! Bits are rounded down, terms are bounded from above where they are bounded, and the result is never more than the
//! hash function's collision resistance: 128 bits for Keccak-256, 127 for Poseidon2 (four elements, slightly below
//! `2^256` digests).

use alloc::vec;

use field::{Goldilocks, PrimeField as _};
use proof_format::SecurityKind;
use proof_format::security::math::{exp2, log2};
use proof_format::security::{Bits, Code, Fold, Limit, Rounds, Security, Space, Term};

use crate::lambdaworks;
use crate::options::OptionsError;

/// The statement's inputs of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Log2 of the rows.
    pub log_trace: u32,
    /// Degree `D` of the extension.
    pub extension_degree: usize,
    /// Columns, main and auxiliary.
    pub columns: usize,
    /// Rows of the frame, `R`.
    pub frame_rows: usize,
    /// Composition parts, `P`.
    pub composition_parts: usize,
    /// Transition and boundary constraints, `C`.
    pub constraints: usize,
    /// Largest degree of a constraint, a column counting 1.
    pub max_degree: usize,
    /// Challenges that the AIR uses in auxiliary columns.
    pub challenges: usize,
}

/// Estimates the security of a proof with these options: the minima of the table of its [`rounds`]. Options that are
/// not valid for the shape give 0 bits.
pub fn estimate(options: &lambdaworks::Options, shape: &Shape) -> Security {
    estimate_by(options, shape, SecurityKind::Provable)
}

/// The same, with the first-order figure if that is the kind.
pub fn estimate_by(options: &lambdaworks::Options, shape: &Shape, kind: SecurityKind) -> Security {
    let none = Bits { bits: 0, limit: Limit::Queries };
    let nothing = Security { claimed: none, conjectured: none, provable: none, first_order: None };
    rounds(options, shape).map_or(nothing, |rounds| rounds.security_by(kind))
}

/// The rounds of a proof with these options: the table of the module's documentation, in its order. The proof of work
/// stands before the queries and counts in no other round.
///
/// # Errors
/// Why the options are not valid for the shape.
pub fn rounds(options: &lambdaworks::Options, shape: &Shape) -> Result<Rounds, OptionsError> {
    options.validate(shape.log_trace, shape.composition_parts)?;
    let log = |count: usize| log2(count.max(1) as f64);
    let (log_rows, log_lde) = (f64::from(shape.log_trace), f64::from(options.log_lde(shape.log_trace)));
    let room = exp2(log_rows) + shape.frame_rows as f64;
    let rows = 1_u64 << shape.log_trace;
    // p is 2^64 - 2^32 up to the precision of an f64.
    let log_field = shape.extension_degree as f64 * log2(18_446_744_069_414_584_320.0);
    // Q - n - N, never below 1.
    let outside = log2((exp2(log_field) - exp2(log_rows) - exp2(log_lde)).max(1.0));
    let openings = shape.columns.saturating_mul(shape.frame_rows).saturating_add(shape.composition_parts);
    let degree = shape.max_degree.max(shape.composition_parts).saturating_add(2);
    let (elements, words) = (Space::Elements(log_field), Space::Words(log_lde));
    let challenges = Term::new(Limit::Challenges, elements, 1, 1.0 + log_rows + log(shape.challenges));
    let mut terms = vec![
        Term::new(Limit::Constraints, elements, 1, log(shape.constraints)),
        Term::new(Limit::OutOfDomain, Space::Elements(outside), 2, log(degree) + log2(room)),
        Term::new(Limit::Batching, words, 0, log(openings)),
        Term::new(Limit::Folding, words, 0, 0.0),
    ];
    if shape.challenges > 0 {
        terms.insert(0, challenges);
    }
    Ok(Rounds {
        hash_bits: options.suite.hash_bits(),
        log_field,
        log_blowup: options.log_blowup(),
        proven_rate: room / exp2(log_lde),
        code: Some(Code {
            log_points: options.log_lde(shape.log_trace),
            log_rows: shape.log_trace,
            columns: rows.saturating_add(shape.frame_rows as u64),
            words: rows,
            characteristic: Goldilocks::ORDER,
            combined: openings as u64,
            folds: Fold::each_halving(shape.log_trace, 1),
        }),
        terms,
        queries: options.queries,
        work: options.grinding,
    })
}
