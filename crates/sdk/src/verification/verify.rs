//! From a file to its statement, and to the verdict about its proof.

use std::collections::BTreeMap;

use proof_format::policy::check_length;

use crate::airs::Airs;
use crate::error::Error;
use crate::system::{FileContents, ProofSystem, Request};
use crate::verification::expect::Expect;
use crate::verification::mismatch::Mismatch;
use crate::verification::report::Report;

/// Verifies a file about one of the AIRs that come with Polystark: [`Airs::verify_file`] on them. About which one,
/// [`Expect::air`] says: without it a proof of any of them is valid.
///
/// # Errors
/// The first check that failed.
pub fn verify_file<F: ProofSystem>(bytes: &[u8], policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
    Airs::default().verify_file(bytes, policy, expect)
}

impl<F: ProofSystem> Airs<F> {
    /// Verifies a file: that it holds the statement that `expect` insists on, a proof of it, and that the policy takes
    /// it. Where `expect` names no AIR, a proof of any of these is valid: name it, or have one alone ([`Airs::of`],
    /// [`Airs::none`]). Memory is a small multiple of the size of any file, and of the cells that
    /// the policy has evaluated.
    ///
    /// # Errors
    /// The first check that failed.
    pub fn verify_file(&self, bytes: &[u8], policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
        check_length(bytes.len(), F::max_bytes(policy))?;
        self.verify(F::decode(bytes)?, policy, expect)
    }

    /// As [`Airs::verify_file`], for a file that is decoded already.
    ///
    /// # Errors
    /// The errors of [`Airs::verify_file`].
    pub fn verify(&self, file: F::File, policy: &F::Policy, expect: &Expect<F>) -> Result<Report<F>, Error> {
        let options = F::options(&file)?;
        expect.check(self, &file, &options)?;
        let air = self.stated(&file)?;
        let (security, preprocessed_cells) = F::verify(&file, &air, policy, &expect.options)?;
        self.check_preimages(&file, policy, expect)?;
        Ok(Report { file, options, security, preprocessed_cells })
    }

    /// Checks the public values against the expected parameters that the file does not hold. They are computed anew, in
    /// time by the rows: so this comes last, and only if the policy lets the verifier walk as many rows.
    pub(crate) fn check_preimages(&self, file: &F::File, policy: &F::Policy, expect: &Expect<F>) -> Result<(), Error> {
        let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(file);
        let mut preimages = expect.parameters.clone();
        preimages.retain(|name, _| self.is_preimage(air, name));
        if preimages.is_empty() {
            return Ok(());
        }
        F::check_recomputed(policy, rows)?;
        let parameters = parameters.clone().into_iter().chain(preimages.clone()).collect();
        let built = self.build(&Request { parameters, ..Request::new(air, rows) })?;
        if F::facts(&built.air).public == public_inputs { Ok(()) } else { Err(other_preimages(&preimages).into()) }
    }

    /// Verifies the file that came of a request, of any security: its receiver judges that.
    ///
    /// # Errors
    /// The first check that failed.
    pub fn accept(&self, request: &Request<F>, file: &[u8]) -> Result<Report<F>, Error> {
        let (policy, options) = F::demands(request);
        self.verify_file(file, &policy, &Expect { options, ..Expect::default() })
    }
}

/// The public values are of other parameters.
fn other_preimages(preimages: &BTreeMap<String, u64>) -> Mismatch {
    let expected: Vec<String> = preimages.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Mismatch::new("the list of public values", "not of these parameters", expected.join(", "))
}

impl<F: ProofSystem> Expect<F> {
    /// Compares the statement of a file about one of these AIRs, and the options of its proof, with the expectations.
    /// It says nothing about the proof, and does not ask for a key, which is of the AIR as it is recorded.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, airs: &Airs<F>, file: &F::File, options: &F::Options) -> Result<(), Mismatch> {
        let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(file);
        Mismatch::check("the AIR", self.air.as_deref(), air)?;
        Mismatch::check("the number of rows", self.rows.as_ref(), &rows)?;
        for (name, expected) in &self.parameters {
            match parameters.get(name) {
                None if airs.is_preimage(air, name) => {}
                None => return Err(Mismatch::new(&format!("parameter {name}"), "missing", expected)),
                Some(found) => Mismatch::check(&format!("parameter {name}"), Some(expected), found)?,
            }
        }
        Mismatch::check_all("public input", self.public_inputs.as_deref(), public_inputs)?;
        F::check_options(&self.options, file, options)
    }
}
