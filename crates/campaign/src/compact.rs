//! Compact proofs of Goldilocks, files around them, keys of their statements, and verdicts on changed ones.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use air::RecordedAir;
use backend_cpu::Cpu;
use goldilocks_proof::compact::{AirDigest, Options, Suite, encode};
use goldilocks_proof::{AnyProofFile, Hiding};
use goldilocks_verifier::compact::{sizes, verify_bytes};
use gpu_hal::{GoldilocksStark, Protocol};
use polystark::goldilocks::{Airs, Expect, Key, Policy};
use polystark::{Class, Error};
use proof_format::wire::put_bytes;
use prover_core::Silent;
use prover_core::goldilocks::{MaskSeed, Prover};

use crate::Outcome;
use crate::map::{self, Kind};
use crate::mutate::{Original, changed_file, mutated, picked, raw};
use crate::script::Script;

type P = GoldilocksStark;

/// A statement that is true, with its file, its proof and its key.
struct Case {
    air: RecordedAir<P>,
    options: Options,
    /// The part of the file before the proof.
    head: Original,
    proof: Original,
    key: Original,
}

/// The options of the proofs, which ask for nothing but these: no security is claimed.
fn options(blowup: u32, queries: u32, points: u32, folds: &[u32], log_last: u32, work: &[u32]) -> Options {
    let (folds, work) = (folds.to_vec(), work.to_vec());
    let (coset_offset, suite, hiding) = (7, Suite::Keccak256, Hiding::None);
    Options { blowup, queries, coset_offset, points, folds, log_last, work, suite, hiding }
}

impl Case {
    /// A shipped AIR, proven with as many free rows as the options need. Masks are those of a fixed seed: a case is a
    /// function of its number.
    fn new(name: &str, rows: u64, parameters: &[(&str, u64)], options: Options) -> Self {
        let mut parameters: BTreeMap<String, u64> =
            parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let build = |parameters: &BTreeMap<String, u64>| {
            air::airs::build::<P>(name, rows, parameters).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        if options.hiding.hides() {
            parameters.insert("free".to_owned(), 1);
            let layout = build(&parameters).layout();
            let free = options.masked_rows(&sizes(&layout, rows.ilog2()));
            parameters.insert("free".to_owned(), u64::try_from(free).expect("a small statement"));
        }
        let example = build(&parameters);
        let prover = Prover::new(Arc::new(Cpu::new()), example.clone()).expect("a sound AIR");
        let masks = MaskSeed::from_bytes([7; 32]);
        let proof = prover
            .prove_masked(Some(&example.trace()), &options, AirDigest::OfAir, masks, &Silent)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let statement = AnyProofFile {
            protocol: P::NAME.to_owned(),
            extension_degree: P::DEGREE as u64,
            air: name.to_owned(),
            parameters,
            log_rows: rows.ilog2(),
            options: options.clone().into(),
            seed: None,
            public_inputs: example.public_inputs(),
            proof: encode(&proof, &options),
        };
        let air = air::record(&*example).expect("a sound AIR");
        let mut head = AnyProofFile { proof: Vec::new(), ..statement.clone() }.encode().expect("a small file");
        // The length of no proof.
        head.pop();
        let key = Key::of(&air, statement.options.suite()).encode().expect("short names");
        let case = Self {
            head: Original { map: map::compact_head(&head), bytes: head },
            proof: Original {
                map: map::compact_proof(&statement.proof, &sizes(&air.layout(), air.log_trace_length()), &options),
                bytes: statement.proof.clone(),
            },
            key: Original { map: map::key(&key), bytes: key },
            air,
            options,
        };
        let whole = verify(&case.file(), Some(&case.key.bytes));
        assert!(case.accepts(&case.proof.bytes) && whole.is_ok(), "{name}: the original is refused: {whole:?}");
        case
    }

    fn accepts(&self, bytes: &[u8]) -> bool {
        verify_bytes(&self.air, &self.options, bytes, &Policy::ANY).is_ok()
    }

    fn file(&self) -> Vec<u8> {
        joined(&self.head.bytes, &self.proof.bytes)
    }

    /// Whether bytes of a proof differ from the original's in nonces alone.
    fn is_renonced(&self, bytes: &[u8]) -> bool {
        let original = &self.proof;
        let nonces: Vec<_> = original.map.spans.iter().filter(|(kind, _)| *kind == Kind::Word).collect();
        let is_nonce = |at: usize| nonces.iter().any(|(_, span)| span.contains(&at));
        let differing = bytes.iter().zip(&original.bytes).enumerate().filter(|(_, (ours, theirs))| ours != theirs);
        bytes.len() == original.bytes.len() && differing.map(|(at, _)| at).all(is_nonce)
    }
}

fn joined(head: &[u8], proof: &[u8]) -> Vec<u8> {
    let mut file = head.to_vec();
    put_bytes(&mut file, proof);
    file
}

/// As a verifier of whole files does it, of proofs of any strength, which trusts the key in these bytes if there are
/// any. A refusal is about the file, or about the key.
fn verify(bytes: &[u8], key: Option<&[u8]>) -> Result<(), Error> {
    static AIRS: LazyLock<Airs> = LazyLock::new(Airs::default);
    let mut expect = Expect::default();
    if let Some(key) = key {
        let trusted = Key::decode(key).map_err(Error::File)?;
        assert_eq!(trusted.encode().as_deref(), Ok(key), "a key has one encoding");
        expect.options.key = Some(trusted);
    }
    let report = AIRS.verify_file(bytes, &Policy::ANY, &expect);
    let report = report.inspect_err(|error| {
        assert!(matches!(error.class(), Class::Input | Class::Invalid), "{error}");
    })?;
    assert_eq!(report.file.encode().as_deref(), Ok(bytes), "a file has one encoding");
    Ok(())
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let hidden = |options| Options { hiding: Hiding::FreeRows, ..options };
    let steps = [("steps", 40)];
    vec![
        Case::new("fibonacci-rap", 64, &steps, options(4, 5, 1, &[3, 2], 1, &[0; 7])),
        Case::new("fibonacci-rap", 64, &steps, options(4, 4, 2, &[0, 3, 1], 2, &[1, 2, 3, 2, 0, 4, 1, 5])),
        Case::new("fibonacci-rap", 64, &[("steps", 10)], hidden(options(4, 2, 2, &[1, 2], 3, &[0; 7]))),
        Case::new("quadratic", 64, &[], hidden(options(2, 5, 1, &[0, 3], 3, &[0; 7]))),
        Case::new("quadratic", 64, &[], options(2, 7, 1, &[1, 1, 4], 0, &[0; 8])),
        Case::new("read-only-memory-logup", 16, &[], options(4, 3, 1, &[1, 2], 1, &[0; 7])),
        Case::new("periodic", 16, &[], options(4, 3, 2, &[2], 2, &[0; 6])),
        Case::new("bit-flags", 32, &[], options(4, 3, 1, &[0, 1, 1], 3, &[0; 8])),
    ]
});

/// Changed bytes, by their structure or, now and then, without it: where nothing says how long a list is, rows and
/// digests are left out and doubled as pieces of bytes.
fn changed(original: &Original, other: &Original, script: &mut Script<'_>) -> Vec<u8> {
    match script.below(4) {
        0 => raw(&original.bytes, &other.bytes, script),
        _ => mutated(original, other, script),
    }
}

/// A changed proof.
pub fn proof(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CASES, script);
    let bytes = changed(&case.proof, &other.proof, script);
    match case.accepts(&bytes) {
        _ if bytes == case.proof.bytes => Outcome::Original,
        false => Outcome::Passed,
        true if case.is_renonced(&bytes) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}

/// A changed file: the part before the proof, or the proof, or both.
pub fn file(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CASES, script);
    let (head, proof) = changed_file((&case.head, &case.proof), (&other.head, &other.proof), script);
    let bytes = joined(&head, &proof);
    let is_accepted = verify(&bytes, None).is_ok();
    match is_accepted {
        // Another one, as a splice of all of it can be.
        _ if CASES.iter().any(|case| case.file() == bytes) => Outcome::Original,
        false => Outcome::Passed,
        true if head == case.head.bytes && case.is_renonced(&proof) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}

/// A changed key, or that of another statement, and an honest file.
pub fn key(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CASES, script);
    let key = match script.below(16) {
        0 => other.key.bytes.clone(),
        _ => changed(&case.key, &other.key, script),
    };
    match verify(&case.file(), Some(&key)) {
        Ok(()) if key == case.key.bytes => Outcome::Original,
        Ok(()) => Outcome::Accepted,
        Err(error) => {
            assert!(key != case.key.bytes, "the key of the statement is refused: {error}");
            Outcome::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target that takes every acceptance for a nonce's would find nothing.
    #[test]
    fn nonces_alone_are_no_other_statement() {
        let case = CASES.iter().find(|case| case.options.work.iter().any(|bits| *bits > 0)).expect("one has work");
        let with = |at: usize| {
            let mut bytes = case.proof.bytes.clone();
            bytes[at] ^= 1;
            case.is_renonced(&bytes)
        };
        // The root of the main tree, then the nonce before the challenges.
        assert!(!with(31) && with(32) && with(39) && !with(40));
        assert!(CASES.iter().filter(|case| case.options.hiding.hides()).count() == 2);
    }

    /// The key of a statement admits its files and no others: those of the same AIR with other parameters included.
    #[test]
    fn a_key_is_of_one_statement() {
        for (number, case) in CASES.iter().enumerate() {
            for (other, of) in CASES.iter().enumerate() {
                let is_same = of.key.bytes == case.key.bytes;
                assert_eq!(verify(&case.file(), Some(&of.key.bytes)).is_ok(), is_same, "{number} {other}");
                assert!(is_same || number != other);
            }
        }
    }
}
