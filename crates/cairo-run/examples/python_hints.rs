//! A program that runs compiled programs with hints of their own, and serves these hints itself:
//! `cargo run --release -p polystark-cairo-run --features python-hints --example python_hints -- PROGRAM [INPUT]`.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use cairo_run::{Kind, Machine, Options, OwnHints, load, parse_program_input, serve_hints};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // This program is started again for the hints of a run.
    if let Some(code) = serve_hints() {
        return Ok(code);
    }
    let mut words = std::env::args().skip(1);
    let program = std::fs::read(words.next().ok_or("which program?")?)?;
    let input = words.next().map(std::fs::read).transpose()?;
    let program_input = input.map(|input| parse_program_input(&input)).transpose()?;
    for machine in [Machine::Own, Machine::CairoVm] {
        let own_hints = OwnHints::Python(std::env::current_exe()?);
        let (kind, program_input) = (Some(Kind::Compiled), program_input.clone());
        let begun = Instant::now();
        let loaded = load(&program, &Options { kind, program_input, own_hints, machine, ..Options::default() })?;
        print!("{}", loaded.printed);
        println!("{:?}: {} steps in {:?}", loaded.run_by, loaded.steps, begun.elapsed());
    }
    Ok(ExitCode::SUCCESS)
}
