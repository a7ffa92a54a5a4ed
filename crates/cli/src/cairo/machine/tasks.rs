//! The tasks of a bootloader: the list that names them, and the files that it asks for.

use std::path::{Path, PathBuf};

use cairo_run::felt::text;
use cairo_run::{FactTopology, TaskList, TasksOutput};
use serde::Serialize;

use crate::exit::Failure;
use crate::outputs::{self, Outputs};
use crate::policy::ReadArguments;

/// The files that a list asks for.
pub(super) struct TaskFiles {
    fact_topologies: Option<PathBuf>,
    preimage: Option<PathBuf>,
}

#[derive(Serialize)]
struct FactTopologies<'a> {
    fact_topologies: &'a [FactTopology],
}

/// Reads the tasks of a list, which is the file `place`. Paths in it are relative to where the program was called, as the
/// reference's are.
pub(super) fn read(list: &[u8], place: &Path, read: &ReadArguments) -> Result<(TaskList, TaskFiles), Failure> {
    let file = |path: &Path| read.read_program(path).map_err(|failure| failure.message);
    let list = TaskList::read(list, read.max_bytes, file).map_err(|error| Failure::file(place, error))?;
    let files = TaskFiles {
        fact_topologies: list.fact_topologies_path.clone(),
        preimage: list.output_preimage_dump_path.clone(),
    };
    files.paths().try_for_each(outputs::check)?;
    Ok((list, files))
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
