//! The command line of Polystark with an AIR that it does not come with, for both protocols:
//! `own-statements prove --protocol circle --air savings`.

mod savings;

use std::process::ExitCode;

use polystark::Registry;

fn main() -> ExitCode {
    let registry = Registry::shipped().with_air(savings::of_goldilocks()).with_air(savings::of_circle());
    polystark::cli::main_with(registry)
}
