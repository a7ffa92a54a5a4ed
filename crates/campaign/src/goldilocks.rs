//! The golden proofs of Goldilocks and files around them, and verdicts on changed ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use air::RecordedAir;
use goldilocks_proof::{ProofFile, Seed, Suite, lambdaworks};
use gpu_hal::{GoldilocksStark, Protocol};
use polystark::goldilocks::{Airs, Device, Expect, ExpectSeed, Policy, Request};
use polystark::{Class, Error, Profile};
use proof_format::wire::put_bytes;

use crate::mutate::{Original, changed_file, mutated, picked};
use crate::script::Script;
use crate::{Outcome, map};

type P = GoldilocksStark;

/// A golden proof.
struct Golden {
    name: &'static str,
    steps: Option<u64>,
    statement: RecordedAir<P>,
    options: lambdaworks::Options,
    seed: &'static [u8],
    original: Original,
}

fn golden(
    bytes: &[u8],
    (name, rows, steps): (&'static str, u64, u64),
    [blowup, queries, grinding]: [u32; 3],
    coset_offset: u64,
    seed: &'static [u8],
) -> Golden {
    let steps = (steps > 0).then_some(steps);
    let air = air::airs::build::<P>(name, rows, &parameters(steps)).expect("the vector's AIR exists");
    let statement = air::record(&*air).expect("the vector's AIR can be recorded");
    let options = lambdaworks::Options { blowup, queries, grinding, coset_offset, suite: Suite::Keccak256 };
    let original = Original { bytes: bytes.to_vec(), map: map::goldilocks_proof(bytes) };
    let case = Golden { name, steps, statement, options, seed, original };
    assert!(case.accepts(bytes), "the original is accepted");
    case
}

fn parameters(steps: Option<u64>) -> BTreeMap<String, u64> {
    steps.map(|steps| ("steps".to_owned(), steps)).into_iter().collect()
}

impl Golden {
    fn accepts(&self, bytes: &[u8]) -> bool {
        let policy = goldilocks_verifier::Policy::ANY;
        goldilocks_verifier::verify_bytes(&self.statement, &self.options, Seed::Given(self.seed), bytes, &policy)
            .is_ok()
    }

    fn outcome(&self, bytes: &[u8]) -> Outcome {
        if bytes == self.original.bytes {
            return Outcome::Original;
        }
        if !self.accepts(bytes) {
            return Outcome::Passed;
        }
        if is_renonced(bytes, &self.original.bytes) { Outcome::Nonce } else { Outcome::Accepted }
    }

    /// The statement in a file, without the proof.
    fn file(&self) -> ProofFile {
        ProofFile {
            protocol: P::NAME.into(),
            extension_degree: P::DEGREE as u64,
            air: self.name.into(),
            parameters: parameters(self.steps),
            log_rows: self.statement.log_trace_length(),
            options: self.options,
            seed: Some(self.seed.to_vec()),
            public_inputs: self.statement.public_inputs().to_vec(),
            proof: self.original.bytes.clone(),
        }
    }
}

/// Whether accepted proofs differ only in their nonces, and are written down the same way.
fn is_renonced(bytes: &[u8], original: &[u8]) -> bool {
    let [mut changed, decoded] =
        [bytes, original].map(|bytes| goldilocks_proof::decode::<P>(bytes).expect("it was accepted"));
    let is_encoding = goldilocks_proof::encode(&changed) == bytes;
    changed.nonce = decoded.nonce;
    is_encoding && goldilocks_proof::encode(&changed) == original
}

/// A file in two parts: the part before the length of the proof, and the proof.
struct File {
    statement: ProofFile,
    head: Original,
    proof: Original,
}

impl File {
    fn new(statement: ProofFile) -> Self {
        let proof = Original { map: map::goldilocks_proof(&statement.proof), bytes: statement.proof.clone() };
        let mut head = ProofFile { proof: Vec::new(), ..statement.clone() }.encode().expect("a small file");
        // The length of no proof.
        head.pop();
        let file = Self { statement, head: Original { map: map::goldilocks_head(&head), bytes: head }, proof };
        if let Err(error) = verify(&joined(&file.head.bytes, &file.proof.bytes)) {
            panic!("the original is refused: {error}");
        }
        file
    }

    /// As the command line makes it: the seed is the default one, which binds all that the file says. There is no work
    /// to be done, so only the original may be accepted.
    fn proven(air: &str, rows: u64, steps: Option<u64>, suite: Suite) -> Self {
        let device = Device::open("cpu", Some(1)).expect("the processor is there");
        let options = lambdaworks::Options { blowup: 4, queries: 3, grinding: 0, coset_offset: 3, suite };
        let parameters = parameters(steps);
        let request =
            Request { parameters, options: options.into(), profile: Profile::NONE, ..Request::new(air, rows) };
        let proven = device.prove(&request).expect("a statement that is true");
        let statement = ProofFile::decode(&proven.file).expect("it was verified");
        assert!(statement.seed.is_none(), "the default seed");
        Self::new(statement)
    }

    /// Whether a file that is accepted differs in the nonce of its proof alone, and where the seed is given, as in
    /// golden proofs, in the number of bits that the nonce is asked for: such a seed binds nothing.
    fn differs_by_work(&self, bytes: &[u8]) -> bool {
        let mut changed = ProofFile::decode(bytes).expect("it was accepted");
        if self.statement.seed.is_some() {
            changed.options.grinding = self.statement.options.grinding;
        }
        let is_work = is_renonced(&changed.proof, &self.statement.proof);
        changed.proof.clone_from(&self.statement.proof);
        is_work && changed == self.statement
    }
}

fn joined(head: &[u8], proof: &[u8]) -> Vec<u8> {
    let mut file = head.to_vec();
    put_bytes(&mut file, proof);
    file
}

/// As a verifier of whole files does it, of proofs of any strength, with any seed of a file: golden proofs have
/// seeds of their own. A refusal is about the file.
fn verify(bytes: &[u8]) -> Result<(), Error> {
    static AIRS: LazyLock<Airs> = LazyLock::new(Airs::default);
    let mut expect = Expect::default();
    if let Ok(ProofFile { seed: Some(seed), .. }) = ProofFile::decode(bytes) {
        expect.options.seed = ExpectSeed::Given(seed);
    }
    match AIRS.verify_file(bytes, &Policy::ANY, &expect) {
        Ok(report) => {
            assert_eq!(report.file.encode().as_deref(), Ok(bytes), "a file has one encoding");
            Ok(())
        }
        Err(error) => {
            assert!(matches!(error.class(), Class::Input | Class::Invalid), "{error}");
            Err(error)
        }
    }
}

macro_rules! golden {
    ($file:literal, $air:literal, $rows:literal, $steps:literal, $options:expr, $offset:literal, $seed:literal) => {{
        let bytes = include_bytes!(concat!("../../../vectors/goldilocks/", $file, ".proof.bin"));
        golden(bytes, ($air, $rows, $steps), $options, $offset, $seed)
    }};
}

static GOLDEN: LazyLock<Vec<Golden>> = LazyLock::new(|| {
    vec![
        golden!("bit-flags_n32_b4_q3_c3_g1", "bit-flags", 32, 0, [4, 3, 1], 3, b""),
        golden!("fibonacci-2-columns_n16_b4_q3_c3_g1", "fibonacci-2-columns", 16, 0, [4, 3, 1], 3, b""),
        golden!("fibrap_fp3_n16_s15_b2_q5_c7_g0", "fibonacci-rap", 16, 15, [2, 5, 0], 7, b""),
        golden!("fibrap_fp3_n32_s16_b4_q3_c3_g1", "fibonacci-rap", 32, 16, [4, 3, 1], 3, b""),
        golden!("fibrap_fp3_n64_s40_b8_q4_c3_g8_seed", "fibonacci-rap", 64, 40, [8, 4, 8], 3, b"gpu-stark"),
        golden!("periodic_n16_b4_q3_c3_g1", "periodic", 16, 0, [4, 3, 1], 3, b""),
        golden!("quadratic_n16_b4_q3_c3_g1", "quadratic", 16, 0, [4, 3, 1], 3, b""),
        golden!("read-only-memory-logup_n16_b4_q3_c3_g1", "read-only-memory-logup", 16, 0, [4, 3, 1], 3, b""),
        golden!("read-only-memory_n16_b4_q3_c3_g1", "read-only-memory", 16, 0, [4, 3, 1], 3, b""),
        golden!("simple-fibonacci_n16_b4_q3_c3_g1", "simple-fibonacci", 16, 0, [4, 3, 1], 3, b""),
    ]
});

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let proven = [
        File::proven("fibonacci-rap", 16, Some(15), Suite::Keccak256),
        File::proven("read-only-memory-logup", 16, None, Suite::Poseidon2),
        File::proven("periodic", 16, None, Suite::Keccak256),
        File::proven("bit-flags", 32, None, Suite::Keccak256),
    ];
    GOLDEN.iter().map(|golden| File::new(golden.file())).chain(proven).collect()
});

/// A changed proof.
pub fn proof(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&GOLDEN, script);
    case.outcome(&mutated(&case.original, &other.original, script))
}

/// A changed file: the part before the proof, or the proof, or both.
pub fn file(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&FILES, script);
    let (head, proof) = changed_file((&case.head, &case.proof), (&other.head, &other.proof), script);
    outcome(case, &joined(&head, &proof))
}

fn outcome(case: &File, bytes: &[u8]) -> Outcome {
    let is_one = |file: &File| joined(&file.head.bytes, &file.proof.bytes) == bytes;
    match verify(bytes).is_ok() {
        // Another one, as a splice of all of it can be.
        _ if FILES.iter().any(is_one) => Outcome::Original,
        false => Outcome::Passed,
        true if case.differs_by_work(bytes) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(air: &str, is_golden: bool) -> &'static File {
        let is_it = |file: &&File| file.statement.air == air && file.statement.seed.is_some() == is_golden;
        FILES.iter().find(is_it).expect("it is there")
    }

    fn outcome_of(case: &File, change: impl FnOnce(&mut ProofFile)) -> Outcome {
        let mut changed = case.statement.clone();
        change(&mut changed);
        outcome(case, &changed.encode().expect("a file"))
    }

    /// A campaign of the first files took the default where the file lacks an entry: they were accepted.
    #[test]
    fn a_file_without_a_parameter_is_refused() {
        for is_golden in [false, true] {
            let case = file_of("fibonacci-rap", is_golden);
            assert_eq!(case.statement.parameters["steps"], 15, "its default in 16 rows");
            assert_eq!(outcome_of(case, |file| file.parameters.clear()), Outcome::Passed);
            assert_eq!(outcome_of(case, |_| ()), Outcome::Original);
        }
    }

    /// Golden proofs have seeds that bind nothing: bits that their nonce has by chance are no forgery. Other options
    /// are.
    #[test]
    fn bits_that_the_nonce_has_by_chance_are_work_alone() {
        let case = file_of("fibonacci-2-columns", true);
        let with = |grinding| outcome_of(case, |file| file.options.grinding = grinding);
        assert_eq!([with(1), with(60)], [Outcome::Original, Outcome::Passed]);
        let by_chance = (2..60).map(with).filter(|outcome| *outcome == Outcome::Nonce).count();
        assert!((0..60).map(with).all(|outcome| outcome != Outcome::Accepted), "{by_chance}");
        assert_eq!(outcome_of(case, |file| file.options.coset_offset = 7), Outcome::Passed);
    }

    /// A target that takes every acceptance for a nonce's would find nothing.
    #[test]
    fn what_is_accepted_and_says_something_else_is_a_defect() {
        let (case, other) = (file_of("periodic", false), file_of("bit-flags", false));
        assert!(!case.differs_by_work(&other.statement.encode().expect("a file")));
    }
}
