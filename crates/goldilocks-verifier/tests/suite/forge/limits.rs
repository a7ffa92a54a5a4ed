//! Statements of the largest size. Their traces fit into no machine, but a few kilobytes can claim to prove them.

use adversary::liar::goldilocks::Cubic;
use air::airs::{self, BitFlags};
use air::{RecordedAir, record};
use field::{ExtensionField, Field, Fp3, Goldilocks};
use goldilocks_proof::merkle::leaf_digest;
use goldilocks_proof::{
    DeepOpening, FriDecommitment, OodTable, Opening, OptionsError, Path, Proof, Seed, Suite, Transcript, encode,
    grinding, lambdaworks,
};
use goldilocks_verifier::{Part, Policy, VerifyError, verify, verify_bytes};
use gpu_hal::Digest;
use proof_format::policy::MAX_QUERIES;

/// The most rows that leave room for a blowup of 2.
const ROWS: u64 = 1 << 31;

fn options(queries: u32, suite: Suite) -> lambdaworks::Options {
    lambdaworks::Options { blowup: 2, queries, grinding: 0, coset_offset: 7, suite }
}

/// Path to the root of a tree whose leaves are all equal, and the root.
fn uniform(hash: gpu_hal::HashFn, leaf: Digest, depth: u32) -> (Path, Digest) {
    let mut node = leaf;
    let up = |_| {
        let sibling = node;
        node = hash.parent(&sibling, &sibling).expect("digests of this function");
        sibling
    };
    let path = (0..depth).map(up).collect();
    (path, node)
}

fn zeros<E: ExtensionField<Goldilocks>>(columns: usize, path: Path) -> Opening<E> {
    let values = vec![E::ZERO; columns];
    Opening { path_sym: path.clone(), path, evaluations: values.clone(), evaluations_sym: values }
}

/// The proof that all columns are zero: every tree has equal leaves, so it takes no time.
fn all_zero(air: &RecordedAir<Cubic>, options: &lambdaworks::Options) -> Proof<Cubic> {
    let (layout, queries) = (air.layout(), options.queries as usize);
    let hash = options.suite.tree();
    let columns = layout.main_columns + layout.aux_columns;
    let log_lde = options.log_lde(air.log_trace_length());
    let (main_path, main_root) =
        uniform(hash, leaf_digest(hash, &vec![Goldilocks::ZERO; layout.main_columns]), log_lde);
    let (aux_path, aux_root) = uniform(hash, leaf_digest(hash, &vec![Fp3::ZERO; layout.aux_columns]), log_lde);
    let leaf = leaf_digest(hash, &vec![Fp3::ZERO; 2 * layout.composition_parts]);
    let (composition_path, composition_root) = uniform(hash, leaf, log_lde - 1);
    let layer = |k: u32| uniform(hash, leaf_digest(hash, &[Fp3::ZERO; 2]), log_lde - k - 1);
    let layers: Vec<(Path, Digest)> = (1..air.log_trace_length()).map(layer).collect();
    let decommitment = FriDecommitment {
        paths: layers.iter().map(|(path, _)| path.clone()).collect(),
        values: vec![Fp3::ZERO; layers.len()],
    };
    let opening = DeepOpening {
        composition: zeros(layout.composition_parts, composition_path),
        main: zeros(layout.main_columns, main_path),
        aux: (layout.aux_columns > 0).then(|| zeros(layout.aux_columns, aux_path)),
    };
    Proof {
        trace_length: air.trace_length() as u64,
        main_root,
        aux_root: (layout.aux_columns > 0).then_some(aux_root),
        trace_ood: OodTable {
            data: vec![Fp3::ZERO; columns * layout.frame_rows],
            width: columns as u64,
            height: layout.frame_rows as u64,
        },
        composition_root,
        composition_ood: vec![Fp3::ZERO; layout.composition_parts],
        fri_roots: layers.iter().map(|(_, root)| *root).collect(),
        fri_last_value: Fp3::ZERO,
        fri_decommitments: vec![decommitment; queries],
        deep_openings: vec![opening; queries],
        nonce: None,
    }
}

#[test]
fn a_true_statement_of_two_thousand_million_rows() {
    // Zeros satisfy bit-flags and no other of the example AIRs.
    let air = record::<Cubic, _>(&BitFlags::new(ROWS).expect("possible")).expect("valid");
    for suite in [Suite::Keccak256, Suite::Poseidon2] {
        let options = options(210, suite);
        let proof = all_zero(&air, &options);
        let verified = verify(&air, &options, Seed::Default, &proof, &Policy::default()).expect("true");
        assert_eq!(verified.trace_length, ROWS);
        assert_eq!(verify_bytes(&air, &options, Seed::Default, &encode(&proof), &Policy::default()), Ok(verified));

        let mut changed = proof.clone();
        changed.deep_openings[209].main.path[31][0] ^= 1;
        let refused = verify(&air, &options, Seed::Default, &changed, &Policy::ANY);
        assert!(matches!(refused, Err(VerifyError::Path { query: 209, part: Part::Main, .. })), "{refused:?}");
        // The path of the same leaf in a tree of half the size: each of its digests is the right one, one is missing.
        let mut shorter = proof.clone();
        shorter.deep_openings.iter_mut().for_each(|opening| opening.main.path.truncate(31));
        let refused = verify(&air, &options, Seed::Default, &shorter, &Policy::ANY);
        assert!(matches!(refused, Err(VerifyError::Path { query: 0, part: Part::Main, .. })), "{refused:?}");
    }
}

/// All choices of a prover: valid ones are accepted, and nothing overflows.
#[test]
fn every_size_and_blowup() {
    for log_rows in 4..=32 {
        let air = record::<Cubic, _>(&BitFlags::new(1 << log_rows).expect("possible")).expect("valid");
        for (log_blowup, suite) in
            (1..=7).flat_map(|log| [Suite::Keccak256, Suite::Poseidon2].map(|suite| (log, suite)))
        {
            let options = lambdaworks::Options { blowup: 1 << log_blowup, ..options(4, suite) };
            if log_rows + log_blowup > 32 {
                let refused =
                    verify(&air, &options, Seed::Default, &all_zero(&air, &self::options(4, suite)), &Policy::ANY);
                let expected = OptionsError::DomainTooLarge { log_trace: log_rows, blowup: options.blowup };
                assert_eq!(refused, Err(VerifyError::Options(expected)));
                continue;
            }
            let bytes = encode(&all_zero(&air, &options));
            let verified = verify_bytes(&air, &options, Seed::Default, &bytes, &Policy::ANY);
            assert_eq!(verified.map(|verified| verified.trace_length), Ok(1 << log_rows), "{options:?}");
        }
    }
}

#[test]
fn false_statements_of_the_largest_size() {
    let parameters = |name: &str| -> Vec<(&'static str, u64)> {
        match name {
            // As many rows with exemption as without: the slowest case at the out-of-domain point.
            "fibonacci-rap" => vec![("steps", ROWS / 2 + 1)],
            "wide" => vec![("width", 9), ("degree", 3)],
            _ => Vec::new(),
        }
    };
    for info in airs::all().iter().filter(|info| info.name != "bit-flags") {
        let parameters = parameters(info.name).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let air = airs::build::<Cubic>(info.name, ROWS, &parameters).expect("possible");
        let air = record::<Cubic, _>(&*air).expect("valid");
        let options = options(210, Suite::Keccak256);
        let refused = verify(&air, &options, Seed::Default, &all_zero(&air, &options), &Policy::default());
        assert_eq!(refused, Err(VerifyError::Composition), "{}", info.name);
    }
}

#[test]
fn numbers_that_no_proof_can_have() {
    let air = record::<Cubic, _>(&BitFlags::new(ROWS).expect("possible")).expect("valid");
    let proof = all_zero(&air, &options(3, Suite::Keccak256));
    let with = |options: lambdaworks::Options| verify(&air, &options, Seed::Default, &proof, &Policy::default());
    let most = lambdaworks::Options { queries: u32::MAX, ..options(3, Suite::Keccak256) };
    assert_eq!(with(most), Err(VerifyError::Options(OptionsError::Queries(u32::MAX))));
    let queries = MAX_QUERIES as usize;
    let expected = VerifyError::FriDecommitments { expected: queries, found: 3 };
    assert_eq!(with(lambdaworks::Options { queries: MAX_QUERIES, ..most }), Err(expected));
    for blowup in [4, 128, 1 << 31] {
        assert!(matches!(with(lambdaworks::Options { blowup, ..most }), Err(VerifyError::Options(_))), "{blowup}");
    }
    // All the work that there can be: one nonce in 2^64 does it.
    let work = lambdaworks::Options { grinding: grinding::MAX_BITS, ..options(3, Suite::Keccak256) };
    let mut proof = proof.clone();
    proof.nonce = Some(u64::MAX);
    let refused = verify(&air, &work, Seed::Default, &proof, &Policy::ANY);
    assert_eq!(refused, Err(VerifyError::ProofOfWork { nonce: u64::MAX, bits: 64 }));
}

#[test]
fn offsets_that_meet_the_trace_domain() {
    // With an offset in the subgroup z would be drawn outside of both domains, but queries would fall into the trace
    // domain.
    let air = record::<Cubic, _>(&BitFlags::new(ROWS).expect("possible")).expect("valid");
    let proof = all_zero(&air, &options(210, Suite::Keccak256));
    let mut transcript = Transcript::new(b"no meaning");
    let any: Goldilocks = transcript.sample_element();
    // The cofactor is 2^32 - 1: this power is in the subgroup of order 2^32.
    let inside = any.pow((1 << 32) - 1).value();
    for offset in [0, 1, inside, u64::MAX - (1 << 32) + 2, 0xFFFF_FFFF_0000_0000] {
        let options = lambdaworks::Options { coset_offset: offset, ..options(210, Suite::Keccak256) };
        let refused = verify(&air, &options, Seed::Default, &proof, &Policy::default());
        assert!(matches!(refused, Err(VerifyError::Options(_))), "{offset}: {refused:?}");
    }
}
