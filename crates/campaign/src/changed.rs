//! A proof over Goldilocks is of its statement alone.

use adversary::Change;
use adversary::goldilocks::Statement;
use campaign::Outcome;
use prover_core::goldilocks::ProveError;

/// Changes one thing about a statement whose proof is known: of the changed one there is no proof, nor is the known
/// proof one of it. `prove` proves a statement, `accepts` says whether the known proof is taken for one.
pub(crate) fn of_no_change(
    statement: &Statement,
    seed: u64,
    prove: impl FnOnce(&Statement) -> Result<Vec<u8>, ProveError>,
    accepts: impl FnOnce(&Statement) -> bool,
) -> Outcome {
    let violations = statement.violations(seed);
    let Some(violation) = violations.get(seed as usize % violations.len().max(1)) else { return Outcome::Passed };
    match prove(&violation.statement) {
        Err(ProveError::Unsatisfied(_)) => {}
        Ok(_) if matches!(violation.what, Change::Public { .. }) => {}
        other => panic!("{}: {:?}", violation.what, other.map(|_| "a proof")),
    }
    // With the earlier trace only the claim is wrong.
    if !violation.what.is_of_trace() && accepts(&violation.statement) {
        // Public inputs that no constraint reads leave the statement true, and where all columns are constant its proof
        // is one under any challenges.
        let trace = statement.trace();
        let is_constant = (0..trace.width()).all(|j| trace.column(j).windows(2).all(|pair| pair[0] == pair[1]));
        if !(is_constant && matches!(violation.what, Change::Public { .. })) {
            return Outcome::Accepted;
        }
    }
    Outcome::Passed
}
