//! `polystark gkr verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::trees::{TreeArguments, TreeView};
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, named};
use crate::inputs::kinds::{self, Kind};
use crate::inputs::policy::ReadArguments;
use crate::outputs::Named;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::Registry;
use sdk::circle::gkr::{Gate, GkrFile, columns_of_gate};

#[derive(Args)]
pub(crate) struct VerifyCommand {
    /// The file that `polystark gkr prove` wrote, or - for standard input
    file: PathBuf,
    #[command(flatten)]
    trees: TreeArguments,
    /// Refuse a tree of fractions whose sum is not 0. Without it any sum is valid and shown, and a lookup holds only if
    /// somebody looks at it. Products are shown, never refused
    #[arg(long)]
    expect_zero: bool,
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
        self.trees.check()?;
        if self.expect_zero && self.trees.instances().iter().all(|of| of.kind.gate() != Gate::LogUp) {
            return Err(Failure::usage("--expect-zero is about sums of fractions, and all trees are products"));
        }
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
        let of_gate = |tree: usize| columns_of_gate(file.trees.instances[tree].kind, &columns[tree]);
        file.verify_on(of_gate).map_err(|error| invalid(&error))?;
        if self.expect_zero {
            file.expect_zero_sums().map_err(|error| invalid(&error))?;
        }
        let view = View {
            status: "valid",
            file: self.file.display().to_string(),
            columns: hex::encode(digest),
            security_bits: file.sumcheck_bits().map_err(|error| invalid(&error))?,
            trees: TreeView::all(&file.trees.instances, &file.proof.outputs),
        };
        let mut rows: Vec<(&str, String)> = view.trees.iter().map(TreeView::line).collect();
        rows.push(("digest of the columns", view.columns.clone()));
        rows.push(("bits of the sum-checks", view.security_bits.to_string()));
        output.result(&view, &format!("valid\n{}", table(&rows)))
    }
}
