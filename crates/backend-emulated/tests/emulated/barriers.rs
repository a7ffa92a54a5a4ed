//! Every barrier of every kernel is needed, and the emulator shows it: with one deleted, some operation goes wrong.

use crate::wrapped::{Change, Wrapped};
use backend_emulated::{EmulatedDevice, NAME, Options};
use backend_reference::CpuReference;
use field::{Goldilocks, PrimeField};
use gpu_hal::hash::Permutation;
use gpu_hal::{
    Basis, CircleDomain, CircleStark, CosetDomain, Domain, ErrorKind, EvalOrder, GoldilocksStark, HalError,
    NonceSearch, Protocol, Result, StarkBackend,
};
use gpu_runtime::{GpuBackend, GpuProtocol, KernelSource};
use hal_conformance::{Random, TestProtocol, session};

const BARRIER: &str = "BARRIER();";

/// Deletes one barrier of one translation unit.
struct Without {
    unit: &'static str,
    barrier: usize,
}

/// Where the barriers of a text are.
fn barriers(text: &str) -> Vec<usize> {
    text.match_indices(BARRIER).map(|(at, _)| at).collect()
}

impl Change for Without {
    fn source(&self, source: &KernelSource) -> KernelSource {
        let mut source = source.clone();
        if source.name == self.unit {
            let at = barriers(&source.text)[self.barrier];
            source.text.replace_range(at..at + BARRIER.len(), ";");
        }
        source
    }
}

/// A transform: domain, order of the values, columns, domain of the extension.
type Transform<P> = (<P as Protocol>::Domain, EvalOrder, usize, <P as Protocol>::Domain);

/// The work that shows a missing barrier, in three parts.
#[derive(Clone, Copy)]
enum Part {
    /// Transforms that proofs do not use.
    Transforms,
    /// The results of all operations, on traces of 2^11 rows. Work that a GPU does not do comes last.
    Session,
    /// Nonces that are not in the first block.
    Nonces,
}

const PARTS: [Part; 3] = [Part::Transforms, Part::Session, Part::Nonces];

fn words<P: TestProtocol>(
    part: Part,
    backend: &impl StarkBackend<P = P>,
    transforms: &[Transform<P>],
) -> Result<Vec<u64>> {
    match part {
        Part::Transforms => transformed(backend, transforms),
        Part::Session => Ok(session(backend, 5, 11)?.words),
        Part::Nonces => nonces(backend),
    }
}

fn transformed<P: TestProtocol>(backend: &impl StarkBackend<P = P>, transforms: &[Transform<P>]) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    for &(domain, order, width, extended) in transforms {
        let log = domain.log_size();
        let elements = Random::new(u64::from(log)).elements(width << log);
        let mut table = backend.upload(&elements, width, log)?;
        let extension = backend.lde(table.as_ref(), Basis::Evaluations { domain, order }, extended)?;
        words.extend(backend.download(extension.as_ref(), 0..extension.height())?.iter().map(|x| x.as_u64()));
        let storage = Basis::Evaluations { domain, order: EvalOrder::Storage };
        for (from, to) in [(Basis::Evaluations { domain, order }, Basis::Coefficients), (Basis::Coefficients, storage)]
        {
            backend.ntt(table.as_mut(), from, to)?;
            words.extend(backend.download(table.as_ref(), 0..1 << log)?.iter().map(|x| x.as_u64()));
        }
    }
    Ok(words)
}

fn nonces<P: TestProtocol>(backend: &impl StarkBackend<P = P>) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    for byte in 0..4 {
        for hash in backend.capabilities().hashes.iter().copied().filter(|hash| hash.has_work()) {
            // All search with the same barriers; a permutation of Hades takes as long as a hundred compressions.
            let bits = if hash.permutation() == Permutation::Hades { 10 } else { 12 };
            words.push(backend.grind(&NonceSearch { hash, prefix: [byte; 32], bits })?.unwrap_or(u64::MAX));
        }
    }
    Ok(words)
}

/// Tries `least` barriers at least.
fn without_any_barrier_a_result_is_wrong<P: GpuProtocol + TestProtocol>(transforms: &[Transform<P>], least: usize) {
    let device = |unit, barrier, seed| {
        let inner = EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler");
        GpuBackend::<_, P>::new(NAME, Wrapped { inner, change: Without { unit, barrier } })
    };
    let (reference, plain) = (CpuReference::<P>::new(), device("none", 0, 1).expect("all barriers are there"));
    let right = PARTS.map(|part| {
        let mut right = words(part, &reference, transforms).expect("the reference does it");
        let plain = words(part, &plain, transforms).expect("all barriers are there");
        right.truncate(plain.len());
        assert!(plain == right, "the kernels are wrong as they are");
        right
    });
    // The first part that differs ends it; the next barrier begins with that part, which most barriers of a unit share.
    let mut order: Vec<usize> = (0..PARTS.len()).collect();
    let mut differs = |unit, barrier, seed| {
        let backend = device(unit, barrier, seed)?;
        for turn in 0..order.len() {
            let part = order[turn];
            match words(PARTS[part], &backend, transforms) {
                Ok(words) if words == right[part] => {}
                other => {
                    order[..=turn].rotate_right(1);
                    return other.map(|_| true);
                }
            }
        }
        Ok::<_, HalError>(false)
    };
    let (mut tried, mut spare) = (0, Vec::new());
    for unit in P::UNITS.all {
        let text = unit.source(&[]).text;
        for (barrier, at) in barriers(&text).into_iter().enumerate() {
            // One order of threads may hide it, three do not.
            let shows = (1..4).any(|seed| match differs(unit.name(), barrier, seed) {
                Ok(differs) => differs,
                Err(error) => {
                    assert_eq!(error.kind, ErrorKind::Backend, "{}, barrier {barrier}: {error}", unit.name());
                    true
                }
            });
            if !shows {
                let line = text[..at].lines().count();
                let before = text[..at].rfind("KERNEL").map_or("", |at| text[at..].lines().next().unwrap_or(""));
                spare.push(format!("'{}', barrier {barrier} (line {line}, {before})", unit.name()));
            }
            tried += 1;
        }
    }
    assert!(tried >= least, "only {tried} barriers found");
    assert!(spare.is_empty(), "not missed when deleted:\n{}", spare.join("\n"));
}

#[test]
fn of_the_goldilocks_protocol() {
    let domain = |log, shift| CosetDomain::new(Goldilocks::new(shift), log);
    let transform = |log, shift, order| (domain(log, shift), order, 3, domain(log + 1, 5));
    let transforms = [6, 9, 12].map(|log| [transform(log, 7, EvalOrder::Storage), transform(log, 1, EvalOrder::Row)]);
    without_any_barrier_a_result_is_wrong::<GoldilocksStark>(transforms.as_flattened(), 21);
}

/// Several columns a block, in both orders; values of many columns.
#[test]
fn of_the_circle_protocol() {
    let orders = [EvalOrder::Storage, EvalOrder::Row];
    let transforms = [(6, 3), (8, 40), (13, 20)].map(|(log, width)| {
        let [domain, extended] = [log, log + 2].map(CircleDomain::canonic);
        orders.map(|order| (domain, order, width, extended))
    });
    without_any_barrier_a_result_is_wrong::<CircleStark>(transforms.as_flattened(), 20);
}
