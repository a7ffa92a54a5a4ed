//! Proofs of the golden statements of Circle with each suite, files around them, and verdicts on changed ones.

use std::sync::{Arc, OnceLock};

use backend_cpu::Cpu;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, ProofFile, Suite, decode, encode};
use field::{M31, QM31};
use gpu_hal::CircleStark;
use polystark::Class;
use polystark::circle::{Airs, Expect, Policy};
use proof_format::file::put_name;
use proof_format::wire::put_bytes;
use prover_core::Silent;
use prover_core::circle::Prover;

use crate::mutate::{Original, changed_file, mutated, picked};
use crate::script::Script;
use crate::{Outcome, map};

/// Most bits of work of the proofs that are made at the start.
const MOST_WORK: u32 = 8;

struct Golden {
    statement: Arc<dyn ShippedAir>,
    suite: Suite,
    sums: Vec<QM31>,
    original: Original,
    /// The part of a file before the proof.
    head: Original,
}

/// A golden proof, or with another suite than its own the prover's of the same statement and options.
fn golden(
    bytes: &[u8],
    (air, log_rows): (&str, u32),
    parameters: &[(&str, u64)],
    sums: &[[u32; 4]],
    suite: Suite,
) -> Golden {
    let texts: Vec<_> = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let statement = circle_air::airs::build(air, log_rows, &texts).expect("the vector's AIR exists");
    let (bytes, sums) = match suite {
        Suite::Blake2s => (bytes.to_vec(), sums.iter().map(|sum| QM31(sum.map(M31::new))).collect()),
        Suite::Blake2sM31 | Suite::Poseidon252 => {
            let config = decode(bytes, Suite::Blake2s).expect("a golden proof").config;
            let options = CircleOptions { suite, pow_bits: config.pow_bits.min(MOST_WORK), ..config };
            let prover = Prover::new(Arc::new(Cpu::<CircleStark>::new()), statement.clone(), &options);
            let made = prover.and_then(|prover| prover.prove(&statement.trace(), &Silent));
            let made = made.expect("a golden statement is true");
            (encode(&made.proof), made.claimed_sums)
        }
    };
    let info = circle_air::airs::all().iter().find(|info| info.name == air).expect("it was built");
    let is_public = |name: &str| {
        info.params.iter().any(|known| known.name == name && known.kind == circle_air::airs::ParamKind::Public)
    };
    let public = parameters.iter().filter(|(name, _)| is_public(name));
    let file = ProofFile {
        air: air.to_owned(),
        parameters: public.map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        log_rows,
        words: statement.words(),
        claimed_sums: sums.clone(),
        proof: Vec::new(),
        suite: Suite::default(),
    };
    let mut head = file.encode().expect("a small file");
    // The length of no proof.
    head.pop();
    let head = Original { map: map::circle_head(&head), bytes: head };
    let original = Original { map: map::circle_proof(&bytes, suite), bytes };
    let case = Golden { statement, suite, sums, original, head };
    assert!(case.accepts(&case.original.bytes) && is_accepted_file(&case.file(), suite), "the original is accepted");
    case
}

/// Whether a verifier of whole files that asks for this suite takes it. A refusal is about the file, or about the cells
/// that the default policy does not let it ask for.
fn is_accepted_file(bytes: &[u8], suite: Suite) -> bool {
    static AIRS: OnceLock<Airs> = OnceLock::new();
    let policy = Policy { suite, min_security_bits: 0, min_query_bits: 0, ..Policy::default() };
    match AIRS.get_or_init(Airs::default).verify_file(bytes, &policy, &Expect::default()) {
        Ok(report) => {
            assert_eq!(report.file.encode().as_deref(), Ok(bytes), "a file has one encoding");
            true
        }
        Err(error) => {
            assert!(error.class() != Class::Device, "{error}");
            false
        }
    }
}

/// A file that names a suite. The first one is named by nothing.
fn joined(head: &[u8], proof: &[u8], name: &str) -> Vec<u8> {
    let mut file = head.to_vec();
    put_bytes(&mut file, proof);
    if name != Suite::default().name() {
        put_name(&mut file, name).expect("a short name");
    }
    file
}

impl Golden {
    fn file(&self) -> Vec<u8> {
        joined(&self.head.bytes, &self.original.bytes, self.suite.name())
    }

    fn accepts(&self, bytes: &[u8]) -> bool {
        let policy = Policy { suite: self.suite, ..Policy::ANY };
        circle_proof::verify(&*self.statement, &self.sums, bytes, &policy).is_ok()
    }

    /// Whether a proof differs only in its nonce, and is written down the same way.
    fn is_renonced(&self, bytes: &[u8]) -> bool {
        let [changed, original] = [bytes, &self.original.bytes].map(|bytes| decode(bytes, self.suite));
        let (Ok(mut changed), Ok(original)) = (changed, original) else { return false };
        let is_encoding = encode(&changed) == bytes;
        changed.proof_of_work = original.proof_of_work;
        is_encoding && encode(&changed) == self.original.bytes
    }

    fn outcome(&self, bytes: &[u8]) -> Outcome {
        match self.accepts(bytes) {
            _ if bytes == self.original.bytes => Outcome::Original,
            false => Outcome::Passed,
            true if self.is_renonced(bytes) => Outcome::Nonce,
            true => Outcome::Accepted,
        }
    }
}

/// The originals of a suite.
fn originals(suite: Suite) -> &'static [Golden] {
    static ORIGINALS: [OnceLock<Vec<Golden>>; Suite::ALL.len()] = [const { OnceLock::new() }; Suite::ALL.len()];
    ORIGINALS[suite as usize].get_or_init(|| made(suite))
}

fn made(suite: Suite) -> Vec<Golden> {
    macro_rules! golden {
        ($file:literal, $air:literal, $log_rows:literal, $parameters:expr, $sums:expr) => {{
            let bytes = include_bytes!(concat!("../../../vectors/circle/", $file, ".proof.bin"));
            golden(bytes, ($air, $log_rows), $parameters, $sums, suite)
        }};
    }
    vec![
        golden!("fibonacci_n4_b1_q3_f1_l0_p5", "fibonacci", 4, &[("a", 1), ("b", 1)], &[]),
        golden!("fibonacci_n5_b1_q8_f1_l2_p5_L6", "fibonacci", 5, &[("a", 3), ("b", 10)], &[]),
        golden!("fibonacci_n6_b2_q5_f2_l2_p8", "fibonacci", 6, &[("a", 1), ("b", 1)], &[]),
        golden!(
            "plonk_n5_b1_q3_f1_l0_p5",
            "plonk",
            5,
            &[("v0", 1), ("v1", 1)],
            &[[424639605, 1050253690, 1348832599, 88373887]]
        ),
        golden!(
            "plonk_n5_b1_q9_f2_l2_p6_L8",
            "plonk",
            5,
            &[("v0", 2), ("v1", 3)],
            &[[90007501, 1146537450, 357034238, 586838144]]
        ),
        golden!(
            "plonk_n6_b2_q9_f2_l2_p10",
            "plonk",
            6,
            &[("v0", 1), ("v1", 1)],
            &[[254866206, 1331356065, 586355636, 1605130022]]
        ),
        golden!(
            "range-squares_n4-t6_b2_q5_f2_l2_p8",
            "range-squares",
            4,
            &[("table", 6), ("s", 1)],
            &[[609756559, 616510392, 1916393731, 2066272285], [1537727088, 1530973255, 231089916, 81211362]]
        ),
        golden!(
            "range-squares_n5-t5_b1_q6_f2_l0_p5",
            "range-squares",
            5,
            &[("table", 5), ("s", 2)],
            &[[273983142, 1843731169, 1938755880, 273111958], [1873500505, 303752478, 208727767, 1874371689]]
        ),
        golden!(
            "range-squares_n6-t4_b1_q3_f1_l0_p5",
            "range-squares",
            6,
            &[("table", 4), ("s", 1)],
            &[[1697379923, 619217450, 1517226856, 1391861273], [450103724, 1528266197, 630256791, 755622374]]
        ),
        golden!(
            "range-squares_n7-t5_b1_q9_f1_l2_p10_L10",
            "range-squares",
            7,
            &[("table", 5), ("s", 3)],
            &[[90154336, 2040913619, 170546286, 2016658228], [2057329311, 106570028, 1976937361, 130825419]]
        ),
        golden!("wide-fibonacci-w100_n5_b1_q3_f1_l0_p5", "wide-fibonacci", 5, &[("w", 100), ("s", 0)], &[]),
        golden!("wide-fibonacci-w100_n6_b2_q6_f2_l0_p10", "wide-fibonacci", 6, &[("w", 100), ("s", 5)], &[]),
        golden!("wide-fibonacci-w20_n4_b1_q3_f1_l0_p5", "wide-fibonacci", 4, &[("w", 20), ("s", 0)], &[]),
        golden!("wide-fibonacci-w20_n5_b1_q20_f2_l0_p10_L9", "wide-fibonacci", 5, &[("w", 20), ("s", 7)], &[]),
        golden!("wide-fibonacci-w20_n5_b1_q4_f1_l0_p22", "wide-fibonacci", 5, &[("w", 20), ("s", 100)], &[]),
        golden!("wide-fibonacci-w20_n6_b2_q10_f2_l2_p8", "wide-fibonacci", 6, &[("w", 20), ("s", 0)], &[]),
    ]
}

/// A changed proof of a suite.
pub fn proof(suite: Suite, data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(originals(suite), script);
    case.outcome(&mutated(&case.original, &other.original, script))
}

/// A changed file of a suite: the part before the proof, or the proof, or both; now and then one that names another
/// suite, which is the suite that is asked for then.
pub fn file(suite: Suite, data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let all = originals(suite);
    let (case, other) = picked(all, script);
    let (head, proof) = changed_file((&case.head, &case.original), (&other.head, &other.original), script);
    let named = if script.below(16) == 0 { Suite::ALL[script.below(Suite::ALL.len())] } else { suite };
    let bytes = joined(&head, &proof, named.name());
    match is_accepted_file(&bytes, named) {
        // Another one, as a splice of all of it can be.
        _ if all.iter().any(|golden| golden.file() == bytes) => Outcome::Original,
        false => Outcome::Passed,
        true if named == suite && head == case.head.bytes && case.is_renonced(&proof) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}
