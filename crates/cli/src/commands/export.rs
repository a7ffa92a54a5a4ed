//! `polystark export`.

#[cfg(feature = "cairo")]
mod components;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use export::{Document, json, lean, smt};
use serde::Serialize;

#[cfg(feature = "cairo")]
use self::components::{document_of, groups};
use crate::arguments::values::{Assignment, Numbers, assignment, integer, numbers, parameters};
use crate::arguments::{Protocol, with_system};
use crate::command::{Command, has_stream, named};
use crate::inputs::air_file::AirFile;
use crate::outputs::{Named, Outputs};
use crate::protocol::CommandLine;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::hal::Bytes;
use sdk::{Family, Registry, Request};

/// Rows, by log2, unless said, if the AIR may have as many.
const LOG_ROWS: u32 = 6;

/// The language of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything, as data
    #[default]
    Json,
    /// Questions to a solver: can two rows that agree in their inputs differ (SMT-LIB, QF_FF)
    Smt2,
    /// Definitions over `ZMod`, Lean 4
    Lean,
}

#[derive(Args)]
pub(crate) struct ExportCommand {
    /// The AIR, see `polystark airs`; `cairo` for the components of Cairo programs, `cairo:NAME` for one, `circuit` and
    /// `circuit:NAME` for those of circuits
    #[arg(value_name = "AIR", required_unless_present = "air_file", conflicts_with = "air_file")]
    air: Option<String>,
    /// An AIR that `polystark record` wrote, in place of a name
    #[arg(long, value_name = "FILE")]
    air_file: Option<PathBuf>,
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// Rows of the trace, a power of two [default: 64, or the next number that the AIR may have; 16 for components]
    #[arg(long, value_name = "N", value_parser = integer)]
    rows: Option<u64>,
    /// A parameter of the AIR; may be repeated. Those that must be given have an example by default
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
    /// The language
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Main columns that are inputs of a row beyond those that lookups say, by number; smt2 only
    #[arg(long, value_name = "COLUMNS", value_parser = numbers)]
    given: Option<Numbers>,
    /// Where the text goes, - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    air: String,
    components: usize,
}

impl Command for ExportCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let read = self.air_file.iter().map(|path| ("--air-file", path.as_path()));
        named(read.chain([("-o", self.output.as_path())]))
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("file")
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&named([("-o", self.output.as_path())]))
    }

    /// Writes an AIR as text.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        if self.given.is_some() && self.format != Format::Smt2 {
            return Err(Failure::usage("--given is an option of --format smt2: leave it out"));
        }
        let files = Outputs::open([self.output.as_path()])?;
        let document = self.document(registry)?;
        let text = match self.format {
            Format::Json => json::text(&document),
            Format::Smt2 => {
                let given = self.given.iter().flat_map(|Numbers(numbers)| numbers);
                smt::text(&document, &given.map(|number| *number as usize).collect::<Vec<_>>())
            }
            Format::Lean => lean::text(&document),
        };
        files.save(&[text.as_bytes()])?;
        let view = View {
            status: "exported",
            file: self.output.display().to_string(),
            file_bytes: text.len(),
            air: document.name,
            components: document.components.len(),
        };
        let rows = [
            ("AIR", view.air.clone()),
            ("components", view.components.to_string()),
            ("file", format!("{}, {}", view.file, Bytes(text.len() as u64))),
        ];
        output.result(&view, &format!("exported\n{}", table(&rows)))
    }
}

impl ExportCommand {
    fn document(&self, registry: &Registry) -> Result<Document, Failure> {
        if let Some(path) = &self.air_file {
            if self.rows.is_some() || !self.parameters.is_empty() {
                return Err(Failure::usage("--air-file says rows and parameters: leave --rows and --param out"));
            }
            let file = AirFile::read(path)?;
            return with_system!(file.protocol_of(self.protocol)?, S => document::<S>(&*file.air::<S>()?));
        }
        let air = self.air.as_deref().unwrap_or_default();
        #[cfg(feature = "cairo")]
        if let Some(group) = groups().find(|group| group.has(air)) {
            if self.protocol == Some(Protocol::Goldilocks) || !self.parameters.is_empty() {
                return Err(Failure::usage(format!(
                    "`{air}` is of the protocol circle and has no parameters: leave --protocol and --param out"
                )));
            }
            return document_of(&group, air, self.rows);
        }
        let protocol = Protocol::of_air(self.protocol, air, registry)?;
        with_system!(protocol, S => self.named::<S>(air, registry))
    }

    fn named<F: CommandLine>(&self, air: &str, registry: &Registry) -> Result<Document, Failure> {
        let airs = registry.airs::<F>();
        let family = airs.get(air);
        let least = |family: &Family<F>| 1 << LOG_ROWS.clamp(*family.log_rows().start(), *family.log_rows().end());
        let rows = self.rows.or_else(|| family.map(least)).unwrap_or(1 << LOG_ROWS);
        let required = family.iter().flat_map(|family| family.params()).filter(|param| param.default.is_none());
        let mut all: BTreeMap<_, _> = required.map(|param| (param.name.clone(), param.example)).collect();
        all.extend(parameters(&self.parameters)?);
        let statement = airs.build(&Request { parameters: all, ..Request::new(air, rows) })?;
        document::<F>(&statement.air)
    }
}

fn document<F: CommandLine>(air: &F::Air) -> Result<Document, Failure> {
    F::document(air).map_err(Failure::usage)
}
