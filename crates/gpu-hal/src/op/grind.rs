//! Proof of work.

use super::*;
use crate::GrindChallenge;

op! {
    /// [`crate::StarkBackend::grind_within`].
    Grind(challenge: &'a GrindChallenge, windows: Range<u64>) -> Nonce;

    check(_) {
        let (op, bits, all) = (Self::NAME, challenge.bits, T::P::WINDOWS);
        require!(bits <= 64, op, "{bits} bits: a nonce has 64");
        let Range { start, end } = windows;
        require!(start <= end && *end <= all, op, "windows {start} to {end} of the {all} that there are");
        Ok(())
    }
    makes(on) {
        on.step(|_| Step::Grind);
        on.beside(&Footprint::Grind { bits: challenge.bits });
        Some(0)
    }
    through(on, _) { on.grind(challenge, windows.clone()) }
}
