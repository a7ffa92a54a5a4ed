//! This verifier and the one in Python (`tests/python`), which was written from the protocol's text alone, have the
//! same verdict on honest and on edited proofs of all shipped AIRs.
//!
//! `POLYSTARK_PYTHON_PROOFS` is how many files are judged; `docs/testing.md` has the command for 10^4.

mod edits;
mod judge;

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::airs::{self, AirInfo, ParamKind, ShippedAir};
use circle_proof::{CircleOptions, Policy, Proof, ProofFile, Suite, VerifyError, decode, encode, verify};
use field::{Hex, SplitMix64};
use golden::backends::cpu;
use gpu_hal::CircleStark;
use gpu_hal::erased::Device;
use prover_core::Silent;
use prover_core::circle::Prover;

use self::edits::edited;
use self::judge::{Judge, export};

/// Files of each proof: it, and edits of it.
const OF_PROOF: usize = 16;
/// Files that are judged unless the environment says how many.
const FILES: usize = 800;
/// AIRs whose constraints are data for the verifier in Python: the text does not have their constants.
const EXPORTED: [&str; 3] = ["poseidon2", "blake2s", "rpo-m31"];

/// A statement that both know, and its name, size and public parameters in a file.
struct Known {
    statement: Arc<dyn ShippedAir>,
    log_rows: u32,
    parameters: BTreeMap<String, u64>,
    programs: String,
}

impl Known {
    /// An AIR with random parameters; one of those with a table of 2^16 rows now and then.
    fn random(random: &mut SplitMix64, number: usize) -> Self {
        let (rare, infos): (Vec<&AirInfo>, Vec<&AirInfo>) = airs::all().iter().partition(|info| info.name == "blake2s");
        let info = if number % 24 == 5 { rare[0] } else { infos[number % infos.len()] };
        let log_rows = info.least_log_rows.max(2 + random.below(4) as u32);
        let mut value = |name: &str| match name {
            "w" => 3 + random.below(30) as u64,
            "table" => 2 + random.below(5) as u64,
            _ => random.below(1000) as u64,
        };
        let all: Vec<_> = info.params.iter().map(|param| (param, value(param.name))).collect();
        let public = all.iter().filter(|(param, _)| param.kind == ParamKind::Public);
        let parameters = public.map(|(param, value)| (param.name.to_owned(), *value)).collect();
        let text: Vec<_> = all.iter().map(|(param, value)| (param.name.to_owned(), value.to_string())).collect();
        let statement = airs::build(info.name, log_rows, &text).expect("possible");
        let programs = match EXPORTED.contains(&info.name) {
            true => export(&*statement, &[], &format!("{}-{log_rows}.json", info.name)).display().to_string(),
            false => "-".to_owned(),
        };
        Self { statement, log_rows, parameters, programs }
    }

    /// An honest proof in a file; `None` if the options have none.
    fn proof(&self, device: &Arc<Device<CircleStark>>, options: &CircleOptions) -> Option<ProofFile> {
        let prover = Prover::new(device.clone(), self.statement.clone(), options).ok()?;
        // No proof where queries are out of order in a low tree: trap 8.
        let made = prover.prove(&self.statement.trace(), &Silent).ok()?;
        Some(ProofFile {
            air: self.statement.name().to_owned(),
            parameters: self.parameters.clone(),
            log_rows: self.log_rows,
            words: self.statement.words(),
            claimed_sums: made.claimed_sums,
            proof: encode(&made.proof),
            suite: options.suite,
        })
    }

    /// The verdict of this verifier, in the words of the other one.
    fn verdict(&self, bytes: &[u8]) -> &'static str {
        let Ok(file) = ProofFile::decode(bytes) else { return "File" };
        let is_of = (&file.air[..], file.log_rows) == (self.statement.name(), self.log_rows)
            && (&file.parameters, &file.words) == (&self.parameters, &self.statement.words());
        if !is_of {
            return "Statement";
        }
        let policy = Policy { suite: file.suite, ..Policy::ANY };
        match verify(&*self.statement, &file.claimed_sums, &file.proof, &policy) {
            Ok(_) => "accepted",
            Err(error) => named(&error),
        }
    }

    /// The line that the verifier in Python is told.
    fn line(&self, bytes: &[u8]) -> String {
        let words: Vec<_> = self.statement.words().iter().map(u32::to_string).collect();
        format!("circle {} {} {}", words.join(","), self.programs, Hex(bytes))
    }
}

/// The name of the check that failed in the verifier in Python.
fn named(error: &VerifyError) -> &'static str {
    match error {
        VerifyError::Options(_) | VerifyError::Statement(_) | VerifyError::Config(_) => "Options",
        VerifyError::TreeHeight { .. } => "Options",
        VerifyError::Decode(_) | VerifyError::TooLong { .. } | VerifyError::Shape(_) => "Shape",
        VerifyError::ClaimedSumNotCanonical { .. } | VerifyError::ClaimedSums(_) => "Sums",
        VerifyError::EmptyRoot => "Root",
        VerifyError::ProofOfWork { .. } => "ProofOfWork",
        VerifyError::Unsorted(_) => "Unsorted",
        VerifyError::Repeated { .. } => "Repeated",
        VerifyError::Opening { .. } => "Opening",
        VerifyError::Preprocessed { .. } => "Preprocessed",
        VerifyError::Degenerate => "Degenerate",
        VerifyError::WideNode(_) | VerifyError::Protocol(_) => "Opening",
        other => panic!("{other}"),
    }
}

/// Options of a small proof.
fn options(random: &mut SplitMix64, log_rows: u32) -> CircleOptions {
    let log_blowup = 1 + random.below(2) as u32;
    CircleOptions {
        pow_bits: random.below(9) as u32,
        log_blowup,
        queries: 1 + random.below(8) as u32,
        fold_step: 1 + random.below(4) as u32,
        log_last: random.below(3) as u32,
        lifting: (random.below(3) == 0).then(|| log_rows + log_blowup + random.below(4) as u32),
        suite: match random.below(8) {
            0 => Suite::Poseidon252,
            1 | 2 => Suite::Blake2sM31,
            _ => Suite::Blake2s,
        },
    }
}

#[test]
fn two_verifiers_have_one_verdict() {
    let files = std::env::var("POLYSTARK_PYTHON_PROOFS").map_or(FILES, |count| count.parse().expect("a number"));
    let (mut random, mut judge, device) = (SplitMix64::new(36), Judge::new(), Arc::new(cpu()));
    let mut sums = BTreeMap::<&str, usize>::new();
    for number in 0..files.div_ceil(OF_PROOF) {
        let known = Known::random(&mut random, number);
        let mut honest = || loop {
            if let Some(file) = known.proof(&device, &options(&mut random, known.log_rows)) {
                return file;
            }
        };
        let (file, other) = (honest(), honest());
        let honest_bytes = file.encode().expect("small");
        for edit in 0..OF_PROOF {
            let bytes = match edit {
                0 => honest_bytes.clone(),
                _ => edited(&mut random, &file, &other),
            };
            let (ours, theirs) = (known.verdict(&bytes), judge.verdict(&known.line(&bytes)));
            let name = known.statement.name();
            assert!(is_same(ours, &theirs), "proof {number} of {name}, edit {edit}: {ours}, in Python {theirs}");
            // Also of an edit that is none, is the other proof, or has another nonce that draws the same queries.
            let is_of = |honest| ours == "accepted" && is_up_to_nonce(&bytes, honest);
            let is_good = bytes == honest_bytes || is_of(&file) || is_of(&other);
            assert_eq!(ours == "accepted", is_good, "proof {number} of {name}, edit {edit}: {ours}");
            *sums.entry(ours).or_default() += 1;
        }
    }
    eprintln!("{files} files: {sums:?}");
    // Each check has refused some.
    for check in ["accepted", "File", "Statement", "Options", "Shape", "Sums", "ProofOfWork", "Opening"] {
        assert!(files < FILES || sums.get(check).is_some_and(|sum| *sum > 0), "{check}: {sums:?}");
    }
}

/// Whether a file is an honest one up to the nonce.
fn is_up_to_nonce(bytes: &[u8], honest: &ProofFile) -> bool {
    let proof_of = |file: &ProofFile| decode(&file.proof, file.suite).expect("an accepted proof");
    let mut file = ProofFile::decode(bytes).expect("an accepted file");
    let proof = Proof { proof_of_work: proof_of(honest).proof_of_work, ..proof_of(&file) };
    file.proof = encode(&proof);
    file == *honest
}

/// Both accept, or both refuse by the same check. What comes before the transcript is looked at in other orders, and of
/// the lengths that depend on the queries this verifier compares all before it hashes.
fn is_same(ours: &str, theirs: &str) -> bool {
    let is_early = |verdict: &str| ["File", "Statement", "Options", "Decode", "Shape", "Sums"].contains(&verdict);
    ours == theirs || is_early(ours) && is_early(theirs) || ours == "Shape" && theirs != "accepted"
}
