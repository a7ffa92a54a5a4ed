//! `scarb prove` of Scarb 2.20: executes a package, if that is asked for, and proves the execution.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairo_run::Felt252;
use clap::{Args, Parser, ValueEnum};
use sdk::Registry;

use super::packages::PackageArguments;
use super::proof::{self, ProofFormat, default_parameters};
use super::scarb::{self, execution};
use super::ui::{Ui, UiArguments, is_set};
use super::variable;
use super::vm_runner::Layout;
use crate::cairo::arguments::{felt, value_name};
use crate::cairo::machine::program::load_run;

/// Proves what `scarb execute` has executed: Polystark in the place of Scarb's prover
#[derive(Parser)]
#[command(name = "prove", version = "2.20.1")]
struct ScarbProveArguments {
    #[command(flatten)]
    packages: PackageArguments,
    /// The number of the execution, whose output is `standard`
    #[arg(
        long,
        conflicts_with_all = [
            "execute", "no_build", "arguments", "arguments_file", "output", "target", "print_program_output",
            "print_resource_usage", "executable_name", "executable_function"
        ]
    )]
    execution_id: Option<u64>,
    /// Execute the package first
    #[arg(long, required_unless_present = "execution_id")]
    execute: bool,
    #[command(flatten)]
    executed: ExecuteArguments,
    /// How the proof is written
    #[arg(long, value_enum, default_value_t = ProofFormat::Json)]
    proof_format: ProofFormat,
    #[command(flatten)]
    ui: UiArguments,
}

/// How Scarb executes the package.
#[derive(Args)]
struct ExecuteArguments {
    /// Do not build the package again
    #[arg(long)]
    no_build: bool,
    /// Features of the package [default: SCARB_FEATURES]
    #[arg(short = 'F', long, value_delimiter = ',')]
    features: Vec<String>,
    /// All features, also where SCARB_ALL_FEATURES is set
    #[arg(long, conflicts_with = "no_default_features")]
    all_features: bool,
    /// No default features, also where SCARB_NO_DEFAULT_FEATURES is set
    #[arg(long)]
    no_default_features: bool,
    /// The target, by its name
    #[arg(long)]
    executable_name: Option<String>,
    /// The target, by the path of its function
    #[arg(long, conflicts_with = "executable_name")]
    executable_function: Option<String>,
    /// The arguments of the function: felts, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = felt)]
    arguments: Vec<Felt252>,
    /// The arguments of the function, from a file
    #[arg(long, conflicts_with = "arguments")]
    arguments_file: Option<String>,
    /// The output of the execution [default: standard]
    #[arg(long, value_enum)]
    output: Option<RunOutput>,
    /// How the function is executed [default: bootloader]
    #[arg(long, value_enum)]
    target: Option<Target>,
    /// Print the output of the program
    #[arg(long)]
    print_program_output: bool,
    /// Print the resources of the execution
    #[arg(long)]
    print_resource_usage: bool,
    /// Write what cairo-profiler reads
    #[arg(long)]
    save_profiler_trace_data: bool,
    /// The builtins that the machine has
    #[arg(long, value_enum, default_value_t = Layout::StwoNoEcop)]
    layout: Layout,
}

/// The output of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RunOutput {
    Standard,
    CairoPie,
    None,
}

/// How a function is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    Bootloader,
    Standalone,
}

impl ExecuteArguments {
    /// The features, in variables for Scarb.
    fn features(&self) -> Vec<(&'static str, String)> {
        let named = match &self.features[..] {
            [] => variable("SCARB_FEATURES").unwrap_or_default(),
            features => features.join(","),
        };
        let flags =
            [("SCARB_ALL_FEATURES", self.all_features), ("SCARB_NO_DEFAULT_FEATURES", self.no_default_features)];
        let flags = flags.into_iter().filter(|(name, is_given)| *is_given || is_set(name));
        std::iter::once(("SCARB_FEATURES", named)).chain(flags.map(|(name, _)| (name, "true".to_owned()))).collect()
    }

    /// The arguments of `scarb execute`.
    fn words(&self) -> Vec<String> {
        let flag = |name: &str, is_given: bool| is_given.then(|| vec![format!("--{name}")]);
        let pair = |name: &str, value: Option<String>| value.map(|value| vec![format!("--{name}"), value]);
        let felts: Vec<String> = self.arguments.iter().map(Felt252::to_string).collect();
        let words = [
            flag("no-build", self.no_build),
            pair("executable-name", self.executable_name.clone()),
            pair("executable-function", self.executable_function.clone()),
            pair("arguments-file", self.arguments_file.clone()),
            pair("arguments", Some(felts.join(",")).filter(|felts| !felts.is_empty())),
            pair("output", self.output.map(|output| value_name(&output))),
            pair("target", self.target.map(|target| value_name(&target))),
            flag("print-program-output", self.print_program_output),
            flag("print-resource-usage", self.print_resource_usage),
            flag("save-profiler-trace-data", self.save_profiler_trace_data),
            pair("layout", Some(value_name(&self.layout))),
            self.target.is_none().then(|| vec!["--target=bootloader".to_owned()]),
            self.output.is_none().then(|| vec!["--output=standard".to_owned()]),
        ];
        words.into_iter().flatten().flatten().collect()
    }

    /// Executes the package. The number of the execution.
    fn execute(&self, target_folder: &Path, package: &str, ui: Ui) -> Result<u64, String> {
        let id = scarb::new_execution(target_folder, package)?;
        if self.target == Some(Target::Standalone) {
            return Err("only bootloader execution can be proven with `scarb prove` command".to_owned());
        }
        let mut command = scarb::command();
        command
            .arg("execute")
            .args(self.words())
            .env("SCARB_EXECUTION_ID", id.to_string())
            .env("SCARB_PACKAGES_FILTER", package)
            .env("SCARB_UI_VERBOSITY", value_name(&ui.verbosity))
            .envs(self.features());
        match command.status() {
            Ok(status) if status.success() => Ok(id),
            Ok(_) => Err("execution failed: `scarb` command exited with error".to_owned()),
            Err(error) => Err(format!("execution failed: failed to read `scarb` output: {error}")),
        }
    }
}

pub(super) fn main(words: Vec<OsString>, registry: &Registry) -> ExitCode {
    let arguments = match super::parse::<ScarbProveArguments>(words) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let ui = arguments.ui.ui();
    match run(&arguments, registry, ui) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &ScarbProveArguments, registry: &Registry, ui: Ui) -> Result<(), String> {
    let target_folder = scarb::target_folder()?;
    let metadata = scarb::metadata(&arguments.executed.features())?;
    let package = arguments.packages.one(&metadata)?.name;
    let id = match arguments.execution_id {
        Some(id) => id,
        None => arguments.executed.execute(&target_folder, &package, ui)?,
    };
    ui.status("Proving", &package);
    let (input, proof) = files(&execution(&target_folder, &package, id))?;
    let loaded = load_run(&input).map_err(|failure| failure.message)?;
    let proven = proof::prove(registry, &loaded, &default_parameters(), arguments.proof_format, &proof);
    proven.map_err(|failure| failure.message)?;
    let said = match proof.strip_prefix(&target_folder) {
        Ok(inside) => Path::new("target").join(inside),
        Err(_) => proof.clone(),
    };
    ui.status("Saving proof to:", &said.display().to_string());
    Ok(())
}

/// The run of an execution, and where its proof goes.
fn files(execution: &Path) -> Result<(PathBuf, PathBuf), String> {
    if !execution.exists() {
        return Err(format!(
            "execution directory not found: {}\nhelp: make sure to run `scarb execute` first\nand then run `scarb prove` \
             with correct execution ID\n",
            execution.display()
        ));
    }
    let pie = execution.join("cairo_pie.zip");
    if pie.exists() {
        return Err(format!(
            "proving cairo pie output is not supported: {}\nhelp: run `scarb execute --output=standard` first\nand then \
             run `scarb prove` with correct execution ID\n",
            pie.display()
        ));
    }
    let input = execution.join("prover_input.json");
    if !input.exists() {
        return Err(format!("prover input file does not exist at path: {}", input.display()));
    }
    let folder = execution.join("proof");
    scarb::output_folder(&folder).map_err(|error| format!("failed to create proof directory: {error}"))?;
    Ok((input, folder.join("proof.json")))
}
