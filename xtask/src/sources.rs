//! Places in all pages and sources of the repository, kernels among them.

use std::ffi::OsStr;
use std::path::Path;

use crate::run;

/// The numbers of lines of a text.
type Find = fn(&str) -> Vec<usize>;

/// The lines that one function finds in pages and another one in sources, each with its file.
pub(crate) fn places(of_pages: Find, of_sources: Find) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    look(run::root(), of_pages, of_sources, &mut found).map_err(|error| format!("the sources: {error}"))?;
    Ok(found)
}

/// Looks through a folder, but for what is built or hidden.
fn look(folder: &Path, of_pages: Find, of_sources: Find, found: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type()?.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                look(&path, of_pages, of_sources, found)?;
            }
            continue;
        }
        let find = match path.extension().and_then(OsStr::to_str) {
            Some("md") => of_pages,
            Some("rs" | "h") => of_sources,
            _ => continue,
        };
        let lines = find(&std::fs::read_to_string(&path)?);
        found.extend(lines.into_iter().map(|line| format!("{}:{line}", path.display())));
    }
    Ok(())
}
