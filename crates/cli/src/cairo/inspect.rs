//! `polystark cairo inspect`.

use std::path::PathBuf;

use cairo::verify::{Stated, security};
use clap::Args;
use serde::Serialize;

use super::arguments::File;
use super::views::{OptionsView, StatedView, proof_view};
use crate::circle::arguments::ChannelArguments;
use crate::exit::Failure;
use crate::facts::{ProofView, SecurityView};
use crate::output::{Output, table};
use crate::policy::ReadArguments;
use crate::views::{claimed_rows, proof_row};
use sdk::circle_proof::stwo_verifier::options;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The proof: binary, extended-binary, json or bincode, as `polystark cairo prove` or the reference's tool wrote it
    pub(super) file: PathBuf,
    #[command(flatten)]
    channel: ChannelArguments,
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
    /// Null if they are impossible; see `problem`.
    options: Option<OptionsView>,
    /// Null if the claim is none of a Cairo program; see `problem`.
    claimed_security: Option<SecurityView>,
    problem: Option<String>,
    proof: ProofView,
}

/// Shows the content of a proof. Nothing of it is verified.
pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let File { proof, bytes, format } = File::read(&arguments.file, &arguments.read, "inspect")?;
    // The file does not say it.
    let suite = arguments.channel.suite();
    let options = options(proof.stark_proof.config, suite).ok();
    let (statement, options) =
        (StatedView::new(&Stated::of(&proof)), options.map(|options| OptionsView::new(&proof, &options)));
    let (claimed, digest) = (security(&proof, suite), proof_view(&proof)?);
    let mut rows = statement.rows();
    rows.extend(options.iter().flat_map(OptionsView::rows));
    rows.extend(claimed_rows(claimed.as_ref().map(|(_, security)| security)));
    rows.push(proof_row(&digest));
    let view = View {
        status: "not verified",
        file: arguments.file.display().to_string(),
        file_bytes: bytes.len(),
        format: format.name(),
        statement,
        options,
        claimed_security: claimed.as_ref().ok().map(|(_, security)| SecurityView::new(security)),
        problem: claimed.as_ref().err().map(ToString::to_string),
        proof: digest,
    };
    output.result(&view, &format!("not verified: this is what the file says\n{}", table(&rows)))
}
