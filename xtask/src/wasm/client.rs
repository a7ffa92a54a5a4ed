//! Starknet's public client proof and changed ones: the module's verdicts next to the command line's.

use std::path::Path;

use serde_json::Value;

use crate::run;

/// The proof without its packing, and its preimage in a description, from the root.
const PROOF: &str = "vectors/circuits/cairo_pie_10_transfers.proof.bin";
const DESCRIPTION: &str = "vectors/circuits/cairo_pie_10_transfers.json";
const PACK: &str = "xtask/src/wasm/pack.py";
/// Packs as Starknet's transaction prover does, from PyPI.
pub(super) const ZSTD: &str = "zstandard==0.25.0";
/// The byte of a file that says how far unpacking looks back.
const WINDOW: usize = 8;
/// The facts before those that the preimage has, too.
const MARKERS: [&str; 2] = ["0x50524f4f4631", "0x5649525455414c5f534e4f53"];

/// A proof and the statement that it is given with; each of the statements named `facts` is of facts.
const CASES: [(&str, &str); 9] = [
    ("client", "facts"),
    ("client", "preimage"),
    ("client", "other-facts"),
    ("client", "no-preimage"),
    ("client-half", "facts"),
    ("client-long", "facts"),
    ("client-late", "facts"),
    ("client-word", "facts"),
    ("client-window", "facts"),
];

/// Compares the verdicts on the proofs and statements, which it puts into the folder.
pub(super) fn all(folder: &Path, python: &Path, module: &Path) -> crate::Result {
    proofs(folder, python)?;
    statements(folder)?;
    let path = |name: String| folder.join(name).to_string_lossy().into_owned();
    let paths = CASES.map(|(proof, stated)| (path(format!("{proof}.bin")), path(format!("{stated}.json"))));
    let files: Vec<String> = paths.iter().map(|(proof, stated)| format!("{proof}:{stated}")).collect();
    let told = |index: usize| {
        let ((proof, stated), (_, name)) = (&paths[index], CASES[index]);
        let flag = if name.ends_with("facts") { "--facts" } else { "--preimage" };
        super::polystark(&["cairo", "client-verify", proof, flag, stated, "--json"])
    };
    match super::agree(python, module, "", &files, &told)? {
        [2, 6, 1, 0, 0] => Ok(()),
        codes => Err(format!("client proofs by exit code: {codes:?}")),
    }
}

/// The proof, cut, lengthened, changed in its packing and in a word, and packed as no decoder need unpack it.
fn proofs(folder: &Path, python: &Path) -> crate::Result {
    let mut written = read(PROOF)?;
    let packed = |name: &str, written: &[u8]| {
        let (from, to) = (folder.join("client.written"), folder.join(name));
        write(folder, "client.written", written)?;
        let [from, to] = [from, to].map(|path| path.to_string_lossy().into_owned());
        run::program(&python.to_string_lossy(), &[PACK, &from, &to], &[])?;
        read(&to)
    };
    let good = packed("client.bin", &written)?;
    let middle = written.len() / 2;
    written[middle] ^= 1;
    packed("client-word.bin", &written)?;
    let (mut late, mut window) = (good.clone(), good.clone());
    *late.last_mut().ok_or("the proof is empty")? ^= 1;
    window[WINDOW] = 0xff;
    for (name, bytes) in [
        ("client-half", &good[..good.len() / 2]),
        ("client-long", &[&good[..], &[0]].concat()),
        ("client-late", &late),
        ("client-window", &window),
    ] {
        write(folder, &format!("{name}.bin"), bytes)?;
    }
    Ok(())
}

/// Preimage and facts; facts of another output, and a list that is no preimage.
fn statements(folder: &Path) -> crate::Result {
    let description: Value = serde_json::from_slice(&read(DESCRIPTION)?).map_err(|error| error.to_string())?;
    let preimage = description["output_preimage"].as_array().ok_or("the description has no preimage")?;
    let facts: Vec<Value> = MARKERS.map(Value::from).into_iter().chain(preimage[2..].iter().cloned()).collect();
    let mut other = facts.clone();
    other[3] = "0x1".into();
    for (name, felts) in
        [("preimage", &preimage[..]), ("facts", &facts), ("other-facts", &other), ("no-preimage", &preimage[1..])]
    {
        write(folder, &format!("{name}.json"), Value::from(felts).to_string().as_bytes())?;
    }
    Ok(())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(run::root().join(path)).map_err(|error| format!("{path}: {error}"))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> crate::Result {
    std::fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))
}
