//! What a caller insists on, of the options of a Circle proof, and of parameters that its file does not hold.

use std::collections::BTreeMap;
use std::fmt;

use circle_air::airs::ParamKind;
use circle_proof::{CircleOptions, ProofFile};

use super::request::info;
use super::types::Expect;
use crate::expect::{Mismatch, compare, mismatch};

/// Options that a proof must have. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectOptions {
    /// Bits of proof of work.
    pub pow_bits: Option<u32>,
    /// Log2 of the blowup.
    pub log_blowup: Option<u32>,
    /// Number of queries.
    pub queries: Option<u32>,
    /// Folds by two in a layer.
    pub fold_step: Option<u32>,
    /// Log2 of the coefficients of the last layer.
    pub log_last: Option<u32>,
    /// Log2 of the common domain, or that it is the natural one.
    pub lifting: Option<Option<u32>>,
}

impl ExpectOptions {
    pub(super) fn check(&self, options: &CircleOptions) -> Result<(), Mismatch> {
        compare("the number of proof-of-work bits", self.pow_bits.as_ref(), &options.pow_bits)?;
        compare("log2 of the blowup", self.log_blowup.as_ref(), &options.log_blowup)?;
        compare("the number of queries", self.queries.as_ref(), &options.queries)?;
        compare("the fold step", self.fold_step.as_ref(), &options.fold_step)?;
        compare("log2 of the last layer", self.log_last.as_ref(), &options.log_last)?;
        compare("lifting", self.lifting.map(Lifting).as_ref(), &Lifting(options.lifting))
    }
}

/// The parameters that are insisted on, and that a file holds no more of than the public values computed from them.
pub(super) fn preimages(expect: &Expect, file: &ProofFile) -> BTreeMap<String, u64> {
    let preimages = expect.parameters.iter().filter(|(name, _)| is_preimage(&file.air, name));
    preimages.map(|(name, value)| (name.clone(), *value)).collect()
}

/// The public values are of other parameters.
pub(super) fn other_preimages(preimages: &BTreeMap<String, u64>) -> Mismatch {
    let expected: Vec<String> = preimages.iter().map(|(name, value)| format!("{name}={value}")).collect();
    mismatch("the list of public values", "not of these parameters", expected.join(", "))
}

pub(super) fn is_preimage(air: &str, name: &str) -> bool {
    let params = info(air).map_or(&[][..], |info| info.params);
    params.iter().any(|param| param.name == name && param.kind == ParamKind::Preimage)
}

#[derive(PartialEq)]
struct Lifting(Option<u32>);

impl fmt::Display for Lifting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some(lifting) => write!(f, "{lifting}"),
        }
    }
}
