//! Constraint evaluation and running columns of random programs.

use backend_cpu::CpuOptions;
use backend_reference::CpuReference;
use field::{ExtensionField, Field, Fp3, Goldilocks};
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
use gpu_hal::{
    Combination, CombinationGroup, ConstraintProgram, Constraints, CosetDomain, Factor, GoldilocksStark, Multiplier,
    Protocol, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::fast::compare::{Case, Table, backends, compare, element, extension, rng, words};

/// Inputs: two base columns, one extension column, and a base table that may be lower.
fn groups() -> Vec<Group> {
    let group = |width, kind| Group { width, kind };
    vec![group(2, Kind::Base), group(1, Kind::Ext), group(2, Kind::Base), group(1, Kind::Ext)]
}

fn program<P: Protocol>(rng: &mut ChaCha8Rng) -> ConstraintProgram<P> {
    let offsets = 1 << rng.random_range(0..8);
    let mut builder = ProgramBuilder::<P>::new(groups(), 2);
    let mut nodes: Vec<NodeId> = vec![builder.param(0), builder.param(1), builder.constant(element(rng))];
    for _ in 0..rng.random_range(1..30) {
        let pick = |rng: &mut ChaCha8Rng| nodes[rng.random_range(0..nodes.len())];
        let (a, b) = (pick(rng), pick(rng));
        let node = match rng.random_range(0..9) {
            0 => builder.add(a, b),
            1 => builder.sub(a, b),
            2 | 3 => builder.mul(a, b),
            4 => builder.neg(a),
            5 => builder.constant_ext(extension::<P>(rng)),
            _ => {
                let group = rng.random_range(0..4);
                let column = rng.random_range(0..groups()[group].width);
                builder.load(group, column, rng.random_range(-offsets..=offsets))
            }
        };
        nodes.push(node);
    }
    for _ in 0..rng.random_range(1..6) {
        builder.output(nodes[rng.random_range(0..nodes.len())]);
    }
    builder.finish().expect("loads and parameters are those declared")
}

struct Evaluation<P: Protocol> {
    program: ConstraintProgram<P>,
    tables: Vec<Table<Goldilocks>>,
    domain: CosetDomain<Goldilocks>,
    log_trace: u32,
    log_eval: u32,
    params: Vec<P::Ext>,
    combination: Combination<P>,
}

impl<E: ExtensionField<Goldilocks>> Evaluation<GoldilocksStark<E>> {
    fn random(rng: &mut ChaCha8Rng, log_trace: u32) -> Self {
        let log_size = log_trace + rng.random_range(0..4);
        let log_eval = rng.random_range(log_trace..=log_size);
        let mut tables: Vec<_> = [2, E::DEGREE].map(|width| Table::random(rng, width, log_size)).into_iter().collect();
        for width in [2, E::DEGREE] {
            let log_height = rng.random_range(log_size - log_trace..=log_size);
            tables.push(Table::random(rng, width, log_height));
        }
        let domain = CosetDomain::new(Goldilocks::from(rng.random_range(1..20u64)), log_size);
        let program = program(rng);
        let outputs = program.outputs().len();
        let factor = |rng: &mut ChaCha8Rng| {
            let log_power = rng.random_range(0..=log_trace);
            // Sometimes a root in the domain.
            let constant = if rng.random() {
                let point = domain.shift * domain.generator().pow(rng.random_range(0..1 << log_size));
                point.pow_two_to(log_power)
            } else {
                element(rng)
            };
            Factor { log_power, constant, inverse: rng.random() }
        };
        let group = |rng: &mut ChaCha8Rng| {
            let factors = (0..rng.random_range(0..5)).map(|_| factor(rng)).collect();
            let table = rng.random_range(0..4);
            let column = rng.random_bool(0.3).then(|| (table, rng.random_range(0..tables[table].width)));
            let terms = (0..rng.random_range(0..4))
                .map(|_| (rng.random_range(0..outputs), extension::<GoldilocksStark<E>>(rng)));
            CombinationGroup { terms: terms.collect(), multiplier: Multiplier { factors, column } }
        };
        let groups = (0..rng.random_range(0..5)).map(|_| group(rng)).collect();
        let params = (0..2).map(|_| extension::<GoldilocksStark<E>>(rng)).collect();
        Self { program, domain, log_trace, log_eval, params, combination: Combination { groups }, tables }
    }
}

impl<E: ExtensionField<Goldilocks>> Case for Evaluation<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;

    fn run(&self, backend: &Device<Self::P>) -> Vec<u64> {
        let tables: Vec<_> = self.tables.iter().map(|table| table.upload(backend)).collect();
        let columns: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let program = backend.prepare(&self.program).expect("any program can be prepared");
        let args = Constraints {
            program: &program,
            columns: &columns,
            domain: self.domain,
            log_trace: self.log_trace,
            log_eval: self.log_eval,
            params: &self.params,
            combination: &self.combination,
        };
        words(backend, &backend.constraint_eval(&[args]).expect("the arguments are well-formed")[0])
    }
}

struct Run<P: Protocol> {
    program: ConstraintProgram<P>,
    tables: Vec<Table<Goldilocks>>,
    log_height: u32,
    params: Vec<P::Ext>,
    running: Vec<RunningColumn>,
}

impl<E: ExtensionField<Goldilocks>> Run<GoldilocksStark<E>> {
    fn random(rng: &mut ChaCha8Rng, log_height: u32) -> Self {
        let mut tables: Vec<_> =
            [2, E::DEGREE].map(|width| Table::random(rng, width, log_height)).into_iter().collect();
        for width in [2, E::DEGREE] {
            let log_height = rng.random_range(0..=log_height);
            tables.push(Table::random(rng, width, log_height));
        }
        let program = program(rng);
        let outputs = program.outputs().len();
        let column = |rng: &mut ChaCha8Rng| RunningColumn {
            kind: if rng.random() { RunningKind::Product } else { RunningKind::Sum },
            inclusive: rng.random(),
            numerator: rng.random_range(0..outputs),
            denominator: rng.random_range(0..outputs),
        };
        let running = (0..rng.random_range(1..4)).map(|_| column(rng)).collect();
        let params = (0..2).map(|_| extension::<GoldilocksStark<E>>(rng)).collect();
        Self { program, tables, log_height, params, running }
    }
}

impl<E: ExtensionField<Goldilocks>> Case for Run<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;

    fn run(&self, backend: &Device<Self::P>) -> Vec<u64> {
        let tables: Vec<_> = self.tables.iter().map(|table| table.upload(backend)).collect();
        let columns: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let program = backend.prepare(&self.program).expect("any program can be prepared");
        let args = RunningRequest {
            program: &program,
            columns: &columns,
            log_height: self.log_height,
            params: &self.params,
            form: RunningForm::Columns(&self.running),
        };
        words(backend, &backend.running(&[args]).expect("the arguments are well-formed")[0].columns)
    }
}

/// Log heights: all small ones several times, and some larger.
fn sizes() -> impl Iterator<Item = (u64, u32)> {
    (0..168).map(|seed| (seed, seed as u32 % 12)).chain([(168, 12), (169, 13), (170, 14)])
}

fn evaluations<E: ExtensionField<Goldilocks>>()
where
    GoldilocksStark<E>:
        DeviceFrom<CpuOptions> + Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Ext = E, Point = E>,
    CpuReference<GoldilocksStark<E>>: StarkBackend<P = GoldilocksStark<E>>,
{
    let backends = backends();
    for (seed, log_trace) in sizes() {
        let case = Evaluation::<GoldilocksStark<E>>::random(&mut rng(seed), log_trace.min(12));
        compare(&format!("evaluation {seed}"), &case, &backends);
    }
}

fn runs<E: ExtensionField<Goldilocks>>()
where
    GoldilocksStark<E>:
        DeviceFrom<CpuOptions> + Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Ext = E, Point = E>,
    CpuReference<GoldilocksStark<E>>: StarkBackend<P = GoldilocksStark<E>>,
{
    let backends = backends();
    for (seed, log_height) in sizes() {
        let case = Run::<GoldilocksStark<E>>::random(&mut rng(1000 + seed), log_height);
        compare(&format!("running {seed}"), &case, &backends);
    }
}

#[test]
fn constraints_over_the_extension() {
    evaluations::<Fp3>();
}

#[test]
fn constraints_over_the_base() {
    evaluations::<Goldilocks>();
}

#[test]
fn running_columns_over_the_extension() {
    runs::<Fp3>();
}

#[test]
fn running_columns_over_the_base() {
    runs::<Goldilocks>();
}
