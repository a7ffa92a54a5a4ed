//! The list of kernels is not written down but observed: a device that only remembers what it is asked to compile is
//! taken through sessions of all operations.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use field::circle::CirclePoint;
use field::{Field, Fp3, Goldilocks, QM31};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, DeepTerm, GoldilocksStark, Result, StarkBackend};
use gpu_runtime::{DeviceInfo, GpuBackend, GpuProtocol, KernelSource, Recorder, Units};
use hal_conformance::{TestProtocol, session};

/// Most points (Circle: terms) of a launch of the DEEP quotient's kernel, which is compiled for each number of them.
const DEEP_TERMS: u64 = 4;

/// The sources to compile, each once.
type Sources = Vec<Arc<KernelSource>>;

fn recorder(generated_operations: u32, shared_bytes: u32) -> Recorder {
    Recorder::new(DeviceInfo {
        name: "a recorder".into(),
        max_threads: 1024,
        shared_bytes,
        multiprocessors: 132,
        memory_bytes: None,
        granularity: 256,
        generated_operations,
        generated_row_words: 4 * generated_operations,
    })
}

/// Interpreted and generated; the variants for the least shared memory and for that of a CUDA device; sizes for every
/// number of levels of a transform's pass; quotients at more points than the one of a session.
fn sessions<P: GpuProtocol + TestProtocol>(
    sources: &mut Sources,
    point: impl Fn(u64) -> P::Point,
    domain: P::Domain,
) -> Result<()> {
    for (generated_operations, shared_bytes) in [(0, 32 << 10), (600, 48 << 10)] {
        let device = recorder(generated_operations, shared_bytes);
        let backend = GpuBackend::<_, P>::new("recorder", device.clone())?;
        for log_trace in 2..=12 {
            session(&backend, 1, log_trace)?;
        }
        let table = backend.upload(&[P::Base::ONE; 2], 1, 1)?;
        let term = |number| DeepTerm {
            point: point(number),
            weights: vec![(0, 0, P::Ext::ONE)],
            constant: P::Ext::ZERO,
            slope: P::Ext::ZERO,
        };
        for terms in 2..=DEEP_TERMS {
            backend.deep_quotient(&[table.as_ref()], domain, &(0..terms).map(term).collect::<Vec<_>>())?;
        }
        for source in device.sources() {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    Ok(())
}

/// Every source that a session of any operation compiles, of both protocols.
///
/// # Errors
/// A unit that no session compiles, and the sources that a backend reports.
pub(crate) fn sources() -> std::result::Result<Sources, Box<dyn Error>> {
    let mut sources = Sources::default();
    let coset = CosetDomain::new(Goldilocks::new(7), 1);
    sessions::<GoldilocksStark>(&mut sources, |number| Fp3::from(Goldilocks::new(number)), coset)?;
    sessions::<GoldilocksStark<Goldilocks>>(&mut sources, Goldilocks::new, coset)?;
    let point = CirclePoint { x: QM31::ONE, y: QM31::ZERO };
    sessions::<CircleStark>(&mut sources, |_| point, CircleDomain::canonic(1))?;
    let seen: BTreeSet<&str> = sources.iter().map(|source| source.name).collect();
    if let Some(unit) = protocols().iter().flat_map(|units| units.all).find(|unit| !seen.contains(unit.name())) {
        return Err(format!("no operation compiled the unit '{}': dead, or the sessions miss it", unit.name()).into());
    }
    Ok(sources)
}

fn protocols() -> [&'static Units; 2] {
    [GoldilocksStark::<Fp3>::UNITS, CircleStark::UNITS]
}

/// A name for the file of a source: of a unit with its specialisation, and of kernels generated for a program with a
/// number.
pub(crate) fn file_name(source: &KernelSource, number: usize) -> String {
    let defines: String = source.defines.iter().map(|(name, value)| format!("-{name}{value}")).collect();
    let is_program = protocols().iter().any(|units| {
        [units.program, units.sum_program, units.row_program].iter().any(|unit| unit.name() == source.name)
    });
    let number = if is_program { format!("-{number}") } else { String::new() };
    format!("{}{defines}{number}", source.name)
}
