//! Files that are no proof of the kind that is asked for: their kind by their first bytes, and the command that takes
//! them.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::exit::Failure;
use super::outputs::is_stream;
use sdk::air::file::MAGIC as AIR_MAGIC;
use sdk::proof_format::file::MAGIC as PROOF_MAGIC;

/// The kind of file that a subcommand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofKind {
    /// The proof of a statement about an AIR.
    AirProof,
    /// The proof of a Cairo program.
    CairoProof,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Written by `polystark prove`.
    AirProof,
    /// Written by `polystark cairo prove`, in a format that can be read again.
    CairoProof,
    /// Written by it for the verifier in Cairo.
    CairoSerde,
    /// Written by `polystark record`.
    Air,
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
    /// Written by `polystark cairo client-prove`.
    ClientProof,
}

/// Keys by which JSON objects are told apart; values are skipped.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Keys {
    stark_proof: Option<IgnoredAny>,
    identifiers: Option<IgnoredAny>,
    entrypoints: Option<IgnoredAny>,
    state_transitions: Option<IgnoredAny>,
}

/// The first word of a program in proof mode, `ap += n`, as a proof in bincode has it.
const PROGRAM_START: [u8; 8] = 0x0407_8001_7fff_7fff_u64.to_le_bytes();

impl Kind {
    /// The kind of a file, if its first bytes, or the keys of its JSON, show one.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        const STARTS: [(&[u8], Kind); 7] = [
            (&PROOF_MAGIC, Kind::AirProof),
            (&AIR_MAGIC, Kind::Air),
            (b"\x93NUMPY", Kind::Trace),
            (b"ARROW1", Kind::Trace),
            (b"PK\x03\x04", Kind::Pie),
            // The version of Starknet's prover, and a frame of zstd.
            (b"\x01\x02\x02\x28\xb5\x2f\xfd", Kind::ClientProof),
            // The block size follows, and the first bytes of a block.
            (b"BZh", Kind::CairoProof),
        ];
        if let Some((_, kind)) = STARTS.into_iter().find(|(start, _)| bytes.starts_with(start)) {
            return Some(kind);
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
        let keys: Keys = serde_json::from_slice(text).ok()?;
        let known = [
            (keys.stark_proof, Self::CairoProof),
            (keys.state_transitions, Self::ProverInput),
            (keys.entrypoints, Self::Executable),
            (keys.identifiers, Self::Compiled),
        ];
        known.into_iter().find(|(key, _)| key.is_some()).map(|(_, kind)| kind)
    }

    fn is(self, proof: ProofKind) -> bool {
        match proof {
            ProofKind::AirProof => self == Self::AirProof,
            // The decoder names the fault of the format.
            ProofKind::CairoProof => matches!(self, Self::CairoProof | Self::CairoSerde),
        }
    }

    /// The message on its kind, with the right command; `verb` is the action on proofs.
    fn said(self, file: &str, verb: &str) -> String {
        let program = |what: &str| {
            format!(
                "{what}, no proof: `polystark cairo prove {file} -o PROOF` proves it, and `polystark cairo verify PROOF --expect-program \
                 {file}` takes proofs of it alone"
            )
        };
        match self {
            Self::AirProof => format!("the proof of an AIR: `polystark {verb} {file}`"),
            Self::CairoProof => format!("the proof of a Cairo program: `polystark cairo {verb} {file}`"),
            Self::CairoSerde => {
                "a proof of a Cairo program in the format cairo-serde, which only the verifier in Cairo \
                                 reads: write it in another"
                    .to_owned()
            }
            Self::Air => format!(
                "an AIR that `polystark record` wrote, no proof: `polystark {verb} PROOF --air-file {file}` takes proofs of it"
            ),
            Self::Trace => format!("a trace, no proof: `polystark prove --air-file AIR --trace-file {file}` proves it"),
            Self::Compiled => program("a compiled Cairo program"),
            Self::Executable => program("an executable of Cairo 1"),
            Self::ProverInput => {
                format!("the run of a Cairo program, no proof: `polystark cairo prove {file} -o PROOF` proves it")
            }
            Self::ClientProof => format!(
                "a client proof of Starknet: `polystark cairo client-verify {file} --facts FACTS` verifies it, and `polystark cairo inspect \
                 {file}` shows it"
            ),
            Self::Pie => {
                format!(
                    "a zip archive, such as a CairoPIE, and no proof: `polystark cairo inspect {file}` shows it, and `polystark cairo \
                     prove --tasks LIST` proves tasks in a bootloader, of which a CairoPIE is one"
                )
            }
        }
    }
}

/// Refuses a file that is known to be something else than a proof of this kind, and names the command that takes it.
pub(crate) fn refuse_other(path: &Path, bytes: &[u8], proof: ProofKind, verb: &str) -> Result<(), Failure> {
    match Kind::of(bytes) {
        Some(kind) if !kind.is(proof) => {
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
