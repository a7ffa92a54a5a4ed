//! What a caller insists on, beyond that a proof is valid for the statement beside it.

use std::collections::BTreeMap;
use std::fmt;

use circle_air::airs::ParamKind;
use circle_proof::{CircleOptions, ProofFile};

use super::request::info;
use crate::Mismatch;
use crate::expect::{compare, compare_all, mismatch};

/// Which statement a file must hold. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// Name of the AIR.
    pub air: Option<String>,
    /// Rows of the trace, of the first component where there are several.
    pub rows: Option<u64>,
    /// Parameters of the AIR that must have these values; others may have any. One that only the public values depend on, as
    /// the `s` of hashes, takes the verifier as long as hashing all rows.
    pub parameters: BTreeMap<String, u64>,
    /// All words of the statement, in order.
    pub words: Option<Vec<u32>>,
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

impl Expect {
    /// Compares the statement, and the options in its proof, with what is expected of them. It says nothing about the proof.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, file: &ProofFile, options: &CircleOptions) -> Result<(), Mismatch> {
        compare("the AIR", self.air.as_ref(), &file.air)?;
        compare("the number of rows", self.rows.as_ref(), &(1 << file.log_rows))?;
        for (name, expected) in &self.parameters {
            match file.parameters.get(name) {
                None if is_preimage(&file.air, name) => {}
                None => return Err(mismatch(&format!("parameter {name}"), "missing", expected)),
                found => compare(&format!("parameter {name}"), Some(expected), found.unwrap_or(expected))?,
            }
        }
        compare_all("statement word", self.words.as_deref(), &file.words)?;
        compare("the number of proof-of-work bits", self.pow_bits.as_ref(), &options.pow_bits)?;
        compare("log2 of the blowup", self.log_blowup.as_ref(), &options.log_blowup)?;
        compare("the number of queries", self.queries.as_ref(), &options.queries)?;
        compare("the fold step", self.fold_step.as_ref(), &options.fold_step)?;
        compare("log2 of the last layer", self.log_last.as_ref(), &options.log_last)?;
        compare("lifting", self.lifting.map(Lifting).as_ref(), &Lifting(options.lifting))
    }

    /// The parameters that are insisted on, and that a file holds no more of than the public values computed from them.
    pub(super) fn preimages(&self, file: &ProofFile) -> BTreeMap<String, u64> {
        let preimages = self.parameters.iter().filter(|(name, _)| is_preimage(&file.air, name));
        preimages.map(|(name, value)| (name.clone(), *value)).collect()
    }

    /// The public values are of other parameters.
    pub(super) fn other_preimages(preimages: &BTreeMap<String, u64>) -> Mismatch {
        let expected: Vec<String> = preimages.iter().map(|(name, value)| format!("{name}={value}")).collect();
        mismatch("the list of public values", "not of these parameters", expected.join(", "))
    }
}

fn is_preimage(air: &str, name: &str) -> bool {
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
