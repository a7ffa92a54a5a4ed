//! Every barrier of every kernel of the Circle protocol is needed, and the emulator shows it: with one deleted, some operation goes
//! wrong.

mod wrapped;

use backend_emulated::{EmulatedDevice, NAME, Options};
use backend_reference::CpuReference;
use field::M31;
use gpu_hal::{Basis, CircleDomain, CircleStark, ErrorKind, EvalOrder, GrindChallenge, Result, StarkBackend};
use gpu_runtime::library::CIRCLE_UNITS;
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

/// What all operations give, on traces of 2^11 rows; transforms of several columns a block, in both orders; values of many columns;
/// nonces that are not in the first block.
fn words<B: StarkBackend<P = CircleStark>>(backend: &B) -> Result<Vec<u64>> {
    let mut words = session(backend, 5, 11)?.words;
    for (log, width) in [(6, 3), (8, 40), (13, 20)] {
        let domain = CircleDomain::canonic(log);
        for order in [EvalOrder::Storage, EvalOrder::Row] {
            let mut table = backend.upload(&Random::new(u64::from(log)).elements(width << log), width, log)?;
            let values = Basis::Evaluations { domain, order };
            backend.ntt(table.as_mut(), values, Basis::Coefficients)?;
            words.extend(backend.download(table.as_ref(), 0..1 << log)?.iter().map(|x: &M31| u64::from(x.value())));
            backend.ntt(
                table.as_mut(),
                Basis::Coefficients,
                Basis::Evaluations { domain, order: EvalOrder::Storage },
            )?;
            words.extend(backend.download(table.as_ref(), 0..1 << log)?.iter().map(|x: &M31| u64::from(x.value())));
        }
    }
    for byte in 0..4 {
        words.extend(backend.grind(&GrindChallenge { digest: [byte; 32], bits: 12 })?);
    }
    Ok(words)
}

fn words_without(unit: &'static str, barrier: usize, seed: u64) -> Result<Vec<u64>> {
    let inner = EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler");
    let backend = GpuBackend::<_, CircleStark>::new(NAME, Wrapped { inner, change: Without { unit, barrier } })?;
    words(&backend)
}

#[test]
fn without_any_barrier_of_any_kernel_a_result_is_wrong() {
    let right = words(&CpuReference::<CircleStark>::new()).expect("a session");
    assert!(words_without("none", 0, 1).expect("all barriers are there") == right);
    let (mut tried, mut spare) = (0, Vec::new());
    for unit in CIRCLE_UNITS {
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
            if !shows {
                let line = text[..at].lines().count();
                let before = text[..at].rfind("KERNEL").map_or("", |at| text[at..].lines().next().unwrap_or(""));
                spare.push(format!("'{}', barrier {barrier} (line {line}, {before})", unit.name()));
            }
            tried += 1;
        }
    }
    assert!(tried >= 20, "only {tried} barriers found");
    assert!(spare.is_empty(), "not missed when deleted:\n{}", spare.join("\n"));
}
