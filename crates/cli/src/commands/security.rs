//! `polystark security`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::curve::{CurvePoint, curve, text as curve_text};
use crate::arguments::values::integer;
use crate::arguments::{Protocol, StatementArguments, with_system};
use crate::command::{Command, named};
use crate::inputs::air_file::{AirFileArguments, AirFiles};
use crate::inputs::file::protocol_of;
use crate::inputs::kinds::{self, Kind};
use crate::inputs::policy::{ReadArguments, SecurityArguments};
use crate::outputs::Named;
use crate::protocol::{CommandLine, check_statement, request_to_inspect};
use crate::report::exit::Failure;
use crate::report::facts::SecurityView;
use crate::report::output::{Output, table};
use crate::report::views::security_rows;
use sdk::proof_format::policy::MAX_BYTES;
use sdk::proof_format::security::{Column, Rounds, Table};
use sdk::{FileContents, Profile, Registry, SecurityKind};

#[derive(Args)]
pub(crate) struct SecurityCommand {
    /// A file that `polystark prove` wrote, instead of a statement and options
    #[arg(conflicts_with_all = ["protocol", "air", "rows"])]
    file: Option<PathBuf>,
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME", required_unless_present = "file")]
    air: Option<String>,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer, required_unless_present = "file")]
    rows: Option<u64>,
    #[command(flatten)]
    statement: StatementArguments,
    #[command(flatten)]
    security: SecurityArguments,
    /// Also draw the cheapest proofs of each blowup from 2 to 32: queries, bits, bytes, relative time
    #[arg(long, conflicts_with_all = ["file", "blowup", "log_blowup"])]
    curve: bool,
    /// Refuse longer files; time and memory grow with them [default: 2^26]
    #[arg(long, value_name = "N", value_parser = integer)]
    max_bytes: Option<u64>,
    #[command(flatten)]
    airs: AirFileArguments,
}

impl Command for SecurityCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named(self.file.iter().map(|file| ("FILE", file.as_path())).chain(self.airs.files()))
    }

    /// Whether there is such a statement with such options, if it is no file's.
    fn check(&self, registry: &Registry) -> Result<(), Failure> {
        let asked = self.air.as_deref().zip(self.rows);
        asked.map_or(Ok(()), |(air, rows)| {
            check_statement((self.protocol, air, rows), &self.statement, &self.security, registry)
        })
    }

    /// Shows the bits of each round.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            if !self.airs.is_empty() {
                return Err(Failure::usage(
                    "--air-file goes with the file of a proof: leave it out, or leave --air out",
                ));
            }
            if self.max_bytes.is_some() {
                return Err(Failure::usage(
                    "--max-bytes goes with the file of a proof: leave it out, or leave --air out",
                ));
            }
            if self.statement.goldilocks.has_seed() {
                return Err(Failure::usage("--transcript-seed changes no figure: leave it out"));
            }
            let air = self.air.as_deref().unwrap_or_default();
            let protocol = Protocol::of_air(self.protocol, air, registry)?;
            return with_system!(protocol, S => of_statement::<S>(self, registry, output));
        };
        let bytes = ReadArguments { max_bytes: self.max_bytes.unwrap_or(MAX_BYTES) }.read(file)?;
        kinds::refuse_other(file, &bytes, &[Kind::AirProof], "inspect")?;
        let of_files = self.airs.read()?;
        with_system!(protocol_of(&bytes), S => of_file::<S>(self, &bytes, &of_files, registry, output))
    }
}

#[derive(Serialize)]
struct View<O, P> {
    status: &'static str,
    air: String,
    rows: u64,
    /// The given ones, or the file's.
    parameters: BTreeMap<String, u64>,
    options: O,
    /// The profile that the options are the cheapest for, beside given ones; null if they are a file's.
    cheapest_for: Option<String>,
    security: SecurityView,
    /// By round: the hash function first, the queries last.
    rounds: Vec<RoundView>,
    /// By analysis.
    analyses: Vec<AnalysisView>,
    /// By blowup, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<P>>,
}

#[derive(Serialize)]
struct RoundView {
    name: &'static str,
    /// Bits of a proof of work that stands before it, which its bits count.
    work: u32,
    /// By analysis, in their order.
    bits: Vec<u32>,
}

#[derive(Serialize)]
struct AnalysisView {
    name: &'static str,
    /// The multiplicity of a Johnson bound.
    multiplicity: Option<u32>,
    /// The bits of the weakest round.
    least_bits: u32,
    least_round: &'static str,
}

fn of_file<F: CommandLine>(
    arguments: &SecurityCommand,
    bytes: &[u8],
    of_files: &AirFiles<'_>,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let airs = of_files.airs::<F>(&registry.airs())?;
    let is_asked = arguments.security.profile(Profile::DEFAULT)?.is_some();
    if is_asked || !arguments.statement.is_empty() {
        return Err(Failure::usage("a file has its statement and options: leave out those of the command line"));
    }
    let file = F::decode(bytes)?;
    let (options, rounds) = (F::options(&file)?, airs.rounds(&file)?);
    let FileContents { air, rows, parameters, .. } = F::stated(&file);
    show::<F>((air, rows, parameters), &options, None, (&rounds, None), output)?;
    of_files.note(air).iter().for_each(|note| output.note(note));
    Ok(())
}

fn of_statement<F: CommandLine>(
    arguments: &SecurityCommand,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let airs = &registry.airs::<F>();
    let (Some(air), Some(rows)) = (&arguments.air, arguments.rows) else {
        return Err(Failure::usage("name a file, or --air and --rows"));
    };
    let draft = request_to_inspect::<F>(airs, air, rows, &arguments.statement, &arguments.security)?;
    let request = &draft.request;
    let rounds = F::rounds_of(request, &draft.air)?;
    let curve = arguments.curve.then(|| curve(airs, &draft, request.profile, registry));
    show::<F>((air, rows, &request.parameters), &request.options, Some(request.profile), (&rounds, curve), output)
}

fn show<F: CommandLine>(
    (air, rows, parameters): (&str, u64, &BTreeMap<String, u64>),
    options: &F::Options,
    profile: Option<Profile>,
    (rounds, curve): (&Rounds, Option<Vec<CurvePoint<F::OptionsView>>>),
    output: &Output,
) -> Result<(), Failure> {
    let (found, security) = (rounds.table(), rounds.security_by(SecurityKind::FirstOrder));
    let analysis = |column: &Column| AnalysisView {
        name: column.analysis.name(),
        multiplicity: column.multiplicity,
        least_bits: column.least().bits,
        least_round: column.least().limit.name(),
    };
    let view = View {
        status: "computed",
        air: air.to_owned(),
        rows,
        parameters: parameters.clone(),
        options: F::OptionsView::from(options),
        cheapest_for: profile.map(|profile| profile.to_string()),
        security: SecurityView::new(&security),
        rounds: round_views(&found),
        analyses: found.columns.iter().map(analysis).collect(),
        curve,
    };
    let mut lines = vec![("AIR", air.to_owned()), ("rows", format!("{rows} (2^{})", rows.ilog2()))];
    let named: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    lines.extend((!named.is_empty()).then(|| ("parameters", named.join(", "))));
    lines.extend([("protocol", F::NAME.to_owned()), ("options", F::OptionsView::from(options).to_string())]);
    lines.extend(profile.map(|profile| ("cheapest for", profile.to_string())));
    lines.extend(security_rows(&security));
    let mut shown = format!("bits of each round; nothing is proven or verified\n{}\n{}", table(&lines), text(&found));
    if let Some((points, profile)) = view.curve.as_ref().zip(profile) {
        shown += &format!("\n{}", curve_text(points, profile));
    }
    output.result(&view, &shown)
}

fn round_views(table: &Table) -> Vec<RoundView> {
    let rounds = table.columns.first().map(|column| column.rounds.as_slice()).unwrap_or_default();
    let round = |(index, round): (usize, &sdk::proof_format::security::Bits)| RoundView {
        name: round.limit.name(),
        work: table.work[index],
        bits: table.columns.iter().map(|column| column.rounds[index].bits).collect(),
    };
    rounds.iter().enumerate().map(round).collect()
}

/// A line for each round, a column for each analysis; the weakest round of a column has a star.
fn text(table: &Table) -> String {
    let header = |column: &Column| match column.multiplicity {
        None => column.analysis.name().to_owned(),
        Some(m) => format!("{} m={m}", column.analysis.name()),
    };
    let headers: Vec<String> = table.columns.iter().map(header).collect();
    let mut text = format!("{:22}{:>5}", "round", "work");
    headers.iter().for_each(|header| text += &format!("  {header}"));
    for (index, round) in round_views(table).iter().enumerate() {
        text += &format!("\n{:22}{:>5}", round.name, round.work);
        for (column, header) in table.columns.iter().zip(&headers) {
            let Some(bits) = column.rounds.get(index) else { continue };
            let star = if *bits == column.least() { "*" } else { "" };
            text += &format!("  {:>width$}", format!("{star}{}", bits.bits), width = header.len());
        }
    }
    text + "\n\n* the weakest round. A round counts the proof of work that stands before it. Provable is the better one of unique\n\
            decoding and Johnson (ePrint 2025/2055); those of 2020 are older bounds (ePrint 2020/654) and count for no figure.\n\
            First-order is the best of these and of the newer bounds (ePrint 2026/2056), up to Johnson and past it, which are\n\
            asked for by name.\n"
}
