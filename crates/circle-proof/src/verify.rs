//! The verdict.

use std::borrow::Cow;
use std::collections::BTreeMap;

use circle_air::{PreprocessedColumn, RecordedStatement, Statement};
use field::circle::{CirclePoint, coset_row_to_storage};
use field::{Field, M31, QM31};
use gpu_hal::{EvalOrder, LinearRecurrence};

use crate::codec::{decode, decode_config};
use crate::layout::Layout;
use crate::pattern::Pattern;
use crate::preprocessed::Evaluator;
use crate::replay::check_opened;
use crate::rounds::Composition;
use crate::{
    CircleOptions, Committed, Policy, Proof, Security, ShapeError, Suite, VerifyError, shape, stwo_verifier, wide_node,
};

/// An accepted proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The options of the proof.
    pub options: CircleOptions,
    /// Its security.
    pub security: Security,
    /// Log2 of the points of the common domain.
    pub log_domain: u32,
    /// Cells of the preprocessed columns, which were evaluated.
    pub preprocessed_cells: u64,
}

/// Verifies the bytes of a proof. `claimed_sums` has one element for each component with lookups, in component order,
/// and then the statement's claims.
///
/// The checks, the cheap ones first: the length, the configuration in the proof and the size of the statement, against
/// the policy; the statement with the configuration, and their security; lengths; claimed sums; the transcript, with
/// the proof of work; lengths that depend on the queries; stwo's verifier; last the preprocessed columns, which are
/// evaluated in time by their cells, or by log2 of their rows where all of them repeat a few values except for a few
/// rows. Where they say how often a component looks up, and do not repeat their values, the statement makes them once
/// more for that. Nothing panics on a hostile proof.
///
/// # Errors
/// The check that failed. No error means that the proof convinces, to as many bits as [`Verified::security`] says, of a
/// trace that satisfies the statement.
pub fn verify(
    statement: &dyn Statement,
    claimed_sums: &[QM31],
    bytes: &[u8],
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    policy.check_length(bytes.len())?;
    let options = decode_options(bytes, policy.suite)?;
    policy.check_options(&options)?;
    // Its nonce is no part of these bytes.
    match statement.interaction_pow_bits() {
        0 => {}
        bits => return Err(VerifyError::InteractionWork { bits }),
    }
    let patterns = patterns(statement, options.lifting);
    let preprocessed_cells =
        if policy.preprocessed_root.is_some() { 0 } else { cells_beside(&patterns, statement, options.lifting) };
    policy.check_preprocessed(preprocessed_cells)?;
    let recorded = RecordedStatement::new(statement, options.lifting)?;
    let layout = Layout::new(statement, &recorded, &options)?;
    let security = layout.security_by(policy.kind);
    policy.check_security(&security)?;
    let proof = decode_shaped(&layout, bytes)?;
    check_claimed_sums_are_canonical(claimed_sums)?;
    // Before the statement looks at them.
    let sums = recorded.spread(claimed_sums)?;
    let found = proof.commitments[0];
    if let Some(expected) = policy.preprocessed_root.filter(|expected| *expected != found) {
        return Err(VerifyError::PreprocessedRoot { found, expected });
    }

    let (rounds, drawn) = begin(statement, &layout, &proof, claimed_sums)?;
    let (digest, again) = (rounds.digest(), rounds.clone());
    let point = check_opened(&layout, &proof, rounds)?.point;
    let sampled = proof.sampled_values[0].clone();
    let elements = recorded.elements(&drawn, claimed_sums)?;
    let copy = proof.clone();
    stwo_verifier::verify(statement, &layout, &sums, &elements, digest, proof)
        .map_err(|error| wide_node(&layout, &copy, again).map_or(error, VerifyError::WideNode))?;
    if policy.preprocessed_root.is_none() {
        check_preprocessed(statement, &recorded, &layout, &patterns, &sampled, point)?;
    }
    Ok(Verified { options, security, log_domain: layout.log_domain, preprocessed_cells })
}

/// The proof that these bytes encode, if its lists are as long as the statement and the configuration in it ask for, as
/// far as that does not depend on the queries. Nothing is verified.
///
/// # Errors
/// If it is no proof of that shape, or the statement has none with this configuration.
pub fn decode_for(statement: &dyn Statement, bytes: &[u8], suite: Suite) -> Result<Proof, VerifyError> {
    let options = decode_options(bytes, suite)?;
    let recorded = RecordedStatement::new(statement, options.lifting)?;
    decode_shaped(&Layout::new(statement, &recorded, &options)?, bytes)
}

/// The options in the bytes of a proof, checked by themselves: nobody's as yet but the proof's.
///
/// # Errors
/// If there are none, or one is out of range.
pub fn decode_options(bytes: &[u8], suite: Suite) -> Result<CircleOptions, VerifyError> {
    let options = decode_config(bytes, suite)?;
    options.validate_alone()?;
    Ok(options)
}

fn decode_shaped(layout: &Layout, bytes: &[u8]) -> Result<Proof, VerifyError> {
    let most = layout.most_bytes();
    if bytes.len() as u128 > most {
        return Err(VerifyError::TooLong { found: bytes.len(), most });
    }
    let proof = decode(bytes, layout.options.suite)?;
    shape::check_fixed(layout, &proof)?;
    Ok(proof)
}

/// The security of proofs of this statement with these options.
///
/// # Errors
/// If there are none.
pub fn security(statement: &dyn Statement, options: &CircleOptions) -> Result<Security, VerifyError> {
    Ok(layout_of(statement, options)?.security)
}

/// The rounds of proofs of this statement with these options.
///
/// # Errors
/// If there are none.
pub fn rounds(
    statement: &dyn Statement,
    options: &CircleOptions,
) -> Result<proof_format::security::Rounds, VerifyError> {
    Ok(layout_of(statement, options)?.rounds())
}

pub(crate) fn layout_of(statement: &dyn Statement, options: &CircleOptions) -> Result<Layout, VerifyError> {
    Layout::new(statement, &RecordedStatement::new(statement, options.lifting)?, options)
}

fn check_claimed_sums_are_canonical(claimed_sums: &[QM31]) -> Result<(), VerifyError> {
    match claimed_sums.iter().position(|sum| !sum.is_canonical()) {
        None => Ok(()),
        Some(index) => Err(VerifyError::ClaimedSumNotCanonical { index }),
    }
}

/// The transcript of the statement and the traces; the claimed sums are checked with the drawn elements.
fn begin(
    statement: &dyn Statement,
    layout: &Layout,
    proof: &Proof,
    claimed_sums: &[QM31],
) -> Result<(Composition, Vec<QM31>), VerifyError> {
    let roots = &proof.commitments;
    if layout.trees[0].height == 0 && roots[0] != layout.options.suite.empty_root() {
        return Err(VerifyError::EmptyRoot);
    }
    let draws = statement.draws();
    let (round, drawn) = Committed::begin(&layout.options, &statement.mixes(), roots[0], roots[1]).draw(None, draws);
    statement.check_claimed_sums(&drawn, claimed_sums)?;
    // Both sides of the comparison inside come from `draws`, so there is no error.
    let interaction = (draws > 0).then(|| (claimed_sums, roots[2]));
    let rounds = round.commit(interaction).map_err(|_| VerifyError::Degenerate)?;
    Ok((rounds, drawn))
}

/// The closed forms of the preprocessed columns, as far as they have any. If a program makes the columns on a device
/// row by row, it has the closed forms.
fn patterns(statement: &dyn Statement, lifting: Option<u32>) -> Vec<Option<Pattern>> {
    let columns = statement.preprocessed(lifting);
    let program = statement.preprocessed_program(lifting).filter(|_| statement.order() == EvalOrder::Row);
    let Some(program) = program.filter(|program| program.len() == columns.len()) else {
        return vec![None; columns.len()];
    };
    let same = |(recurrence, column): (&LinearRecurrence<M31>, &PreprocessedColumn)| {
        Pattern::new(recurrence).filter(|_| recurrence.log_height == column.log_size)
    };
    program.iter().zip(&columns).map(same).collect()
}

/// Cells of preprocessed columns that a verifier evaluates if it is not told their root;
/// [`Policy::max_preprocessed_cells`] bounds them.
pub fn preprocessed_cells(statement: &dyn Statement, lifting: Option<u32>) -> u64 {
    cells_beside(&patterns(statement, lifting), statement, lifting)
}

/// The cells of all columns, unless each has a closed form.
fn cells_beside(patterns: &[Option<Pattern>], statement: &dyn Statement, lifting: Option<u32>) -> u64 {
    if patterns.iter().all(Option::is_some) { 0 } else { cells(&statement.preprocessed(lifting)) }
}

/// Cells of all columns.
fn cells(columns: &[PreprocessedColumn]) -> u64 {
    let of_column = |column: &PreprocessedColumn| 1u64.checked_shl(column.log_size).unwrap_or(u64::MAX);
    columns.iter().map(of_column).fold(0, u64::saturating_add)
}

/// Checks that the sampled values of the preprocessed columns belong to the statement's columns.
fn check_preprocessed(
    statement: &dyn Statement,
    recorded: &RecordedStatement,
    layout: &Layout,
    patterns: &[Option<Pattern>],
    sampled: &[Vec<QM31>],
    point: CirclePoint<QM31>,
) -> Result<(), VerifyError> {
    let is_read = |index: usize| !layout.trees[0].columns[index].offsets.is_empty();
    let columns = &recorded.preprocessed;
    let log_degree = layout.log_domain - layout.options.log_blowup;
    let wrong = |column: usize| Err(VerifyError::Preprocessed { column, id: columns[column].id.clone() });
    for (index, pattern) in patterns.iter().enumerate().filter(|(index, _)| is_read(*index)) {
        let Some(pattern) = pattern else { continue };
        if sampled[index] != [pattern.evaluate(point.repeated_double(log_degree - columns[index].log_size))] {
            return wrong(index);
        }
    }
    if (0..columns.len()).all(|index| !is_read(index) || patterns[index].is_some()) {
        return Ok(());
    }
    let tables = statement.preprocessed_values(layout.options.lifting);
    if tables.len() != columns.len() {
        let (found, expected) = (tables.len(), columns.len());
        return Err(ShapeError { what: "preprocessed columns of the statement".into(), found, expected }.into());
    }
    // One evaluator for all columns of a size, one size at a time.
    let mut by_size: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, column) in columns.iter().enumerate() {
        let found = tables[index].len();
        if found != 1 << column.log_size {
            return Err(VerifyError::PreprocessedRows { column: index, log_size: column.log_size, found });
        }
        if is_read(index) && patterns[index].is_none() {
            by_size.entry(column.log_size).or_default().push(index);
        }
    }
    for (log_size, indices) in by_size {
        let evaluator = Evaluator::new(log_size, point.repeated_double(log_degree - log_size));
        for column in indices {
            let rows = in_row_order(&tables[column], log_size, statement.order());
            if sampled[column] != [evaluator.evaluate(&rows)] {
                return wrong(column);
            }
        }
    }
    Ok(())
}

/// Values of a column of `2^log_size` rows, given in an order.
fn in_row_order(values: &[M31], log_size: u32, order: EvalOrder) -> Cow<'_, [M31]> {
    match order {
        EvalOrder::Row => values.into(),
        EvalOrder::Storage => (0..values.len()).map(|row| values[coset_row_to_storage(row, log_size)]).collect(),
    }
}

#[cfg(test)]
mod tests;
