//! Transforms and quotients of the Circle protocol.

use field::M31;
use field::circle::CirclePoint;
use gpu_hal::erased::Device;
use gpu_hal::{Basis, CircleDomain, CircleStark, DeepTerm, Domain, EvalOrder, EvalRequest, StarkBackend};
use rand::Rng;

use crate::fast::compare::{Case, Table, Transforms, backends, compare, coordinates, extension, rng, words};

#[test]
fn transforms() {
    let backends = backends();
    for seed in 0..60 {
        let mut rng = rng(seed);
        let width = rng.random_range(0..4);
        let (log_height, blowup) = if seed == 59 { (16, 1) } else { (1 + seed as u32 % 12, rng.random_range(0..4)) };
        let domain = |log_size| {
            if seed % 2 == 0 { CircleDomain::canonic(log_size) } else { CircleDomain::line(log_size) }
        };
        let table = Table::random(&mut rng, width, log_height);
        let case = Transforms::<CircleStark> { table, domain: domain(log_height), to: domain(log_height + blowup) };
        compare(&format!("circle transforms {seed}"), &case, &backends);
    }
}

struct Parts(Table<M31>);

impl Case for Parts {
    type P = CircleStark;

    fn run(&self, backend: &Device<CircleStark>) -> Vec<u64> {
        let table = self.0.upload(backend);
        let split = backend.split(table.as_ref(), 3, self.0.log_height - 2).expect("well-formed");
        let selected = backend.select(&[table.as_ref(), table.as_ref()], &[(1, 3), (0, 0)]).expect("well-formed");
        [words(backend, &split), words(backend, &selected)].concat()
    }
}

#[test]
fn parts_and_picks() {
    let backends = backends();
    for log_height in 2..12 {
        let table = Table::random(&mut rng(log_height.into()), 8, log_height);
        compare(&format!("parts {log_height}"), &Parts(table), &backends);
    }
}

/// A quotient, and the values at its points.
struct Quotient {
    table: Table<M31>,
    domain: CircleDomain,
    terms: Vec<DeepTerm<CircleStark>>,
}

impl Case for Quotient {
    type P = CircleStark;

    fn run(&self, backend: &Device<CircleStark>) -> Vec<u64> {
        let table = self.table.upload(backend);
        let quotient = backend.deep_quotient(&[table.as_ref()], self.domain, &self.terms).expect("well-formed");
        let points: Vec<_> = self.terms.iter().map(|term| term.point).collect();
        let from = Basis::Evaluations { domain: self.domain, order: EvalOrder::Storage };
        let request = EvalRequest { columns: table.as_ref(), from, points: &points };
        let values = backend.eval_at(&[request]).expect("well-formed");
        [words(backend, &quotient), coordinates::<CircleStark>(values.into_iter().flatten().flatten())].concat()
    }
}

/// On lines too, where no proof has quotients, on prefixes, and from two points up.
#[test]
fn quotients_on_circles_and_lines() {
    let backends = backends();
    for seed in 0..72 {
        let mut rng = rng(3000 + seed);
        let log_size = 1 + seed as u32 / 2 % 12;
        let log_coset = log_size + if seed < 48 { 0 } else { rng.random_range(1..4) };
        let whole = if seed % 2 == 0 { CircleDomain::canonic(log_coset) } else { CircleDomain::line(log_coset) };
        let domain = whole.prefix(log_size).expect("not larger");
        let width = rng.random_range(1..6);
        let table = Table::random(&mut rng, width, log_coset);
        let terms = (0..rng.random_range(0..4)).map(|_| {
            let parameter = extension::<CircleStark>(&mut rng);
            let point = CirclePoint::from_parameter(parameter).unwrap_or_default();
            let weights = (0..width).map(|column| (0, column, extension::<CircleStark>(&mut rng))).collect();
            let constant = extension::<CircleStark>(&mut rng);
            DeepTerm { point, weights, constant, slope: extension::<CircleStark>(&mut rng) }
        });
        let case = Quotient { table, domain, terms: terms.collect() };
        compare(&format!("quotient {seed}"), &case, &backends);
    }
}

/// The refusal of a domain of the other kind.
#[test]
fn a_circle_is_not_a_line() {
    let backend = backend_cpu::Cpu::<CircleStark>::new();
    let table = Table::<M31>::random(&mut rng(0), 1, 3).upload(&backend);
    let from = Basis::Evaluations { domain: CircleDomain::canonic(3), order: EvalOrder::Storage };
    let error = backend.lde(table.as_ref(), from, CircleDomain::line(4)).map(|_| ()).expect_err("kinds");
    assert_eq!(error.kind, gpu_hal::ErrorKind::InvalidArgument);
}
