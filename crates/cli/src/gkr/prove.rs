//! `polystark gkr prove`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::trees::{TreeArguments, TreeView};
use crate::arguments::DeviceArguments;
use crate::circle::arguments::ChannelArguments;
use crate::command::{Command, has_stream, named};
use crate::outputs::{Named, Outputs};
use crate::report::exit::{Code, Failure};
use crate::report::output::{Output, table};
use sdk::circle_proof::gkr::{GkrFile, Trees};
use sdk::field::M31;
use sdk::hal::{Bytes, CircleStark, StarkBackend};
use sdk::prover::circle::gkr::{DeviceLayer, GkrError, prove_batch};
use sdk::{Error, Registry};

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
        let on = &**device.backend();
        let instances = self.trees.instances();
        let mut tables = Vec::with_capacity(columns.len());
        for (columns, of) in columns.iter().zip(&instances) {
            let values: Vec<M31> = columns.base.iter().flat_map(|column| column.iter().copied()).collect();
            tables.push(on.upload(&values, columns.base.len(), of.variables as u32).map_err(Error::from)?);
        }
        let layers: Vec<DeviceLayer<'_, _>> = instances
            .iter()
            .zip(&tables)
            .map(|(of, table)| DeviceLayer { kind: of.kind, columns: table.as_ref() })
            .collect();
        let trees = Trees { suite: self.channel.suite(), instances, columns: digest };
        let (proof, _) = prove_batch(on, &layers, &mut trees.channel()).map_err(|error| match error {
            GkrError::Device(error) => Error::from(error).into(),
            error => Failure::new(Code::Device, error.to_string()),
        })?;
        let file = GkrFile { trees, proof };
        // A proof is right or there is none. A device that has spoiled a column proves something about another one.
        file.verify_on(|tree| columns[tree].of_gate()).map_err(|error| {
            Failure::new(Code::Device, format!("the device computed a proof that the verifier refuses: {error}"))
        })?;
        let bytes = file.encode();
        files.save(&[&bytes])?;
        let view = View {
            status: "proven",
            file: self.output.display().to_string(),
            file_bytes: bytes.len(),
            columns: hex::encode(digest),
            trees: TreeView::all(&file.trees.instances, &file.proof.outputs),
        };
        let mut rows: Vec<(&str, String)> = view.trees.iter().map(TreeView::line).collect();
        rows.push(("digest of the columns", view.columns.clone()));
        rows.push(("file", format!("{}, {}", view.file, Bytes(bytes.len() as u64))));
        output.result(&view, &format!("proven\n{}", table(&rows)))
    }
}
