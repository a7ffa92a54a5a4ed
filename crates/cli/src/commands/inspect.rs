//! `polystark inspect`.

use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::arguments::with_system;
use crate::command::Command;
use crate::inputs::file::FileArguments;
use crate::inputs::policy::ReadArguments;
use crate::outputs::Named;
use crate::protocol::CommandLine;
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::statement_view::StatementView;
use crate::report::views::file_rows;
use sdk::{Airs, Registry};

#[derive(Args)]
pub(crate) struct InspectCommand {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    read: ReadArguments,
}

impl Command for InspectCommand {
    fn files(&self) -> Vec<Named<'_>> {
        self.file.files()
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Shows the content of a file. Nothing of it is verified.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let (bytes, found) = self.file.read(&self.read, "inspect")?;
        with_system!(found, S => show::<S>(self, &bytes, &registry.airs(), output))
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

fn show<F: CommandLine>(
    arguments: &InspectCommand,
    bytes: &[u8],
    known: &Airs<F>,
    output: &Output,
) -> Result<(), Failure> {
    let of_files = arguments.file.airs.read()?;
    let (file, airs) = (F::decode(bytes)?, &of_files.airs(known)?);
    let (options, claimed, proof) =
        (F::options(&file).ok(), airs.security(&file), ProofView::new(F::stated(&file).proof));
    let (contents, inside) = F::contents(airs, &file).unzip();
    let vouches = airs.stated(&file).is_ok_and(|air| F::facts(&*air).vouches);
    let (own, own_rows) = F::own(&file, options.as_ref());
    let mut rows = file_rows::<F>(&file, own_rows, claimed.as_ref(), vouches, &proof);
    rows.extend(inside.into_iter().flatten());
    let view = View {
        status: "not verified",
        file: arguments.file.name(),
        statement: StatementView::new::<F>(&file, own),
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
