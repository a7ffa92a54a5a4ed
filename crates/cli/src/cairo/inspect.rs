//! `polystark cairo inspect`.

use std::path::PathBuf;
use std::sync::Arc;

use cairo::AirProof as _;
use cairo::verify::{ProvenStatement, security};
use clap::Args;
use serde::Serialize;

use super::arguments::File;
use super::parameters::Parameters;
use super::pie;
use super::views::{OptionsView, StatedView, proof_view};
use crate::arguments::values::integer;
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, named};
use crate::inputs::kinds::Kind;
use crate::inputs::policy::ReadArguments;
use crate::outputs::{Named, Outputs, is_stream};
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::views::{claimed_rows, proof_row};
use sdk::Registry;
use sdk::proof_format::policy::MAX_BYTES;

#[derive(Args)]
pub(crate) struct InspectCommand {
    /// The proof: binary, extended-binary, json or bincode, as `polystark cairo prove` or the reference's tool wrote
    /// it; or a CairoPIE, or a client proof of Starknet
    file: PathBuf,
    /// Write the options of the proof as prover parameters of stwo-cairo 1.3, JSON, which `--params` reads; - is
    /// standard output
    #[arg(long, value_name = "FILE")]
    params_out: Option<PathBuf>,
    #[command(flatten)]
    channel: ChannelArguments,
    /// Refuse longer files, and CairoPIEs of more bytes unpacked; time and memory grow with them
    /// [default: 2^26; of the unpacked bytes 2^32]
    #[arg(long, value_name = "N", value_parser = integer)]
    max_bytes: Option<u64>,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    format: &'static str,
    statement: StatedView,
    /// Null if they are impossible; see `problem`.
    options: Option<OptionsView>,
    /// The options as the reference's tools name them. Null if they are impossible; see `problem`.
    prover_parameters: Option<Parameters>,
    /// Null if the claim is none of a Cairo program; see `problem`.
    claimed_security: Option<SecurityView>,
    problem: Option<String>,
    proof: ProofView,
}

impl Command for InspectCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let params = self.params_out.as_deref().map(|path| ("--params-out", path));
        named(std::iter::once(("FILE", self.file.as_path())).chain(params))
    }

    fn takes_stdout(&self) -> bool {
        self.params_out.as_deref().is_some_and(is_stream)
    }

    /// Shows the content of a proof, of a CairoPIE or of a client proof. Nothing of it is verified.
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let read = ReadArguments { max_bytes: self.max_bytes.unwrap_or(MAX_BYTES) };
        let bytes = read.read_any(&self.file)?;
        if Kind::of(&bytes) == Some(Kind::Pie) && self.params_out.is_none() {
            return pie::inspect(&self.file, &bytes, self.max_bytes, output);
        }
        #[cfg(feature = "client")]
        if Kind::of(&bytes) == Some(Kind::ClientProof) && self.params_out.is_none() {
            return super::client::inspect::inspect(&self.file, &bytes, output);
        }
        let file = self.params_out.as_deref().map(|path| Outputs::open([path])).transpose()?;
        // The file does not say it.
        let suite = self.channel.suite();
        let File { proof, bytes, format } = File::of(bytes, &self.file, &read, suite, "inspect")?;
        let options = proof.options(suite).ok();
        let parameters = |options| Parameters::new(proof.variant(), options, proof.salt(), proof.samples_all());
        let parameters = options.as_ref().map(parameters);
        let (statement, options) =
            (StatedView::new(&ProvenStatement::of(&proof)), options.map(|options| OptionsView::new(&proof, &options)));
        let (claimed, digest) = (security(&proof, suite), proof_view(&proof, suite)?);
        let mut rows = statement.rows();
        rows.extend(options.iter().flat_map(OptionsView::rows));
        rows.extend(claimed_rows(claimed.as_ref().map(|(_, security)| security)));
        rows.push(proof_row(&digest));
        let view = View {
            status: "not verified",
            file: self.file.display().to_string(),
            file_bytes: bytes.len(),
            format: format.name(),
            statement,
            options,
            prover_parameters: parameters,
            claimed_security: claimed.as_ref().ok().map(|(_, security)| SecurityView::new(security)),
            problem: claimed.as_ref().err().map(ToString::to_string),
            proof: digest,
        };
        if let Some(file) = file {
            let parameters = parameters.ok_or_else(|| {
                Failure::invalid(
                    "the proof has options that no proof may have, so that there are no parameters to write",
                )
            })?;
            file.save(&[parameters.text().as_bytes()])?;
        }
        let said = parameters.map(|parameters| format!("prover parameters\n{}", parameters.text()));
        let said = said.unwrap_or_default();
        output.result(&view, &format!("not verified: this is what the file says\n{}{said}", table(&rows)))
    }
}
