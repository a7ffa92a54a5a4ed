//! Every GPU kernel compiled without a GPU: NVRTC and ptxas from PyPI, in an environment of their own below `target/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{python, run};

/// The version for drivers of the 580 series; newer compilers emit code that they reject.
const VERSION: &str = "13.0.88";

/// Ampere, Hopper, Blackwell.
const ARCHITECTURES: [&str; 3] = ["80", "90", "120"];

/// Bytes of shared memory that a kernel may take; and one of a variant for devices that have more, by what its unit's
/// name ends with.
const SHARED: u32 = 32 << 10;
const LARGE: (&str, u32) = ("-NTT_APART1", 48 << 10);

/// The report of ptxas on one kernel.
#[derive(Debug, Default, PartialEq, Eq)]
struct Usage {
    registers: u32,
    shared: u32,
    stack: u32,
    spilled: u32,
}

/// Compiles all kernels, prints what each takes, and fails on spills and on too much shared memory.
pub(crate) fn all() -> crate::Result {
    let environment = install()?;
    // A folder of its own, so that two runs at once do not delete each other's files.
    let output = run::target_directory("nvrtc").join(format!("ptx-{}", std::process::id()));
    let result = report(&environment, &output);
    // Left behind it costs a few megabytes below target/.
    let _ = std::fs::remove_dir_all(&output);
    result
}

/// A CairoPIE, which stands for all: every client proof takes the same kernels.
const PIE: &str = "vectors/pies/fib.zip";

/// Compiles the kernels of all AIRs, of Cairo's components and of Starknet's client proofs into `target/kernels`, a
/// file for each architecture.
pub(crate) fn ship(architectures: &str) -> crate::Result {
    let environment = install()?;
    let folder = run::target_directory("kernels");
    let folder = folder.to_str().ok_or("the target folder's path is not UTF-8")?;
    let build = [
        "run",
        "--release",
        "-p",
        "polystark",
        "--",
        "kernels",
        "--arch",
        architectures,
        "--output",
        folder,
        "--pie",
        PIE,
    ];
    // Between them they have every component, as a test of `cairo` shows.
    let programs = run::root().join("vectors/cairo/programs");
    let files = std::fs::read_dir(&programs).map_err(|error| format!("{}: {error}", programs.display()))?;
    let paths =
        files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    let programs: Vec<String> = paths.map(|path| format!("--program={}", path.display())).collect();
    let arguments: Vec<&str> = build.into_iter().chain(programs.iter().map(String::as_str)).collect();
    let libraries = environment.join("lib").to_string_lossy().into_owned();
    run::cargo_with(&arguments, &[("LD_LIBRARY_PATH", &libraries)])
}

fn report(environment: &Path, output: &Path) -> crate::Result {
    let folder = output.to_str().ok_or("the target folder's path is not UTF-8")?;
    let libraries = environment.join("lib").to_string_lossy().into_owned();
    run::example("kernels", &[&[folder][..], &ARCHITECTURES[..]].concat(), &[("LD_LIBRARY_PATH", &libraries)])?;

    let mut table: BTreeMap<(String, String), Vec<(String, Usage)>> = BTreeMap::new();
    for (unit, architecture, usages) in assemble(&environment.join("bin/ptxas"), output)? {
        for (kernel, usage) in usages {
            table.entry((unit.clone(), kernel)).or_default().push((architecture.clone(), usage));
        }
    }
    println!("{:<34} {:<26} registers/shared/stack/spilled bytes", "unit", "kernel");
    let mut faults = Vec::new();
    for ((unit, kernel), columns) in &table {
        let cell = |(architecture, usage): &(String, Usage)| {
            let Usage { registers, shared, stack, spilled } = usage;
            format!("{architecture} {registers}/{shared}/{stack}/{spilled}")
        };
        println!("{unit:<34} {kernel:<26} {}", columns.iter().map(cell).collect::<Vec<_>>().join("  "));
        for (architecture, usage) in columns {
            faults.extend(fault(unit, usage).map(|what| format!("{unit}: {kernel} for {architecture} {what}")));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("kernels that take too much:\n{}", faults.join("\n"))) }
}

/// The fault of a unit's kernel that uses more than it may.
fn fault(unit: &str, usage: &Usage) -> Option<String> {
    let shared = if unit.ends_with(LARGE.0) { LARGE.1 } else { SHARED };
    if usage.spilled > 0 {
        Some(format!("spills {} bytes of registers", usage.spilled))
    } else if usage.shared > shared {
        Some(format!("takes {} bytes of shared memory, over {shared}", usage.shared))
    } else {
        None
    }
}

/// The folder with `lib` and `bin` of the compilers, installed if it is not there.
fn install() -> Result<PathBuf, String> {
    let packages = ["nvidia-cuda-nvrtc", "nvidia-cuda-nvcc"].map(|name| format!("{name}=={VERSION}"));
    let environment = python::environment("nvrtc/venv", &packages)?;
    let missing = || format!("{} lacks the compilers: delete it and try again", environment.display());
    let python = std::fs::read_dir(environment.join("lib")).map_err(|_| missing())?;
    python
        .flatten()
        .map(|version| version.path().join("site-packages/nvidia/cu13"))
        .find(|folder| folder.join("bin/ptxas").exists())
        .ok_or_else(missing)
}

/// A unit with its specialisation, an architecture, and the kernels with their resources.
type Assembled = (String, String, Vec<(String, Usage)>);

/// ptxas on every file of the folder, as many at once as there are cores.
fn assemble(ptxas: &Path, folder: &Path) -> Result<Vec<Assembled>, String> {
    let list = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = list.flatten().map(|file| file.path()).collect();
    files.sort();
    let one = |file: &PathBuf| -> Result<Assembled, String> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (unit, rest) = name.split_once('.').ok_or_else(|| format!("{name}: no architecture in the name"))?;
        let architecture = rest.strip_suffix(".ptx").ok_or_else(|| format!("{name}: not a .ptx file"))?;
        let output = Command::new(ptxas)
            .args(["-v", &format!("-arch={architecture}"), "-o", "/dev/null"])
            .arg(file)
            .output()
            .map_err(|error| format!("{}: {error}", ptxas.display()))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("{name}: ptxas says\n{text}"));
        }
        Ok((unit.to_owned(), architecture.to_owned(), usages(&text)))
    };
    let mut out = run::each(&files, one).into_iter().collect::<Result<Vec<_>, _>>()?;
    // Architectures in the order of their numbers.
    out.sort_by_key(|(unit, architecture, _)| (unit.clone(), architecture.len(), architecture.clone()));
    Ok(out)
}

/// The output of `ptxas -v`: a line that names the entry, one with its stack and spills, one with its registers and
/// shared memory.
fn usages(text: &str) -> Vec<(String, Usage)> {
    let mut out: Vec<(String, Usage)> = Vec::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().unwrap_or_default();
            out.push((name.to_owned(), Usage::default()));
        } else if let Some((_, usage)) = out.last_mut() {
            if line.contains("bytes stack frame") {
                usage.stack = number_before(line, " bytes stack frame");
                usage.spilled = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
            } else if line.contains("Used ") {
                usage.registers = number_before(line, " registers");
                usage.shared = number_before(line, " bytes smem");
            }
        }
    }
    out
}

/// The number that stands before a phrase, or 0.
fn number_before(line: &str, phrase: &str) -> u32 {
    let before = line.split_once(phrase).map_or("", |(before, _)| before);
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_prints_is_read() {
        let text = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'first' for 'sm_90'\n\
            ptxas info    : Function properties for first\n    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
            ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 2048 bytes smem\n\
            ptxas info    : Compiling entry function 'second' for 'sm_90'\n\
            ptxas info    : Function properties for second\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 255 registers\n";
        let first = Usage { registers: 40, shared: 2048, stack: 16, spilled: 12 };
        let second = Usage { registers: 255, ..Usage::default() };
        assert_eq!(usages(text), [("first".to_owned(), first), ("second".to_owned(), second)]);
    }

    #[test]
    fn spills_and_too_much_shared_memory_are_faults() {
        let usage = |shared, spilled| Usage { registers: 80, shared, stack: spilled, spilled };
        assert_eq!(fault("ntt-NTT_LEVELS8-NTT_APART0", &usage(32 << 10, 0)), None);
        assert!(fault("ntt-NTT_LEVELS8-NTT_APART0", &usage((32 << 10) + 8, 0)).is_some());
        assert_eq!(fault("ntt-NTT_LEVELS8-NTT_APART1", &usage(36 << 10, 0)), None);
        assert!(fault("ntt-NTT_LEVELS8-NTT_APART1", &usage(0, 8)).is_some());
    }
}
