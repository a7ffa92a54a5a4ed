//! What is to be proven.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::AirError;
use air::airs::{self, ExampleAir, ParamDefault};
use proof::{ProofOptions, Seed};

use crate::{Expect, ExpectSeed, Goldilocks3};

/// Where the main columns of the trace are computed. The proof is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TraceSource {
    /// On the device where the AIR says how and the backend can, else on the host.
    #[default]
    Auto,
    /// On the host; they are uploaded.
    Upload,
    /// On the device, or there is no proof.
    Device,
}

/// A statement about an example AIR, and how to prove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Name of the AIR, see [`air::airs::all`].
    pub air: String,
    /// Rows of the trace.
    pub rows: u64,
    /// Parameters of the AIR; those that have defaults may be missing.
    pub parameters: BTreeMap<String, u64>,
    /// Options of the proof. Among them the blowup must be at least the number of the AIR's composition parts.
    pub options: ProofOptions,
    /// Transcript seed; `None` is the default seed, which binds the statement.
    pub seed: Option<Vec<u8>>,
    /// Where the trace is computed.
    pub trace: TraceSource,
}

impl Request {
    /// A request without parameters, with default options and seed.
    pub fn new(air: impl Into<String>, rows: u64) -> Self {
        Self {
            air: air.into(),
            rows,
            parameters: BTreeMap::new(),
            options: ProofOptions::default(),
            seed: None,
            trace: TraceSource::Auto,
        }
    }

    /// The AIR. Nothing of the size of the trace is built.
    ///
    /// # Errors
    /// If there is no such AIR, or not with these parameters.
    pub fn build(&self) -> Result<Arc<dyn ExampleAir<Goldilocks3>>, AirError> {
        airs::build(&self.air, self.rows, &self.parameters)
    }

    /// All parameters of the AIR, with the defaults of those that are not given.
    pub fn resolved_parameters(&self) -> BTreeMap<String, u64> {
        let info = airs::all().iter().find(|info| info.name == self.air);
        let defaults = info.into_iter().flat_map(|info| info.params).filter_map(|param| {
            let value = match param.default? {
                ParamDefault::Value(value) => value,
                ParamDefault::RowsMinusOne => self.rows.saturating_sub(1),
            };
            Some((param.name.to_owned(), value))
        });
        let mut parameters: BTreeMap<String, u64> = defaults.collect();
        parameters.extend(self.parameters.clone());
        parameters
    }

    /// What a verifier must insist on at least: a seed that is not the default one.
    pub fn expect_seed(&self) -> Expect {
        let seed = self.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        Expect { seed, ..Expect::default() }
    }

    pub(crate) fn seed(&self) -> Seed<'_> {
        self.seed.as_deref().map_or(Seed::Default, Seed::Given)
    }
}
