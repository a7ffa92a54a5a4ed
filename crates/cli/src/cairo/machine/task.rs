//! `polystark cairo run --pie`.

use std::path::Path;
use std::time::Instant;

use cairo_run::{Task, pie};

use super::program::ProgramArguments;
use crate::cairo::pie::View;
use crate::outputs::Outputs;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};

/// Runs a program as a task of a bootloader, and writes its CairoPIE to `file`.
pub(super) fn run(program: &ProgramArguments, file: &Path, output: &Output) -> Result<(), Failure> {
    let outputs = Outputs::open([file])?;
    let start = Instant::now();
    let Task { kind, pie, printed } = program.run_task()?;
    let bytes = pie::write(&pie).map_err(|error| Failure::file(file, error))?;
    let seconds = start.elapsed().as_secs_f64();
    output.printed(&printed);
    outputs.save(&[&bytes])?;
    let mut view = View::new("run", file, bytes.len(), &pie);
    (view.printed, view.seconds) = (Some(printed), Some(seconds));
    output.result(&view, &format!("{kind} ran in {seconds:.3} s, as a task\n{}", table(&view.rows())))
}
