//! The golden proofs with their statements, and what becomes of changed ones.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use air::Recorded;
use circle_air::airs::ShippedAir;
use circle_proof::ProofFile;
use gpu_hal::HashFn;
use proof::{ProofOptions, Seed};
use proof_format::wire::put_bytes;
use stwo::core::fields::qm31::SecureField;

use crate::mutate::{Original, mutated};
use crate::script::Script;
use crate::{P, map};

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was refused, or the backends agreed.
    Passed,
    /// Nothing was changed.
    Original,
    /// Accepted, with another nonce that does the same work and leads to the same queries. That is no forgery: nonces are not unique.
    Nonce,
    /// A changed proof was accepted: a defect.
    Accepted,
}

struct GoldilocksCase {
    statement: Recorded<P>,
    options: ProofOptions,
    seed: &'static [u8],
    original: Original,
}

struct CircleCase {
    statement: Arc<dyn ShippedAir>,
    sums: Vec<SecureField>,
    original: Original,
    /// What is before the proof in a file.
    head: Original,
}

fn goldilocks(
    bytes: &[u8],
    (air, rows, steps): (&str, u64, u64),
    [blowup, queries, grinding]: [u32; 3],
    coset_offset: u64,
    seed: &'static [u8],
) -> GoldilocksCase {
    let parameters = BTreeMap::from_iter((steps > 0).then(|| ("steps".to_owned(), steps)));
    let air = air::airs::build::<P>(air, rows, &parameters).expect("the vector's AIR exists");
    let statement = air::record(&*air).expect("the vector's AIR can be recorded");
    let options = ProofOptions { blowup, queries, grinding, coset_offset, hash: HashFn::Keccak256 };
    let original = Original { bytes: bytes.to_vec(), map: map::goldilocks_proof(bytes) };
    let case = GoldilocksCase { statement, options, seed, original };
    assert!(case.accepts(bytes), "the original is accepted");
    case
}

impl GoldilocksCase {
    fn accepts(&self, bytes: &[u8]) -> bool {
        let policy = verifier::Policy::ANY;
        verifier::verify_bytes(&self.statement, &self.options, Seed::Given(self.seed), bytes, &policy).is_ok()
    }

    fn outcome(&self, bytes: &[u8]) -> Outcome {
        if bytes == self.original.bytes {
            return Outcome::Original;
        }
        if !self.accepts(bytes) {
            return Outcome::Passed;
        }
        let [mut changed, original] =
            [bytes, &self.original.bytes].map(|bytes| proof::decode::<P>(bytes).expect("it was accepted"));
        changed.nonce = original.nonce;
        if proof::encode(&changed) == self.original.bytes { Outcome::Nonce } else { Outcome::Accepted }
    }
}

fn circle(bytes: &[u8], (air, log_rows): (&str, u32), parameters: &[(&str, u64)], sums: &[[u32; 4]]) -> CircleCase {
    let texts: Vec<_> = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let statement = circle_air::airs::build(air, log_rows, &texts).expect("the vector's AIR exists");
    let sums: Vec<_> = sums.iter().map(|&[a, b, c, d]| SecureField::from_u32_unchecked(a, b, c, d)).collect();
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
    };
    let mut head = file.encode().expect("a small file");
    // The length of no proof.
    head.pop();
    let head = Original { map: map::circle_head(&head), bytes: head };
    let original = Original { bytes: bytes.to_vec(), map: map::circle_proof(bytes) };
    let case = CircleCase { statement, sums, original, head };
    assert!(case.accepts(bytes) && is_accepted_file(&case.file(&case.head.bytes, bytes)), "the original is accepted");
    case
}

/// Whether a file of Circle is accepted, as a verifier that knows the shipped AIRs does.
fn is_accepted_file(bytes: &[u8]) -> bool {
    let Ok(file) = ProofFile::decode(bytes) else { return false };
    assert_eq!(file.encode().as_deref(), Ok(bytes), "a file has one encoding");
    let Ok(statement) = circle_air::airs::stated(&file.air, file.log_rows, &file.parameters, &file.words) else {
        return false;
    };
    let policy = circle_proof::Policy { min_security_bits: 0, min_query_bits: 0, ..circle_proof::Policy::default() };
    circle_proof::verify(&*statement, &file.claimed_sums, &file.proof, &policy).is_ok()
}

impl CircleCase {
    fn file(&self, head: &[u8], proof: &[u8]) -> Vec<u8> {
        let mut file = head.to_vec();
        put_bytes(&mut file, proof);
        file
    }

    fn accepts(&self, bytes: &[u8]) -> bool {
        circle_proof::verify(&*self.statement, &self.sums, bytes, &circle_proof::Policy::ANY).is_ok()
    }

    fn is_renonced(&self, bytes: &[u8]) -> bool {
        let [changed, original] = [bytes, &self.original.bytes].map(circle_proof::decode);
        let (Ok(mut changed), Ok(original)) = (changed, original) else { return false };
        changed.0.proof_of_work = original.0.proof_of_work;
        circle_proof::encode(&changed) == self.original.bytes
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

macro_rules! goldilocks {
    ($file:literal, $air:literal, $rows:literal, $steps:literal, $options:expr, $offset:literal, $seed:literal) => {{
        let bytes = include_bytes!(concat!("../../vectors/goldilocks/", $file, ".proof.bin"));
        goldilocks(bytes, ($air, $rows, $steps), $options, $offset, $seed)
    }};
}

macro_rules! circle {
    ($file:literal, $air:literal, $log_rows:literal, $parameters:expr, $sums:expr) => {{
        let bytes = include_bytes!(concat!("../../vectors/circle/", $file, ".proof.bin"));
        circle(bytes, ($air, $log_rows), $parameters, $sums)
    }};
}

static GOLDILOCKS: LazyLock<Vec<GoldilocksCase>> = LazyLock::new(|| {
    vec![
        goldilocks!("bit-flags_n32_b4_q3_c3_g1", "bit-flags", 32, 0, [4, 3, 1], 3, b""),
        goldilocks!("fibonacci-2-columns_n16_b4_q3_c3_g1", "fibonacci-2-columns", 16, 0, [4, 3, 1], 3, b""),
        goldilocks!("fibrap_fp3_n16_s15_b2_q5_c7_g0", "fibonacci-rap", 16, 15, [2, 5, 0], 7, b""),
        goldilocks!("fibrap_fp3_n32_s16_b4_q3_c3_g1", "fibonacci-rap", 32, 16, [4, 3, 1], 3, b""),
        goldilocks!("fibrap_fp3_n64_s40_b8_q4_c3_g8_seed", "fibonacci-rap", 64, 40, [8, 4, 8], 3, b"gpu-stark"),
        goldilocks!("periodic_n16_b4_q3_c3_g1", "periodic", 16, 0, [4, 3, 1], 3, b""),
        goldilocks!("quadratic_n16_b4_q3_c3_g1", "quadratic", 16, 0, [4, 3, 1], 3, b""),
        goldilocks!("read-only-memory-logup_n16_b4_q3_c3_g1", "read-only-memory-logup", 16, 0, [4, 3, 1], 3, b""),
        goldilocks!("read-only-memory_n16_b4_q3_c3_g1", "read-only-memory", 16, 0, [4, 3, 1], 3, b""),
        goldilocks!("simple-fibonacci_n16_b4_q3_c3_g1", "simple-fibonacci", 16, 0, [4, 3, 1], 3, b""),
    ]
});

static CIRCLE: LazyLock<Vec<CircleCase>> = LazyLock::new(|| {
    vec![
        circle!("fibonacci_n4_b1_q3_f1_l0_p5", "fibonacci", 4, &[("a", 1), ("b", 1)], &[]),
        circle!("fibonacci_n5_b1_q8_f1_l2_p5_L6", "fibonacci", 5, &[("a", 3), ("b", 10)], &[]),
        circle!("fibonacci_n6_b2_q5_f2_l2_p8", "fibonacci", 6, &[("a", 1), ("b", 1)], &[]),
        circle!(
            "plonk_n5_b1_q3_f1_l0_p5",
            "plonk",
            5,
            &[("v0", 1), ("v1", 1)],
            &[[424639605, 1050253690, 1348832599, 88373887]]
        ),
        circle!(
            "plonk_n5_b1_q9_f2_l2_p6_L8",
            "plonk",
            5,
            &[("v0", 2), ("v1", 3)],
            &[[90007501, 1146537450, 357034238, 586838144]]
        ),
        circle!(
            "plonk_n6_b2_q9_f2_l2_p10",
            "plonk",
            6,
            &[("v0", 1), ("v1", 1)],
            &[[254866206, 1331356065, 586355636, 1605130022]]
        ),
        circle!(
            "range-squares_n4-t6_b2_q5_f2_l2_p8",
            "range-squares",
            4,
            &[("table", 6), ("s", 1)],
            &[[609756559, 616510392, 1916393731, 2066272285], [1537727088, 1530973255, 231089916, 81211362]]
        ),
        circle!(
            "range-squares_n5-t5_b1_q6_f2_l0_p5",
            "range-squares",
            5,
            &[("table", 5), ("s", 2)],
            &[[273983142, 1843731169, 1938755880, 273111958], [1873500505, 303752478, 208727767, 1874371689]]
        ),
        circle!(
            "range-squares_n6-t4_b1_q3_f1_l0_p5",
            "range-squares",
            6,
            &[("table", 4), ("s", 1)],
            &[[1697379923, 619217450, 1517226856, 1391861273], [450103724, 1528266197, 630256791, 755622374]]
        ),
        circle!(
            "range-squares_n7-t5_b1_q9_f1_l2_p10_L10",
            "range-squares",
            7,
            &[("table", 5), ("s", 3)],
            &[[90154336, 2040913619, 170546286, 2016658228], [2057329311, 106570028, 1976937361, 130825419]]
        ),
        circle!("wide-fibonacci-w100_n5_b1_q3_f1_l0_p5", "wide-fibonacci", 5, &[("w", 100), ("s", 0)], &[]),
        circle!("wide-fibonacci-w100_n6_b2_q6_f2_l0_p10", "wide-fibonacci", 6, &[("w", 100), ("s", 5)], &[]),
        circle!("wide-fibonacci-w20_n4_b1_q3_f1_l0_p5", "wide-fibonacci", 4, &[("w", 20), ("s", 0)], &[]),
        circle!("wide-fibonacci-w20_n5_b1_q20_f2_l0_p10_L9", "wide-fibonacci", 5, &[("w", 20), ("s", 7)], &[]),
        circle!("wide-fibonacci-w20_n5_b1_q4_f1_l0_p22", "wide-fibonacci", 5, &[("w", 20), ("s", 100)], &[]),
        circle!("wide-fibonacci-w20_n6_b2_q10_f2_l2_p8", "wide-fibonacci", 6, &[("w", 20), ("s", 0)], &[]),
    ]
});

/// One of the originals, and one to take parts of.
fn picked<'a, T>(all: &'a [T], script: &mut Script<'_>) -> (&'a T, &'a T) {
    (&all[script.below(all.len())], &all[script.below(all.len())])
}

/// A changed proof of Goldilocks.
pub fn goldilocks_proof(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&GOLDILOCKS, script);
    case.outcome(&mutated(&case.original, &other.original, script))
}

/// A changed proof of Circle.
pub fn circle_proof(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CIRCLE, script);
    case.outcome(&mutated(&case.original, &other.original, script))
}

/// A changed file of Circle: what is before the proof, or the proof, or both.
pub fn circle_file(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CIRCLE, script);
    let what = script.below(4);
    let head = match what {
        0 => case.head.bytes.clone(),
        _ => mutated(&case.head, &other.head, script),
    };
    let proof = match what {
        0 | 1 => mutated(&case.original, &other.original, script),
        _ => case.original.bytes.clone(),
    };
    let file = case.file(&head, &proof);
    let is_accepted = is_accepted_file(&file);
    let is_same_head = head == case.head.bytes;
    match is_accepted {
        _ if is_same_head && proof == case.original.bytes => Outcome::Original,
        false => Outcome::Passed,
        true if is_same_head && case.is_renonced(&proof) => Outcome::Nonce,
        // Head and proof of another original, as a splice of all of it can be.
        true if CIRCLE.iter().any(|other| other.file(&other.head.bytes, &other.original.bytes) == file) => {
            Outcome::Original
        }
        true => Outcome::Accepted,
    }
}
