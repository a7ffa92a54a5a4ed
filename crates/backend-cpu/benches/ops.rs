//! The operations behind the transforms: in the shape of a fibonacci-rap proof of Goldilocks (2^18 rows, blowup 4, two
//! base columns and one extension column), and programs of Circle in the shape of a wide fibonacci and of a lookup.

use backend_cpu::{Cpu, CpuBuffer};
use criterion::{Criterion, criterion_group, criterion_main};
use field::{Field, Fp3, Goldilocks, M31, QM31, TwoAdicField};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Columns, Combination, CombinationGroup, Constraints, CosetDomain, DeepTerm,
    EvalOrder, EvalRequest, Factor, GoldilocksStark, MapArgs, Multiplier, RunningColumn, RunningForm, RunningKind,
    RunningRequest, StarkBackend,
};

type P = GoldilocksStark;
type Table = Columns<CpuBuffer<Goldilocks>>;

const LOG_ROWS: u32 = 18;
const LOG_SIZE: u32 = 20;
/// Columns of the wide fibonacci.
const WIDTH: usize = 32;

fn table(backend: &Cpu<P>, width: usize, log_height: u32) -> Table {
    let data: Vec<Goldilocks> = field::powers(Goldilocks::new(7)).take(width << log_height).collect();
    backend.upload(&data, width, log_height).expect("canonical")
}

fn challenge(seed: u64) -> Fp3 {
    Fp3::new(Goldilocks::new(seed), Goldilocks::new(seed + 1), Goldilocks::new(!seed)).square()
}

fn constraint_eval(c: &mut Criterion, backend: &Cpu<P>, main: &Table, aux: &Table, domain: CosetDomain<Goldilocks>) {
    let groups = vec![Group { width: 2, kind: Kind::Base }, Group { width: 1, kind: Kind::Ext }];
    let mut b = ProgramBuilder::<P>::new(groups, 1);
    let (a0, a1, a2, b0) = (b.load(0, 0, 0), b.load(0, 0, 1), b.load(0, 0, 2), b.load(0, 1, 0));
    let (z0, z1, gamma) = (b.load(1, 0, 0), b.load(1, 0, 1), b.param(0));
    let step = b.sub(a2, a1);
    let step = b.sub(step, a0);
    let (left, right) = (b.add(b0, gamma), b.add(a0, gamma));
    let (left, right) = (b.mul(z1, left), b.mul(z0, right));
    let permutation = b.sub(left, right);
    let one = b.constant(Goldilocks::ONE);
    let (first_a, first_z) = (b.sub(a0, one), b.sub(z0, one));
    let outputs = [step, permutation, first_a, first_z].map(|node| b.output(node));
    let program = backend.prepare(&b.finish().expect("declared")).expect("any program");
    let g = Goldilocks::two_adic_generator(LOG_ROWS);
    let last = |k: u64| Factor { log_power: 0, constant: g.pow((1 << LOG_ROWS) - k), inverse: false };
    let vanishing = Factor { log_power: LOG_ROWS, constant: Goldilocks::ONE, inverse: true };
    let row = |k: u64| vec![Factor { log_power: 0, constant: g.pow(k), inverse: true }];
    let group = |factors: Vec<Factor<Goldilocks>>, outputs: &[usize], seed| CombinationGroup {
        multiplier: Multiplier { factors, column: None },
        terms: outputs.iter().map(|output| (*output, challenge(seed + *output as u64))).collect(),
    };
    let combination = Combination {
        groups: vec![
            group(vec![vanishing, last(1), last(2), last(3)], &outputs[..1], 1),
            group(vec![vanishing, last(1)], &outputs[1..2], 5),
            group(row(0), &[outputs[2], outputs[3]], 9),
            group(row(1), &outputs[2..3], 14),
        ],
    };
    let columns = [main.as_ref(), aux.as_ref()];
    for log_eval in [LOG_ROWS, LOG_SIZE] {
        let args = Constraints {
            program: &program,
            columns: &columns,
            domain,
            log_trace: LOG_ROWS,
            log_eval,
            params: &[challenge(3)],
            combination: &combination,
        };
        c.bench_function(&format!("constraint_eval 2^{log_eval}"), |b| {
            b.iter(|| backend.constraint_eval(std::slice::from_ref(&args)).expect("well-formed"));
        });
    }
}

fn running(c: &mut Criterion, backend: &Cpu<P>, trace: &Table) {
    let mut b = ProgramBuilder::<P>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let (a, second, gamma) = (b.load(0, 0, 0), b.load(0, 1, 0), b.param(0));
    let (numerator, denominator) = (b.add(a, gamma), b.add(second, gamma));
    let (numerator, denominator) = (b.output(numerator), b.output(denominator));
    let program = backend.prepare(&b.finish().expect("declared")).expect("any program");
    let column = RunningColumn { kind: RunningKind::Product, inclusive: false, numerator, denominator };
    let args = RunningRequest {
        program: &program,
        columns: &[trace.as_ref()],
        log_height: LOG_ROWS,
        params: &[challenge(4)],
        form: RunningForm::Columns(&[column]),
    };
    c.bench_function("running", |b| b.iter(|| backend.running(std::slice::from_ref(&args)).expect("well-formed")));
}

fn openings(
    c: &mut Criterion,
    backend: &Cpu<P>,
    tables: [&Table; 3],
    traces: [&Table; 2],
    domain: CosetDomain<Goldilocks>,
) {
    let g = Goldilocks::two_adic_generator(LOG_ROWS);
    let z = challenge(77);
    let points = [z, z * g, z * g.square()];
    let from = Basis::Evaluations { domain: CosetDomain::subgroup(LOG_ROWS), order: EvalOrder::Row };
    c.bench_function("eval_at", |b| {
        let requests = traces.map(|trace| EvalRequest { columns: trace.as_ref(), from, points: &points });
        b.iter(|| backend.eval_at(&requests).expect("well-formed"));
    });
    let columns = tables.map(|table| table.as_ref());
    let weights = |table, width: usize| (0..width).map(move |column| (table, column, challenge(column as u64)));
    let trace_term = |(row, point): (u64, &Fp3)| {
        let weights = weights(0, 2).chain(weights(1, 3)).map(|(table, column, w)| (table, column, w * z.pow(row)));
        DeepTerm { point: *point, weights: weights.collect(), constant: challenge(200), slope: Fp3::ZERO }
    };
    let mut terms: Vec<_> = (0..).zip(&points).map(trace_term).collect();
    terms.push(DeepTerm { point: z, weights: weights(2, 3).collect(), constant: challenge(300), slope: Fp3::ZERO });
    c.bench_function("deep_quotient", |b| {
        b.iter(|| backend.deep_quotient(&columns, domain, &terms).expect("well-formed"));
    });
    c.bench_function("all folds", |b| {
        b.iter(|| {
            let mut domain = domain;
            let mut layer = backend.fri_fold(tables[2].as_ref(), domain, z).expect("well-formed");
            while domain.log_size > 3 {
                domain = CosetDomain::new(domain.shift.square(), domain.log_size - 1);
                layer = backend.fri_fold(layer.as_ref(), domain, z).expect("well-formed");
            }
            layer
        });
    });
}

/// `a_(i+2) = a_i^2 + a_(i+1)^2` along the rows of [`WIDTH`] columns.
fn circle_constraints(c: &mut Criterion, backend: &Cpu<CircleStark>) {
    let mut b = ProgramBuilder::<CircleStark>::new(vec![Group { width: WIDTH, kind: Kind::Base }], 0);
    let columns: Vec<_> = (0..WIDTH).map(|column| b.load(0, column, 0)).collect();
    for window in columns.windows(3) {
        let (first, second) = (b.mul(window[0], window[0]), b.mul(window[1], window[1]));
        let sum = b.add(first, second);
        let step = b.sub(window[2], sum);
        b.output(step);
    }
    let program = backend.prepare(&b.finish().expect("declared")).expect("any program");
    let weight = |at: usize| QM31([1, 2, 3, at as u32].map(M31::new));
    let factors = vec![Factor { log_power: LOG_ROWS - 1, constant: M31::new(0), inverse: true }];
    let group = CombinationGroup {
        multiplier: Multiplier { factors, column: None },
        terms: (0..WIDTH - 2).map(|output| (output, weight(output))).collect(),
    };
    let log_eval = LOG_ROWS + 1;
    let data: Vec<M31> = field::powers(M31::new(7)).take(WIDTH << log_eval).collect();
    let table = backend.upload(&data, WIDTH, log_eval).expect("canonical");
    let args = Constraints {
        program: &program,
        columns: &[table.as_ref()],
        domain: CircleDomain::canonic(log_eval),
        log_trace: LOG_ROWS,
        log_eval,
        params: &[],
        combination: &Combination { groups: vec![group] },
    };
    c.bench_function("circle constraint_eval", |b| {
        b.iter(|| backend.constraint_eval(std::slice::from_ref(&args)).expect("well-formed"))
    });
}

/// Four fractions of two columns, and a map of them.
fn circle_rows(c: &mut Criterion, backend: &Cpu<CircleStark>) {
    let mut b = ProgramBuilder::<CircleStark>::new(vec![Group { width: 2, kind: Kind::Base }], 2);
    let (value, count, next) = (b.load(0, 0, 0), b.load(0, 1, 0), b.load(0, 0, 1));
    let (z, alpha) = (b.param(0), b.param(1));
    let mut fractions = Vec::new();
    for k in 1..5 {
        let constant = b.constant(M31::new(k));
        let shifted = b.add(next, constant);
        let combined = b.mul(alpha, shifted);
        let combined = b.add(combined, value);
        let denominator = b.sub(combined, z);
        fractions.push((b.output(count), b.output(denominator)));
    }
    let square = b.mul(value, next);
    let square = b.output(square);
    let program = backend.prepare(&b.finish().expect("declared")).expect("any program");
    let data: Vec<M31> = field::powers(M31::new(7)).take(2 << LOG_ROWS).collect();
    let table = backend.upload(&data, 2, LOG_ROWS).expect("canonical");
    let columns = [table.as_ref()];
    let params = [QM31([5, 6, 7, 8].map(M31::new)), QM31([9, 1, 2, 3].map(M31::new))];
    let form = RunningForm::Logup(&fractions);
    let args = [RunningRequest { program: &program, columns: &columns, log_height: LOG_ROWS, params: &params, form }];
    c.bench_function("circle logup", |b| b.iter(|| backend.running(&args).expect("well-formed")));
    let args = MapArgs { program: &program, columns: &columns, log_height: LOG_ROWS, outputs: &[square] };
    c.bench_function("circle map", |b| b.iter(|| backend.map(&args).expect("well-formed")));
}

fn benches(c: &mut Criterion) {
    let circle = Cpu::<CircleStark>::with_threads(2).expect("two threads");
    circle_constraints(c, &circle);
    circle_rows(c, &circle);
    let backend = Cpu::<P>::with_threads(2).expect("two threads");
    let domain = CosetDomain::new(Goldilocks::new(3), LOG_SIZE);
    let (main, aux) = (table(&backend, 2, LOG_SIZE), table(&backend, 3, LOG_SIZE));
    let (main_trace, aux_trace) = (table(&backend, 2, LOG_ROWS), table(&backend, 3, LOG_ROWS));
    let composition = table(&backend, 3, LOG_SIZE);
    constraint_eval(c, &backend, &main, &aux, domain);
    running(c, &backend, &main_trace);
    openings(c, &backend, [&main, &aux, &composition], [&main_trace, &aux_trace], domain);
}

criterion_group! {
    name = ops;
    config = Criterion::default().sample_size(20);
    targets = benches
}
criterion_main!(ops);
