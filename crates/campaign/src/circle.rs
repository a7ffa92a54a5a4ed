//! The golden proofs of Circle and files around them, and verdicts on changed ones.

use std::sync::{Arc, LazyLock};

use circle_air::airs::ShippedAir;
use circle_proof::{ProofFile, Suite};
use field::{M31, QM31};
use polystark::Class;
use polystark::circle::{Airs, Expect, Policy};
use proof_format::wire::put_bytes;

use crate::mutate::{Original, changed_file, mutated, picked};
use crate::script::Script;
use crate::{Outcome, map};

struct Golden {
    statement: Arc<dyn ShippedAir>,
    sums: Vec<QM31>,
    original: Original,
    /// The part of a file before the proof.
    head: Original,
}

fn golden(bytes: &[u8], (air, log_rows): (&str, u32), parameters: &[(&str, u64)], sums: &[[u32; 4]]) -> Golden {
    let texts: Vec<_> = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let statement = circle_air::airs::build(air, log_rows, &texts).expect("the vector's AIR exists");
    let sums: Vec<_> = sums.iter().map(|sum| QM31(sum.map(M31::new))).collect();
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
    let original = Original { bytes: bytes.to_vec(), map: map::circle_proof(bytes) };
    let case = Golden { statement, sums, original, head };
    assert!(case.accepts(bytes) && is_accepted_file(&joined(&case.head.bytes, bytes)), "the original is accepted");
    case
}

/// Whether a verifier of whole files takes it. A refusal is about the file, or about the cells that the default policy
/// does not let it ask for.
fn is_accepted_file(bytes: &[u8]) -> bool {
    static AIRS: LazyLock<Airs> = LazyLock::new(Airs::default);
    let policy = Policy { min_security_bits: 0, min_query_bits: 0, ..Policy::default() };
    match AIRS.verify_file(bytes, &policy, &Expect::default()) {
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

fn joined(head: &[u8], proof: &[u8]) -> Vec<u8> {
    let mut file = head.to_vec();
    put_bytes(&mut file, proof);
    file
}

impl Golden {
    fn accepts(&self, bytes: &[u8]) -> bool {
        circle_proof::verify(&*self.statement, &self.sums, bytes, &Policy::ANY).is_ok()
    }

    /// Whether a proof differs only in its nonce, and is written down the same way.
    fn is_renonced(&self, bytes: &[u8]) -> bool {
        let [changed, original] =
            [bytes, &self.original.bytes].map(|bytes| circle_proof::decode(bytes, Suite::default()));
        let (Ok(mut changed), Ok(original)) = (changed, original) else { return false };
        let is_encoding = circle_proof::encode(&changed) == bytes;
        changed.proof_of_work = original.proof_of_work;
        is_encoding && circle_proof::encode(&changed) == self.original.bytes
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

macro_rules! golden {
    ($file:literal, $air:literal, $log_rows:literal, $parameters:expr, $sums:expr) => {{
        let bytes = include_bytes!(concat!("../../../vectors/circle/", $file, ".proof.bin"));
        golden(bytes, ($air, $log_rows), $parameters, $sums)
    }};
}

static GOLDEN: LazyLock<Vec<Golden>> = LazyLock::new(|| {
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
    let (case, other) = picked(&GOLDEN, script);
    let (head, proof) = changed_file((&case.head, &case.original), (&other.head, &other.original), script);
    let bytes = joined(&head, &proof);
    let is_one = |golden: &Golden| joined(&golden.head.bytes, &golden.original.bytes) == bytes;
    match is_accepted_file(&bytes) {
        // Another one, as a splice of all of it can be.
        _ if GOLDEN.iter().any(is_one) => Outcome::Original,
        false => Outcome::Passed,
        true if head == case.head.bytes && case.is_renonced(&proof) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}
