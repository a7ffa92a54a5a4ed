//! Requests of the Goldilocks protocol.

use std::collections::BTreeMap;

use air::airs;
use proof::Seed;

use super::expect::{ExpectOptions, ExpectSeed};
use super::types::{Expect, Request};

/// What only a request of this protocol says.
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
    /// What a verifier must insist on at least: a seed that is not the default one.
    pub fn expect_seed(&self) -> Expect {
        let seed = self.extras.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        Expect { options: ExpectOptions { seed, ..ExpectOptions::default() }, ..Expect::default() }
    }
}

/// All parameters of the AIR, with the defaults of those that are not given.
pub(super) fn parameters(request: &Request) -> BTreeMap<String, u64> {
    let info = airs::all().iter().find(|info| info.name == request.air);
    let defaults = info
        .into_iter()
        .flat_map(|info| info.params)
        .filter_map(|param| Some((param.name.to_owned(), param.default?.value(request.rows))));
    let mut parameters: BTreeMap<String, u64> = defaults.collect();
    parameters.extend(request.parameters.clone());
    parameters
}
