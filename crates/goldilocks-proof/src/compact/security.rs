//! How many bits of security a compact proof has, by the rounds of section 11.
//!
//! Figures and notation are those of [`crate::security`]; `B` is the number of the DEEP terms, `A` that of the
//! out-of-domain points, and `rho+ = (n + R + A - 1)/N`. Each round has a proof of work of its own.

use alloc::vec::Vec;

use field::{Goldilocks, PrimeField as _};
use proof_format::SecurityKind;
use proof_format::security::math::{exp2, log2};
use proof_format::security::{Bits, Code, Fold, Limit, Rounds, Security, Space, Term};

use super::Options;
use crate::Draw;
use crate::options::OptionsError;
use crate::security::Shape;

/// Estimates the security of a proof with these options. Options that are not valid for the shape give 0 bits.
pub fn estimate(options: &Options, shape: &Shape) -> Security {
    estimate_by(options, shape, SecurityKind::Provable)
}

/// The same, with the first-order figure if that is the kind.
pub fn estimate_by(options: &Options, shape: &Shape, kind: SecurityKind) -> Security {
    let none = Bits { bits: 0, limit: Limit::Queries };
    let nothing = Security { claimed: none, conjectured: none, provable: none, first_order: None };
    rounds(options, shape).map_or(nothing, |rounds| rounds.security_by(kind))
}

/// The rounds of a proof with these options, in order. The out-of-domain round is two where there are two points: its
/// error is a sum, so that each has a bit less.
///
/// # Errors
/// Why the options are out of range. Whether they fit the rows is checked with the statement's other numbers.
pub fn rounds(options: &Options, shape: &Shape) -> Result<Rounds, OptionsError> {
    options.validate_alone()?;
    let log_rows = f64::from(shape.log_trace);
    Ok(Rounds {
        hash_bits: options.suite.hash_bits(),
        log_field: log_field(shape),
        log_blowup: options.log_blowup(),
        proven_rate: dimension(options, shape) / exp2(log_rows + f64::from(options.log_blowup())),
        code: code(options, shape),
        terms: terms(options, shape).into_iter().map(|(_, term)| term).collect(),
        queries: options.queries,
        work: options.work_of(Draw::Queries),
    })
}

/// Log2 of `Q`.
fn log_field(shape: &Shape) -> f64 {
    shape.extension_degree as f64 * log_base()
}

/// Log2 of p, which is 2^64 - 2^32 up to the precision of an f64.
fn log_base() -> f64 {
    log2(18_446_744_069_414_584_320.0)
}

/// The dimension of the columns' code, `n+`.
fn dimension(options: &Options, shape: &Shape) -> f64 {
    exp2(f64::from(shape.log_trace)) + shape.frame_rows as f64 + f64::from(options.points) - 1.0
}

/// The number of the DEEP terms, `B`, or `B + 1` with the mask word.
fn deep_terms(options: &Options, shape: &Shape) -> usize {
    let of_columns = shape.columns.saturating_mul(shape.frame_rows + options.points as usize - 1);
    of_columns.saturating_add(shape.composition_parts).saturating_add(options.mask_words())
}

/// The rounds before the queries, each with its draw.
pub(super) fn terms(options: &Options, shape: &Shape) -> Vec<(Draw, Term)> {
    let log = |count: usize| log2(count.max(1) as f64);
    let log_rows = f64::from(shape.log_trace);
    let mut log_points = log_rows + f64::from(options.log_blowup());
    let (room, log_field) = (dimension(options, shape), log_field(shape));
    // Q - Pp, never below 1.
    let outside = log2((exp2(log_field) - shape.composition_parts as f64 * exp2(log_base())).max(1.0));
    let degree = shape.max_degree.max(shape.composition_parts).saturating_add(2);
    let elements = Space::Elements(log_field);
    let term = |draw, limit, space, lists, factor| {
        (draw, Term { work: options.work_of(draw), ..Term::new(limit, space, lists, factor) })
    };
    let mut terms = Vec::new();
    if shape.challenges > 0 {
        terms.push(term(Draw::Challenges, Limit::Challenges, elements, 1, 1.0 + log_rows + log(shape.challenges)));
    }
    terms.push(term(Draw::Constraints, Limit::Constraints, elements, 1, log(shape.constraints)));
    let point = |space, lists, factor| term(Draw::Points, Limit::OutOfDomain, space, lists, factor);
    let zeros = log(degree) + log2(room);
    if options.points == 1 {
        terms.push(point(Space::Elements(outside), 2, zeros));
    } else {
        terms.push(point(Space::Elements(outside), 1, zeros + 1.0));
        // Half the pairs of codewords, as one half of the sum.
        terms.push(point(Space::Elements(2.0 * outside), 2, 2.0 * log2(room)));
    }
    let curve = |draw, limit, log_points, degree| term(draw, limit, Space::Words(log_points), 0, log(degree));
    // One of the terms, or the mask word beside them, has no power of gamma.
    let weighed = deep_terms(options, shape).saturating_sub(1);
    terms.push(curve(Draw::Terms, Limit::Batching, log_points, weighed));
    for (fold, &step) in options.folds.iter().enumerate().filter(|(_, step)| **step > 0) {
        log_points -= f64::from(step);
        terms.push(curve(Draw::Fold(fold), Limit::Folding, log_points, (1 << step) - 1));
    }
    terms
}

/// The codes of the rounds, if the folds leave any rows.
fn code(options: &Options, shape: &Shape) -> Option<Code> {
    let mut log_shorter = 0;
    let fold = |&step: &u32| {
        log_shorter += step;
        Fold { log_shorter, degree: (1 << step) - 1 }
    };
    let folds: Vec<Fold> = options.folds.iter().filter(|step| **step > 0).map(fold).collect();
    let words = 1_u64.checked_shl(shape.log_trace)?;
    (log_shorter <= shape.log_trace).then(|| Code {
        log_points: shape.log_trace + options.log_blowup(),
        log_rows: shape.log_trace,
        columns: words.saturating_add((shape.frame_rows + options.points as usize - 1) as u64),
        words,
        characteristic: Goldilocks::ORDER,
        combined: deep_terms(options, shape).saturating_sub(1) as u64,
        folds,
    })
}
