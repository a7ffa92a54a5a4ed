//! A caller's demands, beyond that a proof is valid for the statement beside it.

use std::collections::BTreeMap;

use crate::system::ProofSystem;

/// The statement that a file must hold. A missing demand allows anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect<F: ProofSystem> {
    /// Name of the AIR.
    pub air: Option<String>,
    /// Rows of the trace, of the first component where there are several.
    pub rows: Option<u64>,
    /// Parameters of the AIR that must have these values; others may have any. One that only the public values depend
    /// on, as the `s` of hashes, takes the verifier as long as hashing all rows.
    pub parameters: BTreeMap<String, u64>,
    /// All public inputs, in order.
    pub public_inputs: Option<Vec<F::Public>>,
    /// Demands of this proof system alone: options, and for Goldilocks the key of the statement and the seed.
    pub options: F::ExpectOptions,
}

impl<F: ProofSystem> Default for Expect<F> {
    fn default() -> Self {
        Self {
            air: None,
            rows: None,
            parameters: BTreeMap::new(),
            public_inputs: None,
            options: F::ExpectOptions::default(),
        }
    }
}
