//! Proofs on a device that fails, or computes wrongly: an error of the right kind, or the right proof, and nothing
//! else.

use super::report::Counts;
use sdk::Error;
use sdk::hal::ErrorKind;
use sdk::hal::decorate::{Fault, FaultyHook};

/// Operations that an error comes after, and results that a wrong one comes after, at most: few proofs have more.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) operations: u64,
    pub(super) results: u64,
}

/// The errors that a device may give at any operation.
const KINDS: [ErrorKind; 3] = [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend];

/// Sets faults.
pub(super) type Arm<'a> = &'a dyn Fn(&FaultyHook);

/// Proves twice, with an error and then with a wrong result, at places that depend on the seed. `prove` gives the file,
/// and whether the fault struck; `file` is the right one. A pardoned error does not come from the faults.
pub(super) fn prove(
    mut prove: impl FnMut(Arm<'_>) -> (Result<Vec<u8>, Error>, bool),
    reach: Reach,
    seed: u64,
    file: &[u8],
    counts: &mut Counts,
    is_pardoned: impl Fn(&Error) -> bool,
) -> Result<(), String> {
    // Seeds follow each other; the upper half of such a product does not.
    let drawn = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let kind = KINDS[(drawn % 3) as usize];
    let fault = Fault { operation: None, after: drawn / 3 % reach.operations, kind };
    match prove(&|faults| faults.arm(fault)) {
        (Err(Error::Backend(error)), true) if error.kind == kind => counts.faults += 1,
        (Err(error), _) if is_pardoned(&error) => counts.no_room += 1,
        (Err(error), true) => return Err(format!("{fault:?} became another error: {error}")),
        (Ok(proven), _) if proven == file => {}
        (Ok(_), _) => return Err(format!("{fault:?} changed the proof")),
        (Err(error), false) => return Err(format!("no proof, and {fault:?} did not strike: {error}")),
    }
    let after = drawn / 3 / reach.operations % reach.results;
    match prove(&|faults| faults.arm_wrong(after)) {
        // Noticed by either: the prover, which saw that no proof can be, or the verifier.
        (Err(_), true) => counts.miscomputed += 1,
        (Err(error), _) if is_pardoned(&error) => counts.no_room += 1,
        (Ok(proven), _) if proven == file => {}
        (Ok(_), _) => return Err(format!("wrong result {after} came to a proof that was taken")),
        (Err(error), false) => return Err(format!("no proof, and no result was wrong: {error}")),
    }
    Ok(())
}
