//! `polystark verify`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use polystark::circle_proof::{self, PROTOCOL, ProofFile};
use polystark::goldilocks::{Expect, ExpectSeed, Policy, decode_file, verify_statement};
use polystark::proof::file::protocol;
use polystark::proof::policy::{MAX_BYTES, check_length};
use polystark::{Error, HashFn, SecurityKind, circle};
use serde::Serialize;

use super::arguments::Protocol;
use super::circle as circle_cli;
use super::exit::Failure;
use super::output::{Output, table};
use super::values::{Assignment, Numbers, assignment, integer, numbers, parameters, seed};
use super::views::{ProofView, SecurityView, StatementView, proof_row, security_rows, statement_rows};

/// How much is read.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// Refuse longer files; time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = MAX_BYTES)]
    max_bytes: u64,
}

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file that `polystark prove` wrote
    pub(crate) file: PathBuf,
    /// Refuse proofs that are worth fewer bits
    #[arg(long, value_name = "N", default_value_t = Policy::default().min_security_bits)]
    min_security_bits: u32,
    /// Which bits: claimed (log2 of the blowup for each query), conjectured or provable [default: conjectured for
    /// goldilocks, claimed for circle]
    #[arg(long, value_name = "KIND")]
    security: Option<SecurityKind>,
    #[command(flatten)]
    read: ReadArguments,
    /// Refuse other protocols
    #[arg(long, value_enum)]
    expect_protocol: Option<Protocol>,
    /// Refuse other AIRs
    #[arg(long, value_name = "NAME")]
    expect_air: Option<String>,
    /// Refuse other numbers of rows
    #[arg(long, value_name = "N", value_parser = integer)]
    expect_rows: Option<u64>,
    /// Refuse other values of this parameter; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    expect_param: Vec<Assignment>,
    /// Refuse other public inputs: all of them, decimal or hexadecimal after 0x, separated by commas
    #[arg(long, value_name = "LIST", value_parser = numbers)]
    expect_public: Option<Numbers>,
    /// Refuse other hash functions
    #[arg(long, value_name = "HASH")]
    expect_hash: Option<HashFn>,
    /// Refuse other blowups
    #[arg(long, value_name = "B")]
    expect_blowup: Option<u32>,
    /// Refuse other numbers of queries
    #[arg(long, value_name = "Q")]
    expect_queries: Option<u32>,
    /// Refuse other grinding factors
    #[arg(long, value_name = "G")]
    expect_grinding: Option<u32>,
    /// Refuse other coset offsets
    #[arg(long, value_name = "H", value_parser = integer)]
    expect_coset_offset: Option<u64>,
    /// Refuse other transcript seeds: hexadecimal, may be empty, or `default` for the one that binds the statement [default:
    /// default]
    #[arg(long, value_name = "HEX|default", value_parser = seed)]
    expect_seed: Option<ExpectSeed>,
    #[command(flatten)]
    circle: circle_cli::CircleExpectArguments,
}

impl Arguments {
    /// An expectation that only the Goldilocks protocol has, if one is given.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--expect-hash", self.expect_hash.is_some()),
            ("--expect-blowup", self.expect_blowup.is_some()),
            ("--expect-grinding", self.expect_grinding.is_some()),
            ("--expect-coset-offset", self.expect_coset_offset.is_some()),
            ("--expect-seed", self.expect_seed.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

#[derive(Serialize)]
struct View<S, C> {
    status: &'static str,
    file: String,
    statement: S,
    security: C,
    min_security_bits: u32,
    security_kind: String,
    proof: ProofView,
}

/// Verifies a file and says what was proven.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let bytes = arguments.read.read(&arguments.file)?;
    let found = protocol_of(&bytes);
    if let Some(expected) = arguments.expect_protocol.filter(|expected| *expected != found) {
        return Err(Failure::invalid(format!("the protocol is {found:?}, expected: {expected:?}").to_lowercase()));
    }
    match found {
        Protocol::Goldilocks => goldilocks(arguments, &bytes, output),
        Protocol::Circle => circle(arguments, &bytes, output),
    }
}

fn goldilocks(arguments: &Arguments, bytes: &[u8], output: &Output) -> Result<(), Failure> {
    refuse_other(arguments.circle.given(), "goldilocks")?;
    let expect = Expect {
        air: arguments.expect_air.clone(),
        rows: arguments.expect_rows,
        parameters: parameters(&arguments.expect_param)?,
        public_inputs: arguments.expect_public.as_ref().map(Numbers::elements).transpose()?,
        hash: arguments.expect_hash,
        blowup: arguments.expect_blowup,
        queries: arguments.expect_queries,
        grinding: arguments.expect_grinding,
        coset_offset: arguments.expect_coset_offset,
        seed: arguments.expect_seed.clone().unwrap_or_default(),
    };
    let kind = arguments.security.unwrap_or(Policy::default().kind);
    let (min_security_bits, max_bytes) = (arguments.min_security_bits, arguments.read.max_bytes);
    let policy = Policy { min_security_bits, kind, max_bytes };
    let statement = decode_file(bytes)?;
    let report = verify_statement(statement, &policy, &expect)?;
    let statement = &report.statement;
    let view = View {
        status: "valid",
        file: arguments.file.display().to_string(),
        statement: StatementView::new(statement),
        security: SecurityView::new(&report.security),
        min_security_bits: policy.min_security_bits,
        security_kind: kind.to_string(),
        proof: ProofView::new(&statement.proof),
    };
    let mut rows = statement_rows(statement);
    rows.extend(security_rows(&report.security));
    rows.push(proof_row(&statement.proof));
    output.result(&view, &format!("valid: the proof convinces of this statement\n{}", table(&rows)))
}

fn circle(arguments: &Arguments, bytes: &[u8], output: &Output) -> Result<(), Failure> {
    refuse_other(arguments.given(), "circle")?;
    let common = circle::Expect {
        air: arguments.expect_air.clone(),
        rows: arguments.expect_rows,
        parameters: parameters(&arguments.expect_param)?,
        queries: arguments.expect_queries,
        ..circle::Expect::default()
    };
    let public = arguments.expect_public.as_ref().map(|Numbers(numbers)| numbers.as_slice());
    let expect = arguments.circle.expect(common, public)?;
    let default = circle_proof::Policy::default();
    let policy = circle_proof::Policy {
        min_security_bits: arguments.min_security_bits,
        kind: arguments.security.unwrap_or(default.kind),
        max_preprocessed_cells: arguments.circle.max_cells,
        max_bytes: arguments.read.max_bytes,
        ..default
    };
    let file = ProofFile::decode(bytes).map_err(Error::File)?;
    let circle::Report { file, verified, .. } = circle::verify(file, &policy, &expect)?;
    let view = View {
        status: "valid",
        file: arguments.file.display().to_string(),
        statement: circle_cli::StatementView::new(&file, Some(&verified.options)),
        security: SecurityView::new(&verified.security),
        min_security_bits: policy.min_security_bits,
        security_kind: policy.kind.to_string(),
        proof: ProofView::new(&file.proof),
    };
    let mut rows = circle_cli::statement_rows(&file, Some(&verified.options));
    rows.extend(security_rows(&verified.security));
    rows.push(proof_row(&file.proof));
    output.result(&view, &format!("valid: the proof convinces of this statement\n{}", table(&rows)))
}

/// The protocol of a file. What is none of ours is left to the decoder of the default protocol, which says why.
pub(crate) fn protocol_of(bytes: &[u8]) -> Protocol {
    if protocol(bytes).is_ok_and(|name| name == PROTOCOL) { Protocol::Circle } else { Protocol::Goldilocks }
}

/// Refuses an expectation of a property that proofs of the file's protocol do not have.
fn refuse_other(given: Option<&'static str>, found: &str) -> Result<(), Failure> {
    given.map_or(Ok(()), |name| Err(Failure::invalid(format!("the protocol is {found}, for which there is no {name}"))))
}

impl ReadArguments {
    /// The bytes of a file, if there are not too many.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let failed = |error| Failure::file(path, error);
        let mut bytes = Vec::new();
        File::open(path)
            .map_err(failed)?
            .take(self.max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        check_length(bytes.len(), self.max_bytes).map_err(Error::from)?;
        Ok(bytes)
    }
}
