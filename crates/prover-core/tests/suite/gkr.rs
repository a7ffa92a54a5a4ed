//! GKR on devices: the bytes of stwo and of the host.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use adversary::gkr::draw;
use backend_cpu::Cpu;
use circle_proof::Suite;
use circle_proof::gkr::Trees;
use field::{Field, M31, QM31};
use golden::backends::{cpu_of, reference};
use golden::gkr::{base_columns, check, large, on_device, on_host};
use gpu_hal::{CircleStark, Operation, StarkBackend};
use prover_core::circle::gkr::{DeviceLayer, GkrError, Prover, prove_batch};
use prover_core::{Cancelled, MemoryError, Observer, Phase, Silent};
use sumcheck::gkr::{Instance, Kind, LayerError, verify_batch};

#[test]
fn devices_prove_what_the_host_proves() {
    let shapes: Vec<_> = large().iter().map(|tree| tree.instance(0).unwrap()).collect();
    assert!(verify_batch(&shapes, &on_host(large()).0, &mut Suite::Blake2s.channel()).is_ok());
    check(&cpu_of::<CircleStark>(2));
    check(&reference::<CircleStark>());
}

/// Small trees: every kind, every size up to 2^9.
#[test]
fn random_batches_are_proven_as_on_the_host() {
    let backend = cpu_of::<CircleStark>(2);
    for seed in 0..100 {
        assert!(on_device(&backend, &draw(seed)) == on_host(draw(seed)), "seed {seed}");
    }
}

#[test]
fn tables_that_are_no_layers_are_refused() {
    let backend = cpu_of::<CircleStark>(2);
    let table =
        |width: usize, log_rows: u32| backend.upload(&vec![M31::ONE; width << log_rows], width, log_rows).unwrap();
    let prove = |kind, width, log_rows| {
        let table = table(width, log_rows);
        let layer = DeviceLayer { kind, columns: table.as_ref() };
        prove_batch(&backend, &[layer], &mut Suite::Blake2s.channel()).unwrap_err()
    };
    for (kind, width) in Kind::ALL.into_iter().zip([4, 8, 5, 4]) {
        let error = prove(kind, width, 0);
        assert!(matches!(error, GkrError::Layer(LayerError::Length { instance: 0, length: 1 })), "{error}");
        let error = prove(kind, width + 1, 3);
        assert!(matches!(error, GkrError::Columns { found, .. } if found == width + 1), "{error}");
    }
    let none = prove_batch(&backend, &[], &mut Suite::Blake2s.channel()).unwrap_err();
    assert!(matches!(none, GkrError::Layer(LayerError::Empty)));
}

fn trees(instances: Vec<Instance>) -> Trees {
    Trees { suite: Suite::Blake2s, instances, columns: [7; 32] }
}

/// Large trees.
fn provable() -> (Trees, Vec<Vec<Vec<M31>>>) {
    let batch = large();
    let instances = batch.iter().map(|tree| tree.instance(0).unwrap()).collect();
    (trees(instances), batch.iter().map(base_columns).collect())
}

#[test]
fn a_plan_is_what_a_proof_takes() {
    for threads in [1, 2] {
        let (backend, (trees, columns)) = (Arc::new(cpu_of::<CircleStark>(threads)), provable());
        let prover = Prover::new(backend.clone(), trees).expect("a plan");
        prover.prove(&columns, &Silent).expect("a proof");
        let (planned, peak) = (prover.plan().peak_bytes, backend.memory().expect("counted").peak);
        assert!(peak <= planned && planned <= peak + peak / 50, "{planned} planned, {peak} taken");
        let of = |operation| prover.plan().steps.iter().filter(|step| step.operation == operation).count();
        let rounds = [Operation::Sum, Operation::BindSum].map(of);
        // One tree of 13 variables, three of 12 and one of 11: some begin with a round, and some go on.
        assert_eq!(rounds, [10, 6], "rounds on the device");
    }
}

#[test]
fn a_proof_that_does_not_fit_is_refused_before_any_work() {
    let (trees, columns) = provable();
    let needed = Prover::new(Arc::new(cpu_of::<CircleStark>(1)), trees.clone()).expect("a plan").plan().peak_bytes;
    for (bytes, fits) in [(needed, true), (needed - 1, false)] {
        let backend = Arc::new(Cpu::<CircleStark>::with_memory_limit(bytes));
        let proven = Prover::new(backend.clone(), trees.clone()).expect("a plan").prove(&columns, &Silent);
        match proven {
            Ok(_) => assert!(fits),
            Err(GkrError::Memory(MemoryError::Missing { needed: of_plan, available, .. })) => {
                assert!(!fits && (of_plan, available) == (needed, bytes));
                assert_eq!(backend.memory().expect("counted").peak, 0, "nothing was done");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Ends a proof when it has been asked so often.
struct EndAfter {
    asked: Cell<usize>,
    left: Cell<usize>,
}

impl EndAfter {
    fn ask(&self) -> ControlFlow<()> {
        self.asked.set(self.asked.get() + 1);
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

impl Observer<QM31> for EndAfter {
    fn phase(&self, _: Phase) -> ControlFlow<()> {
        self.ask()
    }

    fn goes_on(&self, _: Phase) -> ControlFlow<()> {
        self.ask()
    }
}

#[test]
fn an_observer_ends_a_proof_at_every_round() {
    let (backend, (trees, columns)) = (Arc::new(cpu_of::<CircleStark>(2)), provable());
    let prover = Prover::new(backend.clone(), trees).expect("a plan");
    let end_after = |left| EndAfter { asked: Cell::new(0), left: Cell::new(left) };
    let all = end_after(usize::MAX);
    let expected = prover.prove(&columns, &all).expect("nobody ends it");
    for left in 0..all.asked.get() {
        match prover.prove(&columns, &end_after(left)) {
            Err(GkrError::Cancelled(Cancelled { phase: Phase::Layers | Phase::Sumchecks })) => {}
            other => panic!("{left}: {:?}", other.map(|_| "a proof")),
        }
        assert_eq!(backend.memory().expect("counted").in_use, 0, "{left}");
    }
    // Once for each tree, and for each round on the device.
    assert!(all.asked.get() > 12, "{} rounds", all.asked.get());
    assert!(prover.prove(&columns, &Silent).expect("it can be used again") == expected);
}

#[test]
fn columns_of_other_trees_are_refused() {
    let backend = Arc::new(cpu_of::<CircleStark>(1));
    let ones = |columns: usize, rows: usize| vec![vec![M31::ONE; rows]; columns];
    let instances =
        vec![Instance { kind: Kind::LogUp, variables: 3 }, Instance { kind: Kind::GrandProduct, variables: 2 }];
    let prover = Prover::new(backend.clone(), trees(instances)).expect("a plan");
    let prove = |columns: &[Vec<Vec<M31>>]| prover.prove(columns, &Silent);
    assert!(prove(&[ones(8, 8), ones(4, 4)]).is_ok());
    assert!(matches!(prove(&[ones(8, 8)]), Err(GkrError::Count { given: 1, expected: 2 })));
    assert!(matches!(prove(&[ones(8, 8), ones(5, 4)]), Err(GkrError::Columns { instance: 1, found: 5, .. })));
    assert!(matches!(prove(&[ones(8, 4), ones(4, 4)]), Err(GkrError::Rows { instance: 0, found: 4, .. })));
    let mut over_zero = ones(8, 8);
    over_zero[4..].iter_mut().for_each(|column| column[5] = M31::ZERO);
    assert!(matches!(prove(&[over_zero, ones(4, 4)]), Err(GkrError::Denominator { instance: 0, row: 5 })));
    for variables in [0, 31] {
        let instances = vec![Instance { kind: Kind::GrandProduct, variables }];
        let error = Prover::new(backend.clone(), trees(instances)).err();
        assert!(matches!(error, Some(GkrError::Layer(LayerError::Length { instance: 0, .. }))), "{error:?}");
    }
    // More than a file has: nobody could read it.
    let instances = vec![Instance { kind: Kind::GrandProduct, variables: 1 }; 4097];
    let error = Prover::new(backend, trees(instances)).err();
    assert!(matches!(error, Some(GkrError::Trees { found: 4097 })), "{error:?}");
}
