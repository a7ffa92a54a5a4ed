//! The kinds of files, in one table: what shows them, and the commands that take them. A file of another kind than a
//! command takes is refused with the name of the command that does.

use std::collections::HashMap;
use std::path::Path;

use serde::de::IgnoredAny;

use crate::outputs::is_stream;
use crate::report::exit::Failure;
use sdk::air::file::MAGIC as AIR_MAGIC;
use sdk::circle_proof::gkr::MAGIC as GKR_MAGIC;
use sdk::goldilocks_verifier::KEY_MAGIC;
use sdk::proof_format::file::MAGIC as PROOF_MAGIC;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Written by `polystark prove`.
    AirProof,
    /// Written by `polystark cairo prove`, in a format that can be read again.
    CairoProof,
    /// Written by it for the verifier in Cairo.
    CairoSerde,
    /// Written by `polystark cairo client-prove`.
    ClientProof,
    /// Written by `polystark gkr prove`.
    GkrProof,
    /// Written by `polystark record`.
    Air,
    /// Written by `polystark key`.
    Key,
    /// A table.
    Trace,
    /// JSON of the Cairo 0 compiler.
    Compiled,
    /// JSON of the Cairo 1 compiler.
    Executable,
    /// A run, in JSON.
    ProverInput,
    /// A run of cairo-vm, zipped.
    Pie,
}

/// The facts of a kind.
struct Row {
    kind: Kind,
    /// First bytes of its files.
    starts: &'static [&'static [u8]],
    /// A key of the JSON object that its file is.
    key: Option<&'static str>,
    /// Says what its file is, and which command takes it. `{file}` is the file, `{verb}` an action on proofs.
    said: &'static str,
}

macro_rules! program {
    ($what:literal) => {
        concat!(
            $what,
            ", no proof: `polystark cairo prove {file} -o PROOF` proves it, and `polystark cairo verify PROOF \
             --expect-program {file}` takes proofs of it alone"
        )
    };
}

/// A file that has keys of several kinds is of the first of these.
static KINDS: [Row; 12] = [
    Row {
        kind: Kind::AirProof,
        starts: &[&PROOF_MAGIC],
        key: None,
        said: "the proof of an AIR: `polystark {verb} {file}`",
    },
    Row {
        kind: Kind::CairoProof,
        // The block size follows, and the first bytes of a block.
        starts: &[b"BZh"],
        key: Some("stark_proof"),
        said: "the proof of a Cairo program: `polystark cairo {verb} {file}`",
    },
    Row {
        kind: Kind::CairoSerde,
        starts: &[],
        key: None,
        said: "a proof of a Cairo program in the format cairo-serde, which only the verifier in Cairo reads: write it \
               in another",
    },
    Row {
        kind: Kind::ClientProof,
        // The version of Starknet's prover, and a frame of zstd.
        starts: &[b"\x01\x02\x02\x28\xb5\x2f\xfd"],
        key: None,
        said: "a client proof of Starknet: `polystark cairo client-verify {file} --facts FACTS` verifies it, and \
               `polystark cairo inspect {file}` shows it",
    },
    Row {
        kind: Kind::GkrProof,
        starts: &[&GKR_MAGIC],
        key: None,
        said: "a proof by GKR: `polystark gkr verify {file} --tree KIND:ROWS=COLUMNS` verifies it",
    },
    Row {
        kind: Kind::Air,
        starts: &[&AIR_MAGIC],
        key: None,
        said: "an AIR that `polystark record` wrote, no proof: `polystark {verb} PROOF --air-file {file}` takes proofs \
               of it",
    },
    Row {
        kind: Kind::Key,
        starts: &[&KEY_MAGIC],
        key: None,
        said: "the key of a statement, no proof: `polystark {verb} PROOF --key {file}` takes proofs of it alone",
    },
    Row {
        kind: Kind::Trace,
        starts: &[b"\x93NUMPY", b"ARROW1"],
        key: None,
        said: "a trace, no proof: `polystark prove --air-file AIR --trace-file {file}` proves it",
    },
    Row {
        kind: Kind::ProverInput,
        starts: &[],
        key: Some("state_transitions"),
        said: "the run of a Cairo program, no proof: `polystark cairo prove {file} -o PROOF` proves it",
    },
    Row { kind: Kind::Executable, starts: &[], key: Some("entrypoints"), said: program!("an executable of Cairo 1") },
    Row { kind: Kind::Compiled, starts: &[], key: Some("identifiers"), said: program!("a compiled Cairo program") },
    Row {
        kind: Kind::Pie,
        starts: &[b"PK\x03\x04"],
        key: None,
        said: "a zip archive, such as a CairoPIE, and no proof: `polystark cairo inspect {file}` shows it, and \
               `polystark cairo prove --tasks LIST` proves tasks in a bootloader, of which a CairoPIE is one",
    },
];

/// The first word of a program in proof mode, `ap += n`, as a proof in bincode has it.
const PROGRAM_START: [u8; 8] = 0x0407_8001_7fff_7fff_u64.to_le_bytes();

impl Kind {
    /// The kind of a file, if its first bytes, or the keys of its JSON, show one.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if let Some(row) = KINDS.iter().find(|row| row.starts.iter().any(|start| bytes.starts_with(start))) {
            return Some(row.kind);
        }
        // In bincode a proof begins with its program: the number of words, then the id and the felt of each.
        if bytes.get(4..8) == Some(&[0; 4]) && bytes.get(12..20) == Some(&PROGRAM_START) {
            return Some(Self::CairoProof);
        }
        let text = bytes.trim_ascii_start();
        match text.first() {
            Some(b'{') => Self::of_object(text),
            Some(b'[') if text[1..].trim_ascii_start().starts_with(b"\"0x") => Some(Self::CairoSerde),
            _ => None,
        }
    }

    fn of_object(text: &[u8]) -> Option<Self> {
        // One that was cut begins as it did.
        if text.starts_with(b"{\"claim\"") {
            return Some(Self::CairoProof);
        }
        // Values are skipped.
        let keys: HashMap<String, IgnoredAny> = serde_json::from_slice(text).ok()?;
        KINDS.iter().find(|row| row.key.is_some_and(|key| keys.contains_key(key))).map(|row| row.kind)
    }

    /// The message on its kind, with the right command.
    fn said(self, file: &str, verb: &str) -> String {
        let row = KINDS.iter().find(|row| row.kind == self);
        row.map_or_else(String::new, |row| row.said.replace("{verb}", verb).replace("{file}", file))
    }
}

/// Refuses a file that is known to be of none of these kinds, and names the command that takes it. `verb` is the action
/// on proofs.
pub(crate) fn refuse_other(path: &Path, bytes: &[u8], taken: &[Kind], verb: &str) -> Result<(), Failure> {
    match Kind::of(bytes) {
        Some(kind) if !taken.contains(&kind) => {
            let (name, file) = match is_stream(path) {
                true => ("standard input".to_owned(), "-".to_owned()),
                false => (path.display().to_string(), path.display().to_string()),
            };
            Err(Failure::usage(format!("{name}: this is {}", kind.said(&file, verb))))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn files_are_known_by_their_first_bytes() {
        for (name, kind) in [
            ("cairo/proofs/fib_10.small.low.bincode", Kind::CairoProof),
            ("cairo/proofs/tiny.small.low.bincode", Kind::CairoProof),
            ("cairo/proofs/ec_op_3.wo.low.bincode", Kind::CairoProof),
            ("cairo1/proofs/hashes.small.low.bincode", Kind::CairoProof),
            ("cairo/programs/fib_10.json", Kind::Compiled),
            ("cairo1/programs/fib.executable.json", Kind::Executable),
            ("faults/cairo0/fibonacci_pie.zip", Kind::Pie),
            ("faults/gcols.air", Kind::Air),
            ("faults/z0.npy", Kind::Trace),
        ] {
            assert_eq!(Kind::of(&vector(name)), Some(kind), "{name}");
        }
        assert_eq!(Kind::of(b"\x89PSKEY\r\n\x01"), Some(Kind::Key));
        assert_eq!(Kind::of(b"BZh91AY&SY"), Some(Kind::CairoProof));
        assert_eq!(Kind::of(b"\x01\x02\x02\x28\xb5\x2f\xfd\0X"), Some(Kind::ClientProof));
        assert_eq!(Kind::of(b" {\"x\": 1, \"stark_proof\": {}}"), Some(Kind::CairoProof));
        assert_eq!(Kind::of(b"{\"claim\":{\"public_da"), Some(Kind::CairoProof));
        assert_eq!(Kind::of(b"{\"state_transitions\": 1}"), Some(Kind::ProverInput));
        assert_eq!(Kind::of(b"[\n  \"0x1\"\n]"), Some(Kind::CairoSerde));
        for unknown in [&b""[..], b"{}", b"[]", b"text", b"\0", &[0; 40], b"{\"stark_proof\": "] {
            assert_eq!(Kind::of(unknown), None, "{unknown:?}");
        }
    }
}
