//! `polystark record`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::arguments::{Protocol, StatementArguments};
use super::exit::Failure;
use super::output::{Output, table};
use super::outputs::Outputs;
use super::protocol::CommandLine;
use super::values::integer;
use crate::hal::{Bytes, CircleStark};
use crate::{Goldilocks3, Registry, air_file_name};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME")]
    air: String,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer)]
    rows: u64,
    #[command(flatten)]
    statement: StatementArguments,
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
    /// What proofs call it: the SHA-256 digest of the file.
    name: String,
}

impl Arguments {
    /// The file that is written, with its argument.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        vec![("-o", self.output.as_path())]
    }
}

/// Writes the constraints of an AIR as data.
pub(crate) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let protocol = Protocol::of_air(arguments.protocol, &arguments.air, registry)?;
    let files = Outputs::open([arguments.output.as_path()])?;
    let encoded = match protocol {
        Protocol::Goldilocks => record::<Goldilocks3>(arguments, registry)?,
        Protocol::Circle => record::<CircleStark>(arguments, registry)?,
    };
    files.save(&[&encoded])?;
    let view = View {
        status: "recorded",
        file: arguments.output.display().to_string(),
        file_bytes: encoded.len(),
        air: &arguments.air,
        rows: arguments.rows,
        name: air_file_name(&encoded),
    };
    let rows = [
        ("AIR", format!("{}, {} rows", view.air, view.rows)),
        ("name in proofs", view.name.clone()),
        ("file", format!("{}, {}", view.file, Bytes(encoded.len() as u64))),
    ];
    output.result(&view, &format!("recorded\n{}", table(&rows)))
}

fn record<F: CommandLine>(arguments: &Arguments, registry: &Registry) -> Result<Vec<u8>, Failure> {
    let airs = registry.airs::<F>();
    let request = F::request(airs, &arguments.air, arguments.rows, &arguments.statement, &F::Options::default())?;
    Ok(F::air_to_file(&airs.build(&request)?.air)?)
}
