//! `scarb verify` of Scarb 2.20: verifies the proof of an execution, or of a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairo::file::check_auxiliary;
use cairo::verify::{Expect, Policy, verify};
use cairo::{AirProof, AirVersion, Proof, Version};
use clap::Parser;
use sdk::Registry;
use sdk::circle_proof::{self, Suite};
use sdk::proof_format::policy::MAX_BYTES;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::packages::PackageArguments;
use super::scarb::{self, execution};
use super::ui::{Ui, UiArguments};
use crate::inputs::input::read_bounded;

/// Verifies what `scarb prove` has proven: Polystark in the place of Scarb's verifier
#[derive(Parser)]
#[command(name = "verify", version = "2.20.1")]
struct ScarbVerifyArguments {
    #[command(flatten)]
    packages: PackageArguments,
    /// The number of the execution whose proof is verified
    #[arg(long)]
    execution_id: Option<u64>,
    /// The proof
    #[arg(long, required_unless_present = "execution_id", conflicts_with = "execution_id")]
    proof_file: Option<PathBuf>,
    #[command(flatten)]
    ui: UiArguments,
}

pub(super) fn main(words: Vec<OsString>, _: &Registry) -> ExitCode {
    let arguments = match super::parse::<ScarbVerifyArguments>(words) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let ui = arguments.ui.ui();
    match run(&arguments, ui) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &ScarbVerifyArguments, ui: Ui) -> Result<(), String> {
    let file = match (&arguments.proof_file, arguments.execution_id) {
        (Some(file), _) => {
            ui.status("Verifying", "proof");
            file.clone()
        }
        (None, id) => {
            let package = arguments.packages.one(&scarb::metadata(&[])?)?.name;
            let target_folder = scarb::target_folder()?;
            ui.status("Verifying", &package);
            // The parser wants one of the two.
            of_execution(&target_folder, &package, id.unwrap_or_default())?
        }
    };
    let (proof, bytes) = load(&file)?;
    // The reference takes any options and any root of the preprocessed columns. This takes any options, and any root
    // where none is known.
    let options = proof.options(circle_proof::Policy::ANY.suite).ok();
    let known = options.and_then(|options| Version::root(proof.variant(), &options));
    let preprocessed_root = known.or_else(|| proof.root(0));
    let policy = circle_proof::Policy { preprocessed_root, ..circle_proof::Policy::ANY };
    let verified = verify(proof, &Policy { proof: policy, ..Policy::default() }, &Expect::default());
    let verified = verified.map_err(|error| format!("failed to verify proof: {error}"))?;
    check_auxiliary::<Proof>(&bytes, MAX_BYTES, verified.options.suite)
        .map_err(|error| format!("failed to verify proof: {error}"))?;
    ui.status("Verified", "proof successfully");
    Ok(())
}

/// The proof of an execution.
fn of_execution(target_folder: &Path, package: &str, id: u64) -> Result<PathBuf, String> {
    let folder = execution(target_folder, package, id);
    if !folder.exists() {
        return Err(format!(
            "execution directory does not exist at path: {}\nhelp: make sure to run `scarb prove --execute` first\nand \
             that the execution ID is correct\n",
            folder.display()
        ));
    }
    let proof = folder.join("proof").join("proof.json");
    if !proof.exists() {
        return Err(format!(
            "proof file does not exist at path: {}\nhelp: run `scarb prove --execution-id={id}` first\n",
            proof.display()
        ));
    }
    Ok(proof)
}

/// Reads a proof, JSON or in one of the packed formats.
fn load(file: &Path) -> Result<(Proof, Vec<u8>), String> {
    if !file.exists() {
        return Err(format!("proof file does not exist at path: {}", file.display()));
    }
    let bytes = read_bounded(file, "a proof", MAX_BYTES)
        .map_err(|failure| format!("failed to read proof file: {}", failure.message))?;
    match cairo::file::decode::<Proof>(&bytes, MAX_BYTES, Suite::default()) {
        Ok((proof, _)) => Ok((proof, bytes)),
        Err(_) if is_of_another_revision(&bytes) => Err(format!(
            "{}: this is a proof of another revision of stwo-cairo than 1.3.0, such as the one that Scarb 2.20 brings, so that its \
             own `scarb-verify` has to verify it, or `scarb prove` of this program to prove the execution again",
            file.display()
        )),
        Err(error) => Err(format!("failed to deserialize proof file: {}: {error}", file.display())),
    }
}

/// Keys of the JSON of a proof of a Cairo program, of any revision; values are skipped.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Keys {
    claim: Option<IgnoredAny>,
    interaction_claim: Option<IgnoredAny>,
    stark_proof: Option<IgnoredAny>,
}

/// Whether a file that is no proof of 1.3.0 has the parts of a proof of a Cairo program.
fn is_of_another_revision(bytes: &[u8]) -> bool {
    // An array would be read as the values of the keys in order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let keys: Keys = serde_json::from_slice(bytes).unwrap_or_default();
    keys.claim.is_some() && keys.interaction_claim.is_some() && keys.stark_proof.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_of_other_revisions_are_known_by_their_keys() {
        assert!(is_of_another_revision(
            b" {\"claim\": {}, \"x\": [1], \"stark_proof\": {}, \"interaction_claim\": {}}"
        ));
        for other in [&b"{\"claim\": {}, \"stark_proof\": {}}"[..], b"[{}, {}, {}]", b"{\"claim\": {}", b"{", b""] {
            assert!(!is_of_another_revision(other), "{other:?}");
        }
    }
}
