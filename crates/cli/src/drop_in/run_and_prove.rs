//! `stwo-run-and-prove` 1.3.1: runs a compiled program and proves the run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairo_run::Loaded;
use cairo_run::felt::text;
use clap::Parser;
use sdk::Registry;

use super::log::Log;
use super::proof::{self, ProofFormat};
use crate::cairo::machine::program::{RunOptions, load_compiled, load_tasks};
use crate::cairo::parameters::Parameters;
use crate::outputs::Outputs;
use crate::report::exit::Failure;

/// The file of the run in the folder of `--debug_data_dir`.
const PROVER_INPUT: &str = "prover_input.json";

const LOG: Log = Log { program: "stwo_run_and_prove" };

/// Runs a compiled Cairo program and proves the run: Polystark in the place of stwo-run-and-prove
#[derive(Parser)]
#[command(name = "stwo-run-and-prove", version = "1.3.1")]
struct RunAndProveArguments {
    /// The compiled program, JSON
    #[arg(long = "program", value_name = "PROGRAM", required_unless_present = "tasks")]
    program: Option<PathBuf>,
    /// In place of a program: the list of tasks of a bootloader, which is here already. The reference has no such flag
    #[arg(long, value_name = "LIST", conflicts_with_all = ["program", "program_input"])]
    tasks: Option<PathBuf>,
    /// The JSON value that the program's hints call `program_input`
    #[arg(long = "program_input", value_name = "PROGRAM_INPUT")]
    program_input: Option<PathBuf>,
    /// The prover's parameters, JSON [default: channel blake2s, 26 bits of work, a blowup of 2, 70 queries, canonical]
    #[arg(long = "prover_params_json", value_name = "PROVER_PARAMS_JSON")]
    prover_params_json: Option<PathBuf>,
    /// Where the proof goes
    #[arg(long = "proof_path", value_name = "PROOF_PATH")]
    proof_path: PathBuf,
    /// How the proof is written
    #[arg(long, value_enum, default_value_t = ProofFormat::CairoSerde)]
    proof_format: ProofFormat,
    /// Verify the proof: every proof is verified before it is written, with this flag and without it
    #[arg(long = "verify")]
    verify: bool,
    /// Where the output of the program goes, a JSON array of felts
    #[arg(long = "program_output", value_name = "PROGRAM_OUTPUT")]
    program_output: Option<PathBuf>,
    /// Write the run into the folder of --debug_data_dir, also where it was proven
    #[arg(long = "save_debug_data")]
    save_debug_data: bool,
    /// The folder that `prover_input.json`, the run, is written into where there is no proof of it
    #[arg(long = "debug_data_dir", value_name = "DEBUG_DATA_DIR")]
    debug_data_dir: Option<PathBuf>,
}

pub(super) fn main(words: Vec<OsString>, registry: &Registry) -> ExitCode {
    match super::parse::<RunAndProveArguments>(words) {
        Ok(arguments) => LOG.end(run(&arguments, registry).map_err(|failure| failure.message)),
        Err(code) => code,
    }
}

fn run(arguments: &RunAndProveArguments, registry: &Registry) -> Result<(), Failure> {
    let output = arguments.program_output.as_deref().map(|path| ("--program_output", path));
    let debug = arguments.debug_data_dir.as_ref().map(|folder| folder.join(PROVER_INPUT));
    let debug = debug.as_deref().map(|path| ("--debug_data_dir", path));
    let proof = [("--proof_path", arguments.proof_path.as_path())];
    let written: Vec<_> = output.into_iter().chain(debug).chain(proof).collect();
    let program_input = arguments.program_input.as_deref();
    let loaded = match (&arguments.program, &arguments.tasks) {
        (Some(program), _) => load_compiled(program, program_input, RunOptions::default(), &written)?,
        (None, list) => load_tasks(list.as_deref().unwrap_or(Path::new("")), &written)?,
    };
    let proven = prove(arguments, registry, &loaded);
    if let Some(folder) = &arguments.debug_data_dir
        && (proven.is_err() || arguments.save_debug_data)
    {
        fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
        let file = folder.join(PROVER_INPUT);
        let run = serde_json::to_vec_pretty(&loaded.run).map_err(|error| Failure::file(&file, error))?;
        write(&file, &run)?;
    }
    if let Some(file) = &arguments.program_output
        && proven.is_ok()
    {
        LOG.info(&format!("Saving program output to: {file:?}"));
        let felts: Vec<String> = loaded.output.iter().map(text).collect();
        write(file, &serde_json::to_vec_pretty(&felts).map_err(|error| Failure::file(file, error))?)?;
    }
    proven
}

/// Reads the parameters, proves, and says how it went.
fn prove(arguments: &RunAndProveArguments, registry: &Registry, loaded: &Loaded) -> Result<(), Failure> {
    let RunAndProveArguments { prover_params_json, proof_format, proof_path, .. } = arguments;
    let parameters = prover_params_json.as_deref().map_or_else(|| Ok(proof::default_parameters()), Parameters::read);
    let proven =
        parameters.and_then(|parameters| proof::prove(registry, loaded, &parameters, *proof_format, proof_path));
    match &proven {
        Ok(()) => LOG.info("Proof generated and verified successfully."),
        Err(failure) => LOG.error(&format!("Proving failed with error {}", failure.message)),
    }
    proven
}

/// Writes a file, whole or not at all.
pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Outputs::open([file])?.save(&[bytes])
}
