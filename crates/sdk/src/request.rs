//! Requests for proofs.

use std::collections::BTreeMap;

use proof_format::Profile;

use crate::system::ProofSystem;

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

/// A statement about an AIR that is known by name, and how to prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<F: ProofSystem> {
    /// Name of the AIR, one of the program's [`crate::Airs`].
    pub air: String,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Parameters of the AIR; parameters with defaults may be missing.
    pub parameters: BTreeMap<String, u64>,
    /// Options of the proof.
    pub options: F::Options,
    /// The security that the proof must have. One that would be worth less is refused before any work;
    /// [`Profile::NONE`] refuses none.
    pub profile: Profile,
    /// The parts that only this protocol has.
    pub extras: F::Extras,
    /// Where the trace is computed.
    pub trace: TraceSource,
}

impl<F: ProofSystem> Request<F> {
    /// A request without parameters, with the default options for `rows` rows, for a proof that verifiers take by
    /// default ([`Profile::DEFAULT`]). [`crate::Airs::cheapest`] finds other options.
    pub fn new(air: impl Into<String>, rows: u64) -> Self {
        Self {
            air: air.into(),
            rows,
            parameters: BTreeMap::new(),
            options: F::default_options(rows),
            profile: Profile::DEFAULT,
            extras: F::Extras::default(),
            trace: TraceSource::default(),
        }
    }
}
