//! The licences of the program and of all crates in it, whose texts must go with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::sbom::Crates;
use crate::run;

/// How the names of files with licences begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// The file `copyright`: the rights, then each text with the crates that it is of.
pub(super) fn copyright(crates: &Crates) -> Result<String, String> {
    let metadata = run::output(&["metadata", "--locked", "--format-version", "1"])?.stdout;
    let metadata: Value = serde_json::from_slice(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut texts = BTreeMap::<String, Vec<&str>>::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", field("name"), field("version"));
        if let Some((name, _)) = crates.get_key_value(&name) {
            let folder = Path::new(field("manifest_path")).parent().unwrap_or(Path::new(""));
            for text in texts_of(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
                texts.entry(text).or_default().push(name);
            }
        }
    }
    let mut file = "Polystark, by the Polystark contributors, is licensed under MIT or Apache-2.0, at your option. The program is\n\
                    made of the crates below, each under its own licence; the texts that they come with follow.\n\n"
        .to_owned();
    crates.iter().for_each(|(package, known)| file += &format!("{package}: {}\n", known.licence));
    for (text, mut packages) in texts {
        packages.sort_unstable();
        file += &format!("\n{}\n{}:\n\n{text}\n", "-".repeat(80), packages.join(", "));
    }
    Ok(file)
}

/// The licences in a folder.
fn texts_of(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && NAMES.iter().any(|known| name.starts_with(known)) {
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).trim_end().replace("\r\n", "\n"));
        }
    }
    texts.sort();
    texts.dedup();
    Ok(texts)
}
