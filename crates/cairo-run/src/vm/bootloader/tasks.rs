//! The tasks of a bootloader, and the lists that name them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proof_format::text::{plain, said, shown};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::Problem;
use crate::pie::{self, CairoPie, Reason};

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

/// A task.
#[derive(Clone, Debug)]
pub struct PieTask {
    /// Its run, which tasks of the same path share.
    pub pie: Arc<CairoPie>,
    /// The hash of its program.
    pub hash: TaskHash,
}

/// The tasks of a bootloader.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// In their order.
    pub tasks: Vec<PieTask>,
    /// Whether the whole output is one page; otherwise each page of a task is one.
    pub single_page: bool,
}

/// A list of tasks, as the reference's bootloaders take it for their program input.
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
    /// The CairoPIEs of its tasks.
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
        let List { tasks, fact_topologies_path, output_preimage_dump_path, .. } = parse(list)?;
        let tasks = tasks.into_iter().filter_map(|entry| entry.path).collect();
        Ok(Self { tasks, fact_topologies_path, output_preimage_dump_path })
    }
}

fn parse(list: &[u8]) -> Result<List, Problem> {
    serde_json::from_slice(list)
        .map_err(|error| Problem::Arguments(format!("this is no list of tasks: {}", said(&error.to_string()))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    tasks: Vec<Entry>,
    single_page: bool,
    fact_topologies_path: Option<PathBuf>,
    output_preimage_dump_path: Option<PathBuf>,
}

/// The keys that only tasks of other types have are skipped.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    task_type: String,
    path: Option<PathBuf>,
    program_hash_function: TaskHash,
    #[serde(rename = "program")]
    _program: Option<IgnoredAny>,
    #[serde(rename = "program_input")]
    _program_input: Option<IgnoredAny>,
    #[serde(rename = "user_args_list")]
    _user_args_list: Option<IgnoredAny>,
    #[serde(rename = "user_args_file")]
    _user_args_file: Option<IgnoredAny>,
}

impl TaskList {
    /// Reads a list, and its tasks with `read`, which has the bytes of a file. All members of all CairoPIEs
    /// together may have `max_bytes` bytes unpacked; a file that several tasks name is read once.
    ///
    /// # Errors
    /// [`Problem::Arguments`] with the number of the task that is wrong: JSON of another form, a file that cannot be
    /// read or is no sound CairoPIE, or a task that is none.
    pub fn read(
        list: &[u8],
        max_bytes: u64,
        mut read: impl FnMut(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<Self, Problem> {
        let list = parse(list)?;
        let (mut known, mut left) = (HashMap::new(), max_bytes);
        let tasks = list.tasks.into_iter().enumerate().map(|(index, entry)| {
            task(entry, &mut known, &mut left, &mut read)
                .map_err(|error| Problem::Arguments(format!("task {index}: {error}")))
        });
        Ok(Self {
            tasks: Tasks { tasks: tasks.collect::<Result<_, _>>()?, single_page: list.single_page },
            fact_topologies_path: list.fact_topologies_path,
            output_preimage_dump_path: list.output_preimage_dump_path,
        })
    }
}

fn task(
    entry: Entry,
    known: &mut HashMap<PathBuf, Arc<CairoPie>>,
    left: &mut u64,
    read: &mut impl FnMut(&Path) -> Result<Vec<u8>, String>,
) -> Result<PieTask, String> {
    let path = match (&entry.task_type[..], entry.path) {
        ("CairoPiePath", Some(path)) => path,
        ("CairoPiePath", None) => return Err("it has no path".into()),
        (kind @ ("RunProgramTask" | "Cairo1Executable"), _) => {
            return Err(format!(
                "a {kind} is not run in a bootloader: write its run with `polystark cairo run PROGRAM --pie FILE`, and name the \
                 file as a CairoPiePath"
            ));
        }
        (kind, _) => return Err(format!("there is no type `{}`", shown(kind))),
    };
    let hash = entry.program_hash_function;
    if let Some(pie) = known.get(&path) {
        return Ok(PieTask { pie: pie.clone(), hash });
    }
    let bytes = read(&path)?;
    let pie = pie::read_of(&bytes, left).map_err(|error| {
        let of_all = if known.is_empty() { "" } else { ". All tasks together have one limit (--max-bytes)" };
        let of_all = if error.reason == Reason::TooLong { of_all } else { "" };
        format!("{}: {error}{of_all}", plain(&path.to_string_lossy()))
    })?;
    let pie = Arc::new(pie);
    known.insert(path, pie.clone());
    Ok(PieTask { pie, hash })
}
