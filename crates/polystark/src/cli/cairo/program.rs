//! A program and what it is run with.

use std::path::{Path, PathBuf};

use cairo::Felt252;
use cairo::input::{self, Kind, Loaded, Options};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::Error;
use crate::cli::exit::Failure;
use crate::cli::policy::ReadArguments;
use crate::cli::values::{count, integer};

/// What a file holds.
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
}

/// The kind of input that is asked for.
pub(crate) fn kind(program_type: ProgramType) -> Option<Kind> {
    match program_type {
        ProgramType::Auto => None,
        ProgramType::Json => Some(Kind::Compiled),
        ProgramType::Executable => Some(Kind::Executable),
        ProgramType::ProverInput => Some(Kind::ProverInput),
    }
}

/// A program, what it is run with, and how.
#[derive(Args)]
pub(crate) struct ProgramArguments {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    pub(super) program: PathBuf,
    #[command(flatten)]
    with: WithArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

/// What a program is run with.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WithArguments {
    /// What PROGRAM is
    #[arg(long, value_enum, default_value_t = ProgramType::Auto, value_name = "TYPE")]
    pub(super) program_type: ProgramType,
    /// executable: its arguments, a JSON array of strings, each a felt in hexadecimal after 0x
    #[arg(long, value_name = "FILE")]
    pub(super) args_file: Option<PathBuf>,
    /// executable: its arguments, felts in decimal or in hexadecimal after 0x, separated by commas
    #[arg(long, value_name = "LIST", conflicts_with = "args_file", allow_hyphen_values = true)]
    pub(super) args: Option<String>,
    /// compiled program: the JSON value that its hints call `program_input`
    #[arg(long, value_name = "FILE")]
    pub(super) program_input: Option<PathBuf>,
}

/// How much is read and run.
#[derive(Args)]
pub(crate) struct LimitArguments {
    /// Give up a run of more steps
    #[arg(long, value_name = "N", default_value_t = input::DEFAULT_MAX_STEPS, value_parser = count)]
    max_steps: usize,
    /// Refuse longer files; time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = MAX_PROGRAM_BYTES, value_parser = integer)]
    max_bytes: u64,
}

/// Longest file that is read unless it is said otherwise, 4 GiB: a ProverInput has some 100 bytes for each step.
const MAX_PROGRAM_BYTES: u64 = 1 << 32;

impl LimitArguments {
    /// How much is read.
    pub(super) fn read(&self) -> ReadArguments {
        ReadArguments { max_bytes: self.max_bytes }
    }
}

/// Reads a program that takes no arguments, and runs it.
pub(crate) fn load(program: &Path) -> Result<Loaded, Failure> {
    let limits = LimitArguments { max_steps: input::DEFAULT_MAX_STEPS, max_bytes: MAX_PROGRAM_BYTES };
    WithArguments::default().load(program, &limits)
}

impl ProgramArguments {
    /// The files that are read, each with its argument.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        self.with.files(&self.program)
    }

    /// Reads the program and runs it.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        self.with.load(&self.program, &self.limits)
    }
}

impl WithArguments {
    /// The files that are read for a program, each with its argument.
    pub(super) fn files<'a>(&'a self, program: &'a Path) -> Vec<(&'static str, &'a Path)> {
        let named = [("--args-file", &self.args_file), ("--program-input", &self.program_input)];
        let named = named.into_iter().filter_map(|(name, path)| path.as_deref().map(|path| (name, path)));
        std::iter::once(("PROGRAM", program)).chain(named).collect()
    }

    /// The felts of `--args`, if they are given.
    pub(super) fn listed(&self) -> Result<Option<Vec<Felt252>>, Failure> {
        let list = self.args.as_deref().map(input::parse_arguments_list).transpose();
        list.map_err(|error| Failure::usage(format!("--args: {error}")))
    }

    /// Reads a program and runs it.
    pub(super) fn load(&self, program: &Path, limits: &LimitArguments) -> Result<Loaded, Failure> {
        let read = |path: &Path| limits.read().read(path);
        let arguments = match &self.args_file {
            Some(path) => input::parse_arguments_file(&read(path)?).map_err(|error| Failure::file(path, error))?,
            None => self.listed()?.unwrap_or_default(),
        };
        let program_input = match &self.program_input {
            Some(path) => Some(serde_json::from_slice(&read(path)?).map_err(|error| Failure::file(path, error))?),
            None => None,
        };
        let kind = kind(self.program_type);
        let name = program.display().to_string();
        let options = Options { name, kind, arguments, program_input, max_steps: limits.max_steps };
        Ok(input::load(&read(program)?, &options).map_err(Error::from)?)
    }
}
