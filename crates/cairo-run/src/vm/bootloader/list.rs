//! Lists of tasks, in JSON, as the reference's bootloaders take them for their program input.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proof_format::text::{excerpt, parser_message, plain};
use serde::Deserialize;
use serde_json::Value;

use super::BootloaderProgram;
use super::packed::{BootloaderConfig, PackedOutput};
use super::tasks::{ProgramTask, TaskHash, TaskSource, TaskSpec, Tasks, Unpacking};
use crate::arguments::{unique, without_mark, word};
use crate::detect::detect;
use crate::pie::{self, Reason};
use crate::{Felt252, Kind, Problem, parse_arguments_file};

/// A list of tasks.
#[derive(Clone, Debug)]
pub struct TaskList {
    /// The tasks, read.
    pub tasks: Tasks,
    /// Where the fact topologies go.
    pub fact_topologies_path: Option<PathBuf>,
    /// Where the felts go whose hash the privacy variant puts out.
    pub output_preimage_dump_path: Option<PathBuf>,
}

/// The files that a list of tasks names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskPaths {
    /// The CairoPIEs and programs of its tasks, and files of their arguments.
    pub tasks: Vec<PathBuf>,
    /// Where the fact topologies go.
    pub fact_topologies_path: Option<PathBuf>,
    /// Where the felts go whose hash the privacy variant puts out.
    pub output_preimage_dump_path: Option<PathBuf>,
}

impl TaskPaths {
    /// Reads the paths of a list, and none of its files.
    ///
    /// # Errors
    /// [`Problem::Arguments`]: JSON of another form.
    pub fn read(list: &[u8]) -> Result<Self, Problem> {
        let List { tasks, aggregator_task, fact_topologies_path, output_preimage_dump_path, .. } = parse(list)?;
        let tasks = tasks.into_iter().chain(aggregator_task);
        let tasks = tasks.flat_map(|entry| [entry.path, entry.user_args_file]).flatten().collect();
        Ok(Self { tasks, fact_topologies_path, output_preimage_dump_path })
    }
}

fn parse(list: &[u8]) -> Result<List, Problem> {
    let list = without_mark(list);
    let wrong = |error: serde_json::Error| {
        Problem::Arguments(format!("this is no list of tasks: {}", parser_message(&error.to_string())))
    };
    let read = serde_json::from_slice(list).map_err(wrong)?;
    unique(list).map_err(wrong)?;
    Ok(read)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    tasks: Vec<Entry>,
    single_page: bool,
    fact_topologies_path: Option<PathBuf>,
    output_preimage_dump_path: Option<PathBuf>,
    bootloader_config: Option<BootloaderConfig>,
    packed_outputs: Option<Vec<PackedOutput>>,
    aggregator_task: Option<Entry>,
}

/// Keys that only tasks of other types have are skipped.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    task_type: String,
    path: Option<PathBuf>,
    program_hash_function: TaskHash,
    program: Option<Value>,
    program_input: Option<Value>,
    user_args_list: Option<Vec<Value>>,
    user_args_file: Option<PathBuf>,
}

impl BootloaderProgram {
    /// The bootloader that a list of tasks is for.
    pub fn of(list: &TaskList) -> Self {
        match (&list.tasks.aggregator, &list.tasks.unpacking, &list.output_preimage_dump_path) {
            (Some(_), ..) => Self::Applicative,
            (None, Some(_), _) => Self::Unpacking,
            (None, None, Some(_)) => Self::PrivacySimple,
            (None, None, None) => Self::Simple,
        }
    }
}

impl TaskList {
    /// Reads a list, and its tasks with `read`, which has the bytes of a file. All files together, and the members of
    /// CairoPIEs unpacked, may have `max_bytes` bytes; a CairoPIE or a program that several tasks name is read once.
    ///
    /// # Errors
    /// [`Problem::Arguments`] with the number of the task that is wrong: JSON of another form, a file that cannot be
    /// read or is not what the task says, or a task that is none.
    pub fn read(
        list: &[u8],
        max_bytes: u64,
        read: impl FnMut(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<Self, Problem> {
        let list = parse(list)?;
        let mut files = Files { known: HashMap::new(), left: max_bytes, read };
        let tasks = list.tasks.into_iter().enumerate().map(|(index, entry)| {
            files.task(entry).map_err(|error| Problem::Arguments(format!("task {index}: {error}")))
        });
        let tasks = tasks.collect::<Result<_, _>>()?;
        let aggregator = list.aggregator_task.map(|entry| {
            files.task(entry).map_err(|error| Problem::Arguments(format!("the aggregator task: {error}")))
        });
        let aggregator = aggregator.transpose()?;
        let unpacking = match (list.bootloader_config, list.packed_outputs) {
            (Some(config), Some(packed)) => Some(Unpacking { config, packed_outputs: packed.into() }),
            (None, None) if aggregator.is_none() => None,
            (None, _) => return Err(missing("bootloader_config")),
            (_, None) => return Err(missing("packed_outputs")),
        };
        if list.output_preimage_dump_path.is_some() && unpacking.is_some() {
            return Err(Problem::Arguments(
                "the list has a `bootloader_config`, and an `output_preimage_dump_path`, which the privacy bootloader \
                 alone writes: leave one of them out"
                    .into(),
            ));
        }
        Ok(Self {
            tasks: Tasks { tasks, single_page: list.single_page, unpacking, aggregator },
            fact_topologies_path: list.fact_topologies_path,
            output_preimage_dump_path: list.output_preimage_dump_path,
        })
    }

    /// The list with other names for the files of its tasks: the same bytes for the same tasks. It asks for no file of
    /// fact topologies; that of a preimage is called `preimage`.
    ///
    /// # Errors
    /// [`Problem::Arguments`]: JSON of another form.
    pub fn renamed(list: &[u8], mut name: impl FnMut(&Path) -> String) -> Result<Vec<u8>, Problem> {
        parse(list)?;
        let wrong = |error: serde_json::Error| Problem::Arguments(parser_message(&error.to_string()));
        let mut list: Value = serde_json::from_slice(without_mark(list)).map_err(wrong)?;
        if let Some(keys) = list.as_object_mut() {
            keys.remove("fact_topologies_path");
            if let Some(Value::String(path)) = keys.get_mut("output_preimage_dump_path") {
                "preimage".clone_into(path);
            }
            let (mut tasks, mut aggregator) = (keys.remove("tasks"), keys.remove("aggregator_task"));
            let all = tasks.iter_mut().filter_map(Value::as_array_mut).flatten().chain(&mut aggregator);
            for task in all.filter_map(Value::as_object_mut) {
                task.retain(|_, value| !value.is_null());
                for key in ["path", "user_args_file"] {
                    if let Some(Value::String(path)) = task.get_mut(key) {
                        *path = name(Path::new(path));
                    }
                }
            }
            keys.extend(tasks.map(|tasks| ("tasks".to_owned(), tasks)));
            keys.extend(aggregator.map(|task| ("aggregator_task".to_owned(), task)));
            keys.retain(|_, value| !value.is_null());
        }
        list.sort_all_objects();
        serde_json::to_vec(&list).map_err(wrong)
    }

    /// Refuses a bootloader that does not take the list, or that does not make a file of it.
    ///
    /// # Errors
    /// [`Problem::Arguments`] with the key that is there and should not be, or the other way round.
    pub fn check(&self, bootloader: BootloaderProgram) -> Result<(), Problem> {
        use BootloaderProgram::{Applicative, PrivacySimple, Simple, Unpacking};
        let unneeded = |key: &str| {
            Err(Problem::Arguments(format!(
                "the {bootloader} bootloader takes no `{key}`: leave it out, or run another"
            )))
        };
        let Tasks { unpacking, aggregator, .. } = &self.tasks;
        match bootloader {
            Unpacking | Applicative if unpacking.is_none() => Err(missing("bootloader_config")),
            Applicative if aggregator.is_none() => Err(missing("aggregator_task")),
            Simple | PrivacySimple if unpacking.is_some() => unneeded("bootloader_config"),
            Unpacking if aggregator.is_some() => unneeded("aggregator_task"),
            Simple if self.output_preimage_dump_path.is_some() => unneeded("output_preimage_dump_path"),
            _ => Ok(()),
        }
    }
}

fn missing(key: &str) -> Problem {
    Problem::Arguments(format!("the list of tasks has no `{key}`, which its bootloader needs"))
}

/// The files of a list.
struct Files<R> {
    /// Tasks without their own data, by the path and by whether they are programs.
    known: HashMap<(Form, PathBuf), TaskSource>,
    /// Bytes that may be read.
    left: u64,
    read: R,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Pie,
    Compiled,
    Executable,
}

impl<R: FnMut(&Path) -> Result<Vec<u8>, String>> Files<R> {
    fn task(&mut self, entry: Entry) -> Result<TaskSpec, String> {
        let form = match &entry.task_type[..] {
            "CairoPiePath" => Form::Pie,
            "RunProgramTask" => Form::Compiled,
            "Cairo1Executable" => Form::Executable,
            other => return Err(format!("there is no type `{}`", excerpt(other))),
        };
        let program = entry.program.filter(|_| form == Form::Compiled);
        let source = match (program, entry.path) {
            (Some(program), _) => {
                let bytes = serde_json::to_vec(&program).map_err(|error| error.to_string())?;
                let task = ProgramTask::compiled(&bytes, None).map_err(|error| format!("its program: {error}"))?;
                TaskSource::Program(task)
            }
            (None, Some(path)) => self.source(form, path)?,
            (None, None) if form == Form::Compiled => return Err("it has neither a program nor a path".into()),
            (None, None) => return Err("it has no path".into()),
        };
        let source = match source {
            TaskSource::Program(task) if form == Form::Compiled => {
                TaskSource::Program(ProgramTask { input: entry.program_input.map(Arc::new), ..task })
            }
            TaskSource::Program(task) => {
                let arguments = self.arguments(entry.user_args_list, entry.user_args_file)?;
                TaskSource::Program(ProgramTask { arguments: arguments.into(), ..task })
            }
            pie => pie,
        };
        Ok(TaskSpec { source, hash: entry.program_hash_function })
    }

    /// The file of a task.
    fn source(&mut self, form: Form, path: PathBuf) -> Result<TaskSource, String> {
        let key = (form, path);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let path = &key.1;
        let bytes = (self.read)(path)?;
        let source = match form {
            Form::Pie => {
                let pie = pie::read_of(&bytes, &mut self.left).map_err(|error| {
                    let is_first = self.known.is_empty();
                    let of_all = if error.reason == Reason::TooLong && !is_first { ALL } else { "" };
                    format!("{}: {error}{of_all}", plain(&path.to_string_lossy()))
                })?;
                TaskSource::Pie(Arc::new(pie))
            }
            Form::Compiled | Form::Executable => {
                self.take(path, &bytes)?;
                let task = program(form, &bytes);
                TaskSource::Program(task.map_err(|error| format!("{}: {error}", plain(&path.to_string_lossy())))?)
            }
        };
        self.known.insert(key, source.clone());
        Ok(source)
    }

    /// The arguments of an executable. A file of them goes before the list, as in the reference.
    fn arguments(&mut self, list: Option<Vec<Value>>, file: Option<PathBuf>) -> Result<Vec<Felt252>, String> {
        if let Some(path) = file {
            let bytes = (self.read)(&path)?;
            self.take(&path, &bytes)?;
            let arguments = parse_arguments_file(&bytes);
            return arguments.map_err(|error| format!("{}: {error}", plain(&path.to_string_lossy())));
        }
        let words = list.unwrap_or_default().into_iter().enumerate().map(|(index, value)| match value {
            Value::String(text) => word(index, &text),
            other => word(index, &other.to_string()),
        });
        words.collect::<Result<_, _>>().map_err(|error| format!("user_args_list: {error}"))
    }

    /// Takes the bytes of a file that is not unpacked.
    fn take(&mut self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| {
            let path = plain(&path.to_string_lossy());
            format!("{path}: it has {} bytes, and {} are left{ALL}", bytes.len(), self.left)
        })?;
        Ok(())
    }
}

/// A program that is a task, without its data.
fn program(form: Form, bytes: &[u8]) -> Result<ProgramTask, Problem> {
    let task = match form {
        Form::Compiled => ProgramTask::compiled(bytes, None),
        Form::Executable | Form::Pie => ProgramTask::executable(bytes, &[]),
    };
    // It may be a program of the other type.
    task.map_err(|error| match (form, detect(bytes)) {
        (Form::Compiled, Ok(Kind::Executable)) => other(Kind::Executable, "Cairo1Executable"),
        (Form::Executable, Ok(Kind::Compiled)) => other(Kind::Compiled, "RunProgramTask"),
        _ => error,
    })
}

fn other(kind: Kind, task_type: &str) -> Problem {
    Problem::Arguments(format!("it is {kind}, which is a task of the type {task_type}"))
}

const ALL: &str = ". All tasks together have one limit (--max-bytes)";
