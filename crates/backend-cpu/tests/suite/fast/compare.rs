//! Running one case on all backends.

use std::sync::Arc;

use backend_cpu::{Compile, CpuOptions, SimdLevel};
use backend_reference::{CpuReference, ReferenceProtocol};
use field::{ExtensionField, Field, PrimeField};
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::{Basis, Columns, EvalOrder, Protocol, StarkBackend};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Some operations on some data; the result is theirs.
pub(crate) trait Case {
    type P: Protocol;
    fn run(&self, backend: &Device<Self::P>) -> Vec<u64>;
}

/// All set-ups of the fast backend.
pub(crate) fn backends<P: DeviceFrom<CpuOptions>>() -> Vec<(CpuOptions, Device<P>)> {
    let levels = SimdLevel::available();
    assert!(levels.contains(&SimdLevel::Portable));
    let options = levels.into_iter().flat_map(|level| {
        [(1, Compile::Never), (2, Compile::Always)].map(|(threads, compile)| CpuOptions {
            threads: Some(threads),
            simd: Some(level),
            memory_limit: None,
            compile,
        })
    });
    options.map(|options| (options, P::device(&options).expect("two threads can be started"))).collect()
}

/// Fails unless every set-up gives the reference's results.
pub(crate) fn compare<C: Case<P: DeviceFrom<CpuOptions> + ReferenceProtocol>>(
    name: &str,
    case: &C,
    backends: &[(CpuOptions, Device<C::P>)],
) where
    CpuReference<C::P>: StarkBackend<P = C::P>,
{
    let wanted = case.run(&Device::new(Arc::new(CpuReference::new())));
    for (options, backend) in backends {
        let found = case.run(backend);
        assert_eq!(found.len(), wanted.len(), "{name}: {options:?}");
        if let Some(at) = (0..wanted.len()).find(|&at| found[at] != wanted[at]) {
            panic!("{name}: element {at} is {} instead of {}: {options:?}", found[at], wanted[at]);
        }
        let memory = backend.memory().expect("the CPU knows its memory");
        assert_eq!(memory.in_use, 0, "{name}: everything was released");
    }
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A random element, often one at the edge of the field or small.
pub(crate) fn element<F: PrimeField>(rng: &mut ChaCha8Rng) -> F {
    match rng.random_range(0..10) {
        0 => F::ZERO,
        1 => F::ONE,
        2 => -F::ONE,
        3 => F::from_u64(rng.random_range(0..1 << 32)),
        4 => -F::from_u64(rng.random_range(0..1 << 32)),
        _ => F::from_u64(rng.random()),
    }
}

pub(crate) fn extension<P: Protocol>(rng: &mut ChaCha8Rng) -> P::Ext {
    let coordinates: Vec<P::Base> = (0..P::DEGREE).map(|_| element(rng)).collect();
    P::Ext::from_coordinates(&coordinates).expect("DEGREE coordinates")
}

/// A table of random elements: contents, width, log height.
#[derive(Clone, Debug)]
pub(crate) struct Table<F> {
    pub(crate) data: Vec<F>,
    pub(crate) width: usize,
    pub(crate) log_height: u32,
}

impl<F: PrimeField> Table<F> {
    pub(crate) fn random(rng: &mut ChaCha8Rng, width: usize, log_height: u32) -> Self {
        Self { data: (0..width << log_height).map(|_| element(rng)).collect(), width, log_height }
    }

    pub(crate) fn upload<B>(&self, backend: &B) -> Columns<B::Buffer>
    where
        B: StarkBackend,
        B::P: Protocol<Base = F>,
    {
        backend.upload(&self.data, self.width, self.log_height).expect("the table is well-formed")
    }
}

/// All elements of a table, as integers.
pub(crate) fn words<B: StarkBackend>(backend: &B, table: &Columns<B::Buffer>) -> Vec<u64> {
    let rows = 0..table.height();
    let values = backend.download(table.as_ref(), rows).expect("all rows are there");
    assert!(values.iter().all(Field::is_canonical));
    values.into_iter().map(PrimeField::as_u64).collect()
}

/// Coordinates of extension values, as integers.
pub(crate) fn coordinates<P: Protocol>(values: impl IntoIterator<Item = P::Ext>) -> Vec<u64> {
    let values = values.into_iter();
    values.flat_map(|value| value.coordinates().iter().map(|c| c.as_u64()).collect::<Vec<_>>()).collect()
}

/// Every transform between coefficients and a domain, and extensions from each of them to another.
pub(crate) struct Transforms<P: Protocol> {
    pub(crate) table: Table<P::Base>,
    pub(crate) domain: P::Domain,
    pub(crate) to: P::Domain,
}

impl<P: Protocol> Case for Transforms<P> {
    type P = P;

    fn run(&self, backend: &Device<P>) -> Vec<u64> {
        let mut results = Vec::new();
        for order in [EvalOrder::Row, EvalOrder::Storage] {
            let evaluations = Basis::Evaluations { domain: self.domain, order };
            for (from, to) in [(Basis::Coefficients, evaluations), (evaluations, Basis::Coefficients)] {
                let mut table = self.table.upload(backend);
                let extended = backend.lde(table.as_ref(), from, self.to).expect("well-formed");
                results.extend(words(backend, &extended));
                backend.ntt(table.as_mut(), from, to).expect("well-formed");
                results.extend(words(backend, &table));
            }
        }
        results
    }
}
