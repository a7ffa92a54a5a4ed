//! `polystark verify`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use polystark::verifier::SecurityKind;
use polystark::{Expect, ExpectSeed, HashFn, Policy, decode_file, verify_statement};
use serde::Serialize;

use super::exit::Failure;
use super::output::{Output, table};
use super::values::{Assignment, Elements, assignment, elements, integer, parameters, seed};
use super::views::{ProofView, SecurityView, StatementView, proof_row, security_rows, statement_rows};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file that `polystark prove` wrote
    file: PathBuf,
    /// Refuse proofs that are worth fewer bits
    #[arg(long, value_name = "N", default_value_t = Policy::default().min_security_bits)]
    min_security_bits: u32,
    /// Count provable bits instead of conjectured ones
    #[arg(long)]
    provable: bool,
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
    #[arg(long, value_name = "LIST", value_parser = elements)]
    expect_public: Option<Elements>,
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
    /// Refuse other transcript seeds: hexadecimal, may be empty, or `default` for the one that binds the statement
    #[arg(long, value_name = "HEX|default", value_parser = seed)]
    expect_seed: Option<ExpectSeed>,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    statement: StatementView,
    security: SecurityView,
    min_security_bits: u32,
    security_kind: String,
    proof: ProofView,
}

/// Verifies a file and says what was proven.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let expect = Expect {
        air: arguments.expect_air.clone(),
        rows: arguments.expect_rows,
        parameters: parameters(&arguments.expect_param)?,
        public_inputs: arguments.expect_public.as_ref().map(|Elements(elements)| elements.clone()),
        hash: arguments.expect_hash,
        blowup: arguments.expect_blowup,
        queries: arguments.expect_queries,
        grinding: arguments.expect_grinding,
        coset_offset: arguments.expect_coset_offset,
        seed: arguments.expect_seed.clone(),
    };
    let kind = if arguments.provable { SecurityKind::Provable } else { SecurityKind::Conjectured };
    let policy = Policy { min_security_bits: arguments.min_security_bits, kind };
    let statement = decode_file(&read(&arguments.file)?)?;
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

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::file(path, error))
}
