//! From a file of the Circle protocol to what it proves.

use circle_air::Statement;
use circle_proof::{CircleOptions, Policy, Proof, ProofFile};

use super::types::{Airs, Report};
use crate::error::Error;

/// Verifies a file about `statement`.
pub(super) fn verify(file: ProofFile, statement: &dyn Statement, policy: &Policy) -> Result<Report, Error> {
    policy.check_suite(file.suite)?;
    let verified = circle_proof::verify(statement, &file.claimed_sums, &file.proof, policy)?;
    let (options, preprocessed_cells) = (verified.options, verified.preprocessed_cells);
    Ok(Report { file, options, security: verified.security, preprocessed_cells })
}

/// The options in the proof of a file. They are in range, and as yet nobody's but the proof's.
pub(super) fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
    Ok(circle_proof::decode_options(&file.proof, file.suite)?)
}

/// The proof in a file about one of `airs`, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(airs: &Airs, file: &ProofFile) -> Result<Proof, Error> {
    Ok(circle_proof::decode_for(&*airs.stated(file)?, &file.proof, file.suite)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use circle_proof::{PolicyError, Suite};

    use super::super::types::{Device, Expect, Request};
    use super::*;

    /// The suite is the file's word, as its proof does not say it.
    #[test]
    fn a_file_of_another_suite_than_the_policy_s_is_refused() {
        let device = Device::open("cpu", Some(1)).unwrap();
        for suite in Suite::ALL {
            let mut request = Request::new("fibonacci", 16);
            request.options.suite = suite;
            let file = device.prove(&request).unwrap().file;
            for taken in Suite::ALL {
                let policy = Policy { suite: taken, ..Policy::default() };
                match Airs::default().verify_file(&file, &policy, &Expect::default()) {
                    Ok(report) => assert_eq!((taken, report.options.suite), (suite, suite)),
                    Err(Error::Policy(PolicyError::Suite { .. })) => assert_ne!(taken, suite),
                    Err(error) => panic!("{suite}, taken {taken}: {error}"),
                }
            }
        }
    }

    #[test]
    fn leaves_are_hashed_anew_only_as_far_as_the_policy_goes() {
        let parameters: BTreeMap<String, u64> = [("s".to_owned(), 5)].into();
        let request = Request { parameters: parameters.clone(), ..Request::new("poseidon2", 16) };
        let file = ProofFile {
            air: "poseidon2".into(),
            parameters: [].into(),
            log_rows: 4,
            words: Airs::default().build(&request).unwrap().air.words(),
            claimed_sums: Vec::new(),
            proof: Vec::new(),
            suite: Suite::default(),
        };
        let expect = Expect { parameters, ..Expect::default() };
        let policy = |most| Policy { max_preprocessed_cells: most, ..Policy::ANY };
        let check = |most| Airs::default().check_preimages(&file, &policy(most), &expect);
        assert!(check(16).is_ok());
        let error = check(15).unwrap_err();
        assert!(matches!(error, Error::Policy(PolicyError::Recomputed { found: 16, most: 15 })), "{error}");
    }
}
