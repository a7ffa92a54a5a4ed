//! Submitting a CairoPIE, whose proof is a client proof.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use clap::Args;
use farm::{Digest, Job};
use sdk::Registry;

use super::client::{KIND, PIE, normal};
use super::connection::ConnectionArguments;
use super::submit::{SubmissionArguments, submit};
use crate::inputs::policy::ReadArguments;
use crate::report::exit::Failure as Ended;
use crate::report::output::Output;

/// A CairoPIE, its farm, and when its proof is wanted.
#[derive(Args)]
pub(crate) struct SubmitClientArguments {
    /// The CairoPIE of the transaction's run, a zip file
    pub(super) pie: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    pub(super) submission: SubmissionArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

impl SubmitClientArguments {
    /// The files that are read or written, each with its argument.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        let written = self.submission.output.as_deref().map(|path| ("-o", path));
        std::iter::once(("PIE", self.pie.as_path())).chain(written).collect()
    }
}

/// Submits a CairoPIE.
pub(super) async fn client(
    arguments: &SubmitClientArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Ended> {
    let pie = Bytes::from(arguments.read.read_program(&arguments.pie)?);
    let inputs = BTreeMap::from([(PIE.to_owned(), Digest::of(&pie))]);
    let job = Job { kind: KIND.to_owned(), words: BTreeMap::new(), inputs };
    let job = normal(&job).map_err(Ended::usage)?;
    let bytes = BTreeMap::from([(PIE.to_owned(), pie)]);
    submit(job, bytes, &arguments.submission, &arguments.connection, registry, output).await
}
