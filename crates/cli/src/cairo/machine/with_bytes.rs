//! A program's run, with the contents of the files that its arguments name.

use cairo_run::{Kind, Options};

use super::execution::{HintsType, MachineType, ProgramType};

/// The kind of input that is asked for.
fn kind(program_type: ProgramType) -> Option<Kind> {
    match program_type {
        ProgramType::Auto => None,
        ProgramType::Json | ProgramType::Tasks => Some(Kind::Compiled),
        ProgramType::Executable => Some(Kind::Executable),
        ProgramType::ProverInput => Some(Kind::ProverInput),
    }
}

/// The arguments of a program's run, in bytes.
pub(crate) struct WithBytes<'a> {
    /// The program's name.
    pub(crate) name: String,
    pub(crate) program_type: ProgramType,
    pub(crate) args_file: Option<&'a [u8]>,
    pub(crate) args: Option<&'a str>,
    pub(crate) program_input: Option<&'a [u8]>,
    /// Its steps, if a bound is asked for.
    pub(crate) max_steps: Option<usize>,
    /// Its addresses, if a bound is asked for.
    pub(crate) max_addresses: Option<usize>,
    /// The machine that runs it.
    pub(crate) machine: MachineType,
    /// The hints that run.
    pub(crate) hints: HintsType,
}

/// The memory that a run may take: half of the free memory, since the data made of the run takes more; nearly all of it
/// if the caller asks for a bound.
fn max_memory(is_bounded: bool) -> Option<u64> {
    sdk::support::host_memory().map(|free| if is_bounded { free - free / 16 } else { free / 2 })
}

impl WithBytes<'_> {
    /// As the run takes it; `wrong` makes an error of an argument and of its fault.
    pub(crate) fn options<E>(self, wrong: impl Fn(&'static str, String) -> E) -> Result<Options, E> {
        let arguments = match (self.args_file, self.args) {
            (Some(file), _) => {
                cairo_run::parse_arguments_file(file).map_err(|error| wrong("--args-file", error.to_string()))
            }
            (None, Some(list)) => {
                cairo_run::parse_arguments_list(list).map_err(|error| wrong("--args", error.to_string()))
            }
            (None, None) => Ok(Vec::new()),
        };
        let program_input = self.program_input.map(cairo_run::parse_program_input).transpose();
        let is_bounded = self.max_steps.is_some() || self.max_addresses.is_some();
        Ok(Options {
            name: self.name,
            kind: kind(self.program_type),
            arguments: arguments?,
            program_input: program_input.map_err(|error| wrong("--program-input", error.to_string()))?,
            max_steps: self.max_steps.unwrap_or(cairo_run::DEFAULT_MAX_STEPS),
            max_addresses: self.max_addresses.unwrap_or(cairo_run::DEFAULT_MAX_ADDRESSES),
            max_memory: max_memory(is_bounded),
            machine: self.machine.into(),
            own_hints: self.hints.own_hints().map_err(|error| wrong("--hints", error))?,
            ..Options::default()
        })
    }
}
