//! `polystark gkr prove`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::trees::{TreeArguments, TreeView};
use crate::arguments::DeviceArguments;
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, has_stream, named};
use crate::outputs::{Named, Outputs};
use crate::progress::plan::Plan;
use crate::progress::{Progress, StageView};
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::Registry;
use sdk::circle::gkr::{GkrRequest, Trees};
use sdk::hal::{Bytes, CircleStark};

#[derive(Args)]
pub(crate) struct ProveCommand {
    #[command(flatten)]
    trees: TreeArguments,
    /// Where trees, digest of the columns and proof go
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    channel: ChannelArguments,
    #[command(flatten)]
    device: DeviceArguments,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    /// The digest of the columns.
    columns: String,
    trees: Vec<TreeView>,
    stages: Vec<StageView>,
}

impl Command for ProveCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named(self.trees.files().chain([("-o", self.output.as_path())]))
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("file")
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&named([("-o", self.output.as_path())]))
    }

    /// Proves, verifies, and writes the file.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        self.trees.check()?;
        let files = Outputs::open([self.output.as_path()])?;
        let (columns, digest) = self.trees.read()?;
        self.trees.check_denominators(&columns)?;
        let device = self.device.open::<CircleStark>(registry)?;
        let trees = Trees { suite: self.channel.suite(), instances: self.trees.instances(), columns: digest };
        let rows = trees.instances.iter().map(|tree| 1 << tree.variables).sum();
        let progress = Progress::new(output.progress_detail(), rows, 0);
        progress.plan(Plan::of_trees(rows));
        // A proof is right, and about these columns, or there is none.
        let proven = device.prove_with(&GkrRequest { trees, columns: &columns }, &|stage| {
            progress.begin(stage);
            ControlFlow::Continue(())
        });
        let stages = progress.finish();
        let file = proven?;
        let bytes = file.encode();
        files.save(&[&bytes])?;
        let view = View {
            status: "proven",
            file: self.output.display().to_string(),
            file_bytes: bytes.len(),
            columns: hex::encode(digest),
            trees: TreeView::all(&file.trees.instances, &file.proof.outputs),
            stages,
        };
        let mut rows: Vec<(&str, String)> = view.trees.iter().map(TreeView::line).collect();
        rows.push(("digest of the columns", view.columns.clone()));
        rows.push(("file", format!("{}, {}", view.file, Bytes(bytes.len() as u64))));
        output.result(&view, &format!("proven\n{}", table(&rows)))
    }
}
