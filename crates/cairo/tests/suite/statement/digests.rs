//! Proofs with other hash functions, by their digests: those of the reference's prover.

use std::io::Read;
use std::sync::Arc;

use bzip2::bufread::BzDecoder;
use cairo::file::{Format, bincode, encode};
use cairo::{AirProof as _, Proof};
use circle_proof::{CircleOptions, Suite};
use gpu_hal::CircleStark;
use gpu_hal::erased::Device;
use hal_conformance::slow_or_skip;
use num_bigint::BigUint;

use super::channels::{Columns, folder, judged, prove, sha256};
use crate::device::{cpu, named_or_skip};
use crate::verify::files::{read, stored};

/// A line of `digests.tsv`: a program, how it was proven, and the proof.
struct Line {
    program: String,
    options: CircleOptions,
    salt: u32,
    /// The roots of the trees, in hexadecimal.
    roots: Vec<String>,
    bytes: usize,
    sha256: String,
    json_sha256: String,
    extended_bytes: usize,
    /// The digest of the felts for the verifier in Cairo, which programs that take all builtins have.
    felts_sha256: Option<String>,
}

impl Line {
    fn all() -> Vec<Self> {
        let text = std::fs::read_to_string(folder().join("channels/digests.tsv")).unwrap();
        text.lines().skip(1).map(Self::parse).collect()
    }

    fn parse(line: &str) -> Self {
        let words: Vec<&str> = line.split('\t').collect();
        let [program, "canonical_small", channel, salt, "0", words @ ..] = &words[..] else { panic!("{line}") };
        let (numbers, words) = words.split_at(6);
        let number = |at: usize| numbers[at].parse().unwrap();
        let [roots, bytes, sha256, json_sha256, extended_bytes, felts_sha256] = words else { panic!("{line}") };
        let options = CircleOptions {
            pow_bits: number(0),
            log_blowup: number(1),
            queries: number(2),
            fold_step: number(3),
            log_last: number(4),
            lifting: numbers[5].parse().ok(),
            suite: channel.parse().unwrap(),
        };
        Self {
            program: (*program).to_owned(),
            options,
            salt: salt.parse().unwrap(),
            roots: roots.split(',').map(|root| hexadecimal(root, options.suite)).collect(),
            bytes: bytes.parse().unwrap(),
            sha256: (*sha256).to_owned(),
            json_sha256: (*json_sha256).to_owned(),
            extended_bytes: extended_bytes.parse().unwrap(),
            felts_sha256: Some((*felts_sha256).to_owned()).filter(|text| text != "-"),
        }
    }

    /// Compares our proof with the reference's.
    fn check(&self, proof: Proof) {
        let Self { program, options, salt, .. } = self;
        let place = format!("{program}, {options:?}, salt {salt}");
        for (tree, root) in self.roots.iter().enumerate() {
            assert_eq!(hex::encode(proof.root(tree).unwrap()), *root, "{place}: tree {tree}");
        }
        let bytes = bincode(&proof, options.suite).unwrap();
        assert_eq!((bytes.len(), &sha256(&bytes)), (self.bytes, &self.sha256), "{place}");
        let json = encode(&proof, Format::Json, options.suite).unwrap();
        assert_eq!(sha256(&json), self.json_sha256, "{place}: JSON");
        let extended = encode(&proof, Format::ExtendedBinary, options.suite).unwrap();
        let mut unpacked = Vec::new();
        BzDecoder::new(&extended[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked.len(), self.extended_bytes, "{place}: with auxiliary data");
        if let Some(expected) = &self.felts_sha256 {
            let felts = encode(&proof, Format::CairoSerde, options.suite).unwrap();
            let felts: Vec<String> = serde_json::from_slice(&felts).unwrap();
            assert_eq!(sha256(felts.join("\n").as_bytes()), *expected, "{place}: felts");
        }
        judged(proof, options);
    }
}

/// The reference shows felts in decimal.
fn hexadecimal(root: &str, suite: Suite) -> String {
    if suite != Suite::Poseidon252 {
        return root.to_owned();
    }
    let mut bytes = root.parse::<BigUint>().unwrap().to_bytes_le();
    bytes.resize(32, 0);
    hex::encode(bytes)
}

/// The first program with `blake2s_m31` always, the others where tests may take long. The first one has a node that
/// large trees reduce otherwise than verifiers do.
#[test]
fn the_digests_are_those_of_the_reference() {
    let lines: Vec<_> = Line::all().into_iter().filter(|line| line.options.suite == Suite::Blake2sM31).collect();
    let is_slow = slow_or_skip("most digests of Cairo proofs with blake2s_m31");
    check(&lines[..if is_slow { lines.len() } else { 1 }], &cpu(), &mut None);
}

/// Lines of the form that Starknet's contracts verify.
fn of_poseidon252() -> Vec<Line> {
    Line::all().into_iter().filter(|line| line.options.suite == Suite::Poseidon252).collect()
}

/// A proof with `poseidon252` takes minutes on two cores, so these were made elsewhere, and are judged everywhere.
#[test]
fn stored_proofs_with_poseidon252_are_those_of_the_reference() {
    let lines = of_poseidon252();
    for program in ["fib_10", "range_check96_30"] {
        lines.iter().find(|line| line.program == program).unwrap().check(stored(program, Suite::Poseidon252));
    }
    judged(stored("tiny", Suite::Poseidon252), &lines[0].options);
}

/// Also those of the programs whose proofs are stored.
#[test]
fn proofs_with_poseidon252_are_those_of_the_reference() {
    let Some(device) = named_or_skip("proofs of Cairo programs with poseidon252") else { return };
    let (lines, mut columns) = (of_poseidon252(), None);
    check(&lines, &device, &mut columns);
    let tiny = prove(&device, "tiny", &lines[0].options, 0, false, &mut columns);
    assert!(bincode(&tiny, Suite::Poseidon252).unwrap() == read("cairo/proofs/tiny.poseidon252.bincode"));
}

/// Proves programs with options that share the preprocessed columns.
fn check(lines: &[Line], device: &Arc<Device<CircleStark>>, columns: &mut Columns) {
    assert!(!lines.is_empty());
    for line in lines {
        line.check(prove(device, &line.program, &line.options, line.salt, false, columns));
    }
}
