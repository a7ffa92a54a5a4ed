//! From a file to what it proves.

use proof_format::policy::check_length;

use crate::error::Error;
use crate::expect::{Expect, Mismatch, compare, compare_all, mismatch};
use crate::flavour::Flavour;
use crate::report::{Report, Stated};

/// Verifies a file: that it holds the statement that `expect` insists on, a proof of it, and that this is what the policy
/// takes. Memory is a small multiple of the file's size, whatever the file says, and of what the policy has evaluated.
///
/// # Errors
/// The first check that failed.
pub fn verify_file<F: Flavour>(bytes: &[u8], policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
    check_length(bytes.len(), F::max_bytes(policy))?;
    verify(F::decode(bytes)?, policy, expect)
}

/// As [`verify_file`], for a file that is decoded already.
///
/// # Errors
/// Those of [`verify_file`].
pub fn verify<F: Flavour>(file: F::File, policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
    expect.check(&file, &F::options(&file)?)?;
    F::verify(file, policy, expect)
}

impl<F: Flavour> Expect<F> {
    /// Compares the statement of a file, and the options of its proof, with what is expected of them. It says nothing about the
    /// proof.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, file: &F::File, options: &F::Options) -> Result<(), Mismatch> {
        let Stated { air, rows, parameters, public_inputs } = F::stated(file);
        compare("the AIR", self.air.as_deref(), air)?;
        compare("the number of rows", self.rows.as_ref(), &rows)?;
        for (name, expected) in &self.parameters {
            match parameters.get(name) {
                None if F::is_preimage(air, name) => {}
                None => return Err(mismatch(&format!("parameter {name}"), "missing", expected)),
                Some(found) => compare(&format!("parameter {name}"), Some(expected), found)?,
            }
        }
        compare_all(F::PUBLIC, self.public_inputs.as_deref(), public_inputs)?;
        F::check_options(&self.options, file, options)
    }
}

impl<F: Flavour> Report<F> {
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
        F::proof(&self.file)
    }
}
