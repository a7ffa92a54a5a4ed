//! `polystark inspect`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::air_file::AirFileArguments;
use super::arguments::Protocol;
use super::commands::{Command, named};
use super::exit::Failure;
use super::kinds::{self, Wanted};
use super::output::{Output, table};
use super::outputs::Named;
use super::policy::ReadArguments;
use super::protocol::CommandLine;
use super::verify::protocol_of;
use super::views::{proof_row, security_rows, stated_rows, vouched_row};
use crate::facts::{ProofView, SecurityView};
use sdk::hal::CircleStark;
use sdk::{Airs, Goldilocks3, Registry};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file that `polystark prove` wrote, or - for standard input
    file: PathBuf,
    #[command(flatten)]
    airs: AirFileArguments,
    #[command(flatten)]
    read: ReadArguments,
}

impl Command for Arguments {
    fn files(&self) -> Vec<Named<'_>> {
        named(std::iter::once(("FILE", self.file.as_path())).chain(self.airs.files()))
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Shows what a file says. Nothing of it is verified.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let bytes = self.read.read_any(&self.file)?;
        kinds::refuse_other(&self.file, &bytes, Wanted::AirProof, "inspect")?;
        match protocol_of(&bytes) {
            Protocol::Goldilocks => show::<Goldilocks3>(self, &bytes, registry.airs(), output),
            Protocol::Circle => show::<CircleStark>(self, &bytes, registry.airs(), output),
        }
    }
}

#[derive(Serialize)]
struct View<S, T> {
    status: &'static str,
    file: String,
    statement: S,
    /// Null if the statement cannot be rebuilt; see `problem`.
    claimed_security: Option<SecurityView>,
    problem: Option<String>,
    /// Whether the statement vouches that no tuple is looked up as often as the prime; then nobody counts.
    vouches_for_multiplicities: bool,
    proof: ProofView,
    /// Null if the proof cannot be decoded; see `problem`.
    contents: Option<T>,
}

fn show<F: CommandLine>(arguments: &Arguments, bytes: &[u8], known: &Airs<F>, output: &Output) -> Result<(), Failure> {
    let of_files = arguments.airs.read()?;
    let (file, airs) = (F::decode(bytes)?, &of_files.airs(known)?);
    let (options, claimed, proof) =
        (F::options(&file).ok(), airs.security(&file), ProofView::new(F::stated(&file).proof));
    let (contents, inside) = F::contents(airs, &file).unzip();
    let mut rows = stated_rows::<F>(&file);
    rows.extend(F::own_rows(&file, options.as_ref()));
    match &claimed {
        Ok(security) => rows.extend(security_rows(security)),
        Err(error) => rows.push(("problem", error.to_string())),
    }
    let vouches = airs.stated(&file).is_ok_and(|air| F::vouches(&air));
    rows.extend(vouches.then(vouched_row));
    rows.push(proof_row(&proof));
    rows.extend(inside.into_iter().flatten());
    let view = View {
        status: "not verified",
        file: arguments.file.display().to_string(),
        statement: F::statement_view(&file, options.as_ref()),
        claimed_security: claimed.as_ref().ok().map(SecurityView::new),
        problem: claimed.as_ref().err().map(ToString::to_string),
        vouches_for_multiplicities: vouches,
        proof,
        contents,
    };
    output.result(&view, &format!("not verified: this is what the file says\n{}", table(&rows)))?;
    of_files.note(F::stated(&file).air).iter().for_each(|note| output.note(note));
    Ok(())
}
