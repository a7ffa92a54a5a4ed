//! `polystark`: proves and verifies statements, see `polystark help`.
#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
