//! `polystark record`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::arguments::{NamedStatement, with_system};
use crate::command::{Command, has_stream, named};
use crate::outputs::{Named, Outputs};
use crate::protocol::CommandLine;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::hal::Bytes;
use sdk::{Registry, StatementError, air_file_name};

#[derive(Args)]
pub(crate) struct RecordCommand {
    #[command(flatten)]
    named: NamedStatement,
    /// Where the AIR goes
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Serialize)]
struct View<'a> {
    status: &'static str,
    file: String,
    file_bytes: usize,
    air: &'a str,
    rows: u64,
    /// The name in proofs: the SHA-256 digest of the file.
    name: String,
}

impl Command for RecordCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named([("-o", self.output.as_path())])
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("file")
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&self.files())
    }

    /// Writes the constraints of an AIR as data.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let named = &self.named;
        if let Some(option) = named.statement.proof_option() {
            return Err(Failure::usage(format!(
                "{option} is an option of proofs, of which the file of an AIR has none: leave it out"
            )));
        }
        let protocol = named.protocol(registry)?;
        let files = Outputs::open([self.output.as_path()])?;
        let encoded = with_system!(protocol, S => record::<S>(named, registry)?);
        files.save(&[&encoded])?;
        let view = View {
            status: "recorded",
            file: self.output.display().to_string(),
            file_bytes: encoded.len(),
            air: &named.air,
            rows: named.rows,
            name: air_file_name(&encoded),
        };
        let rows = [
            ("AIR", format!("{}, {} rows", view.air, view.rows)),
            ("name in proofs", view.name.clone()),
            ("file", format!("{}, {}", view.file, Bytes(encoded.len() as u64))),
        ];
        output.result(&view, &format!("recorded\n{}", table(&rows)))
    }
}

fn record<F: CommandLine>(named: &NamedStatement, registry: &Registry) -> Result<Vec<u8>, Failure> {
    let airs = registry.airs::<F>();
    let asked = F::request(&airs, &named.air, named.rows, &named.statement, None)?;
    let refused = |error: StatementError| format!("{error}; `polystark airs` says which AIRs can be recorded");
    F::air_to_file(&asked.air).map_err(|error| Failure::usage(refused(error)))
}
