//! Every barrier of every kernel is needed, and the emulator shows it: with one deleted, some operation goes wrong.

mod wrapped;

use backend_emulated::{EmulatedDevice, NAME, Options};
use field::Goldilocks;
use gpu_hal::{Basis, CosetDomain, ErrorKind, EvalOrder, GoldilocksStark, GrindChallenge, Result, StarkBackend};
use gpu_runtime::library::UNITS;
use gpu_runtime::{GpuBackend, KernelSource};
use hal_conformance::{Random, session};
use wrapped::{Change, Wrapped};

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

/// What all operations give, on traces of 2^11 rows; transforms that proofs do not use; nonces that are not in the first block.
fn words<B: StarkBackend<P = GoldilocksStark>>(backend: &B) -> Result<Vec<u64>> {
    let mut words = session(backend, 5, 11)?.words;
    for log in [6, 9, 12] {
        for (order, shift) in [(EvalOrder::Storage, 7), (EvalOrder::Row, 1)] {
            let domain = CosetDomain::new(Goldilocks::new(shift), log);
            let mut table = backend.upload(&Random::new(u64::from(log)).elements(3 << log), 3, log)?;
            backend.ntt(table.as_mut(), Basis::Evaluations { domain, order }, Basis::Coefficients)?;
            words.extend(backend.download(table.as_ref(), 0..1 << log)?.iter().map(|x| x.value()));
        }
    }
    for byte in 0..4 {
        words.extend(backend.grind(&GrindChallenge { digest: [byte; 32], bits: 12 })?);
    }
    Ok(words)
}

fn words_without(unit: &'static str, barrier: usize, seed: u64) -> Result<Vec<u64>> {
    let inner = EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler");
    let backend = GpuBackend::<_, GoldilocksStark>::new(NAME, Wrapped { inner, change: Without { unit, barrier } })?;
    words(&backend)
}

#[test]
fn without_any_barrier_of_any_kernel_a_result_is_wrong() {
    // That these are right is for the suite to say: the reference has operations that this backend has not.
    let right = words_without("none", 0, 1).expect("all barriers are there");
    let (mut tried, mut spare) = (0, Vec::new());
    for unit in UNITS {
        let text = unit.source(&[]).text;
        for (barrier, at) in barriers(&text).into_iter().enumerate() {
            // One order of threads may hide it, three do not.
            let shows = (1..4).any(|seed| match words_without(unit.name(), barrier, seed) {
                Ok(words) => words != right,
                Err(error) => {
                    assert_eq!(error.kind, ErrorKind::Backend, "{}, barrier {barrier}: {error}", unit.name());
                    true
                }
            });
            let line = text[..at].lines().count();
            let before = text[..at].rfind("KERNEL").map_or("", |at| text[at..].lines().next().unwrap_or(""));
            if shows {
                eprintln!("'{}', barrier {barrier} (line {line}, {before}): missed when deleted", unit.name());
            } else {
                spare.push(format!("'{}', barrier {barrier} (line {line}, {before})", unit.name()));
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "only {tried} barriers found");
    assert!(spare.is_empty(), "not missed when deleted:\n{}", spare.join("\n"));
}
