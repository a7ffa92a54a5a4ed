//! Verifiers without a host: built for bare targets, and run as WebAssembly next to the command line, which must say
//! the same.

mod client;
mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{nightly, python, run};

/// WebAssembly as browsers have it.
const BROWSER: &str = "wasm32-unknown-unknown";
/// A target that has no standard library: code that needs one does not compile.
const BARE: &str = "wasm32v1-none";
pub(crate) const TARGETS: [&str; 2] = [BROWSER, BARE];
/// The runtime, from PyPI.
const WASMTIME: &str = "wasmtime==50.0.1";
/// Changes after which a file does not say its protocol.
const NO_FILES: [&str; 5] = [".empty", ".begun", ".magic", ".version", ".protocol"];
/// The channel of some proofs.
const CHANNEL: &str = "blake2s_m31";
/// The message that a frame is none; the decoder's words follow.
const ZSTD: &str = "no frame of zstd:";
/// From the root.
const VERDICTS: &str = "xtask/src/wasm/verdicts.py";

/// Statements of both protocols, and a proof that is worth too little for verifiers: name of the file, arguments of
/// `prove`.
const PROOFS: [(&str, &[&str]); 7] = [
    ("circle-fibonacci", &["--air", "fibonacci", "--rows", "2^10"]),
    ("circle-lookups", &["--air", "plonk", "--rows", "2^6"]),
    ("circle-m31", &["--air", "plonk", "--rows", "2^6", "--channel", CHANNEL]),
    ("circle-digest", &["--air", "poseidon2", "--rows", "2^5"]),
    ("goldilocks-fibonacci", &["--air", "simple-fibonacci", "--rows", "64"]),
    ("goldilocks-aux", &["--air", "fibonacci-rap", "--rows", "32", "--param", "steps=16"]),
    ("goldilocks-weak", &["--air", "bit-flags", "--rows", "32", "--queries", "3", "--security", "claimed-0"]),
];

/// Builds the modules, and compares their verdicts on good and on changed files with the command line's; then the page.
pub(crate) fn all() -> crate::Result {
    match nightly::add(&["target", "add", BARE])? {
        Some(why) => println!("wasm: bare target not run: rustup has no {BARE} here ({why})"),
        None => {
            for package in ["polystark-goldilocks-verifier", "polystark-sumcheck"] {
                let lib = ["-p", package, "--no-default-features", "--lib", "--target", BARE];
                run::cargo(&[&["clippy"], &lib[..], &["--", "-D", "warnings"]].concat())?;
            }
        }
    }
    if let Some(why) = nightly::add(&["target", "add", BROWSER])? {
        println!("wasm: not run: rustup has no {BROWSER} here ({why})");
        return Ok(());
    }
    let folder = run::target_directory("verify-wasm");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let bare = module(&folder, "goldilocks.wasm", &["--no-default-features"])?;
    let full = module(&folder, "verify.wasm", &[])?;

    run::workspace_program("polystark", &[])?;
    let files = files(&folder)?;
    let python = python::environment("wasmtime", &[WASMTIME.to_owned(), client::ZSTD.to_owned()])?.join("bin/python3");
    compare(&python, &full, "", &files)?;
    // The command line says in other words that files of the other protocol, or of none, have no channel.
    let is_circle = |file: &&PathBuf| {
        let name = name(file);
        name.starts_with("circle") && !NO_FILES.iter().any(|change| name.ends_with(change))
    };
    let circle: Vec<PathBuf> = files.iter().filter(is_circle).cloned().collect();
    compare(&python, &full, CHANNEL, &circle)?;
    let goldilocks: Vec<PathBuf> = files.iter().filter(|file| name(file).starts_with("goldilocks")).cloned().collect();
    compare(&python, &bare, "", &goldilocks)?;
    client::all(&folder, &python, &full)?;
    page::all(&folder)
}

/// A module, built and put into the folder.
fn module(folder: &Path, name: &str, features: &[&str]) -> Result<PathBuf, String> {
    let build = ["build", "-p", "polystark-verify-wasm", "--profile", "wasm", "--target", BROWSER];
    run::cargo(&[&build[..], features].concat())?;
    let (built, to) = (run::target_directory(BROWSER).join("wasm/verify_wasm.wasm"), folder.join(name));
    let bytes = std::fs::copy(&built, &to).map_err(|error| format!("{}: {error}", built.display()))?;
    println!("wasm: {name} has {bytes} bytes");
    Ok(to)
}

/// Proofs of the command line, and changed ones.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for (name, arguments) in PROOFS {
        let good = folder.join(format!("{name}.polystark"));
        polystark(&[&["prove", "-o", &good.to_string_lossy(), "--backend", "cpu"], arguments].concat())?;
        let bytes = std::fs::read(&good).map_err(|error| format!("{}: {error}", good.display()))?;
        files.push(good);
        for (change, changed) in changes(&bytes) {
            let file = folder.join(format!("{name}.{change}"));
            std::fs::write(&file, changed).map_err(|error| format!("{}: {error}", file.display()))?;
            files.push(file);
        }
    }
    Ok(files)
}

/// Changes of a file, by name.
fn changes(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let flipped = |at: usize| {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        changed
    };
    let last = bytes.len() - 1;
    vec![
        ("empty", Vec::new()),
        ("begun", bytes[..5].to_vec()),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("short", bytes[..last].to_vec()),
        ("long", [bytes, &[0]].concat()),
        ("magic", flipped(0)),
        ("version", flipped(8)),
        ("protocol", flipped(12)),
        // The name of the AIR, the parameters, rows and public values follow; and the proof.
        ("name", flipped(24)),
        ("early", flipped(60)),
        ("head", flipped(110)),
        ("middle", flipped(bytes.len() / 2)),
        ("late", flipped(last)),
    ]
}

/// Whether a module's verdict on each file is the command line's, where this channel is asked for, if one is.
fn compare(python: &Path, module: &Path, channel: &str, files: &[PathBuf]) -> crate::Result {
    let asked: &[&str] = if channel.is_empty() { &[] } else { &["--channel", channel] };
    let names: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let told = |index: usize| polystark(&[&["verify", &*names[index], "--json"], asked].concat());
    let codes = agree(python, module, channel, &names, &told)?;
    // Proofs and changes are such that each of these comes about, except that Circle's files are all for this program.
    if codes[0] == 0 || codes[1] == 0 || codes[2] == 0 && channel.is_empty() || codes[4] == 0 {
        Err("no file of some exit code".into())
    } else {
        Ok(())
    }
}

/// Whether a module's verdict on each file is what the command line tells of it. Returns the number of files by exit
/// code.
fn agree(
    python: &Path,
    module: &Path,
    channel: &str,
    files: &[String],
    told: &dyn Fn(usize) -> Result<String, String>,
) -> Result<[usize; 5], String> {
    let mut said = Command::new(python);
    said.current_dir(run::root()).arg(VERDICTS).arg(module).arg(channel).args(files);
    let said = said.output().map_err(|error| format!("{}: {error}", python.display()))?;
    if !said.status.success() {
        return Err(format!("{}: {}", name(module), String::from_utf8_lossy(&said.stderr)));
    }
    let said = String::from_utf8_lossy(&said.stdout);
    let said: Vec<&str> = said.lines().collect();
    if said.len() != files.len() {
        return Err(format!("{} verdicts on {} files", said.len(), files.len()));
    }
    let mut codes = [0; 5];
    for (index, (file, said)) in files.iter().zip(said).enumerate() {
        let parsed =
            |text: &str| serde_json::from_str::<Value>(text).map_err(|error| format!("{file}: {error}: {text}"));
        let (said, told) = (facts(&parsed(said)?), facts(&parsed(&told(index)?)?));
        if said != told {
            return Err(format!("{file}: {} says {said:?}, the command line {told:?}", name(module)));
        }
        codes[said.0 as usize] += 1;
    }
    println!("wasm: {} says what the command line says, files by exit code: {codes:?}", name(module));
    Ok(codes)
}

/// The facts that the module and the command line both tell: the exit code; the reason of a refusal; AIR, rows,
/// parameters, public values and bits of an accepted file; program and output of an accepted client proof.
fn facts(verdict: &Value) -> (u64, Vec<String>) {
    // The command line puts the file's statement in an object of its own.
    let stated = verdict.get("statement").unwrap_or(verdict);
    let security = &verdict["security"];
    let bits = ["claimed", "conjectured", "provable"].map(|kind| {
        let flat = security.get(format!("{kind}_bits")).zip(security.get(format!("{kind}_limit")));
        let (bits, limit) = flat.unwrap_or((&security[kind]["bits"], &security[kind]["limit"]));
        format!("{bits} {limit}")
    });
    let values = &stated["public_inputs"];
    let values = if values.is_null() { &stated["words"] } else { values };
    let of_client = [&stated["program_hash"], &stated["output"], &stated["facts"]];
    let facts = [&verdict["error"], &stated["air"], &stated["rows"], &stated["parameters"], values];
    // Numbers of a statement are texts in the module's verdict, and there are two decoders of zstd.
    let common = |fact: String| fact.find(ZSTD).map_or(fact.clone(), |at| fact[..at + ZSTD.len()].to_owned());
    let facts = facts.into_iter().chain(of_client).map(|fact| common(fact.to_string().replace('"', "")));
    (verdict["exit_code"].as_u64().unwrap_or(0), facts.chain(bits).collect())
}

/// The output of the command line; misuse is an error, a refusal none.
fn polystark(arguments: &[&str]) -> Result<String, String> {
    let program = run::target_directory("debug").join("polystark");
    let output = Command::new(&program).current_dir(run::root()).args(arguments).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    if output.stdout.is_empty() {
        return Err(format!("polystark {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
