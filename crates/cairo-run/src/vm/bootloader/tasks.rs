//! The tasks of a bootloader.

use std::sync::Arc;

use cairo_lang_casm::hints::Hint;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::MaybeRelocatable;
use proof_format::text::parser_message;
use serde::Deserialize;
use serde_json::Value;

use super::packed::{BootloaderConfig, PackedOutput};
use super::programs::is_bootloader;
use crate::pie::{self, CairoPie};
use crate::vm::compiled;
use crate::vm::executable::{self, EntryPointKind, Parsed};
use crate::{BuiltinName, Felt252, Kind, Problem};

/// The hash function by which a bootloader names the program of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskHash {
    /// A chain of Pedersen hashes.
    Pedersen = 0,
    /// Poseidon over the words.
    Poseidon = 1,
    /// Blake2s over the words.
    Blake = 2,
}

/// A task. Its copies share what is large.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// The source of its steps.
    pub source: TaskSource,
    /// The hash of its program.
    pub hash: TaskHash,
}

/// The source of a task's steps.
#[derive(Clone, Debug)]
pub enum TaskSource {
    /// A run, whose cells are loaded.
    Pie(Arc<CairoPie>),
    /// A program, which runs with its hints.
    Program(ProgramTask),
}

impl TaskSource {
    /// The program without its hints: the part that is hashed.
    pub fn program(&self) -> &pie::Program {
        match self {
            Self::Pie(pie) => &pie.metadata.program,
            Self::Program(task) => &task.program.stripped,
        }
    }

    /// The task, if it is a program.
    pub(in crate::vm) fn as_program(&self) -> Option<&ProgramTask> {
        match self {
            Self::Pie(_) => None,
            Self::Program(task) => Some(task),
        }
    }
}

/// A program that is a task, with the data of its run.
#[derive(Clone, Debug)]
pub struct ProgramTask {
    pub(super) program: Arc<TaskProgram>,
    /// The value that hints of a compiled program call `program_input`.
    pub(super) input: Option<Arc<Value>>,
    /// The arguments of an executable; none for a compiled program.
    pub(super) arguments: Arc<[Felt252]>,
}

/// A program that can be a task.
#[derive(Debug)]
pub(super) struct TaskProgram {
    pub(super) stripped: pie::Program,
    /// With hints and names.
    pub(super) program: Program,
    /// The hints of an executable; `None` for a compiled program.
    pub(super) executable: Option<ExecutableHints>,
}

/// The hints of an executable.
#[derive(Debug)]
pub(in crate::vm) struct ExecutableHints {
    pub(in crate::vm) hints: Arc<[Hint]>,
    /// The numbers of the hints before each word, up to the last word that has one.
    pub(in crate::vm) at: Vec<Vec<usize>>,
    /// The words that have hints before them.
    pub(in crate::vm) hinted: Vec<usize>,
}

/// The words that have hints before them, of the numbers of the hints before each word.
pub(in crate::vm) fn hinted(at: &[Vec<usize>]) -> Vec<usize> {
    at.iter().enumerate().filter(|(_, hints)| !hints.is_empty()).map(|(word, _)| word).collect()
}

impl ProgramTask {
    /// A compiled program of Cairo 0, run from `main`, with the value that its hints call `program_input`.
    ///
    /// # Errors
    /// [`Problem::Malformed`] if the bytes are none, or the program needs a builtin that bootloaders lack.
    pub fn compiled(program: &[u8], input: Option<Value>) -> Result<Self, Problem> {
        if is_bootloader(program) {
            let why = "a bootloader is no task: give its tasks to the bootloader that runs".to_owned();
            return Err(Problem::Malformed { kind: Kind::Compiled, why });
        }
        let program = TaskProgram::new(Kind::Compiled, compiled::parse(program)?, None)?;
        Ok(Self { program: Arc::new(program), input: input.map(Arc::new), arguments: [].into() })
    }

    /// An executable of Cairo 1, run from its Bootloader entry point, with its arguments.
    ///
    /// # Errors
    /// [`Problem::Malformed`] if the bytes are none, or the program needs a builtin that bootloaders lack.
    pub fn executable(program: &[u8], arguments: &[Felt252]) -> Result<Self, Problem> {
        let Parsed { program, hints, hints_at, .. } = executable::parse(program, EntryPointKind::Bootloader)?;
        let hinted = hinted(&hints_at);
        let hints = ExecutableHints { hints, at: hints_at, hinted };
        let program = TaskProgram::new(Kind::Executable, program, Some(hints))?;
        Ok(Self { program: Arc::new(program), input: None, arguments: arguments.into() })
    }
}

/// As hints see it.
impl ProgramTask {
    /// The program with its hints and names.
    pub(in crate::vm) fn program(&self) -> &Program {
        &self.program.program
    }

    /// The hints of an executable, if it is one.
    pub(in crate::vm) fn executable_hints(&self) -> Option<&ExecutableHints> {
        self.program.executable.as_ref()
    }

    pub(in crate::vm) fn input(&self) -> Option<&Value> {
        self.input.as_deref()
    }

    pub(in crate::vm) fn arguments(&self) -> &[Felt252] {
        &self.arguments
    }
}

impl TaskProgram {
    fn new(kind: Kind, program: Program, executable: Option<ExecutableHints>) -> Result<Self, Problem> {
        let malformed = |why: String| Problem::Malformed { kind, why };
        let stripped = program.get_stripped_program().map_err(|error| malformed(parser_message(&error.to_string())))?;
        let word = |(index, word): (usize, MaybeRelocatable)| match word {
            MaybeRelocatable::Int(felt) => Ok(felt),
            MaybeRelocatable::RelocatableValue(at) => Err(malformed(format!("word {index} is the pointer {at}"))),
        };
        let data = stripped.data.into_iter().enumerate().map(word).collect::<Result<Vec<_>, _>>()?;
        if stripped.main >= data.len() {
            return Err(malformed(format!("main is word {}, and it has {}", stripped.main, data.len())));
        }
        let builtins: Vec<BuiltinName> = stripped.builtins.iter().map(|name| (*name).into()).collect();
        if let Some(builtin) = builtins.iter().find(|builtin| !BuiltinName::PUBLIC.contains(builtin)) {
            return Err(malformed(format!("it takes the builtin {}, which no bootloader has", builtin.to_str())));
        }
        let stripped = pie::Program { data, builtins, main: stripped.main as u64 };
        Ok(Self { stripped, program, executable })
    }
}

/// The tasks of a bootloader.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// In their order.
    pub tasks: Vec<TaskSpec>,
    /// Whether the whole output is one page; otherwise each page of a task is one. No proof says it.
    pub single_page: bool,
    /// Input of the bootloader that unpacks, and of the applicative one.
    pub unpacking: Option<Unpacking>,
    /// The task by which the applicative bootloader puts the outputs of the others together. It runs first.
    pub aggregator: Option<TaskSpec>,
}

/// The input of the bootloaders that unpack the outputs of tasks.
#[derive(Clone, Debug)]
pub struct Unpacking {
    /// The programs that the bootloader trusts.
    pub config: BootloaderConfig,
    /// For each task, whether its output is that of a bootloader, and of which tasks.
    pub packed_outputs: Arc<[PackedOutput]>,
}

/// The turn of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Whether the aggregator runs, or the tasks.
    pub(super) is_aggregator: bool,
    /// The number of the task.
    pub(super) index: usize,
}

impl Tasks {
    /// The tasks that run one behind the other.
    pub(super) fn list(&self, is_aggregator: bool) -> &[TaskSpec] {
        if is_aggregator { self.aggregator.as_slice() } else { &self.tasks }
    }

    /// The task whose turn it is.
    pub(super) fn get(&self, turn: Turn) -> Option<&TaskSpec> {
        self.list(turn.is_aggregator).get(turn.index)
    }

    /// All tasks, the aggregator included.
    pub(in crate::vm) fn all(&self) -> impl Iterator<Item = &TaskSpec> {
        self.tasks.iter().chain(&self.aggregator)
    }
}
