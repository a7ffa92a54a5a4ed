//! The processes of hints: their limits, their end, and others in their place.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cairo_run::{Machine, Options, OwnHints, Problem, StopFlag, load};

use super::{fault, options, run, server, with_hints};

const ENDLESS: &str = "while True: pass";
/// The message of a process that is ready, as `printf` of a shell writes it.
const READY: &str = r"printf '\011\000\000\000\000\001\000\000\000\000\000\000\000'";

/// A value of a process that the system shows, such as `Max open files`.
fn limit(process: &Path, name: &str) -> Option<String> {
    let limits = std::fs::read_to_string(process.join("limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// The server under a name of its own, by which its processes are told from those of the tests beside this one. The
/// name goes away with the value.
struct Named(PathBuf);

impl Named {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("polystark-hints-{}-named", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("server");
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(server(), &path).unwrap();
        Self(path)
    }

    /// The processes that were started by this name and have not ended, by the folders that the system has of them.
    fn processes(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        let is_named = |folder: &PathBuf| {
            let words = std::fs::read(folder.join("cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).next() == Some(self.0.as_os_str().as_encoded_bytes())
        };
        folders.filter(is_named).collect()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

/// Waits until something is so.
fn within(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if is_so() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn a_process_has_all_limits_and_nothing_of_the_users_and_ends_with_its_run() {
    // It sees no file that this process has opened.
    let opened = std::fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let _file = std::fs::File::open(&opened).unwrap();
    let named = Named::new();
    let own_hints = OwnHints::Python(named.0.clone());
    let stop = StopFlag::default();
    let flag = stop.clone();
    let running = thread::spawn(move || {
        let program = serde_json::to_vec(&with_hints(&[ENDLESS], 0)).unwrap();
        let (max_steps, machine) = (usize::MAX, Machine::Own);
        let options = Options { stop: flag, max_steps, machine, own_hints, ..options(None) };
        load(&program, &options).unwrap_err()
    });
    let mut limited = None;
    let is_limited = within(Duration::from_secs(20), || {
        let known = |process: &PathBuf| {
            let is = |name: &str, expected: &str| limit(process, name).as_deref() == Some(expected);
            let memory = limit(process, "Max address space").and_then(|bytes| bytes.parse::<u64>().ok());
            memory.is_some_and(|bytes| bytes < 1 << 30)
                && is("Max open files", "0")
                && is("Max file size", "0")
                && is("Max core file size", "0")
                && limit(process, "Max cpu time").is_some_and(|seconds| seconds == "10")
        };
        limited = named.processes().into_iter().find(known);
        limited.is_some()
    });
    let limits = |process: &PathBuf| std::fs::read_to_string(process.join("limits")).ok();
    assert!(is_limited, "{:?}", named.processes().iter().map(limits).collect::<Vec<_>>());
    let process = limited.unwrap();
    let environment = std::fs::read(process.join("environ")).unwrap();
    assert!(environment.is_empty(), "{:?}", String::from_utf8_lossy(&environment));
    // This test's own may have others, which it was started with.
    for number in 0..3 {
        let target = std::fs::read_link(process.join(format!("fd/{number}"))).unwrap();
        assert!(target.to_string_lossy().starts_with("pipe:"), "{number} is {}", target.display());
    }
    let files = std::fs::read_dir(process.join("fd")).unwrap();
    // A descriptor that was closed meanwhile is none.
    let files: Vec<_> = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).collect();
    assert!(!files.contains(&opened), "{files:?}");
    // The run is cancelled.
    let begun = Instant::now();
    stop.stop();
    let error = running.join().unwrap();
    assert!(matches!(*error.problem, Problem::Cancelled), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(within(Duration::from_secs(5), || !process.exists()), "it was not waited for");
}

#[test]
fn runs_at_once_have_processes_of_their_own() {
    let runs: Vec<_> = (0..4)
        .map(|number| {
            thread::spawn(move || {
                let hints = [format!("x = [{number}]"), "x += [7]".to_owned(), "ids.a, ids.b = x".to_owned()];
                let hints: Vec<&str> = hints.iter().map(String::as_str).collect();
                run(&with_hints(&hints, 2), &options(None)).unwrap().output
            })
        })
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        assert_eq!(run.join().unwrap(), [number.into(), 7.into()]);
    }
}

/// A program that a shell runs, in a folder that goes away with the value.
struct Script(PathBuf);

impl Script {
    fn new(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("polystark-hints-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("program");
        // Another process writes it: a process that a test beside this one starts could have it open else.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#"cat > "$0" && chmod +x "$0""#]).arg(&path).stdin(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        write!(shell.stdin.take().unwrap(), "#!/bin/sh\n{text}\n").unwrap();
        assert!(shell.wait().unwrap().success());
        Self(path)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn fault_with(program: PathBuf) -> String {
    let max_steps = 1 << 10;
    let options = Options { own_hints: OwnHints::Python(program), machine: Machine::Own, max_steps, ..options(None) };
    fault("x = 1", &options)
}

#[test]
fn a_program_that_serves_no_hints_is_named() {
    for (path, why) in [
        ("/nowhere/at/all", "/nowhere/at/all does not start: No such file"),
        ("/proc/version", "/proc/version does not start"),
        ("/bin/true", "/bin/true does not run hints in Python (exit status: 0): name a program that calls"),
        ("/bin/false", "/bin/false does not run hints in Python (exit status: 1"),
        ("/bin/echo", "/bin/echo does not run hints in Python (it says something else)"),
    ] {
        let error = fault_with(path.into());
        assert!(error.contains(why), "{path}: {error}");
    }
    assert!(server().is_absolute());
}

/// The run ends with an error that tells the lie, whatever a process says.
#[test]
fn a_process_that_lies_is_found_out() {
    let message = |bytes: &[u8]| {
        let all = [&(bytes.len() as u32).to_le_bytes(), bytes].concat();
        format!("printf '{}'", all.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>())
    };
    let number = |kind: u8, number: u64| [&[kind][..], &number.to_le_bytes()].concat();
    let zeros = |kind: u8, count: usize| [vec![kind], vec![0; count]].concat();
    let read_hint = "head -c 1 > /dev/null";
    let rest = "exec cat > /dev/null";
    let cases: [(&str, String, &str); 15] = [
        ("version", message(&number(0, 2)), "it has another version"),
        ("long", r"printf '\377\377\377\377'".into(), "it says something else"),
        ("silent-end", READY.into(), "has ended: exit status: 0"),
        ("code", format!("{READY}; {read_hint}; echo no >&2; exit 3"), "has ended: exit status: 3: no"),
        ("truncated", format!(r"{READY}; {read_hint}; printf '\020\000\000\000\002'"), "has ended: exit status: 0"),
        ("false-length", format!(r"{READY}; printf '\001\000\000\001'; {rest}"), "a message is too long"),
        ("kind", format!("{READY}; {}; {rest}", message(&[77])), "of an unknown kind"),
        ("behind", format!("{READY}; {}; {rest}", message(&[13, 0])), "bytes behind its end"),
        ("number", format!("{READY}; {}; {rest}", message(&number(2, 99))), "it asks for the number of nothing"),
        ("ready-again", format!("{READY}; {READY}; {rest}"), "it asks nothing"),
        (
            "felt",
            format!("{READY}; {}; {rest}", message(&[vec![3], vec![0; 9], vec![255; 32]].concat())),
            "below the prime",
        ),
        // A range of 2^60 cells, and of the most that there are.
        (
            "range",
            format!("{READY}; {}; {rest}", message(&[zeros(7, 16), (1u64 << 60).to_le_bytes().to_vec()].concat())),
            "is above",
        ),
        ("steps", format!("{READY}; {}; {rest}", message(&[number(15, 1 << 50), vec![0]].concat())), "--max-steps"),
        (
            "prints",
            format!("{READY}; while :; do {}; done", message(&[number(14, 1), vec![65]].concat())),
            "--max-steps",
        ),
        ("segments", format!("{READY}; while :; do {}; done", message(&[8, 0])), "--max-steps"),
    ];
    for (name, text, why) in cases {
        let script = Script::new(name, &text);
        let begun = Instant::now();
        let error = fault_with(script.0.clone());
        assert!(error.contains(why), "{name}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{name}: {:?}", begun.elapsed());
    }
}
