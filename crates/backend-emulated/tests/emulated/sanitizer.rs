//! Kernels under the address and the undefined-behaviour sanitizer: mistakes that give no wrong result on any machine
//! at hand must end the process with the sanitizer's report.
//!
//! A report ends its process, so each kernel runs in a process of its own: this program, told which kernel by
//! [`KERNEL`]. `cargo xtask sanitize` sets the sanitizers' environment for all tests of this crate that it runs, and a
//! child inherits it; so a fault found here is found there. Without that environment the child gets one.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use backend_emulated::{EmulatedDevice, Options};
use gpu_hal::Result;
use gpu_runtime::{Argument, KernelDevice, KernelSource, Launch};

/// Names the kernel that a child runs.
const KERNEL: &str = "POLYSTARK_SANITIZER_KERNEL";
/// Set by `cargo xtask sanitize`.
const FLAGS: &str = "POLYSTARK_EMULATOR_FLAGS";

const ROWS: u32 = 256;
const AT: &str = "u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;";
const SHARE: &str = "SHARED(u64, s, 64); s[THREAD] = a[i]; BARRIER();";

/// Does not know how long the array is, so that the access is for the address sanitizer to judge.
const PICK: &str = "__attribute__((noinline)) static u64 pick(LOCAL const u64* t, u64 at) { return t[at]; }";

/// (name, text, text of the report; nothing for the right kernel). p.n is 64: no compiler sees the mistakes.
const KERNELS: [(&str, &str, &str); 7] = [
    ("sound", "u64 t[4] = {a[i], 1, 2, 3}; BARRIER(); b[i] = s[63 - THREAD] + t[p.n & 3] + (a[i] << (p.n - 1));", ""),
    ("global-read", "b[i] = a[i + p.n] + s[THREAD];", "heap-buffer-overflow"),
    ("global-write", "BARRIER(); b[i + p.n] = s[THREAD];", "heap-buffer-overflow"),
    ("shared-read", "BARRIER(); b[i] = s[THREAD + p.n];", "heap-buffer-overflow"),
    (
        "local-read",
        "u64 t[4] = {a[i], 1, 2, 3}; BARRIER(); b[i] = s[THREAD] + t[p.n / 16];",
        "runtime error: index 4 out of bounds",
    ),
    (
        "local-read-through-a-pointer",
        "u64 t[4] = {a[i], 1, 2, 3}; BARRIER(); b[i] = pick(t, p.n / 16);",
        "stack-buffer-overflow",
    ),
    ("shift", "b[i] = s[THREAD] << p.n;", "runtime error: shift exponent 64 is too large"),
];

fn text_of(name: &str) -> &'static str {
    let found = KERNELS.iter().find(|(known, ..)| *known == name);
    found.unwrap_or_else(|| panic!("{KERNEL}={name}: no such kernel")).1
}

/// Runs a kernel on 4 blocks of 64 threads, with a = 0, 1, 2, ....
fn launch(name: &str) -> Result<Vec<u8>> {
    let dialect = include_str!("../../../../kernels/dialect.h");
    let body = text_of(name);
    let text = format!(
        "{dialect}\n{PICK}\nstruct TestParams {{ u64 n; }};\n\
         KERNEL(test, IN(0, u64, a) OUT(1, u64, b), TestParams) {{ {AT} {SHARE} {body} }}\n"
    );
    let device = EmulatedDevice::new(Options::default())?;
    let module = device.build(&KernelSource { name: "sanitizer-test", text, defines: Vec::new() })?;
    let kernel = device.kernel(&module, "test")?;
    let mut bytes: Vec<u8> = (0..u64::from(ROWS)).flat_map(u64::to_ne_bytes).collect();
    let (a, b) = (device.alloc(bytes.len() as u64)?, device.alloc(bytes.len() as u64)?);
    device.upload(&a, 0, &bytes)?;
    let buffers = [&a, &b].map(|memory| Argument { memory, offset: 0 });
    let params = 64u64.to_ne_bytes();
    let (grid, block) = ([ROWS / 64, 1, 1], 64);
    device.launch(&Launch { kernel: &kernel, grid, block, buffers: &buffers, params: &params })?;
    device.download(&b, 0, &mut bytes)?;
    Ok(bytes)
}

/// In a child the kernel that it is told; by itself the sound one.
#[test]
fn the_kernel_of_the_environment() {
    let name = std::env::var(KERNEL).unwrap_or_else(|_| "sound".to_owned());
    launch(&name).unwrap_or_else(|error| panic!("kernel '{name}': {error}"));
}

/// Where the compiler has a sanitizer's library.
fn library(file: &str) -> String {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let output = Command::new(&compiler).arg(format!("-print-file-name={file}")).output();
    let output = output.unwrap_or_else(|error| panic!("no C++ compiler '{compiler}': {error}; apt-get install g++"));
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // A compiler that lacks the file repeats its name.
    assert!(path.starts_with('/'), "'{compiler}' has no {file}: apt-get install g++ (CXX=g++ if there are several)");
    path
}

fn child(kernel: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "sanitizer::the_kernel_of_the_environment", "--nocapture"]).env(KERNEL, kernel);
    if std::env::var_os(FLAGS).is_none() {
        command
            .env(FLAGS, "-fsanitize=address,undefined -fno-sanitize-recover=all")
            .env("LD_PRELOAD", format!("{} {}", library("libasan.so"), library("libubsan.so")))
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0");
    }
    command.output().expect("this program starts")
}

#[test]
fn a_mistake_ends_the_process_with_a_report_and_a_sound_kernel_does_not() {
    for (name, _, report) in KERNELS {
        let output = child(name);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if report.is_empty() {
            assert!(output.status.success(), "kernel '{name}' is right, yet:\n{text}");
            assert!(text.contains("1 passed"), "kernel '{name}' did not run:\n{text}");
        } else {
            assert!(!output.status.success(), "kernel '{name}' ran to its end:\n{text}");
            assert!(text.contains(report), "kernel '{name}': no '{report}' in\n{text}");
            assert!(text.contains("sanitizer-test") || text.contains(".cpp:"), "the report names no kernel:\n{text}");
        }
    }
}
