//! The emulated GPU under AddressSanitizer and UndefinedBehaviorSanitizer: every access and every operation of a kernel
//! is checked.

use std::path::Path;
use std::process::Command;

use crate::{fuzz, run};

const PACKAGE: &str = "backend-emulated";

/// Its tests. No other package has a program of this name, so that this one alone is built again.
const PROGRAM: &str = "emulated";

/// Names of the tests. The tests of `sanitizer` show that mistakes are found in this very environment.
const TESTS: [&str; 5] =
    ["sanitizer::", "conformance::", "every_air_with_both_hashes", "the_order_of_threads", "every_digest"];

/// Cases of each operation that are the same in every run, and how many programs they have.
const OPERATION_CASES: [&str; 6] = ["--cases", "3", "--seed", "1", "--programs", "2"];

/// Any report ends the process, so that it cannot pass. Compiling takes most of the time, and a third of it without
/// optimisation.
const FLAGS: &str = "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all";

/// No leak check: memory that Rust's runtime keeps until the end is not ours. No search for stack frames used after
/// their return: it gives every fibre a second stack of megabytes, and fibres end without a call that would free it.
const ASAN_OPTIONS: &str = "detect_leaks=0:detect_stack_use_after_return=0";

/// Random cases of a conformance test. Its corner cases come on top.
const CASES: &str = "2";

/// Runs the tests with checked kernels. Code that is not a kernel is compiled as always: Rust checks it.
pub(crate) fn all() -> crate::Result {
    let libraries = [library("libasan.so")?, library("libubsan.so")?].join(" ");
    // Built without the sanitizers' environment, which is for the tests alone.
    let program = run::test_program(PACKAGE, PROGRAM)?;
    let cache = run::target_directory("sanitize");
    let cache = cache.to_str().ok_or("the target folder's path is not UTF-8")?;
    let environment = [
        ("LD_PRELOAD", libraries.as_str()),
        ("ASAN_OPTIONS", ASAN_OPTIONS),
        ("UBSAN_OPTIONS", "print_stacktrace=1"),
        ("POLYSTARK_EMULATOR_FLAGS", FLAGS),
        ("POLYSTARK_EMULATOR_CACHE", cache),
        ("POLYSTARK_CONFORMANCE_CASES", CASES),
        ("POLYSTARK_REQUIRE_BACKEND", "emulated"),
    ];
    test(&program, &TESTS, &environment)?;
    operations(&environment)
}

/// Every operation of both protocols, by the targets of campaigns.
fn operations(environment: &[(&str, &str)]) -> crate::Result {
    let program = fuzz::campaigns()?;
    let list = run::output_of(&program, &["list"])?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let targets: Vec<&str> = list.lines().filter(|target| target.contains('/')).collect();
    let operation = |target: &&str| {
        let mut command = Command::new(&program);
        command.args([*target, "--backend", "emulated"]).args(OPERATION_CASES).envs(environment.iter().copied());
        command.current_dir(run::target_directory("sanitize"));
        let output = command.output().map_err(|error| format!("{target}: {error}"))?;
        let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        print!("{said}");
        if output.status.success() { Ok(()) } else { Err(format!("{target} under the sanitizers: {errors}")) }
    };
    run::each(&targets, operation).into_iter().collect()
}

/// A test program in the folder that cargo would run it in; it must succeed, and a filter that matches nothing is an
/// error.
fn test(program: &Path, filters: &[&str], environment: &[(&str, &str)]) -> crate::Result {
    let folder = run::root().join("crates").join(PACKAGE);
    let name = program.display();
    for filter in filters {
        let list = Command::new(program).current_dir(&folder).args(["--list", filter]).output();
        let list = list.map_err(|error| format!("{name}: {error}"))?;
        if !String::from_utf8_lossy(&list.stdout).contains(": test") {
            return Err(format!("{name} has no test '{filter}'"));
        }
    }
    println!("+ {name} {} with {FLAGS}", filters.join(" "));
    let status = Command::new(program).current_dir(&folder).args(filters).envs(environment.iter().copied()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} under the sanitizers ended with {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Where the compiler of the kernels has a sanitizer's library.
fn library(file: &str) -> Result<String, String> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let fix = "apt-get install g++ brings it; if there are several compilers, CXX=g++ chooses";
    let output = Command::new(&compiler)
        .arg(format!("-print-file-name={file}"))
        .output()
        .map_err(|error| format!("no C++ compiler '{compiler}': {error}; {fix}"))?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // A compiler that lacks the file repeats its name.
    if Path::new(&path).is_absolute() && Path::new(&path).exists() {
        Ok(path)
    } else {
        Err(format!("the compiler '{compiler}' has no {file}: {fix}"))
    }
}

#[cfg(test)]
mod tests {
    use super::library;

    #[test]
    fn a_library_that_is_not_there_is_an_error_with_the_package() {
        assert!(library("libasan.so").is_ok());
        let error = library("libnosuchsanitizer.so").expect_err("no such library");
        assert!(error.contains("libnosuchsanitizer.so") && error.contains("apt-get install g++"), "{error}");
    }
}
