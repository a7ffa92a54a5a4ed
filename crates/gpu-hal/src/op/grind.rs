//! Proof of work.

use super::*;
use crate::GrindChallenge;

op! {
    /// [`crate::StarkBackend::grind_within`].
    Grind(challenge: &'a GrindChallenge, windows: Range<u64>) -> Nonce;

    check(_) {
        let invalid = |detail| Err(HalError::invalid(Self::NAME, detail));
        if challenge.bits > 64 {
            return invalid(format!("{} bits: a nonce has 64", challenge.bits));
        }
        let all = T::P::WINDOWS;
        if windows.start > windows.end || windows.end > all {
            return invalid(format!("windows {} to {} of the {all} that there are", windows.start, windows.end));
        }
        Ok(())
    }
    makes(on) {
        on.step(|_| Step::Grind);
        on.beside(&Footprint::Grind { bits: challenge.bits });
        Some(0)
    }
    through(on, _) { on.grind(challenge, windows.clone()) }
}
