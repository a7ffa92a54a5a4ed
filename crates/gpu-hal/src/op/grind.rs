//! Proof of work.

use super::*;
use crate::NonceSearch;

op! {
    /// [`crate::StarkBackend::grind_within`]: a hash function that the backend has and that has a proof of work, at
    /// most 64 bits, windows that there are.
    Grind(search: &'a NonceSearch, windows: Range<u64>) -> Nonce;

    check(capabilities) {
        let (op, &&NonceSearch { hash, bits, .. }) = (Self::NAME, search);
        if !capabilities.hashes.contains(&hash) {
            let detail = format!("{hash}; this backend has {:?}", capabilities.hashes);
            return Err(HalError::unsupported(op, detail));
        }
        require!(hash.has_work(), op, "{hash} has no proof of work");
        require!(bits <= 64, op, "{bits} bits: a nonce has 64");
        let (Range { start, end }, all) = (windows, hash.nonces().windows());
        require!(start <= end && *end <= all, op, "windows {start} to {end} of the {all} that there are");
        Ok(())
    }
    makes(on) {
        on.beside(&Footprint::Grind { bits: search.bits });
        Some(0)
    }
    cost() { Cost { search: Some(search.hash), ..Cost::default() } }
    through(on, _) { on.grind(search, windows.clone()) }
}
