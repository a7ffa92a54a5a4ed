//! Requests of the Goldilocks protocol.

use goldilocks_proof::Seed;

/// The parts of a request that only this protocol has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Transcript seed; `None` is the default seed, which binds the statement.
    pub seed: Option<Vec<u8>>,
}

impl Extras {
    pub(super) fn seed(&self) -> Seed<'_> {
        self.seed.as_deref().map_or(Seed::Default, Seed::Given)
    }
}
