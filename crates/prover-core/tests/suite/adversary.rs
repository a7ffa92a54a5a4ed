//! Random statements: true ones are proven, the same everywhere, and verified; of false ones there is no proof.

use std::collections::BTreeMap;
use std::sync::Arc;

use adversary::{Bounds, Change, circle as circle_statements, goldilocks};
use air::{Air, TraceError, check_trace, record};
use circle_air::{RecordedStatement, Statement as _};
use circle_proof::{CircleOptions, VerifyError as CircleError};
use field::{Fp3, Goldilocks};
use golden::backends::{cpu_of, reference};
use golden::slow_or_skip;
use goldilocks_proof::{Seed, Suite, encode, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, verify};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{self, CircleProof};
use prover_core::goldilocks::{ProveError, Prover};

type P = GoldilocksStark;

/// Small statements, of which as many as a few seconds hold.
fn statements() -> u64 {
    if slow_or_skip("160 of 200 random statements") { 200 } else { 40 }
}

/// The (constraint, row) that the check of a trace finds.
fn found(statement: &goldilocks::Statement) -> Vec<(usize, usize)> {
    let recorded = record(statement).expect("an AIR");
    let drawn = [[3, 1, 4], [1, 5, 9]].map(|number| Fp3(number.map(Goldilocks::new)));
    let challenges = &drawn[..recorded.layout().challenges];
    match check_trace(&recorded, statement, &statement.trace(), challenges, usize::MAX) {
        Ok(()) => Vec::new(),
        Err(TraceError::Wrong(found)) => found.violations.iter().map(|one| (one.constraint, one.row)).collect(),
        Err(TraceError::Air(error)) => panic!("{error}"),
    }
}

fn prove<B: StarkBackend<P = P>>(
    backend: &Arc<B>,
    statement: &goldilocks::Statement,
    options: &lambdaworks::Options,
) -> Result<goldilocks_proof::Proof<P>, ProveError> {
    let prover = Prover::new(backend.clone(), Arc::new(statement.clone()))?;
    prover.prove(&statement.trace(), options, Seed::Default, &Silent)
}

fn accepts(
    statement: &goldilocks::Statement,
    options: &lambdaworks::Options,
    proof: &goldilocks_proof::Proof<P>,
) -> Result<(), VerifyError> {
    let recorded = record(statement).expect("an AIR");
    verify(&recorded, options, Seed::Default, proof, &Policy::ANY).map(drop)
}

#[test]
fn random_goldilocks_statements() {
    let (reference, cpu) = (Arc::new(reference::<P>()), Arc::new(cpu_of::<P>(2)));
    let (mut kinds, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let statements = statements();
    for seed in 0..statements {
        let statement = goldilocks::Statement::draw(seed, &Bounds::default());
        assert!(
            statement.violated().is_empty() && found(&statement).is_empty(),
            "seed {seed}: {:?}",
            found(&statement)
        );
        let recorded = record(&statement).expect("an AIR");
        let features = [
            ("several parts", recorded.layout().composition_parts > 2),
            ("periodic columns", !recorded.periodic().is_empty()),
            ("products or sums", recorded.running().is_some()),
            ("columns of the host", !recorded.host_aux().is_empty()),
            ("many exempt rows", !recorded.exemptions().is_empty()),
            ("exempt periods", recorded.transitions().iter().any(|rows| rows.exempted().is_some())),
        ];
        features.into_iter().filter(|(_, has)| *has).for_each(|(name, _)| *seen.entry(name).or_insert(0) += 1);
        let parts = statement.layout().composition_parts.next_power_of_two() as u32;
        let suite = if seed % 8 == 0 { Suite::Poseidon2 } else { Suite::Keccak256 };
        let options = lambdaworks::Options { blowup: parts.max(2), queries: 16, grinding: 1, coset_offset: 7, suite };
        let honest = prove(&cpu, &statement, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let plain = prove(&reference, &statement, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(encode(&honest) == encode(&plain), "seed {seed}: another proof on another backend");
        assert_eq!(accepts(&statement, &options, &honest), Ok(()), "seed {seed}");
        for violation in statement.violations(seed) {
            let (what, changed) = (violation.what, &violation.statement);
            assert_eq!(
                found(changed),
                changed.violated(),
                "seed {seed}, {what}: what the check finds is not what is wrong"
            );
            match prove(&cpu, changed, &options) {
                Err(ProveError::Unsatisfied(_)) => {}
                Ok(_) if matches!(what, Change::Public { .. }) => {}
                other => panic!("seed {seed}, {what}: {:?}", other.map(|_| "a proof")),
            }
            // The claim is another one: the transcript differs.
            if !what.is_of_trace() {
                let refused = accepts(changed, &options, &honest);
                let expected = matches!(refused, Err(VerifyError::ProofOfWork { .. } | VerifyError::Composition));
                assert!(expected, "seed {seed}, {what}: {refused:?}");
            }
            *kinds.entry(what.kind()).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == 6 && seen.values().all(|&count| count > statements / 20), "{seen:?}");
    assert!(kinds.len() == 5 && kinds.values().all(|&count| count > statements / 5), "{kinds:?}");
}

/// The (component, constraint, row) that the check of a trace finds, and how many tuples do not cancel.
fn found_circle(statement: &circle_statements::Statement) -> (Vec<(usize, usize, usize)>, usize) {
    let component = |of: &Option<air::Component>| of.as_ref().expect("a protocol of components").index;
    match circle_air::check_trace(statement, &statement.trace(), usize::MAX) {
        Ok(()) => (Vec::new(), 0),
        Err(circle_air::TraceError::Wrong(found)) => {
            let violations = found.violations.iter().map(|one| (component(&one.component), one.constraint, one.row));
            (violations.collect(), found.lookups.as_ref().map_or(0, |lookups| lookups.uncancelled))
        }
        Err(error) => panic!("{error}"),
    }
}

fn prove_circle<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    statement: &circle_statements::Statement,
    options: &CircleOptions,
) -> Result<CircleProof, circle::ProveError> {
    circle::Prover::new(backend.clone(), Arc::new(statement.clone()), options)?.prove(&statement.trace(), &Silent)
}

#[test]
fn random_circle_statements() {
    let reference = Arc::new(reference::<CircleStark>());
    let cpu = Arc::new(cpu_of::<CircleStark>(2));
    let (mut kinds, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let statements = statements();
    for seed in 0..statements {
        let statement = circle_statements::Statement::draw(seed, &Bounds::default());
        assert!(statement.violated().is_empty() && statement.uncancelled() == 0, "seed {seed}");
        assert_eq!(found_circle(&statement), (Vec::new(), 0), "seed {seed}");
        let recorded = RecordedStatement::new(&statement, None).expect("a sound statement");
        let heights: Vec<u32> = recorded.components.iter().map(|component| component.log_size).collect();
        let features = [
            ("components of different heights", heights.iter().any(|height| *height != heights[0])),
            ("preprocessed columns", !recorded.preprocessed.is_empty()),
            ("several relations", statement.draws() > 2),
            ("no lookups", statement.draws() == 0),
        ];
        features.into_iter().filter(|(_, has)| *has).for_each(|(name, _)| *seen.entry(name).or_insert(0) += 1);
        let log_blowup = 1 + (seed % 5 == 0) as u32;
        // Trees of one height: a lower one opens its queries in order by luck alone.
        let lifting = (!recorded.preprocessed.is_empty()).then_some(statement.log_rows() + log_blowup);
        let fold_step = 1 + (seed % 3) as u32;
        let options =
            CircleOptions { pow_bits: 4, log_blowup, queries: 20, fold_step, lifting, ..CircleOptions::default() };
        let prove = |what: &circle_statements::Statement| prove_circle(&cpu, what, &options);
        let honest = prove(&statement).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let plain =
            prove_circle(&reference, &statement, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let bytes = circle_proof::encode(&honest.proof);
        assert!(bytes == circle_proof::encode(&plain.proof), "seed {seed}: another proof on another backend");
        assert_eq!(honest.claimed_sums, plain.claimed_sums, "seed {seed}");
        let accepts = |statement: &circle_statements::Statement| {
            circle_proof::verify(statement, &honest.claimed_sums, &bytes, &circle_proof::Policy::ANY).map(drop)
        };
        accepts(&statement).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for violation in statement.violations(seed) {
            let (what, changed) = (violation.what, &violation.statement);
            let wrong = (changed.violated(), changed.uncancelled());
            assert_eq!(found_circle(changed), wrong, "seed {seed}, {what}: what the check finds is not what is wrong");
            match prove(changed) {
                Err(circle::ProveError::Unsatisfied(_)) if !wrong.0.is_empty() => {}
                Err(circle::ProveError::ClaimedSums(_)) if wrong.1 > 0 => {}
                Ok(_) if matches!(what, Change::Public { .. }) => {}
                other => panic!("seed {seed}, {what}: {:?}", other.map(|_| "a proof")),
            }
            // The claim is another one: the columns that both know differ, or the transcript does, so that other rows
            // are opened.
            if !what.is_of_trace() {
                let refused = accepts(changed);
                let expected = match what {
                    Change::Known { .. } => matches!(refused, Err(CircleError::Preprocessed { .. })),
                    _ => matches!(
                        refused,
                        Err(CircleError::ProofOfWork { .. } | CircleError::Shape(_) | CircleError::Protocol(_))
                    ),
                };
                assert!(expected, "seed {seed}, {what}: {refused:?}");
            }
            *kinds.entry(what.kind()).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == 4 && seen.values().all(|&count| count > statements / 20), "{seen:?}");
    assert!(kinds.len() == 5 && kinds.values().all(|&count| count > statements / 5), "{kinds:?}");
}
