//! The tasks of a bootloader: the list that names them, and the files that it asks for.

use std::path::{Path, PathBuf};

use cairo_run::felt::text;
use cairo_run::{BootloaderProgram, FactTopology, TaskList, TaskPaths, TasksOutput};
use serde::Serialize;

use super::execution::{ExecutionArguments, ProgramType};
use crate::inputs::policy::ReadArguments;
use crate::outputs::{self, Named, Outputs, is_stream};
use crate::report::exit::Failure;

/// The files that a list asks for.
pub(super) struct TaskFiles {
    fact_topologies: Option<PathBuf>,
    preimage: Option<PathBuf>,
}

#[derive(Serialize)]
struct FactTopologies<'a> {
    fact_topologies: &'a [FactTopology],
}

/// Reads the tasks of a list, which is the file `place`. Paths in it are relative to where the program was called, as
/// the reference's are. `others` are the files that the run reads and writes beside them.
pub(super) fn read(
    list: &[u8],
    place: &Path,
    others: &[(&'static str, &Path)],
    read: &ReadArguments,
) -> Result<(TaskList, TaskFiles), Failure> {
    // A list that came through a pipe is read here for the first time.
    let paths = TaskPaths::read(list).map_err(|error| Failure::file(place, error))?;
    let listed = ListedFiles(paths);
    if listed.all().any(|(.., path)| is_stream(path)) {
        return Err(Failure::file(place, "`-` is no file: tasks and the files of a bootloader are files"));
    }
    let others = others.iter().copied().map(Named::from);
    outputs::distinct(&others.chain(listed.named("")).collect::<Vec<_>>())?;
    let file = |path: &Path| read.read_program(path).map_err(|failure| failure.message);
    let list = TaskList::read(list, read.max_bytes, file).map_err(|error| Failure::file(place, error))?;
    let files = TaskFiles {
        fact_topologies: list.fact_topologies_path.clone(),
        preimage: list.output_preimage_dump_path.clone(),
    };
    files.paths().try_for_each(outputs::check)?;
    Ok((list, files))
}

/// The files that a list of tasks names, before it is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListedFiles(TaskPaths);

impl ListedFiles {
    /// The files that the list of a program names, if it has one. A pipe can be read once only, and a file that is no
    /// list is refused where it is run.
    pub(super) fn of(program: &Path, execution: &ExecutionArguments, read: &ReadArguments) -> Self {
        let bytes = |path: &Path| {
            let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
            if is_file { read.read_program(path).ok() } else { None }
        };
        let list = match (execution.program_type, &execution.program_input) {
            (ProgramType::Tasks, _) => bytes(program),
            (ProgramType::Auto | ProgramType::Json, Some(input)) => {
                bytes(program).filter(|program| BootloaderProgram::found(program).is_some()).and_then(|_| bytes(input))
            }
            (ProgramType::Auto | ProgramType::Json, None) | (ProgramType::Executable | ProgramType::ProverInput, _) => {
                None
            }
        };
        Self(list.and_then(|list| TaskPaths::read(&list).ok()).unwrap_or_default())
    }

    /// The files, each with its name, and whether it is only read.
    fn all(&self) -> impl Iterator<Item = (&'static str, bool, &Path)> {
        let written = self.written();
        let read = self.read().map(|path| ("a task", true, path));
        read.chain(written.map(|(name, path)| (name, false, path)))
    }

    /// The files that are read.
    fn read(&self) -> impl Iterator<Item = &Path> {
        self.0.tasks.iter().map(PathBuf::as_path)
    }

    /// The files that are written, each with its key.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let TaskPaths { fact_topologies_path, output_preimage_dump_path, .. } = &self.0;
        [("fact_topologies_path", fact_topologies_path), ("output_preimage_dump_path", output_preimage_dump_path)]
            .into_iter()
            .filter_map(|(key, path)| path.as_deref().map(|path| (key, path)))
    }

    /// All files, each with its name after the place of the list.
    pub(super) fn named(&self, place: &str) -> impl Iterator<Item = Named<'_>> {
        self.all().map(move |(name, is_shared, path)| {
            let argument = if place.is_empty() { name.to_owned() } else { format!("{place} ({name})") };
            Named { argument: argument.into(), path, is_shared }
        })
    }
}

impl TaskFiles {
    fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.fact_topologies, &self.preimage].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Writes the files, with the content that the reference gives them.
    pub(super) fn save(&self, output: &TasksOutput) -> Result<(), Failure> {
        let TasksOutput { fact_topologies, preimage } = output;
        let json = |json: serde_json::Result<Vec<u8>>| json.map_err(|error| Failure::invalid(error.to_string()));
        let topologies = json(serde_json::to_vec(&FactTopologies { fact_topologies }))?;
        let preimage: Vec<String> = preimage.iter().flatten().map(text).collect();
        let preimage = json(serde_json::to_vec_pretty(&preimage))?;
        let contents = [(&self.fact_topologies, &topologies), (&self.preimage, &preimage)];
        let contents: Vec<&[u8]> =
            contents.iter().filter(|(path, _)| path.is_some()).map(|(_, json)| &json[..]).collect();
        Outputs::open(self.paths())?.save(&contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_list_have_their_names() {
        let task = r#"{"type": "CairoPiePath", "path": "a.zip", "program_hash_function": "blake"}"#;
        let list =
            format!(r#"{{"tasks": [{task}, {task}], "single_page": true, "output_preimage_dump_path": "b.json"}}"#);
        let listed = ListedFiles(TaskPaths::read(list.as_bytes()).unwrap());
        let names: Vec<_> =
            listed.named("line 3").map(|named| (named.argument.into_owned(), named.path, named.is_shared)).collect();
        let (task, preimage) = (Path::new("a.zip"), Path::new("b.json"));
        let key = "line 3 (output_preimage_dump_path)";
        let expected = [("line 3 (a task)", task, true), ("line 3 (a task)", task, true), (key, preimage, false)];
        assert_eq!(names, expected.map(|(name, path, is_shared)| (name.to_owned(), path, is_shared)));
        let read = ReadArguments { max_bytes: 1 << 20 };
        let refused = |list: &str, others: &[(&'static str, &Path)]| {
            super::read(list.as_bytes(), Path::new("list.json"), others, &read).map(drop).unwrap_err().message
        };
        let said = refused(&list, &[("-o", Path::new("a.zip"))]);
        assert!(said.contains("name the same file"), "{said}");
        let said = refused(&list.replace("b.json", "a.zip"), &[]);
        assert!(said.contains("name the same file"), "{said}");
        for file in ["a.zip", "b.json"] {
            let said = refused(&list.replace(file, "-"), &[]);
            assert!(said.contains("`-` is no file"), "{said}");
        }
    }
}
