//! Statements and configurations of the largest size. Their traces fit into no machine, but a few kilobytes can claim
//! to prove them; the verifier's work and memory are bounded by the policy and by their input. They are counted in
//! bytes that it allocates, of which a domain would take gigabytes.

use std::collections::BTreeMap;

use circle_air::airs::stated;
use circle_air::{Mixes, RecordedStatement, Statement};
use circle_proof::positions::{is_packed, layer_opening, sibling_count};
use circle_proof::{
    CircleOptions, Committed, FriLayer, FriProof, Policy, PolicyError, Proof, Suite, VerifyError, encode, security,
    verify,
};
use field::{Field, M31, QM31};
use golden::slow_or_skip;
use gpu_hal::Digest;
use proof_format::security::{Bits, Limit};

use crate::forge::allocated::allocated;
use crate::forge::attacks::air;

/// Takes the field's full security at the largest domains.
const POLICY: Policy = Policy { min_security_bits: 60, max_preprocessed_cells: 1 << 26, ..Policy::ANY };

/// Bytes that any of these checks may allocate.
const MOST: usize = 16 << 20;

/// A tree of equal leaves: its node at each level.
struct Uniform(Vec<Digest>);

impl Uniform {
    fn new(elements: usize, height: u32) -> Self {
        let hash = Suite::default().tree();
        let mut nodes = vec![hash.leaf(vec![M31::ZERO; elements])];
        for level in 0..height as usize {
            nodes.push(hash.parent(&nodes[level], &nodes[level]).unwrap());
        }
        Self(nodes)
    }

    fn root(&self) -> Digest {
        self.0[self.0.len() - 1]
    }

    fn open(&self, leaves: &[usize]) -> Vec<Digest> {
        let (mut siblings, mut nodes) = (Vec::new(), leaves.to_vec());
        for node in &self.0[..self.0.len() - 1] {
            nodes.dedup();
            siblings.extend(vec![*node; sibling_count(&nodes, 1)]);
            nodes.iter_mut().for_each(|node| *node >>= 1);
        }
        siblings
    }
}

/// The proof that all columns of a statement without lookups are zero, preprocessed ones included: trees of equal
/// leaves take no time. The values that FRI layers take are left out if they are more than a million.
fn all_zero(statement: &dyn Statement, options: &CircleOptions, log_domain: u32) -> Proof {
    let recorded = RecordedStatement::new(statement, options.lifting).unwrap();
    let offsets = recorded.components.iter().flat_map(|component| &component.offsets[1]);
    // Samples by column, of preprocessed, main and composition columns.
    let columns: [Vec<usize>; 3] = [
        (0..recorded.preprocessed.len()).map(|column| usize::from(recorded.is_sampled(column))).collect(),
        offsets.map(Vec::len).collect(),
        vec![1; 8],
    ];
    // All or none of the tree's own height: there is one size.
    let fixed_height = if columns[0].is_empty() { 0 } else { log_domain };
    let zeros = |columns: usize, height| Uniform::new(columns, height);
    let heights = [fixed_height, log_domain, log_domain];
    let trees = [0, 1, 2].map(|tree: usize| zeros(columns[tree].len(), heights[tree]));
    let [fixed, main, composition] = [0, 1, 2].map(|tree: usize| trees[tree].root());
    let (round, _) = Committed::begin(options, &Mixes::words(statement.words()), fixed, main).draw(None, 0);
    let (out_of_domain, _) = round.commit(None).unwrap().weight();
    let (sampled, _) = out_of_domain.point(composition);
    let zero = QM31::ZERO;
    let (mut folding, _) = sampled.quotients(&vec![zero; columns.iter().flatten().sum()]);
    let (mut log_size, mut layers) = (log_domain, Vec::new());
    for step in options.fold_steps(log_domain) {
        let packing = if is_packed(log_size, step) { 2 } else { 0 };
        let tree = zeros(4 << packing, log_size - packing);
        folding.layer(tree.root());
        layers.push((tree, log_size, step));
        log_size -= step;
    }
    let last = vec![zero; 1 << options.log_last];
    let positions = folding.last(&last).queries(0, log_domain, options.queries);
    let mut queries = positions.clone();
    let mut opened = layers.iter().map(|(tree, log_size, step)| {
        if *step > 20 {
            return FriLayer { fri_witness: Vec::new(), decommitment: Vec::new(), commitment: tree.root() };
        }
        let opening = layer_opening(&queries, *log_size, *step);
        queries = opening.next;
        let decommitment = tree.open(&opening.leaves);
        FriLayer { fri_witness: vec![zero; opening.witness], decommitment, commitment: tree.root() }
    });
    let first_layer = opened.next().unwrap();
    let opened_leaves = heights.map(|height| if height == 0 { &[][..] } else { &positions });
    let sampled = columns.each_ref().map(|tree| tree.iter().map(|&samples| vec![zero; samples]).collect());
    let value = M31::ZERO;
    Proof {
        config: *options,
        commitments: vec![fixed, main, composition],
        sampled_values: sampled.into(),
        decommitments: trees.iter().zip(opened_leaves).map(|(tree, leaves)| tree.open(leaves)).collect(),
        queried_values: columns.map(|tree| vec![vec![value; positions.len()]; tree.len()]).into(),
        proof_of_work: 0,
        fri_proof: FriProof { first_layer, inner_layers: opened.collect(), last_layer: last },
    }
}

#[test]
fn a_true_statement_of_two_hundred_million_rows() {
    let air = air("wide-fibonacci", 28, &[("w", "3")]);
    let options = CircleOptions {
        pow_bits: 0,
        log_blowup: 2,
        queries: 48,
        fold_step: 3,
        log_last: 4,
        ..CircleOptions::default()
    };
    let proof = all_zero(&*air, &options, 30);
    let bytes = encode(&proof);
    let (verified, work) = allocated(|| verify(&*air, &[], &bytes, &POLICY));
    assert_eq!(verified.unwrap().log_domain, 30);
    assert!(work < MOST, "{work}");
    let mut changed = proof;
    changed.queried_values[1][0][7] += M31::ONE;
    let error = verify(&*air, &[], &encode(&changed), &POLICY).unwrap_err();
    assert!(matches!(error, VerifyError::Protocol(_)), "{error:?}");
}

/// All choices of a prover: valid ones are accepted, and nothing overflows.
#[test]
fn every_kind_of_configuration_of_every_size() {
    let (mut valid, mut state) = (0, 1_u64);
    let mut below = |bound: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % bound
    };
    let configurations = if slow_or_skip("18,000 of 20,000 random configurations") { 20_000 } else { 2_000 };
    for index in 0..configurations {
        let log_rows = 1 + below(29);
        let (log_blowup, fold_step, log_last) =
            (1 + below(if index % 2 == 0 { 16 } else { 3 }), 1 + below(12), below(11));
        let natural = log_rows + log_blowup;
        // The smallest that the column with 16 rows allows, and more.
        let lifting = (index % 3 == 0).then(|| natural.max(4 + log_blowup) + below(4));
        let options = CircleOptions {
            pow_bits: 0,
            log_blowup,
            queries: 1 + below(3),
            fold_step,
            log_last,
            lifting,
            ..CircleOptions::default()
        };
        let air = air("wide-fibonacci", log_rows, &[("w", "3")]);
        let Ok(log_domain) = options.validate(log_rows) else {
            let refused = security(&*air, &options);
            assert!(matches!(refused, Err(VerifyError::Options(_))), "2^{log_rows}, {options:?}: {refused:?}");
            continue;
        };
        let proof = all_zero(&*air, &options, log_domain);
        let verified = verify(&*air, &[], &encode(&proof), &Policy::ANY);
        assert!(verified.is_ok(), "2^{log_rows}, {options:?}: {verified:?}");
        valid += 1;
    }
    assert!(valid > configurations / 10, "{valid}");
}

#[test]
fn a_fold_step_that_opens_the_whole_domain() {
    // A kilobyte. Opening what it says would take 2^28 leaves, eight gigabytes of positions.
    let air = air("wide-fibonacci", 29, &[("w", "3")]);
    let options = CircleOptions { pow_bits: 0, log_blowup: 1, queries: 96, fold_step: 29, ..CircleOptions::default() };
    let proof = all_zero(&*air, &options, 30);
    let bytes = encode(&proof);
    let (refused, work) = allocated(|| verify(&*air, &[], &bytes, &POLICY));
    let error = refused.unwrap_err();
    assert!(matches!(&error, VerifyError::Shape(shape) if shape.what == "values of FRI layer 0"), "{error:?}");
    assert!(work < MOST, "{work}");
}

#[test]
fn as_many_queries_as_there_can_be() {
    let air = air("wide-fibonacci", 28, &[("w", "3")]);
    let options =
        CircleOptions { pow_bits: 0, log_blowup: 2, queries: 1 << 16, fold_step: 1, ..CircleOptions::default() };
    let small = CircleOptions { queries: 48, ..options };
    let mut proof = all_zero(&*air, &small, 30);
    proof.config = options;
    let bytes = encode(&proof);
    let (refused, work) = allocated(|| verify(&*air, &[], &bytes, &POLICY));
    let error = refused.unwrap_err();
    assert!(matches!(error, VerifyError::Shape(_)), "{error:?}");
    assert!(work < MOST, "{work}");
}

#[test]
fn preprocessed_columns_that_are_too_large_to_evaluate() {
    let zero = air("wide-fibonacci", 28, &[("w", "3")]);
    let options = CircleOptions { log_blowup: 1, queries: 96, fold_step: 1, ..CircleOptions::default() };
    let bytes = encode(&all_zero(&*zero, &CircleOptions { pow_bits: 0, log_blowup: 2, ..options }, 30));
    for (name, params) in [("plonk", &[][..]), ("range-squares", &[("table", "29")])] {
        let air = air(name, 28, params);
        let (refused, work) = allocated(|| verify(&*air, &[], &bytes, &POLICY));
        let error = refused.unwrap_err();
        let is_policy = matches!(error, VerifyError::Policy(PolicyError::Preprocessed { .. }));
        assert!(is_policy || matches!(error, VerifyError::Options(_)), "{name}: {error:?}");
        assert!(work < MOST, "{name}: {work}");
    }
}

#[test]
fn selectors_that_are_zero_are_found_without_evaluating_a_cell() {
    // Any trace satisfies constraints that are switched off, and stwo's verifier accepts the proof.
    for log_rows in [20, 28] {
        let air = air("fibonacci", log_rows, &[]);
        let options = CircleOptions {
            pow_bits: 0,
            log_blowup: 2,
            queries: 48,
            fold_step: 3,
            log_last: 4,
            ..CircleOptions::default()
        };
        let bytes = encode(&all_zero(&*air, &options, log_rows + 2));
        let error = verify(&*air, &[], &bytes, &Policy { max_preprocessed_cells: 0, ..POLICY }).unwrap_err();
        assert!(matches!(error, VerifyError::Preprocessed { column: 0, .. }), "{error:?}");
    }
}

#[test]
fn a_statement_is_made_without_its_trace() {
    // Its rows would take gigabytes. A verifier makes the statement before it refuses anything.
    for (name, log_rows, family) in [("poseidon2", 29, 5), ("rpo-m31", 29, 7), ("blake2s", 23, 6)] {
        let words: Vec<u32> = [family, log_rows].into_iter().chain(1..=8).collect();
        let (statement, work) = allocated(|| stated(name, log_rows, &BTreeMap::new(), &words));
        assert_eq!(statement.unwrap().words(), words);
        assert!(work < MOST, "{name}: {work}");
    }
    let words: Vec<u32> = [6, 23].into_iter().chain(1..=8).collect();
    let air = stated("blake2s", 23, &BTreeMap::new(), &words).unwrap();
    let zero = crate::forge::attacks::air("wide-fibonacci", 28, &[("w", "3")]);
    let options = CircleOptions { pow_bits: 0, log_blowup: 2, queries: 48, fold_step: 1, ..CircleOptions::default() };
    let bytes = encode(&all_zero(&*zero, &options, 30));
    let (refused, work) = allocated(|| verify(&*air, &[], &bytes, &POLICY));
    let error = refused.unwrap_err();
    assert!(matches!(error, VerifyError::Shape(_)), "{error:?}");
    assert!(work < MOST, "{work}");
}

#[test]
fn the_width_of_relations_takes_bits() {
    // Lookups of tuples of up to 66 values: the elements of the AIR are the weakest round.
    let words: Vec<u32> = [6, 23].into_iter().chain(1..=8).collect();
    let air = stated("blake2s", 23, &BTreeMap::new(), &words).unwrap();
    let security = security(&*air, &CircleOptions::default()).unwrap();
    assert_eq!(security.conjectured, Bits { bits: 86, limit: Limit::Challenges });
    assert_eq!(security.claimed, security.conjectured);
}
