//! A program and what it is run with.

use std::path::{Path, PathBuf};

use cairo::input::{self, Kind, Loaded, Options};
use clap::{Args, ValueEnum};

use crate::Error;
use crate::cli::exit::Failure;
use crate::cli::policy::ReadArguments;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramType {
    /// By its content
    Auto,
    /// A compiled program: JSON of the Cairo 0 compiler
    Json,
    /// An executable: JSON of the Cairo 1 compiler
    Executable,
    /// A run that was made elsewhere: JSON or bincode
    ProverInput,
}

/// A program.
#[derive(Args)]
pub(crate) struct ProgramArguments {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    pub(super) program: PathBuf,
    /// What PROGRAM is
    #[arg(long, value_enum, default_value_t = ProgramType::Auto, value_name = "TYPE")]
    program_type: ProgramType,
    /// executable: its arguments, a JSON array of strings, each a felt in hexadecimal after 0x
    #[arg(long, value_name = "FILE")]
    args_file: Option<PathBuf>,
    /// executable: its arguments, felts in decimal or in hexadecimal after 0x, separated by commas
    #[arg(long, value_name = "LIST", conflicts_with = "args_file", allow_hyphen_values = true)]
    args: Option<String>,
    /// compiled program: the JSON value that its hints call `program_input`
    #[arg(long, value_name = "FILE")]
    program_input: Option<PathBuf>,
    /// Give up a run of more steps
    #[arg(long, value_name = "N", default_value_t = input::DEFAULT_MAX_STEPS)]
    max_steps: usize,
    /// Refuse longer files; time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = MAX_PROGRAM_BYTES)]
    max_bytes: u64,
}

/// Longest file that is read unless it is said otherwise, 4 GiB: a ProverInput has some 100 bytes for each step.
const MAX_PROGRAM_BYTES: u64 = 1 << 32;

impl ProgramArguments {
    /// The files that are read, each with its argument.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        let named = [("--args-file", &self.args_file), ("--program-input", &self.program_input)];
        let named = named.into_iter().filter_map(|(name, path)| path.as_deref().map(|path| (name, path)));
        std::iter::once(("PROGRAM", self.program.as_path())).chain(named).collect()
    }

    /// What the program is, if it is said.
    pub(super) fn kind(&self) -> Option<Kind> {
        match self.program_type {
            ProgramType::Auto => None,
            ProgramType::Json => Some(Kind::Compiled),
            ProgramType::Executable => Some(Kind::Executable),
            ProgramType::ProverInput => Some(Kind::ProverInput),
        }
    }

    /// The bytes of the program.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        self.read(&self.program)
    }

    /// Reads the program and runs it.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        let problem = |path: &Path, problem: input::Problem| Failure::file(path, problem);
        let arguments = match (&self.args_file, &self.args) {
            (Some(path), _) => input::parse_arguments_file(&self.read(path)?).map_err(|error| problem(path, error))?,
            (None, Some(list)) => {
                input::parse_arguments_list(list).map_err(|error| Failure::usage(format!("--args: {error}")))?
            }
            (None, None) => Vec::new(),
        };
        let program_input = match &self.program_input {
            Some(path) => Some(serde_json::from_slice(&self.read(path)?).map_err(|error| Failure::file(path, error))?),
            None => None,
        };
        let options = Options {
            name: self.program.display().to_string(),
            kind: self.kind(),
            arguments,
            program_input,
            max_steps: self.max_steps,
        };
        Ok(input::load(&self.bytes()?, &options).map_err(Error::from)?)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        ReadArguments { max_bytes: self.max_bytes }.read(path)
    }
}
