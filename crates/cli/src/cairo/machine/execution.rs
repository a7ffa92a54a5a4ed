//! The data of a program's run, as arguments.

use std::path::PathBuf;

use cairo_run::{Machine, OwnHints};
use clap::{Args, ValueEnum};
use serde::Deserialize;

/// The kind of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProgramType {
    /// By its content
    #[default]
    Auto,
    /// A compiled program: JSON of the Cairo 0 compiler
    Json,
    /// An executable: JSON of the Cairo 1 compiler
    Executable,
    /// A run that was made elsewhere: JSON or bincode
    ProverInput,
    /// A list of tasks, which a bootloader runs
    Tasks,
}

/// The machine that runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MachineType {
    /// Our machine; cairo-vm, where ours lacks something, or to say what is wrong with a program
    #[default]
    Own,
    /// cairo-vm
    CairoVm,
    /// Both; a program of which they make different runs is refused
    Compare,
}

impl From<MachineType> for Machine {
    fn from(machine: MachineType) -> Self {
        match machine {
            MachineType::Own => Self::Own,
            MachineType::CairoVm => Self::CairoVm,
            MachineType::Compare => Self::Compare,
        }
    }
}

/// The hints of a compiled program that run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HintsType {
    /// Hints of Cairo's library, and assignments from the program input
    #[default]
    Library,
    /// The program's own, too, as Python, in a process without files, network and clock
    Python,
}

impl HintsType {
    /// As a run takes them. This program serves hints itself.
    ///
    /// # Errors
    /// The system does not say where this program is.
    pub(crate) fn own_hints(self) -> Result<OwnHints, String> {
        match self {
            Self::Library => Ok(OwnHints::Refused),
            Self::Python => match std::env::current_exe() {
                Ok(path) => Ok(OwnHints::Python(path)),
                Err(error) => Err(format!("the path of this program, which runs them, is not known: {error}")),
            },
        }
    }
}

/// The arguments of a program's run.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExecutionArguments {
    /// The kind of PROGRAM
    #[arg(long, value_enum, default_value_t = ProgramType::Auto, value_name = "TYPE")]
    pub(super) program_type: ProgramType,
    /// executable: its arguments, a JSON array of felts: strings in hexadecimal after 0x, or decimal
    #[arg(long, value_name = "FILE")]
    pub(super) args_file: Option<PathBuf>,
    /// executable: its arguments, felts in decimal or in hexadecimal after 0x, separated by commas
    #[arg(long, value_name = "LIST", conflicts_with = "args_file", allow_hyphen_values = true)]
    pub(super) args: Option<String>,
    /// compiled program: the JSON value that its hints call `program_input`
    #[arg(long, value_name = "FILE")]
    pub(super) program_input: Option<PathBuf>,
}
