//! This verifier and the one in Python (`tests/python`), which was written from the protocol's text alone, have the
//! same verdict on honest and on mutated proofs of all AIRs that both know.
//!
//! `POLYSTARK_PYTHON_PROOFS` is how many files are judged; `docs/testing.md` has the command for 10^4.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use air::RecordedAir;
use air::airs::{self, ExampleAir};
use field::{Goldilocks, Hex, PrimeField, SplitMix64};
use golden::backends::cpu;
use golden::goldilocks::Cubic;
use goldilocks_proof::ProofFileOf;
use goldilocks_proof::compact::{AirDigest, Options, shortest};
use goldilocks_proof::{Draw, FixedOptions, Hiding, lambdaworks};
use goldilocks_verifier::compact::{sizes, verify_bytes};
use goldilocks_verifier::{Policy, VerifyError};
use gpu_hal::Protocol as _;
use proof_format::DecodeErrorKind;

use super::{prove, recorded};

/// The AIRs that the verifier in Python knows.
const AIRS: [&str; 8] = [
    "fibonacci-rap",
    "simple-fibonacci",
    "fibonacci-2-columns",
    "quadratic",
    "periodic",
    "read-only-memory",
    "read-only-memory-logup",
    "bit-flags",
];

/// AIRs that can leave rows free, for masks.
const HIDING: [&str; 4] = ["fibonacci-rap", "simple-fibonacci", "fibonacci-2-columns", "quadratic"];

/// Files of each proof: it, and mutations of it.
const OF_PROOF: usize = 12;
/// Files that are judged unless the environment says how many.
const FILES: usize = 240;

type File = ProofFileOf<Options>;

/// A statement, its file, and what both must say.
struct Statement {
    air: RecordedAir<Cubic>,
    name: &'static str,
    parameters: BTreeMap<String, u64>,
}

/// A number below a bound.
fn below(random: &mut SplitMix64, bound: usize) -> usize {
    (random.word() % bound as u64) as usize
}

/// A statement of 16 to 64 rows, and an honest proof of it with some options; or of 128 rows, with a proof that hides
/// its witness.
fn honest(random: &mut SplitMix64, name: &'static str) -> (Statement, File) {
    let hides = HIDING.contains(&name) && below(random, 2) == 0;
    let log_rows = if hides { 7 } else { 4 + below(random, 3) as u32 };
    let rows = 1_u64 << log_rows;
    let build = |parameters: &BTreeMap<String, u64>| -> Arc<dyn ExampleAir<Cubic>> {
        airs::build(name, rows, parameters).expect("possible")
    };
    // Sizes are those of any other steps, and of any other number of free rows.
    let mut parameters = BTreeMap::new();
    parameters.extend((name == "fibonacci-rap").then(|| ("steps".to_owned(), 2)));
    parameters.extend(hides.then(|| ("free".to_owned(), 1)));
    let sizes = sizes(&recorded(&*build(&parameters)).layout(), log_rows);
    // Least folds and a blowup that holds the composition.
    let blowup = (sizes.parts.next_power_of_two() as u32).max(2) << below(random, 2);
    let folds = match below(random, 4) {
        // Few rows in a leaf, which take few masks.
        fold if hides => Some(vec![fold as u32 % 2, 1 + fold as u32 / 2, 2]),
        0 => None,
        1 => Some(vec![0, 1, 2]),
        2 => Some(vec![2, 1]),
        _ => Some(vec![log_rows.min(4)]),
    };
    let hiding = if hides { Hiding::FreeRows } else { Hiding::None };
    let given = FixedOptions { hiding, points: Some(1 + below(random, 2) as u32), folds, ..FixedOptions::default() };
    let queries = 1 + below(random, if hides { 3 } else { 6 }) as u32;
    let common = lambdaworks::Options { blowup, queries, grinding: below(random, 4) as u32, ..Default::default() };
    let mut options = shortest(&common, &given, &sizes).expect("possible");
    for (draw, work) in Draw::all(options.folds.len()).zip(&mut options.work) {
        let is_there = match draw {
            Draw::Challenges => sizes.challenges > 0,
            Draw::Fold(0) => options.folds[0] > 0,
            _ => true,
        };
        *work = if is_there { below(random, 4) as u32 } else { 0 };
    }
    // As many free rows as are needed, or one more.
    let free = if hides { options.masked_rows(&sizes) as u64 + random.word() % 2 } else { 0 };
    parameters.entry("free".to_owned()).and_modify(|stated| *stated = free);
    parameters.entry("steps".to_owned()).and_modify(|steps| *steps += random.word() % (rows - 2 - free));
    let example = build(&parameters);
    let air = recorded(&*example);
    let proof = prove(cpu(), example, AirDigest::OfAir, &options);
    let file = File {
        protocol: Cubic::NAME.to_owned(),
        extension_degree: 3,
        air: name.to_owned(),
        parameters: parameters.clone(),
        log_rows,
        options,
        seed: None,
        public_inputs: air.public_inputs().to_vec(),
        proof,
    };
    (Statement { air, name, parameters }, file)
}

/// A file that is another one, by chance as good.
fn mutated(random: &mut SplitMix64, file: &File, other: &File) -> Vec<u8> {
    let mut file = file.clone();
    let length = file.proof.len();
    let element = 8 * below(random, length / 8);
    match below(random, 14) {
        0 => {
            let mut bytes = file.encode().expect("small");
            let at = below(random, bytes.len());
            bytes[at] ^= 1 << below(random, 8);
            return bytes;
        }
        1 => file.proof.truncate(below(random, length)),
        2 => file.proof.extend(vec![below(random, 256) as u8; 1 + below(random, 40)]),
        3 => file.proof[element..element + 8].copy_from_slice(&Goldilocks::ORDER.to_be_bytes()),
        4 => file.proof[element..element + 8].copy_from_slice(&[0; 8]),
        // Two digests, or what stands in their places, exchanged.
        5 => {
            let [one, two] = [0; 2].map(|_| 32 * below(random, length / 32));
            (0..32).for_each(|byte| file.proof.swap(one + byte, two + byte));
        }
        6 => file.options.queries = 1 + below(random, 7) as u32,
        7 => file.options.points = 3 - file.options.points,
        8 => {
            let draw = below(random, file.options.work.len());
            file.options.work[draw] = below(random, 3) as u32;
        }
        9 => file.options.folds.reverse(),
        10 => file.proof.clone_from(&other.proof),
        11 => file.options.hiding = if file.options.hiding.hides() { Hiding::None } else { Hiding::FreeRows },
        12 => {
            let free = file.parameters.get("free").copied().unwrap_or(0);
            file.parameters.insert("free".to_owned(), [free + 1, free.saturating_sub(1)][below(random, 2)]);
        }
        _ => file.proof[below(random, length)] ^= 1 << below(random, 8),
    }
    file.encode().expect("small")
}

/// The verdict of this verifier, in the words of the other one.
fn verdict(statement: &Statement, bytes: &[u8]) -> &'static str {
    let Ok(file) = File::decode(bytes) else { return "File" };
    let air = &statement.air;
    let is_of = (file.protocol == Cubic::NAME && file.extension_degree == 3, &file.air[..], &file.parameters)
        == (true, statement.name, &statement.parameters);
    if !is_of || file.log_rows != air.log_trace_length() || file.public_inputs != air.public_inputs() {
        return "Statement";
    }
    match verify_bytes(air, &file.options, &file.proof, &Policy::ANY) {
        Ok(_) => "accepted",
        Err(VerifyError::Options(_)) => "Options",
        Err(VerifyError::Work { .. }) => "ProofOfWork",
        Err(VerifyError::Root { .. }) => "Root",
        Err(VerifyError::LastLayer { .. }) => "LastLayer",
        Err(VerifyError::Decode(error)) => match error.kind {
            DecodeErrorKind::Length { .. } => "Length",
            DecodeErrorKind::Truncated { .. } => "Truncated",
            DecodeErrorKind::TrailingBytes => "TrailingBytes",
            DecodeErrorKind::NotCanonical => "NotCanonical",
            kind => panic!("{kind}"),
        },
        Err(error) => panic!("{error}"),
    }
}

/// The verifier in Python.
struct Judge(Child, BufReader<std::process::ChildStdout>);

impl Judge {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
        let mut command = Command::new("python3");
        command.arg("judge.py").current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("python3, which this test needs, as `cargo xtask compact` does");
        let said = BufReader::new(child.stdout.take().expect("piped"));
        Self(child, said)
    }

    fn verdict(&mut self, statement: &Statement, bytes: &[u8]) -> String {
        let list = |list: Vec<String>| if list.is_empty() { "-".to_owned() } else { list.join(",") };
        let Statement { air, name, parameters } = statement;
        let parameters = list(parameters.iter().map(|(name, value)| format!("{name}={value}")).collect());
        let public = list(air.public_inputs().iter().map(|input| input.value().to_string()).collect());
        let rows = air.trace_length();
        let line = format!("{name} {rows} {parameters} {public} {} {}\n", Hex(&air.digest()), Hex(bytes));
        self.0.stdin.as_mut().expect("piped").write_all(line.as_bytes()).expect("it reads");
        let mut verdict = String::new();
        self.1.read_line(&mut verdict).expect("it says something");
        verdict.trim_end().to_owned()
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn two_verifiers_have_one_verdict() {
    let files = std::env::var("POLYSTARK_PYTHON_PROOFS").map_or(FILES, |count| count.parse().expect("a number"));
    let (mut random, mut judge) = (SplitMix64::new(33), Judge::new());
    let (mut sums, mut hidden) = (BTreeMap::<&str, usize>::new(), 0);
    for proof in 0..files.div_ceil(OF_PROOF) {
        let name = AIRS[proof % AIRS.len()];
        let (statement, file) = honest(&mut random, name);
        let (_, other) = honest(&mut random, name);
        hidden += usize::from(file.options.hiding.hides());
        for number in 0..OF_PROOF {
            let bytes = match number {
                0 => file.encode().expect("small"),
                _ => mutated(&mut random, &file, &other),
            };
            let (ours, theirs) = (verdict(&statement, &bytes), judge.verdict(&statement, &bytes));
            // Before the proof is looked at, the two look at the rest in other orders.
            let is_of_proof = |verdict: &str| !["File", "Statement", "Options"].contains(&verdict);
            let is_same = if is_of_proof(ours) { ours == theirs } else { !is_of_proof(&theirs) };
            assert!(is_same, "proof {proof} of {name}, file {number}: {ours}, in Python {theirs}");
            assert!(number > 0 || ours == "accepted", "proof {proof} of {name}: {ours}");
            *sums.entry(ours).or_default() += 1;
        }
    }
    eprintln!("{files} files: {sums:?}; {hidden} proofs hide their witness");
    assert!(files < FILES || hidden > 1, "{hidden}");
    // Each check has refused some.
    for check in ["accepted", "Options", "ProofOfWork", "Root", "Truncated", "TrailingBytes", "NotCanonical"] {
        assert!(files < FILES || sums.get(check).is_some_and(|sum| *sum > 0), "{check}: {sums:?}");
    }
}
