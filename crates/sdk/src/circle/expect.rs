//! A caller's demands on the options of a Circle proof.

use std::fmt;

use circle_proof::CircleOptions;

use crate::verification::mismatch::Mismatch;

/// Options that a proof must have. A missing demand allows anything.
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
        Mismatch::check("the number of proof-of-work bits", self.pow_bits.as_ref(), &options.pow_bits)?;
        Mismatch::check("log2 of the blowup", self.log_blowup.as_ref(), &options.log_blowup)?;
        Mismatch::check("the number of queries", self.queries.as_ref(), &options.queries)?;
        Mismatch::check("the fold step", self.fold_step.as_ref(), &options.fold_step)?;
        Mismatch::check("log2 of the last layer", self.log_last.as_ref(), &options.log_last)?;
        Mismatch::check("lifting", self.lifting.map(Lifting).as_ref(), &Lifting(options.lifting))
    }
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
