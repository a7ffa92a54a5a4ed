//! Digests to and from lanes.

use gpu_hal::Digest;

use super::lanes::{DIGEST_WORDS, Lanes};

/// Bytes of eight digests, the most that one register group writes.
const BYTES: usize = 8 * size_of::<Digest>();

/// Words of up to `LANES` pairs of digests, word `w` of pair `l` in lane `l` of register `w`; missing pairs are zeros.
#[inline(always)]
pub(super) fn read_pairs<V: Lanes>(pairs: &[Digest]) -> [V; 8] {
    if pairs.len() >= 2 * V::LANES {
        // SAFETY: 2 LANES digests are 64 LANES bytes.
        return unsafe { V::load_pairs(pairs.as_ptr().cast()) };
    }
    let mut padded = [0; 2 * BYTES];
    let bytes = pairs.as_flattened();
    padded[..bytes.len()].copy_from_slice(bytes);
    // SAFETY: 16 digests are enough for any number of lanes.
    unsafe { V::load_pairs(padded.as_ptr()) }
}

/// Writes the first `min(LANES, out.len())` digests.
#[inline(always)]
pub(super) fn write_digests<V: Lanes>(words: [V; DIGEST_WORDS], out: &mut [Digest]) {
    if out.len() >= V::LANES {
        // SAFETY: LANES digests are 32 LANES bytes.
        unsafe { V::store_digests(words, out.as_mut_ptr().cast()) };
        return;
    }
    let mut padded = [0; BYTES];
    // SAFETY: 8 digests are enough for any number of lanes.
    unsafe { V::store_digests(words, padded.as_mut_ptr()) };
    let bytes = out.as_flattened_mut();
    bytes.copy_from_slice(&padded[..bytes.len()]);
}
