//! `stwo-vm-runner` 1.3.1: runs a compiled program and counts the resources of a proof of the run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use cairo_run::{BuiltinName, Run};
use clap::{Parser, ValueEnum};
use sdk::Registry;
use serde::Serialize;

use super::log::Log;
use super::run_and_prove::write;
use crate::cairo::machine::program::{RunOptions, load_compiled};
use crate::report::exit::Failure;

const LOG: Log = Log { program: "stwo_vm_runner" };

/// Runs a compiled Cairo program and counts what a proof of the run takes: Polystark in the place of stwo-vm-runner
#[derive(Parser)]
#[command(name = "stwo-vm-runner", version = "1.3.1")]
struct VmRunnerArguments {
    /// The compiled program, JSON
    #[arg(long = "program", value_name = "PROGRAM")]
    program: PathBuf,
    /// The JSON value that the program's hints call `program_input`
    #[arg(long = "program_input", value_name = "PROGRAM_INPUT")]
    program_input: Option<PathBuf>,
    /// The builtins that the machine has: all_cairo_stwo, as proofs have them
    #[arg(long = "layout", value_enum, value_name = "LAYOUT")]
    layout: Layout,
    /// Where the resources of the run go, JSON
    #[arg(long = "output_execution_resources_path", value_name = "OUTPUT_EXECUTION_RESOURCES_PATH")]
    output_execution_resources_path: PathBuf,
    /// Where the run goes, JSON
    #[arg(long = "output_prover_input_path", value_name = "OUTPUT_PROVER_INPUT_PATH")]
    output_prover_input_path: Option<PathBuf>,
    /// Where the machine's own resources go, JSON: before builtins are padded
    #[arg(long = "output_vm_execution_resources_path", value_name = "OUTPUT_VM_EXECUTION_RESOURCES_PATH")]
    output_vm_execution_resources_path: Option<PathBuf>,
    /// Let the machine check the run, as it checks runs that it does not trust
    #[arg(long = "secure_run")]
    secure_run: bool,
}

/// A layout of the machine, by cairo-vm's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Layout {
    Plain,
    Small,
    Dex,
    Recursive,
    Starknet,
    StarknetWithKeccak,
    RecursiveLargeOutput,
    RecursiveWithPoseidon,
    AllSolidity,
    AllCairo,
    Dynamic,
    AllCairoStwo,
    StwoNoEcop,
    Perpetual,
    DexWithBitwise,
}

/// The resources of a run, by which the sizes of its tables are known. Names are the reference's.
#[derive(Debug, Serialize)]
struct ExecutionResources {
    /// Steps by component.
    opcodes_instance_counter: BTreeMap<&'static str, usize>,
    /// Instances by builtin, padding included.
    builtin_instance_counter: BTreeMap<String, usize>,
    memory_tables_sizes: MemoryTablesSizes,
    /// Different instructions.
    verify_instruction: usize,
}

#[derive(Debug, Serialize)]
struct MemoryTablesSizes {
    memory_address_to_id: usize,
    memory_id_to_big: usize,
    memory_id_to_small: usize,
}

/// The builtins that are counted: all that have a segment in a run.
const COUNTED: [BuiltinName; 9] = [
    BuiltinName::AddMod,
    BuiltinName::Bitwise,
    BuiltinName::MulMod,
    BuiltinName::Pedersen,
    BuiltinName::Poseidon,
    BuiltinName::RangeCheck96,
    BuiltinName::RangeCheck,
    BuiltinName::EcOp,
    BuiltinName::Output,
];

impl ExecutionResources {
    fn new(run: &Run) -> Self {
        let cells =
            |builtin| run.builtin_segments.get(builtin).map_or(0, |segment| segment.stop_ptr - segment.begin_addr);
        let states = run.state_transitions.casm_states_by_opcode.lists();
        Self {
            opcodes_instance_counter: states.iter().map(|(name, .., states)| (*name, states.len())).collect(),
            builtin_instance_counter: COUNTED
                .iter()
                .map(|builtin| (builtin.to_string(), cells(*builtin) / builtin.cells()))
                .collect(),
            memory_tables_sizes: MemoryTablesSizes {
                memory_address_to_id: run.memory.address_to_id.len(),
                memory_id_to_big: run.memory.f252_values.len(),
                memory_id_to_small: run.memory.small_values.len(),
            },
            verify_instruction: run.pc_count,
        }
    }
}

pub(super) fn main(words: Vec<OsString>, _: &Registry) -> ExitCode {
    match super::parse::<VmRunnerArguments>(words) {
        Ok(arguments) => LOG.end(run(&arguments).map_err(|failure| failure.message)),
        Err(code) => code,
    }
}

fn run(arguments: &VmRunnerArguments) -> Result<(), Failure> {
    if arguments.layout != Layout::AllCairoStwo {
        return Err(Failure::usage(
            "Polystark runs programs in the layout all_cairo_stwo alone: say --layout all_cairo_stwo",
        ));
    }
    let json = |value: Result<Vec<u8>, serde_json::Error>| value.map_err(|error| Failure::usage(error.to_string()));
    let vm_resources = &arguments.output_vm_execution_resources_path;
    let program_input = arguments.program_input.as_deref();
    let run = RunOptions { secure: arguments.secure_run, resources: vm_resources.is_some(), ..RunOptions::default() };
    let written = [
        ("--output_vm_execution_resources_path", vm_resources.as_deref()),
        ("--output_prover_input_path", arguments.output_prover_input_path.as_deref()),
        ("--output_execution_resources_path", Some(arguments.output_execution_resources_path.as_path())),
    ];
    let written: Vec<_> =
        written.into_iter().filter_map(|(argument, path)| path.map(|path| (argument, path))).collect();
    let loaded = load_compiled(&arguments.program, program_input, run, &written)?;
    if let (Some(file), Some(resources)) = (vm_resources, &loaded.resources) {
        write(file, &json(serde_json::to_vec(resources))?)?;
    }
    if let Some(file) = &arguments.output_prover_input_path {
        write(file, &json(serde_json::to_vec(&loaded.run))?)?;
    }
    let resources = ExecutionResources::new(&loaded.run);
    LOG.note(&format!("Execution resources: {resources:#?}"));
    write(&arguments.output_execution_resources_path, &json(serde_json::to_vec(&resources))?)
}
