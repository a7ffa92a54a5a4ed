//! A program and the data of its run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairo_run::{BootloaderProgram, Felt252, Kind, Loaded, Options, RunBy, RunSigns, Task};
use clap::Args;

use super::execution::{ExecutionArguments, HintsType, MachineType, ProgramType};
use super::tasks::{self, ListedFiles, TaskFiles};
use super::with_bytes::WithBytes;
use crate::arguments::values::{count, integer};
use crate::cairo::arguments::MAX_TEXT_BYTES;
use crate::inputs::policy::ReadArguments;
use crate::outputs::Named;
use crate::report::exit::Failure;
use sdk::Error;

/// The machine that ran a program, as a detail.
pub(super) fn machine(loaded: &Loaded) -> String {
    match &loaded.run_by {
        RunBy::Own => "machine: our own".to_owned(),
        RunBy::CairoVm { because } => format!("machine: cairo-vm, because {because}"),
        RunBy::Elsewhere => "machine: the run was made elsewhere".to_owned(),
    }
}

/// A program, the data of its run, and its options.
#[derive(Args)]
pub(crate) struct ProgramArguments {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    #[arg(required_unless_present = "tasks")]
    program: Option<PathBuf>,
    #[command(flatten)]
    execution: ExecutionArguments,
    #[command(flatten)]
    tasks: TasksArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// The files that the list of tasks names.
    #[arg(skip)]
    listed: ListedFiles,
}

/// Tasks in place of a program.
#[derive(Args)]
pub(super) struct TasksArguments {
    /// Run the tasks of LIST in a bootloader, as the reference's bootloaders take it: JSON, {"tasks": [{"type":
    /// "CairoPiePath"|"RunProgramTask"|"Cairo1Executable", "path": FILE, "program_hash_function":
    /// "blake"|"poseidon"|"pedersen"}], "single_page": true}, with `output_preimage_dump_path` for the privacy
    /// bootloader, `bootloader_config` and `packed_outputs` for the one that unpacks, and `aggregator_task` for the
    /// applicative one
    #[arg(long, value_name = "LIST", conflicts_with_all = ["program", "program_type", "args", "args_file", "program_input"])]
    pub(super) tasks: Option<PathBuf>,
}

impl TasksArguments {
    /// The input, and how it is run: the list if there is one, else the program.
    pub(super) fn or<'a>(
        &'a self,
        program: Option<&'a PathBuf>,
        execution: &ExecutionArguments,
    ) -> Option<(&'a Path, ExecutionArguments)> {
        match &self.tasks {
            Some(list) => {
                let execution =
                    ExecutionArguments { program_type: ProgramType::Tasks, ..ExecutionArguments::default() };
                Some((list.as_path(), execution))
            }
            None => Some((program?.as_path(), execution.clone())),
        }
    }
}

/// How much is read and run.
#[derive(Args)]
pub(crate) struct LimitArguments {
    /// Give up a run of more steps, the loops of its hints included
    /// [default: 2^27, or as many as half of the free memory holds]
    #[arg(long, value_name = "N", value_parser = count)]
    max_steps: Option<usize>,
    /// Give up a run that takes more addresses [default: 2^27, or as many as half of the free memory holds]
    #[arg(long, value_name = "N", value_parser = count)]
    max_addresses: Option<usize>,
    /// The machine that runs the program
    #[arg(long, value_enum, default_value_t = MachineType::Own, value_name = "MACHINE")]
    machine: MachineType,
    /// The hints of a compiled program that run
    #[arg(long, value_enum, default_value_t = HintsType::Library, value_name = "HINTS")]
    hints: HintsType,
    /// Refuse longer files; time and memory grow with them
    #[arg(long, value_name = "N", default_value_t = MAX_PROGRAM_BYTES, value_parser = integer)]
    max_bytes: u64,
}

/// Longest file that is read by default, 4 GiB: a ProverInput has some 100 bytes for each step.
const MAX_PROGRAM_BYTES: u64 = 1 << 32;

impl Default for LimitArguments {
    fn default() -> Self {
        let (machine, hints) = (MachineType::Own, HintsType::Library);
        Self { max_steps: None, max_addresses: None, machine, hints, max_bytes: MAX_PROGRAM_BYTES }
    }
}

impl LimitArguments {
    /// How much is read.
    pub(super) fn read(&self) -> ReadArguments {
        ReadArguments { max_bytes: self.max_bytes }
    }

    /// Refuses a run that was made elsewhere and is longer than runs that are made here may be.
    fn check(&self, loaded: &Loaded) -> Result<(), String> {
        let addresses = loaded.run.memory.address_to_id.len();
        let max_steps = self.max_steps.unwrap_or(cairo_run::DEFAULT_MAX_STEPS);
        let max_addresses = self.max_addresses.unwrap_or(cairo_run::DEFAULT_MAX_ADDRESSES);
        match loaded.kind {
            Kind::ProverInput if loaded.steps > max_steps => {
                Err(format!("the run has {} steps, at most {max_steps} are taken; --max-steps admits it", loaded.steps))
            }
            Kind::ProverInput if addresses > max_addresses => Err(format!(
                "the run has {addresses} addresses, at most {max_addresses} are taken; --max-addresses admits it"
            )),
            _ => Ok(()),
        }
    }
}

/// Reads a program that takes no arguments, and runs it.
pub(crate) fn load(program: &Path) -> Result<Loaded, Failure> {
    ExecutionArguments::default().load(program, &LimitArguments::default(), &[])
}

/// Reads a compiled program, and runs it with its program input. The caller writes the files `written` then.
pub(crate) fn load_compiled(
    program: &Path,
    program_input: Option<&Path>,
    run: RunOptions,
    written: &[(&'static str, &Path)],
) -> Result<Loaded, Failure> {
    let program_input = program_input.map(Path::to_owned);
    let execution =
        ExecutionArguments { program_type: ProgramType::Json, program_input, ..ExecutionArguments::default() };
    execution.load_as(program, &LimitArguments::default(), run, written)
}

/// Reads a list of tasks, and runs them in their bootloader. The caller writes the files `written` then.
pub(crate) fn load_tasks(list: &Path, written: &[(&'static str, &Path)]) -> Result<Loaded, Failure> {
    let execution = ExecutionArguments { program_type: ProgramType::Tasks, ..ExecutionArguments::default() };
    execution.load(list, &LimitArguments::default(), written)
}

/// Reads a run that was made elsewhere.
pub(crate) fn load_run(file: &Path) -> Result<Loaded, Failure> {
    let execution = ExecutionArguments { program_type: ProgramType::ProverInput, ..ExecutionArguments::default() };
    execution.load(file, &LimitArguments::default(), &[])
}

/// The demands on the machine beside the run.
#[derive(Clone, Default)]
pub(crate) struct RunOptions {
    /// It checks the run, too.
    pub(crate) secure: bool,
    /// It counts the resources that it has used.
    pub(crate) resources: bool,
    /// Where it shows how far it is.
    pub(crate) signs: RunSigns,
}

impl ProgramArguments {
    /// The files that are read, each with its argument.
    pub(super) fn files(&self) -> Vec<Named<'_>> {
        let tasks = self.tasks.tasks.iter().map(|list| ("--tasks", list.as_path()));
        let program = self.program.iter().flat_map(|program| self.execution.files(program));
        program.chain(tasks).map(Named::from).chain(self.listed.named("")).collect()
    }

    /// Reads the names of further files from the list of tasks, if there is one.
    pub(super) fn read_list(&mut self) {
        let (program, execution) = self.of_input();
        self.listed = ListedFiles::of(program, &execution, &self.limits.read());
    }

    /// The input: the program, or the list of tasks.
    pub(super) fn input(&self) -> &Path {
        self.program.as_ref().or(self.tasks.tasks.as_ref()).map_or(Path::new(""), PathBuf::as_path)
    }

    /// Reads the program and runs it.
    pub(super) fn load(&self) -> Result<Loaded, Failure> {
        let (program, execution) = self.of_input();
        execution.load(program, &self.limits, &[])
    }

    /// Reads the program and runs it as a task of a bootloader.
    pub(super) fn run_task(&self) -> Result<Task, Failure> {
        let (program, execution) = self.of_input();
        execution.read_and(program, &self.limits, &[], |bytes, options, _| {
            Ok(cairo_run::run_task(bytes, &options).map_err(Error::from)?)
        })
    }

    fn of_input(&self) -> (&Path, ExecutionArguments) {
        self.tasks.or(self.program.as_ref(), &self.execution).unwrap_or((self.input(), self.execution.clone()))
    }
}

impl ExecutionArguments {
    /// The files that are read for a program, each with its argument.
    pub(super) fn files<'a>(&'a self, program: &'a Path) -> Vec<(&'static str, &'a Path)> {
        let named = [("--args-file", &self.args_file), ("--program-input", &self.program_input)];
        let named = named.into_iter().filter_map(|(name, path)| path.as_deref().map(|path| (name, path)));
        std::iter::once(("PROGRAM", program)).chain(named).collect()
    }

    /// The felts of `--args`, if they are given.
    pub(super) fn listed(&self) -> Result<Option<Vec<Felt252>>, Failure> {
        let list = self.args.as_deref().map(cairo_run::parse_arguments_list).transpose();
        list.map_err(|error| Failure::usage(format!("--args: {error}")))
    }

    /// Reads a program and runs it. The caller writes the files `written` then.
    pub(super) fn load(
        &self,
        program: &Path,
        limits: &LimitArguments,
        written: &[(&'static str, &Path)],
    ) -> Result<Loaded, Failure> {
        self.load_as(program, limits, RunOptions::default(), written)
    }

    pub(super) fn load_as(
        &self,
        program: &Path,
        limits: &LimitArguments,
        run: RunOptions,
        written: &[(&'static str, &Path)],
    ) -> Result<Loaded, Failure> {
        let RunOptions { secure, resources, signs } = run;
        let (loaded, files) = self.read_and(program, limits, written, |bytes, options, files| {
            let options = Options { secure, resources, signs, ..options };
            Ok((cairo_run::load(bytes, &options).map_err(Error::from)?, files))
        })?;
        if let (Some(files), Some(output)) = (files, &loaded.tasks) {
            files.save(output)?;
        }
        limits.check(&loaded).map_err(|error| Failure::file(program, error))?;
        Ok(loaded)
    }

    /// Reads a program and the data of its run, and does something with both.
    fn read_and<T>(
        &self,
        program: &Path,
        limits: &LimitArguments,
        written: &[(&'static str, &Path)],
        act: impl FnOnce(&[u8], Options, Option<TaskFiles>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let read = |path: &Option<PathBuf>, what| {
            path.as_deref().map(|path| limits.read().read_part(path, what, MAX_TEXT_BYTES)).transpose()
        };
        if self.program_type == ProgramType::Tasks {
            let given = [
                ("--program-input", self.program_input.is_some()),
                ("--args-file", self.args_file.is_some()),
                ("--args", self.args.is_some()),
            ];
            if let Some((argument, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                return Err(Failure::usage(format!("{argument}: a list of tasks takes none; leave it out")));
            }
        }
        let args_file = read(&self.args_file, "a file of arguments")?;
        let mut program_input = read(&self.program_input, "a program input")?;
        // Before it is asked how much memory is left for the run.
        let mut bytes = limits.read().read_program(program)?;
        let others: Vec<_> = self.files(program).into_iter().chain(written.iter().copied()).collect();
        let tasks = |list: &[u8], place: &Path| tasks::read(list, place, &others, &limits.read());
        let mut list = None;
        if self.program_type == ProgramType::Tasks {
            let (read, files) = tasks(&bytes, program)?;
            bytes = BootloaderProgram::of(&read).json().map_err(|error| Failure::file(program, error))?;
            list = Some((read, files));
        } else if let (Some(input), Some(place)) = (&program_input, &self.program_input)
            && matches!(self.program_type, ProgramType::Auto | ProgramType::Json)
            && let Some(bootloader) = BootloaderProgram::found(&bytes)
        {
            // The program input of a bootloader is the list of its tasks.
            let (read, files) = tasks(input, place)?;
            read.check(bootloader).map_err(|error| Failure::file(place, error))?;
            list = Some((read, files));
            program_input = None;
        }
        let (tasks, files) = list.map(|(list, files)| (Arc::new(list.tasks), files)).unzip();
        let with = WithBytes {
            name: program.display().to_string(),
            program_type: self.program_type,
            args_file: args_file.as_deref(),
            args: self.args.as_deref(),
            program_input: program_input.as_deref(),
            max_steps: limits.max_steps,
            max_addresses: limits.max_addresses,
            machine: limits.machine,
            hints: limits.hints,
        };
        let wrong = |argument: &str, error: String| match self.files(program).iter().find(|(name, _)| *name == argument)
        {
            Some((_, path)) => Failure::file(path, error),
            None => Failure::usage(format!("{argument}: {error}")),
        };
        act(&bytes, Options { tasks, ..with.options(wrong)? }, files)
    }
}
