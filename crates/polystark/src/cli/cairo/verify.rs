//! `polystark cairo verify`.

use std::path::{Path, PathBuf};

use cairo::Felt252;
use cairo::verify::{Expect, Policy, verify};
use clap::Args;
use serde::Serialize;

use super::arguments::{Builtins, File, Preprocessed, builtins, felt, felts};
use super::views::{OptionsView, StatedView, proof_view};
use crate::cli::exit::Failure;
use crate::cli::output::{Output, table};
use crate::cli::policy::{ReadArguments, SecurityArguments};
use crate::cli::values::digest;
use crate::cli::views::{proof_row, security_rows};
use crate::hal::Digest;
use crate::views::{ProofView, SecurityView};
use crate::{Error, circle_proof};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The proof: binary, json or bincode, as `polystark cairo prove` or the reference's tool wrote it
    file: PathBuf,
    /// Refuse other programs: the hash that `polystark cairo program-hash` prints
    #[arg(long, value_name = "HASH", value_parser = felt)]
    expect_program: Option<Felt252>,
    /// Refuse other outputs: a JSON array of strings, each a felt
    #[arg(long, value_name = "FILE")]
    expect_output: Option<PathBuf>,
    /// Refuse other builtins: their names in order, separated by commas. Needed with --expect-program where the program does not take all
    /// eleven
    #[arg(long, value_name = "LIST", value_parser = builtins)]
    expect_builtins: Option<Builtins>,
    /// Refuse other preprocessed columns
    #[arg(long, value_enum, value_name = "VARIANT")]
    expect_preprocessed: Option<Preprocessed>,
    /// The root of the preprocessed columns that is trusted [default: the constant of the variant, known for a blowup factor of 2
    /// without lifting]
    #[arg(long, value_name = "HEX", value_parser = digest)]
    preprocessed_root: Option<Digest>,
    #[command(flatten)]
    security: SecurityArguments,
    #[command(flatten)]
    read: ReadArguments,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    format: &'static str,
    statement: StatedView,
    options: OptionsView,
    security: SecurityView,
    min_security_bits: u32,
    security_kind: String,
    proof: ProofView,
}

impl Arguments {
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        let output = self.expect_output.as_deref().map(|path| ("--expect-output", path));
        std::iter::once(("FILE", self.file.as_path())).chain(output).collect()
    }

    pub(super) fn policy(&self) -> Result<Policy, Failure> {
        let proof = circle_proof::Policy {
            preprocessed_root: self.preprocessed_root,
            max_bytes: self.read.max_bytes,
            ..self.security.of_programs()?
        };
        Ok(Policy { proof, variant: self.expect_preprocessed.map(Into::into) })
    }

    fn expect(&self) -> Result<Expect, Failure> {
        let output = self.expect_output.as_deref().map(|path| felts(path, &self.read)).transpose()?;
        let builtins = self.expect_builtins.clone().map(|Builtins(names)| names);
        Ok(Expect { program_hash: self.expect_program, output, builtins })
    }
}

/// Verifies a proof and says what was proven.
pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let (policy, expect) = (arguments.policy()?, arguments.expect()?);
    let File { proof, bytes, format } = File::read(&arguments.file, &arguments.read)?;
    let view = proof_view(&proof)?;
    let copy = proof.clone();
    let verified = verify(copy, &policy, &expect).map_err(Error::from)?;
    let (statement, options) = (StatedView::new(&verified.stated), OptionsView::new(&proof, &verified.options));
    let mut rows = statement.rows();
    rows.extend(options.rows());
    rows.extend(security_rows(&verified.security));
    rows.push(proof_row(&view));
    let view = View {
        status: "valid",
        file: arguments.file.display().to_string(),
        file_bytes: bytes,
        format: format.name(),
        statement,
        options,
        security: SecurityView::new(&verified.security),
        min_security_bits: policy.proof.min_security_bits,
        security_kind: policy.proof.kind.to_string(),
        proof: view,
    };
    output.result(&view, &format!("valid: the proof convinces that this program ran\n{}", table(&rows)))
}
