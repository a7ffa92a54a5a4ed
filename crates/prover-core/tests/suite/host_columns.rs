//! Auxiliary columns that the device builds and columns that the AIR gives, mixed in one trace.

use std::sync::Arc;

use air::{Air, AirBuilder, Column, Layout, Rows, Scan, Trace};
use field::{Field, Fp3, Goldilocks};
use golden::backends::{cpu, reference};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use goldilocks_verifier::Policy;
use gpu_hal::decorate::{Dual, Metered};
use gpu_hal::{GoldilocksStark, Operation};
use prover_core::Silent;
use prover_core::goldilocks::{ProveError, Prover};

type P = GoldilocksStark;
const LOG_ROWS: u32 = 6;

/// The kind of the host columns.
#[derive(Clone, Copy, PartialEq)]
enum Host {
    Right,
    Wrong,
    Short,
    Missing,
}

/// Columns a, b (a permutation of a) with the auxiliary columns `h = gamma a` (host), the permutation product (device),
/// `k = gamma^2 b` (host) and the sum of `1/(a + gamma)` (device), in this order.
struct Mixed(Host);

impl Air<P> for Mixed {
    fn name(&self) -> &str {
        "mixed"
    }

    fn log_trace_length(&self) -> u32 {
        LOG_ROWS
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 4, frame_rows: 2, challenges: 1, composition_parts: 1 }
    }

    fn define(&self, b: &AirBuilder<P>) {
        let gamma = b.challenge(0);
        let shifted = |column: usize, offset: usize| b.main(column, offset) + gamma;
        b.host_column();
        b.running_product(shifted(0, 0), shifted(1, 0), Scan::Exclusive);
        b.host_column();
        b.running_sum(&[(b.constant(Goldilocks::ONE), shifted(0, 0))], Scan::Inclusive);
        b.transition(b.aux(0, 0) - gamma * b.main(0, 0), Rows::all());
        b.transition(b.aux(1, 1) * shifted(1, 0) - b.aux(1, 0) * shifted(0, 0), Rows::all());
        b.transition(b.aux(2, 0) - gamma * gamma * b.main(1, 0), Rows::all());
        b.transition((b.aux(3, 1) - b.aux(3, 0)) * shifted(0, 1) - 1, Rows::all().except_last(1));
        b.boundary(Column::Aux(1), 0, Goldilocks::ONE);
    }

    fn host_columns(&self, main: &Trace<Goldilocks>, challenges: &[Fp3]) -> Vec<Vec<Fp3>> {
        let gamma = challenges[0];
        let mut columns: Vec<Vec<Fp3>> = vec![
            main.column(0).iter().map(|a| gamma * *a).collect(),
            main.column(1).iter().map(|b| gamma * gamma * *b).collect(),
        ];
        match self.0 {
            Host::Right => {}
            Host::Wrong => columns[1][5] += Fp3::ONE,
            Host::Short => drop(columns[1].pop()),
            Host::Missing => drop(columns.pop()),
        }
        columns
    }
}

fn trace() -> Trace<Goldilocks> {
    let n = 1u64 << LOG_ROWS;
    let a: Vec<Goldilocks> = (0..n).map(|i| Goldilocks::new(i * i * 77 + 5)).collect();
    let b = (0..n).map(|i| a[((i * 13 + 7) % n) as usize]).collect();
    Trace::from_columns(vec![a, b]).expect("two columns of one length")
}

fn options() -> lambdaworks::Options {
    lambdaworks::Options { blowup: 4, queries: 7, grinding: 2, coset_offset: 3, suite: Suite::Keccak256 }
}

#[test]
fn mixed_columns_are_proven_and_cost_one_transfer() {
    let backend = Arc::new(Metered::new(Dual::new(reference::<P>(), cpu::<P>())));
    let prover = Prover::new(backend.clone(), Arc::new(Mixed(Host::Right))).expect("a sound AIR");
    backend.reset();
    let proof = prover.prove(&trace(), &options(), Seed::Default, &Silent).expect("an honest trace");
    goldilocks_verifier::verify(prover.recorded(), &options(), Seed::Default, &proof, &Policy::ANY)
        .expect("an honest proof");
    let meter = backend.snapshot();
    // Two main columns, two host columns of three coordinates.
    assert_eq!(meter.of(Operation::UploadLde).uploaded, (8 * 2) << LOG_ROWS);
    assert_eq!(meter.of(Operation::Upload).uploaded, (8 * 2 * 3) << LOG_ROWS);
    assert_eq!(meter.of(Operation::Select).calls, 1);
    // Both sides of the comparison hold their own copy, and both are planned.
    let peak = meter.peak_memory.expect("a CPU knows its memory");
    assert_eq!(peak, prover.plan(&options()).expect("good options").peak_bytes);
}

#[test]
fn wrong_host_columns_give_no_proof() {
    let backend = Arc::new(cpu::<P>());
    let prove = |host: Host| {
        let air = Arc::new(Mixed(host));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        prover.prove(&trace(), &options(), Seed::Default, &Silent).map(|_| ())
    };
    assert!(matches!(prove(Host::Wrong), Err(ProveError::Unsatisfied(_))));
    let n = 1 << LOG_ROWS;
    match prove(Host::Short) {
        Err(ProveError::HostColumns { index: 1, rows, expected, given: 2, declared: 2 }) => {
            assert_eq!((rows, expected), (n - 1, n));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(prove(Host::Missing), Err(ProveError::HostColumns { given: 1, declared: 2, .. })));
}

#[test]
fn a_trace_of_another_shape_is_refused() {
    let backend = Arc::new(cpu::<P>());
    let air = Arc::new(Mixed(Host::Right));
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let narrow = Trace::from_columns(vec![vec![Goldilocks::ONE; 1 << LOG_ROWS]]).expect("one column");
    let result = prover.prove(&narrow, &options(), Seed::Default, &Silent);
    assert!(matches!(result, Err(ProveError::TraceShape { width: 1, expected_width: 2, .. })));
}
