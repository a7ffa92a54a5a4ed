//! Jobs of a farm that would hold a worker or a planner, and farms that are not there.

use std::io::Write as _;
#[cfg(unix)]
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::common::{Ran, command, ran};

/// Runs the program in the environment of a user without a farm.
fn run(home: &Path, words: &[&str]) -> Ran {
    let mut command = command();
    command.args(words).env("HOME", home);
    for name in ["XDG_STATE_HOME", "POLYSTARK_FARM_SERVER", "POLYSTARK_FARM_TOKEN_FILE"] {
        command.env_remove(name);
    }
    ran(command.output().expect("the program starts"))
}

#[test]
fn a_figure_needs_no_leaves() {
    let (folder, since) = (tempfile::tempdir().unwrap(), Instant::now());
    let ran = run(folder.path(), &["security", "--air", "rpo-m31", "--rows", "2^24", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // Their hashes take minutes.
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
}

#[test]
fn a_farm_that_is_not_there_is_said_soon() {
    let (folder, since) = (tempfile::tempdir().unwrap(), Instant::now());
    // Port 1 is nobody's.
    let ran = run(folder.path(), &["farm", "list", "--server", "nats://127.0.0.1:1"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("no server of the farm answers at nats://127.0.0.1:1"), "{ran:?}");
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
}

#[test]
fn a_farm_is_found_by_the_environment_and_by_the_last_local_one() {
    let folder = tempfile::tempdir().unwrap();
    let (state, token) = (folder.path().join(".local/state/polystark"), folder.path().join("token"));
    let list = |server: Option<&str>| {
        let mut command = command();
        command.args(["farm", "list"]).env("HOME", folder.path()).env_remove("XDG_STATE_HOME");
        command.env("POLYSTARK_FARM_SERVER", server.unwrap_or_default());
        ran(command.output().expect("the program starts"))
    };
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(&token, "0123456789abcdef").unwrap();
    let local = json!({"server": "nats://127.0.0.1:2", "token_file": token, "farm": "polystark"});
    std::fs::write(state.join("local-farm.json"), local.to_string()).unwrap();
    for (server, found) in
        [(Some("nats://127.0.0.1:3,nats://127.0.0.1:4"), "127.0.0.1:3, nats://127.0.0.1:4"), (None, "127.0.0.1:2")]
    {
        let ran = list(server);
        assert!(ran.code == 3 && ran.stderr.contains(&format!("answers at nats://{found} ")), "{ran:?}");
    }
    // A noted farm is used while its token is there.
    std::fs::write(&token, "two words").unwrap();
    let ran = list(None);
    assert!(ran.code == 2 && ran.stderr.contains("one token"), "{ran:?}");
}

#[test]
#[cfg(unix)]
fn a_token_without_an_end_is_refused_at_once() {
    let (folder, since) = (tempfile::tempdir().unwrap(), Instant::now());
    for flag in ["--token-file", "--nkey", "--creds", "--tls-ca"] {
        let ran = run(folder.path(), &["farm", "list", "--server", "nats://127.0.0.1:1", flag, "/dev/zero"]);
        assert_eq!(ran.code, 2, "{flag}: {ran:?}");
        assert!(ran.stderr.contains("/dev/zero") && ran.stderr.contains("1 MiB"), "{flag}: {ran:?}");
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
}

#[test]
#[cfg(unix)]
fn tokens_are_looked_at_before_a_server_is() {
    let folder = tempfile::tempdir().unwrap();
    for (tokens, what) in [("/dev/zero", "1 MiB"), ("/nowhere/tokens", "/nowhere/tokens: ")] {
        let server = ["farm", "serve", "--server", "nats://127.0.0.1:1", "--http-tokens", tokens];
        let ran = run(folder.path(), &server);
        assert!(ran.code == 2 && ran.stderr.contains(what), "{ran:?}");
        let store = folder.path().join("store");
        let ran = run(folder.path(), &["farm", "local", "--store", store.to_str().unwrap(), "--http-tokens", tokens]);
        assert!(ran.code == 2 && ran.stderr.contains(what) && !store.exists(), "{ran:?}");
    }
    let ran = run(folder.path(), &["farm", "serve", "--server", "nats://127.0.0.1:1", "--listen", "0.0.0.0:0"]);
    assert!(ran.code == 2 && ran.stderr.contains("everybody who reaches"), "{ran:?}");
}

#[test]
#[cfg(unix)]
fn a_token_that_nobody_writes_is_not_waited_for() {
    let (folder, since) = (tempfile::tempdir().unwrap(), Instant::now());
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    let ran = run(folder.path(), &["farm", "list", "--server", "nats://127.0.0.1:1", "--token-file", pipe]);
    assert!(ran.code == 2 && ran.stderr.contains("pipe: it is no plain file"), "{ran:?}");
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
}

/// Runs the program until it watches for signals, ends it by one a moment later, and waits for it.
#[cfg(unix)]
fn interrupted(home: &Path, signal: &str, words: &[&str]) -> (Option<i32>, String, Duration) {
    let mut command = command();
    command.args(words).env("HOME", home).env_remove("XDG_STATE_HOME");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("interrupt it once") {
        assert!(lines.read_line(&mut said).unwrap() > 0, "{said}");
    }
    std::thread::sleep(Duration::from_millis(300));
    let since = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    lines.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said, since.elapsed())
}

#[test]
#[cfg(unix)]
fn who_is_told_to_end_before_it_has_begun_ends_at_once_and_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    // A server that is there and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("nats://{}", silent.local_addr().unwrap());
    let store = folder.path().join("store");
    let fake = folder.path().join("nats-server");
    std::fs::write(&fake, "#!/bin/sh\necho $$ > pid\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (store_text, fake) = (store.to_str().unwrap(), fake.to_str().unwrap());
    let listen = ["--listen", "127.0.0.1:0"];
    for signal in ["-TERM", "-INT"] {
        for words in [
            vec!["farm", "worker", "--backend", "cpu", "--threads", "1", "--server", &server],
            [&["farm", "serve", "--server", &server][..], &listen].concat(),
            [&["farm", "local", "--store", store_text, "--nats-server", fake][..], &listen].concat(),
        ] {
            let (code, said, time) = interrupted(folder.path(), signal, &words);
            assert_eq!(code, Some(0), "{words:?}: {said}");
            assert!(said.contains("interrupted before it had begun, nothing was done"), "{words:?}: {said}");
            assert!(time < Duration::from_secs(3), "{words:?}: {time:?}");
        }
        let pid = std::fs::read_to_string(store.join("pid")).unwrap();
        let is_there = Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().unwrap();
        assert!(!is_there.success(), "the server {pid} is left behind");
    }
}

/// Hands a job about a program to the process that runs it apart, with `most_bytes` bytes of address space; returns its
/// output and status.
fn apart(program: &[u8], args: Option<&str>, most_bytes: u64, plan: bool) -> Output {
    let words = args.map(|args| ("args", args));
    let job = json!({"kind": "cairo", "words": serde_json::Map::from_iter(words.map(|(word, value)| (word.to_owned(), value.into()))),
                     "inputs": {"program": "0".repeat(64)}});
    let task = json!({"job": job, "inputs": [["program", program.len()]], "most_bytes": most_bytes,
                      "plan": plan.then_some([60, 600])});
    let mut command = command();
    command.args(["farm", "run-job"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let written = writeln!(stdin, "{task}").and_then(|()| stdin.write_all(program));
    written.unwrap();
    // The pipe stays open as long as there is a reader of the answer.
    let mut stdout = child.stdout.take().unwrap();
    let mut said = Vec::new();
    std::io::Read::read_to_end(&mut stdout, &mut said).unwrap();
    let mut output = child.wait_with_output().unwrap();
    drop(stdin);
    output.stdout = said;
    output
}

#[test]
#[cfg(unix)]
fn a_program_that_takes_all_memory_ends_its_process_alone() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let read = |name: &str| std::fs::read(vectors.join(name)).unwrap();
    let fib = read("cairo/programs/fib_10.json");
    let line = |output: &Output| -> Value {
        let end = output.stdout.iter().position(|byte| *byte == b'\n').unwrap_or_else(|| panic!("{output:?}"));
        serde_json::from_slice(&output.stdout[..end]).unwrap()
    };
    let planned = apart(&fib, None, 8 << 30, true);
    assert!(line(&planned)["Plan"].as_u64() > Some(1 << 20), "{planned:?}");
    let run = apart(&fib, None, 8 << 30, false);
    assert_eq!(line(&run), json!({"Run": ""}));
    assert!(run.stdout.len() > 1000);
    // Refusals, and programs that break off the process or are refused with less memory than they take.
    let wrong = apart(b"{}", None, 8 << 30, true);
    assert!(line(&wrong)["Wrong"].is_string(), "{wrong:?}");
    let broken = apart(&read("faults/apjump.json"), None, 256 << 20, true);
    let is_refused = broken.stdout.starts_with(b"{\"Wrong\"");
    assert!(is_refused || (broken.stdout.is_empty() && !broken.status.success()), "{broken:?}");
}

#[test]
fn a_process_whose_farm_has_ended_ends() {
    let mut command = command();
    command.args(["farm", "run-job"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // Nobody hands it a job.
    drop(child.stdin.take());
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}
