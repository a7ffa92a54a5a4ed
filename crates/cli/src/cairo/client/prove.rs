//! `polystark cairo client-prove`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairo_run::pie;
use clap::Args;
use sdk::client::{CAIRO_OPTIONS, ClientRun, facts};
use sdk::hal::{Bytes, CircleStark};
use sdk::proof_format::policy::MAX_BYTES;
use sdk::{ClientProven, ClientRequest, Device, Error, Registry, Stage};
use serde::Serialize;

use super::input::read_pie;
use super::statement::StatementView;
use crate::arguments::values::integer;
use crate::arguments::{DeviceArguments, moved};
use crate::command::Command;
use crate::outputs::{Named, Outputs, is_stream};
use crate::progress::{Progress, StageView, seconds};
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::views::{proof_row, security_rows};

#[derive(Args)]
pub(crate) struct ClientProveCommand {
    /// The CairoPIE of the transaction's run, a zip file
    pie: PathBuf,
    /// Where the proof goes, - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the facts go that the proof states, a JSON array of felts
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// Where the preimage of the bootloader's output goes, a JSON array of felts
    #[arg(long, value_name = "FILE")]
    preimage: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArguments,
    /// Refuse a longer CairoPIE; time and memory grow with it
    #[arg(long, value_name = "N", default_value_t = MAX_BYTES, value_parser = integer)]
    max_bytes: u64,
    /// Refuse a CairoPIE of more bytes unpacked
    #[arg(long, value_name = "N", default_value_t = pie::DEFAULT_MAX_BYTES, value_parser = integer)]
    max_unpacked_bytes: u64,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    backend: String,
    device: String,
    statement: StatementView,
    output_preimage: Vec<String>,
    security: SecurityView,
    proof: ProofView,
    stages: Vec<StageView>,
    seconds: f64,
}

impl ClientProveCommand {
    /// The files that are written, the proof first.
    fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let others = [("--facts", &self.facts), ("--preimage", &self.preimage)];
        let others = others.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
        std::iter::once(("-o", self.output.as_path())).chain(others)
    }
}

impl Command for ClientProveCommand {
    fn files(&self) -> Vec<Named<'_>> {
        std::iter::once(("PIE", self.pie.as_path())).chain(self.written()).map(Named::from).collect()
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("proof")
    }

    fn takes_stdout(&self) -> bool {
        self.written().any(|(_, path)| is_stream(path))
    }

    /// Runs the CairoPIE in the bootloader, proves, verifies, and writes proof and statement.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let files = Outputs::open(self.written().map(|(_, path)| path))?;
        let pie = read_pie(&self.pie, self.max_bytes, self.max_unpacked_bytes)?;
        // The rows of both proofs, and their work.
        let progress = Progress::new(output.progress_detail(), 1 << 22, CAIRO_OPTIONS.pow_bits + 1);
        progress.begin(Stage::Trace);
        let run = ClientRun::new(&pie).map_err(Error::from)?;
        let device: Device<CircleStark> = self.device.open(registry)?;
        let proven = device.prove_with(&ClientRequest { run: &run, circuit: None }, &|stage| {
            progress.begin(stage);
            ControlFlow::Continue(())
        });
        let stages = progress.finish();
        let ClientProven { proof, verified } = proven?;
        let (preimage, stated) = (facts::json(&proof.output_preimage), facts::json(&proof.facts));
        let contents = [(true, &proof.bytes[..]), (self.facts.is_some(), stated.as_bytes())];
        let contents = contents.into_iter().chain([(self.preimage.is_some(), preimage.as_bytes())]);
        files.save(&contents.filter(|(is_written, _)| *is_written).map(|(_, bytes)| bytes).collect::<Vec<_>>())?;
        let capabilities = device.capabilities();
        let view = View {
            status: "proven",
            file: self.output.display().to_string(),
            file_bytes: proof.bytes.len(),
            backend: capabilities.backend.clone(),
            device: capabilities.device.clone(),
            statement: StatementView::new(&proof.facts),
            output_preimage: proof.output_preimage.iter().map(cairo_run::felt::text).collect(),
            security: SecurityView::new(&verified.security),
            proof: ProofView::new(&proof.bytes),
            seconds: seconds(&stages),
            stages,
        };
        let mut rows = view.statement.rows();
        rows.extend(security_rows(&verified.security));
        rows.push(proof_row(&view.proof));
        rows.push(("backend", format!("{} ({})", view.backend, view.device)));
        rows.push(("time", format!("{:.3} s, run and verification included", view.seconds)));
        rows.push(("file", format!("{}, {}", view.file, Bytes(view.file_bytes as u64))));
        output.result(&view, &format!("proven and verified\n{}", table(&rows)))?;
        moved(&device).iter().for_each(|note| output.note(note));
        Ok(())
    }
}
