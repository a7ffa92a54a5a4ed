//! Programs that PyPI has ready-made.

use std::path::PathBuf;

use crate::run;

/// A Python environment of that name below `target/`, with the packages, each `NAME==VERSION`; installed if it is not
/// there.
pub(crate) fn environment(name: &str, packages: &[String]) -> Result<PathBuf, String> {
    let environment = run::target_directory(name);
    let done = environment.join("installed");
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let list = packages.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(environment);
    }
    run::program("python3", &["-m", "venv", "--clear", &environment.to_string_lossy()], &[])?;
    let pip = environment.join("bin/pip");
    let install = ["install", "--quiet", "--disable-pip-version-check"];
    run::program(&pip.to_string_lossy(), &[&install[..], &packages].concat(), &[])?;
    std::fs::write(&done, list).map_err(|error| format!("{}: {error}", done.display()))?;
    Ok(environment)
}
