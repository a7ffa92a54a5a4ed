//! `polystark gkr verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::trees::{TreeArguments, TreeView};
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, named};
use crate::exit::Failure;
use crate::kinds::{self, Kind};
use crate::output::{Output, table};
use crate::outputs::Named;
use crate::policy::ReadArguments;
use sdk::Registry;
use sdk::circle_proof::gkr::GkrFile;
use sumcheck::gkr::security_bits;
use sumcheck::multilinear::evaluate;

#[derive(Args)]
pub(crate) struct VerifyCommand {
    /// The file that `polystark gkr prove` wrote, or - for standard input
    file: PathBuf,
    #[command(flatten)]
    trees: TreeArguments,
    #[command(flatten)]
    channel: ChannelArguments,
    #[command(flatten)]
    read: ReadArguments,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    /// The digest of the columns.
    columns: String,
    /// Bits of the sum-checks; the transcript's hash function may have fewer.
    security_bits: u32,
    trees: Vec<TreeView>,
}

impl Command for VerifyCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named([("FILE", self.file.as_path())].into_iter().chain(self.trees.files()))
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Verifies the proof, and its claims by the columns.
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let bytes = self.read.read_any(&self.file)?;
        kinds::refuse_other(&self.file, &bytes, &[Kind::GkrProof], "verify")?;
        let invalid = |error: &dyn std::fmt::Display| Failure::invalid(error.to_string());
        let file = GkrFile::decode(&bytes).map_err(|error| invalid(&error))?;
        let expected = self.channel.suite();
        if file.trees.suite != expected {
            let found = file.trees.suite;
            return Err(Failure::invalid(format!("the channel is {found}, expected: {expected}")));
        }
        if file.trees.instances != self.trees.instances() {
            return Err(Failure::invalid("the file is about other trees: their kinds, rows or order are others"));
        }
        let (columns, digest) = self.trees.read()?;
        if file.trees.columns != digest {
            return Err(Failure::invalid("the proof is about other columns: their digest is another"));
        }
        let artifact = file.verify().map_err(|error| invalid(&error))?;
        for (index, columns) in columns.iter().enumerate() {
            let point = artifact.point_of(index);
            let values: Vec<_> = columns.of_gate().iter().map(|column| evaluate(column, point)).collect();
            if values != artifact.claims[index] {
                return Err(Failure::invalid(format!(
                    "tree {index}: the columns have not the values that are claimed"
                )));
            }
        }
        let log_field = 4.0 * f64::from(i32::MAX).log2();
        let view = View {
            status: "valid",
            file: self.file.display().to_string(),
            columns: hex::encode(digest),
            security_bits: security_bits(&file.trees.instances, log_field).map_err(|error| invalid(&error))?,
            trees: TreeView::all(&file.trees.instances, &file.proof.outputs),
        };
        let mut rows: Vec<(&str, String)> = view.trees.iter().map(TreeView::line).collect();
        rows.push(("digest of the columns", view.columns.clone()));
        rows.push(("bits of the sum-checks", view.security_bits.to_string()));
        output.result(&view, &format!("valid\n{}", table(&rows)))
    }
}
