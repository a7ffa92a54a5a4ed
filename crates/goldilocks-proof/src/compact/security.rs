//! How many bits of security a compact proof has, by the rounds of section 11.
//!
//! Figures and notation are those of [`crate::security`]; `B` is the number of the DEEP terms, `A` that of the
//! out-of-domain points, and `rho+ = (n + R + A - 1)/N`. Each round has a proof of work of its own.

use alloc::vec::Vec;

use proof_format::security::math::{exp2, log2};
use proof_format::security::{Bits, Limit, Rounds, Security, Space, Term};

use super::Options;
use crate::Draw;
use crate::options::OptionsError;
use crate::security::Shape;

/// Estimates the security of a proof with these options. Options that are not valid for the shape give 0 bits.
pub fn estimate(options: &Options, shape: &Shape) -> Security {
    let none = Bits { bits: 0, limit: Limit::Queries };
    let nothing = Security { claimed: none, conjectured: none, provable: none, first_order: None };
    rounds(options, shape).map_or(nothing, |rounds| rounds.security())
}

/// The rounds of a proof with these options, in order. The out-of-domain round is two where there are two points: its
/// error is a sum, so that each has a bit less.
///
/// # Errors
/// Why the options are out of range. Whether they fit the rows is checked with the statement's other numbers.
pub fn rounds(options: &Options, shape: &Shape) -> Result<Rounds, OptionsError> {
    options.validate_alone()?;
    let log = |count: usize| log2(count.max(1) as f64);
    let log_rows = f64::from(shape.log_trace);
    let mut log_points = log_rows + f64::from(options.log_blowup());
    let room = exp2(log_rows) + shape.frame_rows as f64 + f64::from(options.points) - 1.0;
    // p is 2^64 - 2^32 up to the precision of an f64.
    let log_base = log2(18_446_744_069_414_584_320.0);
    let log_field = shape.extension_degree as f64 * log_base;
    // Q - Pp, never below 1.
    let outside = log2((exp2(log_field) - shape.composition_parts as f64 * exp2(log_base)).max(1.0));
    let degree = shape.max_degree.max(shape.composition_parts).saturating_add(2);
    let of_columns = shape.columns.saturating_mul(shape.frame_rows + options.points as usize - 1);
    // One of the terms, or the mask word beside them, has no power of gamma.
    let deep_terms = of_columns.saturating_add(shape.composition_parts).saturating_add(options.mask_words());
    let weighed = deep_terms.saturating_sub(1);
    let elements = Space::Elements(log_field);
    let term = |draw, limit, space, lists, factor| Term {
        work: options.work_of(draw),
        ..Term::new(limit, space, lists, factor)
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
    terms.push(curve(Draw::Terms, Limit::Batching, log_points, weighed));
    for (fold, &step) in options.folds.iter().enumerate().filter(|(_, step)| **step > 0) {
        log_points -= f64::from(step);
        terms.push(curve(Draw::Fold(fold), Limit::Folding, log_points, (1 << step) - 1));
    }
    Ok(Rounds {
        hash_bits: options.suite.hash_bits(),
        log_field,
        log_blowup: options.log_blowup(),
        proven_rate: room / exp2(log_rows + f64::from(options.log_blowup())),
        // The newer bounds are not made for several words of work and two points.
        code: None,
        terms,
        queries: options.queries,
        work: options.work_of(Draw::Queries),
    })
}
