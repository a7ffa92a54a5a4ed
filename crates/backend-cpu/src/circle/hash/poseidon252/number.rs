//! Numbers and states of permutations.

use gpu_hal::hash::poseidon252::WIDTH;

/// A number below `2^256`, least significant limb first: an element of the Stark field, reduced where it comes out of a
/// permutation.
pub(super) type Number = [u64; 4];
/// A state of the permutation.
pub(super) type State = [Number; WIDTH];
