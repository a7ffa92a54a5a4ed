//! Which kernels there are is not listed but seen: a device that only records what it is asked to compile is taken through sessions
//! of all operations.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use field::circle::CirclePoint;
use field::{Field, Fp3, Goldilocks, QM31};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, DeepTerm, GoldilocksStark, Result, StarkBackend};
use gpu_runtime::{DeviceInfo, GpuBackend, GpuProtocol, KernelDevice, KernelSet, KernelSource, Launch, Units};
use hal_conformance::{TestProtocol, session};

/// What was to be compiled.
type Sources = Arc<Mutex<Vec<KernelSource>>>;

/// Most points (Circle: terms) of a launch of the DEEP quotient's kernel, which is compiled for each number of them.
const DEEP_TERMS: u64 = 4;

/// Takes everything, runs nothing, and remembers sources. Memory reads as what was uploaded to its start, so that the rows of a row program
/// have no fault; what was filled and what is beyond reads as zeros.
struct Recorder {
    info: DeviceInfo,
    generated_operations: u32,
    sources: Sources,
}

impl Recorder {
    fn new(generated_operations: u32, shared_bytes: u32, sources: &Sources) -> Self {
        let info = DeviceInfo {
            name: "a recorder".into(),
            max_threads: 1024,
            shared_bytes,
            multiprocessors: 132,
            memory_bytes: None,
            granularity: 256,
        };
        Self { info, generated_operations, sources: Arc::clone(sources) }
    }
}

fn uploaded(memory: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    memory.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl KernelDevice for Recorder {
    type Memory = Mutex<Vec<u8>>;
    type Module = ();
    type Kernel = ();
    type Event = Instant;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn generated_operations(&self) -> u32 {
        self.generated_operations
    }

    fn generated_row_words(&self) -> u32 {
        4 * self.generated_operations
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn alloc(&self, _: u64) -> Result<Self::Memory> {
        Ok(Mutex::default())
    }

    fn upload(&self, to: &Self::Memory, offset: u64, from: &[u8]) -> Result<()> {
        if offset == 0 {
            *uploaded(to) = from.to_vec();
        }
        Ok(())
    }

    fn download(&self, from: &Self::Memory, offset: u64, to: &mut [u8]) -> Result<()> {
        to.fill(0);
        let uploaded = uploaded(from);
        let known = uploaded.get(offset as usize..).unwrap_or_default();
        to.iter_mut().zip(known).for_each(|(to, byte)| *to = *byte);
        Ok(())
    }

    fn copy(&self, _: &Self::Memory, _: u64, _: &Self::Memory, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    fn fill(&self, memory: &Self::Memory, offset: u64, _: u64, _: u8) -> Result<()> {
        uploaded(memory).truncate(offset as usize);
        Ok(())
    }

    fn build(&self, source: &KernelSource) -> Result<()> {
        let mut sources = self.sources.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !sources.contains(source) {
            sources.push(source.clone());
        }
        Ok(())
    }

    fn kernel(&self, (): &(), _: &str) -> Result<()> {
        Ok(())
    }

    fn launch(&self, _: &Launch<'_, Self>) -> Result<()> {
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self) -> Result<Instant> {
        Ok(Instant::now())
    }

    fn elapsed(&self, from: &Instant, to: &Instant) -> Result<Duration> {
        Ok(to.duration_since(*from))
    }
}

/// Interpreted and generated; the variants for the least shared memory and for that of a CUDA device; sizes for every number of
/// levels of a transform's pass; quotients at more points than the one of a session.
fn sessions<P: GpuProtocol + TestProtocol>(
    sources: &Sources,
    point: impl Fn(u64) -> P::Point,
    domain: P::Domain,
) -> Result<()> {
    for (generated_operations, shared_bytes) in [(0, 32 << 10), (600, 48 << 10)] {
        let device = Recorder::new(generated_operations, shared_bytes, sources);
        let backend = GpuBackend::<_, P>::new("recorder", device)?;
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
    }
    Ok(())
}

/// Every source that a session of any operation compiles, of both protocols.
///
/// # Errors
/// A unit that no session compiles, and what a backend reports.
pub(crate) fn sources() -> std::result::Result<Vec<KernelSource>, Box<dyn Error>> {
    let sources = Sources::default();
    let coset = CosetDomain::new(Goldilocks::new(7), 1);
    sessions::<GoldilocksStark>(&sources, |number| Fp3::from(Goldilocks::new(number)), coset)?;
    sessions::<GoldilocksStark<Goldilocks>>(&sources, Goldilocks::new, coset)?;
    let point = CirclePoint { x: QM31::ONE, y: QM31::ZERO };
    sessions::<CircleStark>(&sources, |_| point, CircleDomain::canonic(1))?;
    let sources = sources.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    let seen: BTreeSet<&str> = sources.iter().map(|source| source.name).collect();
    if let Some(unit) = protocols().iter().flat_map(|units| units.all).find(|unit| !seen.contains(unit.name())) {
        return Err(format!("no operation compiled the unit '{}': dead, or the sessions miss it", unit.name()).into());
    }
    Ok(sources)
}

fn protocols() -> [&'static Units; 2] {
    [GoldilocksStark::<Fp3>::UNITS, CircleStark::UNITS]
}

/// A name for the file of a source: of a unit with its specialisation, and of kernels generated for a program with a number.
pub(crate) fn file_name(source: &KernelSource, number: usize) -> String {
    let defines: String = source.defines.iter().map(|(name, value)| format!("-{name}{value}")).collect();
    let is_program = protocols()
        .iter()
        .any(|units| [units.program, units.row_program].iter().any(|unit| unit.name() == source.name));
    let number = if is_program { format!("-{number}") } else { String::new() };
    format!("{}{defines}{number}", source.name)
}
