//! Running cargo and other programs from the repository's root.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// A folder below `target/`.
pub(crate) fn target_directory(name: &str) -> PathBuf {
    root().join("target").join(name)
}

/// `cargo ARGUMENTS`, which must succeed.
pub(crate) fn cargo(arguments: &[&str]) -> crate::Result {
    cargo_with(arguments, &[])
}

/// `cargo ARGUMENTS` with more environment, which must succeed.
pub(crate) fn cargo_with(arguments: &[&str], environment: &[(&str, &str)]) -> crate::Result {
    program(env!("CARGO"), arguments, environment)
}

/// Arguments of a build of the whole workspace with the features that `cargo test --workspace` has built. Dependencies
/// of tests turn on some of them, but only if an example or a test is built, too: else a fifth of all crates would be
/// compiled once more.
pub(crate) const AS_TESTED: [&str; 3] = ["--workspace", "--example", "kernels"];

/// Builds the examples of a name in all packages, whose dependencies then have the features that
/// `cargo test --workspace` has built, and runs it.
pub(crate) fn example(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> crate::Result {
    cargo(&["build", "--workspace", "--example", name])?;
    let path = target_directory("debug/examples").join(name);
    program(path.to_str().ok_or("the target folder's path is not UTF-8")?, arguments, environment)
}

/// Builds a program of the workspace with the features that `cargo test --workspace` has built, and `features`, and
/// says where it is.
pub(crate) fn workspace_program(name: &str, features: &[&str]) -> Result<PathBuf, String> {
    let features: Vec<&str> = features.iter().flat_map(|feature| ["--features", feature]).collect();
    cargo(&[&["build", "--bin", name][..], &AS_TESTED, &features].concat())?;
    Ok(target_directory("debug").join(name))
}

/// A program without cargo's variables on this package: build scripts that read them, as ring's does, would run anew,
/// and crates that depend on them would be compiled once more.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let of_package = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    for name in std::env::vars_os().map(|(name, _)| name).filter(of_package) {
        command.env_remove(name);
    }
    command
}

/// `PROGRAM ARGUMENTS` from the root, with more environment, which must succeed.
pub(crate) fn program(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> crate::Result {
    program_in(root(), program, arguments, environment)
}

/// The same from another folder.
pub(crate) fn program_in(
    folder: &Path,
    program: &str,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> crate::Result {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{name} {}", arguments.join(" "));
    println!("+ {name}");
    let mut command = command(program);
    command.current_dir(folder).args(arguments).envs(environment.iter().copied());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// The results of a task for each item, in any order; as many run at once as there are cores.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], task: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (task, threads) = (&task, std::thread::available_parallelism().map_or(1, usize::from));
    let next = &AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let taken = move || std::iter::from_fn(move || items.get(next.fetch_add(1, Ordering::Relaxed)));
        let workers: Vec<_> =
            (0..threads).map(|_| scope.spawn(move || taken().map(task).collect::<Vec<_>>())).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a task does not panic")).collect()
    })
}

/// The output of `cargo ARGUMENTS`, which must succeed.
pub(crate) fn output(arguments: &[&str]) -> Result<Output, String> {
    println!("+ cargo {}", arguments.join(" "));
    output_of(env!("CARGO"), arguments)
}

/// The output of `PROGRAM ARGUMENTS`, which must succeed.
pub(crate) fn output_of(program: impl AsRef<Path>, arguments: &[&str]) -> Result<Output, String> {
    let program = program.as_ref();
    let line = format!("{} {}", program.file_name().unwrap_or_default().to_string_lossy(), arguments.join(" "));
    let output = command(program).current_dir(root()).args(arguments).output();
    let output = output.map_err(|error| format!("{line}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{line} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Builds the tests of a name in all packages, whose dependencies then have the features that `cargo test --workspace`
/// has built, and says where that of a folder in `crates/` is.
pub(crate) fn test_program(folder: &str, test: &str) -> Result<PathBuf, String> {
    let arguments = ["test", "--workspace", "--test", test, "--no-run", "--message-format", "json-render-diagnostics"];
    let output = output(&arguments)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let package = format!("/crates/{folder}#");
    let program = |line: &str| {
        let artifact: Value = serde_json::from_str(line).ok()?;
        let is_it = artifact["target"]["name"] == test && artifact["package_id"].as_str()?.contains(&package);
        artifact["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
    };
    text.lines().find_map(program).ok_or_else(|| format!("cargo does not say where the test {test} of {folder} is"))
}

/// Lets a file be run.
pub(crate) fn make_executable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn every_item_has_its_turn_once() {
        let items: Vec<usize> = (0..1000).collect();
        let mut results = each(&items, |item| item + 1);
        results.sort_unstable();
        assert!(results.into_iter().eq(1..=1000));
    }
}
