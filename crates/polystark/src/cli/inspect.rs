//! `polystark inspect`.

use std::path::PathBuf;

use clap::Args;
use polystark::circle_proof::{self, ProofFile};
use polystark::goldilocks::{decode_file, decode_proof, security};
use polystark::proof::{Proof, Security};
use polystark::{Error, Goldilocks3, circle};
use serde::Serialize;

use super::arguments::Protocol;
use super::circle as circle_cli;
use super::exit::Failure;
use super::output::{Output, table};
use super::verify::{ReadArguments, protocol_of};
use super::views::{ProofView, SecurityView, StatementView, proof_row, security_rows, statement_rows};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file that `polystark prove` wrote
    pub(crate) file: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
}

#[derive(Serialize)]
struct View<S, C, T> {
    status: &'static str,
    file: String,
    statement: S,
    /// Null if the statement cannot be rebuilt; see `problem`.
    claimed_security: Option<C>,
    problem: Option<String>,
    proof: ProofView,
    /// Null if the proof cannot be decoded; see `problem`.
    contents: Option<T>,
}

#[derive(Serialize)]
struct ContentsView {
    trace_length: u64,
    main_root: String,
    aux_root: Option<String>,
    composition_root: String,
    ood_width: u64,
    ood_height: u64,
    trace_ood: Vec<String>,
    composition_ood: Vec<String>,
    fri_roots: Vec<String>,
    fri_last_value: String,
    fri_decommitments: usize,
    deep_openings: usize,
    nonce: Option<String>,
}

impl ContentsView {
    fn new(proof: &Proof<Goldilocks3>) -> Self {
        Self {
            trace_length: proof.trace_length,
            main_root: hex::encode(proof.main_root),
            aux_root: proof.aux_root.map(hex::encode),
            composition_root: hex::encode(proof.composition_root),
            ood_width: proof.trace_ood.width,
            ood_height: proof.trace_ood.height,
            trace_ood: proof.trace_ood.data.iter().map(ToString::to_string).collect(),
            composition_ood: proof.composition_ood.iter().map(ToString::to_string).collect(),
            fri_roots: proof.fri_roots.iter().map(hex::encode).collect(),
            fri_last_value: proof.fri_last_value.to_string(),
            fri_decommitments: proof.fri_decommitments.len(),
            deep_openings: proof.deep_openings.len(),
            nonce: proof.nonce.map(|nonce| nonce.to_string()),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let none = || "none".to_owned();
        vec![
            ("trace length", self.trace_length.to_string()),
            ("main root", self.main_root.clone()),
            ("auxiliary root", self.aux_root.clone().unwrap_or_else(none)),
            ("composition root", self.composition_root.clone()),
            ("out of domain", format!("{} columns, {} rows", self.ood_width, self.ood_height)),
            ("composition", format!("{} parts", self.composition_ood.len())),
            ("FRI", format!("{} roots, last value {}", self.fri_roots.len(), self.fri_last_value)),
            ("queries", format!("{} decommitments, {} openings", self.fri_decommitments, self.deep_openings)),
            ("nonce", self.nonce.clone().unwrap_or_else(none)),
        ]
    }
}

/// Shows what a file says. Nothing of it is verified.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let bytes = arguments.read.read(&arguments.file)?;
    match protocol_of(&bytes) {
        Protocol::Goldilocks => goldilocks(arguments, &bytes, output),
        Protocol::Circle => circle(arguments, &bytes, output),
    }
}

fn circle(arguments: &Arguments, bytes: &[u8], output: &Output) -> Result<(), Failure> {
    let file = ProofFile::decode(bytes).map_err(Error::File)?;
    let options = circle::options(&file).ok();
    let claimed = circle::security(&file);
    let contents = circle_proof::decode(&file.proof).map(|proof| circle_cli::ContentsView::new(&proof));

    let mut rows = circle_cli::statement_rows(&file, options.as_ref());
    match &claimed {
        Ok(security) => rows.extend(security_rows(security)),
        Err(error) => rows.push(("problem", error.to_string())),
    }
    rows.push(proof_row(&file.proof));
    if let Ok(contents) = &contents {
        rows.extend(contents.rows());
    }
    let view = View {
        status: "not verified",
        file: arguments.file.display().to_string(),
        statement: circle_cli::StatementView::new(&file, options.as_ref()),
        claimed_security: claimed.as_ref().ok().map(SecurityView::new),
        problem: claimed.as_ref().err().map(ToString::to_string),
        proof: ProofView::new(&file.proof),
        contents: contents.ok(),
    };
    output.result(&view, &format!("not verified: this is what the file says\n{}", table(&rows)))
}

fn goldilocks(arguments: &Arguments, bytes: &[u8], output: &Output) -> Result<(), Failure> {
    let statement = decode_file(bytes)?;
    let claimed: Result<Security, Error> = security(&statement);
    let contents = decode_proof(&statement).map(|proof| ContentsView::new(&proof));

    let mut rows = statement_rows(&statement);
    match &claimed {
        Ok(security) => rows.extend(security_rows(security)),
        Err(error) => rows.push(("problem", error.to_string())),
    }
    rows.push(proof_row(&statement.proof));
    if let Ok(contents) = &contents {
        rows.extend(contents.rows());
    }
    let view = View {
        status: "not verified",
        file: arguments.file.display().to_string(),
        statement: StatementView::new(&statement),
        claimed_security: claimed.as_ref().ok().map(SecurityView::new),
        problem: claimed.as_ref().err().map(ToString::to_string),
        proof: ProofView::new(&statement.proof),
        contents: contents.ok(),
    };
    output.result(&view, &format!("not verified: this is what the file says\n{}", table(&rows)))
}
