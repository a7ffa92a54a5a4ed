//! `polystark cairo verify`.

use std::path::PathBuf;
use std::sync::Arc;

use cairo::Proof;
use cairo::file::check_auxiliary;
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Policy, ProvenStatement, verify};
use cairo_run::felt::text;
use clap::Args;
use serde::Serialize;

use super::arguments::{Builtins, Felts, File, Program, builtins, felts, program, program_flags, variant};
use super::samples::SampleArguments;
use super::views::{OptionsView, StatedView, proof_view};
use crate::arguments::values::digest;
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, named};
use crate::inputs::expected::Expected;
use crate::inputs::policy::{ReadArguments, SecurityArguments};
use crate::outputs::Named;
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::views::{proof_row, security_rows};
use sdk::hal::Digest;
use sdk::{Error, Registry, circle_proof};

#[derive(Args)]
pub(crate) struct VerifyCommand {
    /// The proof: binary, extended-binary, json or bincode, as `polystark cairo prove` or the reference's tool wrote it
    file: PathBuf,
    /// Refuse other programs: the file of one, whose builtins are expected, too, or the hash that
    /// `polystark cairo program-hash` prints. A file whose name is a number is ./NUMBER
    #[arg(long, value_name = "FILE|HASH", value_parser = program)]
    expect_program: Option<Program>,
    /// Refuse other outputs: felts in decimal, also negative, or in hexadecimal after 0x, separated by commas; or the
    /// file of a JSON array of felts: strings, or decimal numbers
    #[arg(long, value_name = "FILE|LIST", value_parser = felts, allow_hyphen_values = true)]
    expect_output: Option<Felts>,
    /// Refuse other builtins: their names in order, separated by commas. Needed with a hash in --expect-program where
    /// the program does not take all eleven
    #[arg(long, value_name = "LIST", value_parser = builtins)]
    expect_builtins: Option<Builtins>,
    /// Refuse other preprocessed columns
    #[arg(long, value_parser = variant(), value_name = "VARIANT")]
    expect_preprocessed: Option<Variant>,
    /// The root of the preprocessed columns that is trusted [default: the constant of the variant, known for a blowup
    /// factor of 2 without lifting]
    #[arg(long, value_name = "HEX", value_parser = digest)]
    preprocessed_root: Option<Digest>,
    #[command(flatten)]
    samples: SampleArguments,
    #[command(flatten)]
    channel: ChannelArguments,
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
    #[serde(flatten)]
    expected: Expected,
}

impl VerifyCommand {
    fn policy(&self) -> Result<Policy, Failure> {
        let proof = circle_proof::Policy {
            suite: self.channel.suite(),
            preprocessed_root: self.preprocessed_root,
            max_bytes: self.read.max_bytes,
            ..self.security.of_programs()?
        };
        Ok(Policy { proof, variant: self.expect_preprocessed, samples_all: self.samples.all() })
    }

    fn expect(&self) -> Result<Expect, Failure> {
        let (program_hash, of_program) = match &self.expect_program {
            None => (None, None),
            Some(program) => {
                let (hash, builtins) = program.read(&self.read)?;
                (Some(hash), builtins)
            }
        };
        let named = self.expect_builtins.clone().map(|Builtins(names)| names);
        if let (Some(named), Some(of_program)) = (&named, &of_program)
            && named != of_program
        {
            return Err(Failure::usage(
                "--expect-builtins are not those of the program in --expect-program: leave them out",
            ));
        }
        let output = self.expect_output.as_ref().map(|felts| felts.read(&self.read)).transpose()?;
        Ok(Expect { program_hash, output, builtins: named.or(of_program) })
    }
}

/// The flags that expect a proof's statement.
fn expect_flags(stated: &ProvenStatement) -> Vec<String> {
    let output: Vec<String> = stated.output.iter().map(text).collect();
    let mut flags = program_flags(&stated.program_hash, &stated.builtins);
    flags.push(format!("--expect-output={}", output.join(",")));
    flags
}

impl Command for VerifyCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let mut files = vec![("FILE", self.file.as_path())];
        if let Some(Program::File(program)) = &self.expect_program {
            files.push(("--expect-program", program));
        }
        if let Some(Felts::File(output)) = &self.expect_output {
            files.push(("--expect-output", output));
        }
        named(files)
    }

    /// Whether the policy makes sense.
    fn check(&self, _: &Registry) -> Result<(), Failure> {
        self.policy().map(drop)
    }

    /// Verifies a proof and shows its statement.
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let (policy, expect) = (self.policy()?, self.expect()?);
        let File { proof, bytes, format } = File::read(&self.file, &self.read, policy.proof.suite, "verify")?;
        let copy = proof.clone();
        let verified = verify(copy, &policy, &expect).map_err(Error::from)?;
        check_auxiliary::<Proof>(&bytes, policy.proof.max_bytes, policy.proof.suite).map_err(Error::from)?;
        let view = proof_view(&proof, policy.proof.suite)?;
        let (statement, options) = (StatedView::new(&verified.stated), OptionsView::new(&proof, &verified.options));
        let mut rows = statement.rows();
        rows.extend(options.rows());
        rows.extend(security_rows(&verified.security));
        rows.push(proof_row(&view));
        let view = View {
            status: "valid",
            file: self.file.display().to_string(),
            file_bytes: bytes.len(),
            format: format.name(),
            statement,
            options,
            security: SecurityView::new(&verified.security),
            min_security_bits: policy.proof.min_security_bits,
            security_kind: policy.proof.kind.to_string(),
            proof: view,
            expected: Expected::new(expect.program_hash.is_some(), expect_flags(&verified.stated)),
        };
        output.result(&view, &format!("valid: the proof convinces that this program ran\n{}", table(&rows)))?;
        view.expected.warning("program").iter().for_each(|warning| output.warn(warning));
        Ok(())
    }
}
