//! From a file to its statement.

use crate::airs::Airs;
use crate::error::Error;
use crate::expect::{Expect, Mismatch};
use crate::report::{Report, Stated};
use crate::system::ProofSystem;

/// Verifies a file about one of the AIRs that come with Polystark: [`Airs::verify_file`] on them. About which one,
/// [`Expect::air`] says: without it a proof of any of them is valid.
///
/// # Errors
/// The first check that failed.
pub fn verify_file<F: ProofSystem>(bytes: &[u8], policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
    Airs::default().verify_file(bytes, policy, expect)
}

impl<F: ProofSystem> Expect<F> {
    /// Compares the statement of a file about one of these AIRs, and the options of its proof, with the expectations.
    /// It says nothing about the proof.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, airs: &Airs<F>, file: &F::File, options: &F::Options) -> Result<(), Mismatch> {
        let Stated { air, rows, parameters, public_inputs, .. } = F::stated(file);
        Mismatch::check("the AIR", self.air.as_deref(), air)?;
        Mismatch::check("the number of rows", self.rows.as_ref(), &rows)?;
        for (name, expected) in &self.parameters {
            match parameters.get(name) {
                None if airs.is_preimage(air, name) => {}
                None => return Err(Mismatch::new(&format!("parameter {name}"), "missing", expected)),
                Some(found) => Mismatch::check(&format!("parameter {name}"), Some(expected), found)?,
            }
        }
        Mismatch::check_all(F::PUBLIC, self.public_inputs.as_deref(), public_inputs)?;
        F::check_options(&self.options, file, options)
    }
}

impl<F: ProofSystem> Report<F> {
    /// Rows of the trace.
    pub fn rows(&self) -> u64 {
        F::stated(&self.file).rows
    }

    /// The public inputs.
    pub fn public_inputs(&self) -> &[F::Public] {
        F::stated(&self.file).public_inputs
    }

    /// The bare proof.
    pub fn proof(&self) -> &[u8] {
        F::stated(&self.file).proof
    }
}
