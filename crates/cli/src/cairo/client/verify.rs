//! `polystark cairo client-verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sdk::client::ClientVerifier;
use sdk::{Error, Registry, circle_proof};
use serde::Serialize;

use super::statement::StatementView;
use crate::cairo::arguments::{Felts, felts};
use crate::command::{Command, named};
use crate::inputs::policy::{ReadArguments, SecurityArguments};
use crate::outputs::Named;
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::views::{proof_row, security_rows};

#[derive(Args)]
pub(crate) struct ClientVerifyCommand {
    /// The proof, as `polystark cairo client-prove` or Starknet's transaction prover wrote it
    file: PathBuf,
    #[command(flatten)]
    expected: ExpectedArguments,
    #[command(flatten)]
    security: SecurityArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// The statement that the proof must have, which is not in its file.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct ExpectedArguments {
    /// The facts that the proof must state: the file of a JSON array of felts, or felts separated by commas
    #[arg(long, value_name = "FILE|LIST", value_parser = felts)]
    facts: Option<Felts>,
    /// The same as the preimage of the bootloader's output
    #[arg(long, value_name = "FILE|LIST", value_parser = felts)]
    preimage: Option<Felts>,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    statement: StatementView,
    security: SecurityView,
    min_security_bits: u32,
    security_kind: String,
    proof: ProofView,
}

impl ClientVerifyCommand {
    fn policy(&self) -> Result<circle_proof::Policy, Failure> {
        Ok(circle_proof::Policy { max_bytes: self.read.max_bytes, ..self.security.of_programs()? })
    }
}

impl Command for ClientVerifyCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let mut files = vec![("FILE", self.file.as_path())];
        for (name, felts) in [("--facts", &self.expected.facts), ("--preimage", &self.expected.preimage)] {
            if let Some(Felts::File(path)) = felts {
                files.push((name, path));
            }
        }
        named(files)
    }

    fn check(&self, _: &Registry) -> Result<(), Failure> {
        self.policy().map(drop)
    }

    /// Verifies a proof and shows its statement.
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let policy = self.policy()?;
        let verifier = ClientVerifier::new(&policy).map_err(Error::from)?;
        let bytes = self.read.read_any(&self.file)?;
        let ExpectedArguments { facts, preimage } = &self.expected;
        let verdict = match (facts, preimage) {
            (Some(facts), _) => verifier.verify_facts(&bytes, &facts.read(&self.read)?),
            (None, Some(preimage)) => verifier.verify(&bytes, &preimage.read(&self.read)?),
            (None, None) => {
                return Err(Failure::usage("--facts or --preimage is needed: a proof does not say its statement"));
            }
        };
        let verified = verdict.map_err(Error::from)?;
        let view = View {
            status: "valid",
            file: self.file.display().to_string(),
            file_bytes: bytes.len(),
            statement: StatementView::new(&verified.facts),
            security: SecurityView::new(&verified.security),
            min_security_bits: policy.min_security_bits,
            security_kind: policy.kind.to_string(),
            proof: ProofView::new(&bytes),
        };
        let mut rows = view.statement.rows();
        rows.extend(security_rows(&verified.security));
        rows.push(proof_row(&view.proof));
        output.result(&view, &format!("valid: the proof convinces of these facts\n{}", table(&rows)))
    }
}
