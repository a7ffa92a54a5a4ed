//! Numbers of random rows, words and salts of a proof that hides its witness (section 14).

use gpu_hal::Digest;
use sha3::{Digest as _, Keccak256};

use super::{Options, Sizes};
use crate::Hiding;
use crate::options::OptionsError;

/// Coordinates of an element of the extension: an opened value out of the domain is as many of the base field.
const DEGREE: u128 = 3;

/// The tag of the keys of masks.
const TAG: &[u8] = b"polystark masks 1";

/// The key of a proof's masks, from their seed and the bytes of the statement, which fix the first state of its
/// transcript: `K(tag || seed || K(statement))`. Another statement has other masks.
pub fn mask_key(seed: &[u8; 32], statement: &[u8]) -> Digest {
    let state = Keccak256::digest(statement);
    Keccak256::new().chain_update(TAG).chain_update(seed).chain_update(state).finalize().into()
}

/// [`Options::salts`] of leaves of `2^log_leaf` rows.
pub(super) fn salts(hiding: Hiding, log_leaf: u32) -> usize {
    match (hiding.hides(), log_leaf) {
        (false, _) => 0,
        (true, 0) => 2,
        (true, _) => 1,
    }
}

/// [`Options::mask_words`].
pub(super) fn mask_words(hiding: Hiding) -> usize {
    usize::from(hiding.hides())
}

impl Options {
    /// Random base elements at the end of a row of the first trees, `c`: at least two a leaf.
    pub fn salts(&self) -> usize {
        salts(self.hiding, self.log_leaf())
    }

    /// Columns over the extension in the composition tree that are no parts: the mask word.
    pub fn mask_words(&self) -> usize {
        mask_words(self.hiding)
    }

    /// Rows at the end of the trace that must be free for masks: a column has as many values in a proof, or in what a
    /// proof shows of the composition, at most (section 14).
    pub fn masked_rows(&self, sizes: &Sizes) -> u128 {
        if !self.hiding.hides() {
            return 0;
        }
        let read = sizes.parts as u128 * sizes.frame_rows as u128;
        let opened = u128::from(self.queries) << self.log_leaf();
        opened * (1 + read) + DEGREE * read + DEGREE * (u128::from(self.points) - 1)
    }

    /// Checks that enough rows are free. The options were checked for the statement.
    ///
    /// # Errors
    /// [`OptionsError::FreeRows`].
    pub fn check_free_rows(&self, sizes: &Sizes, free: usize) -> Result<(), OptionsError> {
        let needed = self.masked_rows(sizes);
        if free as u128 >= needed {
            return Ok(());
        }
        Err(OptionsError::FreeRows { needed: u64::try_from(needed).unwrap_or(u64::MAX), found: free as u64 })
    }
}
