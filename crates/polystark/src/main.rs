//! `polystark`: proves and verifies statements, see `polystark help`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    polystark::cli::main()
}
