//! Proofs on a device that fails, or computes wrongly: an error of the right kind, or the right proof, and nothing else.

use super::case::{Case, Soaked};
use super::report::Counts;
use crate::Error;
use crate::hal::{ErrorKind, Fault};
use crate::measure::FaultyDevice;

/// Operations that an error comes after, and results that a wrong one comes after, at most: few proofs of small statements have more.
const OPERATIONS: u64 = 64;
const RESULTS: u64 = 12;

/// The errors that a device may give at any operation.
const KINDS: [ErrorKind; 3] = [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend];

/// Proves a case with an error, then with a wrong result, at places that depend on the seed. `file` is the right proof. What is pardoned is no
/// matter of the faults.
pub(super) fn prove<F: Soaked>(
    case: &Case<F>,
    device: &mut FaultyDevice<F>,
    seed: u64,
    file: &[u8],
    counts: &mut Counts,
    is_pardoned: impl Fn(&Error) -> bool,
) -> Result<(), String> {
    // Seeds follow each other; the upper half of such a product does not.
    let drawn = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let kind = KINDS[(drawn % 3) as usize];
    let fault = Fault { operation: None, after: drawn / 3 % OPERATIONS, kind };
    match case.prove_with_faults(device, |faults| faults.arm(fault)) {
        (Err(error), true) if error.of_device().is_some_and(|error| error.kind == kind) => counts.faults += 1,
        (Err(error), _) if is_pardoned(&error) => counts.no_room += 1,
        (Err(error), true) => return Err(format!("{fault:?} became another error: {error}")),
        (Ok(proven), _) if proven.file == file => {}
        (Ok(_), _) => return Err(format!("{fault:?} changed the proof")),
        (Err(error), false) => return Err(format!("no proof, and {fault:?} did not strike: {error}")),
    }
    let after = drawn / 3 / OPERATIONS % RESULTS;
    match case.prove_with_faults(device, |faults| faults.arm_wrong(after)) {
        // Whoever noticed: the prover, which saw that no proof can be, or the verifier.
        (Err(_), true) => counts.miscomputed += 1,
        (Err(error), _) if is_pardoned(&error) => counts.no_room += 1,
        (Ok(proven), _) if proven.file == file => {}
        (Ok(_), _) => return Err(format!("wrong result {after} came to a proof that was taken")),
        (Err(error), false) => return Err(format!("no proof, and no result was wrong: {error}")),
    }
    Ok(())
}
