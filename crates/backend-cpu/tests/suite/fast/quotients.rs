//! Values outside the domain, DEEP quotients, folds.

use backend_cpu::CpuOptions;
use backend_reference::CpuReference;
use field::{ExtensionField, Field, Fp3, Goldilocks};
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::{Basis, CosetDomain, DeepTerm, EvalOrder, EvalRequest, GoldilocksStark, Protocol, StarkBackend};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::fast::compare::{Case, Table, backends, compare, coordinates, extension, rng, words};

fn domain(rng: &mut ChaCha8Rng, log_size: u32) -> CosetDomain<Goldilocks> {
    CosetDomain::new(Goldilocks::from(rng.random_range(1..10u64)), log_size)
}

/// A point, sometimes one of the domain.
fn point<E: ExtensionField<Goldilocks>>(rng: &mut ChaCha8Rng, domain: &CosetDomain<Goldilocks>) -> E {
    if rng.random_bool(0.3) {
        E::from(domain.shift * domain.generator().pow(rng.random_range(0..1 << domain.log_size)))
    } else {
        extension::<GoldilocksStark<E>>(rng)
    }
}

struct Values<P: Protocol> {
    table: Table<Goldilocks>,
    from: Basis<CosetDomain<Goldilocks>>,
    points: Vec<P::Ext>,
}

impl<E: ExtensionField<Goldilocks>> Case for Values<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;

    fn run(&self, backend: &Device<Self::P>) -> Vec<u64> {
        let table = self.table.upload(backend);
        let request = EvalRequest { columns: table.as_ref(), from: self.from, points: &self.points };
        let values = backend.eval_at(&[request]).expect("well-formed").concat();
        assert_eq!(values.len(), self.points.len());
        assert!(values.iter().all(|row| row.len() == self.table.width));
        coordinates::<Self::P>(values.into_iter().flatten())
    }
}

fn values<E: ExtensionField<Goldilocks>>()
where
    GoldilocksStark<E>:
        DeviceFrom<CpuOptions> + Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Ext = E, Point = E>,
    CpuReference<GoldilocksStark<E>>: StarkBackend<P = GoldilocksStark<E>>,
{
    let backends = backends();
    for seed in 0..120 {
        let mut rng = rng(seed);
        let log_height = if seed < 110 { seed as u32 % 11 } else { 13 };
        let width = rng.random_range(0..5);
        let table = Table::random(&mut rng, width, log_height);
        let prefix = rng.random_range(0..=log_height);
        let (from, of) = match rng.random_range(0..4) {
            0 => (Basis::Coefficients, CosetDomain::subgroup(log_height)),
            1 => {
                let domain = domain(&mut rng, log_height);
                (Basis::Evaluations { domain, order: EvalOrder::Row }, domain)
            }
            kind => {
                let domain = domain(&mut rng, if kind == 2 { log_height } else { prefix });
                (Basis::Evaluations { domain, order: EvalOrder::Storage }, domain)
            }
        };
        let points = (0..rng.random_range(0..5)).map(|_| point(&mut rng, &of)).collect();
        compare(&format!("values {seed}"), &Values::<GoldilocksStark<E>> { table, from, points }, &backends);
    }
}

struct Deep<P: Protocol> {
    tables: Vec<Table<Goldilocks>>,
    domain: CosetDomain<Goldilocks>,
    terms: Vec<DeepTerm<P>>,
}

impl<E: ExtensionField<Goldilocks>> Case for Deep<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;

    fn run(&self, backend: &Device<Self::P>) -> Vec<u64> {
        let tables: Vec<_> = self.tables.iter().map(|table| table.upload(backend)).collect();
        let columns: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        words(backend, &backend.deep_quotient(&columns, self.domain, &self.terms).expect("well-formed"))
    }
}

fn deep<E: ExtensionField<Goldilocks>>()
where
    GoldilocksStark<E>:
        DeviceFrom<CpuOptions> + Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Ext = E, Point = E>,
    CpuReference<GoldilocksStark<E>>: StarkBackend<P = GoldilocksStark<E>>,
{
    let backends = backends();
    for seed in 0..100 {
        let mut rng = rng(seed);
        let log_size = if seed < 90 { seed as u32 % 10 } else { 13 };
        let domain = domain(&mut rng, log_size);
        let tables = [1, 3, 6].map(|width| Table::random(&mut rng, width, log_size)).to_vec();
        let term = |rng: &mut ChaCha8Rng| DeepTerm {
            point: point(rng, &domain),
            weights: (0..rng.random_range(0..6))
                .map(|_| {
                    let table = rng.random_range(0..3);
                    (table, rng.random_range(0..tables[table].width), extension::<GoldilocksStark<E>>(rng))
                })
                .collect(),
            constant: extension::<GoldilocksStark<E>>(rng),
            slope: E::ZERO,
        };
        let count = if seed == 7 { 300 } else { rng.random_range(0..5) };
        let mut terms: Vec<_> = (0..count).map(|_| term(&mut rng)).collect();
        // The same columns at several points, as for the rows of a frame; once with a weight that is off.
        for row in 1..rng.random_range(1..4) {
            let mut copy: DeepTerm<_> = term(&mut rng);
            if let Some(last) = terms.last() {
                let factor = extension::<GoldilocksStark<E>>(&mut rng);
                copy.weights = last.weights.iter().map(|(t, c, weight)| (*t, *c, *weight * factor)).collect();
                if row == 2
                    && let Some(weight) = copy.weights.last_mut()
                {
                    weight.2 += E::ONE;
                }
            }
            terms.push(copy);
        }
        compare(&format!("deep {seed}"), &Deep::<GoldilocksStark<E>> { tables, domain, terms }, &backends);
    }
}

struct Fold<P: Protocol> {
    table: Table<Goldilocks>,
    domain: CosetDomain<Goldilocks>,
    alpha: P::Ext,
}

impl<E: ExtensionField<Goldilocks>> Case for Fold<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;

    fn run(&self, backend: &Device<Self::P>) -> Vec<u64> {
        let layer = self.table.upload(backend);
        words(backend, &backend.fri_fold(layer.as_ref(), self.domain, self.alpha).expect("well-formed"))
    }
}

fn folds<E: ExtensionField<Goldilocks>>()
where
    GoldilocksStark<E>:
        DeviceFrom<CpuOptions> + Protocol<Base = Goldilocks, Domain = CosetDomain<Goldilocks>, Ext = E, Point = E>,
    CpuReference<GoldilocksStark<E>>: StarkBackend<P = GoldilocksStark<E>>,
{
    let backends = backends();
    for log_size in 1..=15 {
        let mut rng = rng(log_size.into());
        let table = Table::random(&mut rng, E::DEGREE, log_size);
        let alpha = extension::<GoldilocksStark<E>>(&mut rng);
        let domain = domain(&mut rng, log_size);
        compare(&format!("fold {log_size}"), &Fold::<GoldilocksStark<E>> { table, domain, alpha }, &backends);
    }
}

#[test]
fn values_in_the_extension() {
    values::<Fp3>();
}

#[test]
fn values_in_the_base() {
    values::<Goldilocks>();
}

#[test]
fn deep_quotients_over_the_extension() {
    deep::<Fp3>();
}

#[test]
fn deep_quotients_over_the_base() {
    deep::<Goldilocks>();
}

#[test]
fn folds_over_the_extension() {
    folds::<Fp3>();
}

#[test]
fn folds_over_the_base() {
    folds::<Goldilocks>();
}
