//! Operations that are ended while they are at work.

use backend_cpu::{Cpu, CpuProtocol};
use field::circle::CirclePoint;
use field::{Field, Fp3, Goldilocks, M31, PrimeField, QM31};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, CancelToken, CircleDomain, CircleStark, Columns, Combination, CombinationGroup, Constraints, CosetDomain,
    ErrorKind, EvalRequest, GoldilocksStark, HashFn, LeafLayout, Leaves, Multiplier, Operation, RunningColumn,
    RunningForm, RunningKind, RunningRequest, StarkBackend,
};

use crate::fast::compare::{Table, rng};

const LOG_ROWS: u32 = 10;

/// Operations that look at a flag that is set give other results than else, since they leave their work undone; a
/// caller through the front gets an error.
fn stopped<P: CpuProtocol>(to: P::Domain, point: P::Point, hash: HashFn)
where
    P::Base: PrimeField,
{
    let backend = Cpu::<P>::with_threads(2).expect("two threads can be started");
    let raw = backend.raw();
    let table = Table::<P::Base>::random(&mut rng(7), 3, LOG_ROWS).upload(&backend);
    let columns = [table.as_ref()];
    let stop = CancelToken::default();
    stop.stop();
    let all = |table: &Columns<_>| backend.download(table.as_ref(), 0..table.height()).expect("all rows are there");

    let lde = || gpu_hal::Operations::lde(raw, table.as_ref(), Basis::Coefficients, to).expect("well-formed");
    // It lives on, so that undone results do not lie in its memory.
    let extended = lde();
    assert_ne!(all(&stop.over(lde)), all(&extended), "lde");

    let leaves = Leaves { rows_per_leaf: 1, log_height: LOG_ROWS, log_parts: 0 };
    let merkle = || gpu_hal::Operations::merkle(raw, &columns, leaves, hash).expect("well-formed");
    let tree = merkle();
    let root = |tree| backend.root(tree).expect("there is one");
    assert_ne!(root(&stop.over(merkle)), root(&tree), "merkle");

    let eval_at = || {
        let request = EvalRequest { columns: table.as_ref(), from: Basis::Coefficients, points: &[point] };
        gpu_hal::Operations::eval_at(raw, &[request]).expect("well-formed").remove(0).remove(0)
    };
    assert!(eval_at().iter().all(|value| !value.is_zero()));
    assert!(stop.over(eval_at).iter().all(Field::is_zero), "eval_at");

    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 3, kind: Kind::Base }], 0);
    let (a, b) = (builder.load(0, 0, 0), builder.load(0, 1, 0));
    let product = builder.mul(a, b);
    builder.output(product);
    let program = backend.prepare(&builder.finish().expect("loads are those declared")).expect("any program");
    let multiplier = Multiplier { factors: Vec::new(), column: None };
    let groups = vec![CombinationGroup { multiplier, terms: vec![(0, P::Ext::ONE)] }];
    let combination = Combination { groups };
    let extensions = [extended.as_ref()];
    let constraint_eval = || {
        let request = Constraints {
            program: &program,
            columns: &extensions,
            domain: to,
            log_trace: LOG_ROWS,
            log_eval: extended.log_height,
            params: &[],
            combination: &combination,
        };
        gpu_hal::Operations::constraint_eval(raw, &[request]).expect("well-formed").remove(0)
    };
    assert!(all(&constraint_eval()).iter().any(|value| !value.is_zero()));
    assert!(all(&stop.over(constraint_eval)).iter().all(Field::is_zero), "constraint_eval");

    let column = RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator: 0, denominator: 0 };
    let running = || {
        let form = RunningForm::Columns(std::slice::from_ref(&column));
        let request = RunningRequest { program: &program, columns: &columns, log_height: LOG_ROWS, params: &[], form };
        gpu_hal::Operations::running(raw, &[request]).expect("well-formed").remove(0).columns
    };
    let done = running();
    assert_ne!(all(&stop.over(running)), all(&done), "running");

    let refused = stop.over(|| backend.lde(table.as_ref(), Basis::Coefficients, to)).map(drop).expect_err("stopped");
    assert_eq!((refused.kind, refused.op), (ErrorKind::Stopped, Operation::Lde.into()));
    let layout = LeafLayout::new(1);
    assert!(backend.merkle(&columns, layout, hash).is_ok(), "what is under no flag goes on");
}

#[test]
fn operations_end_when_they_are_told() {
    let point = CirclePoint { x: QM31::from(M31::new(5)), y: QM31::from(M31::new(7)) };
    stopped::<CircleStark>(CircleDomain::canonic(LOG_ROWS + 2), point, HashFn::Blake2s);
    let to = CosetDomain::new(Goldilocks::new(3), LOG_ROWS + 2);
    for hash in [HashFn::Keccak256, HashFn::Poseidon2] {
        stopped::<GoldilocksStark>(to, Fp3::from(Goldilocks::new(5)), hash);
    }
}
