//! Requests of the Goldilocks protocol.

use proof::Seed;

use super::expect::{ExpectOptions, ExpectSeed};
use super::types::Request;

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

impl Request {
    /// The least demand of a verifier: a seed that is not the default one.
    pub fn expect_seed(&self) -> ExpectOptions {
        let seed = self.extras.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        ExpectOptions { seed, ..ExpectOptions::default() }
    }
}
