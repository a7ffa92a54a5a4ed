//! One folder for a GPU host that has no Rust: programs, tests, golden proofs, and a script that runs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run;

/// Bytes that the folder may have.
const LIMIT: u64 = 60 << 20;

/// The package whose tests go along, all of them.
const PACKAGE: &str = "backend-cuda";

/// Files that the tests read, by their path in the repository.
const DATA: [&str; 2] = ["vectors/goldilocks", "vectors/circle"];

/// Builds `target/gpu-bundle`.
pub(crate) fn make() -> crate::Result {
    let bundle = run::target_directory("gpu-bundle");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).map_err(|error| format!("{}: {error}", bundle.display()))?;
    }
    fs::create_dir_all(bundle.join("bin")).map_err(|error| format!("{}: {error}", bundle.display()))?;

    run::cargo(&["build", "--release", "-p", "polystark"])?;
    take(&run::target_directory("release/polystark"), &bundle.join("bin/polystark"))?;
    for test in tests()? {
        let program = run::test_program(PACKAGE, &test)?;
        take(&program, &bundle.join("bin").join(format!("{PACKAGE}-{test}")))?;
    }
    for path in DATA {
        copy_all(&run::root().join(path), &bundle.join(path))?;
    }
    let script = bundle.join("run.sh");
    fs::write(&script, SCRIPT.replace("@ROOT@", &run::root().to_string_lossy()))
        .and_then(|()| run::make_executable(&script))
        .map_err(|error| format!("{}: {error}", script.display()))?;
    let bytes = size(&bundle)?;
    println!("{}: {:.1} MB", bundle.display(), bytes as f64 / 1e6);
    if bytes > LIMIT { Err(format!("the bundle has {bytes} bytes; at most {LIMIT}")) } else { Ok(()) }
}

/// The tests look for the repository where it was built, so a link stands in for it.
const SCRIPT: &str = r#"#!/bin/sh
# ./run.sh test: the conformance suite, errors and golden proofs on this machine's GPU.
# ./run.sh bench: the command line's benchmark on the GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=@ROOT@
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib /usr/local/cuda-13.0/targets/x86_64-linux/lib; do
    if [ -d "$folder" ]; then LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; fi
done
export LD_LIBRARY_PATH
export POLYSTARK_REQUIRE_BACKEND=cuda
case "${1:-test}" in
test)
    if [ ! -e "$root" ]; then
        mkdir -p "$(dirname "$root")"
        ln -s "$here" "$root"
    fi
    mkdir -p "$root/crates/backend-cuda" "$root/crates/golden" "$root/crates/prover-core"
    for program in "$here"/bin/backend-cuda-*; do
        echo "== ${program##*/}"
        "$program" --test-threads 4
    done
    ;;
bench)
    shift
    "$here/bin/polystark" bench --backend cuda "$@"
    ;;
*)
    echo "usage: $0 test|bench [arguments of polystark bench]" >&2
    exit 2
    ;;
esac
"#;

/// The names of the tests of [`PACKAGE`].
fn tests() -> Result<Vec<String>, String> {
    let folder = run::root().join("crates").join(PACKAGE).join("tests");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // A program is a file, or a folder with its modules.
    let name = |file: fs::DirEntry| Some(file.path().file_stem()?.to_str()?.to_owned());
    Ok(files.filter_map(|file| name(file.ok()?)).collect())
}

/// Copies a program without its symbols.
fn take(from: &Path, to: &Path) -> crate::Result {
    let status = Command::new("strip").arg("-o").arg(to).arg(from).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("strip {} ended with {status}", from.display())),
        Err(error) => Err(format!("strip: {error}")),
    }
}

fn copy_all(from: &Path, to: &Path) -> crate::Result {
    let fail = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(fail)?;
    for entry in fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_all(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

fn size(folder: &Path) -> Result<u64, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut sum = 0;
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        sum += if path.is_dir() { size(&path)? } else { fs::metadata(&path).map_err(fail)?.len() };
    }
    Ok(sum)
}
