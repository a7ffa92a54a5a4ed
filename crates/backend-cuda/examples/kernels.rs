//! Compiles every kernel without a GPU: `kernels FOLDER ARCHITECTURE...` writes one PTX file a unit, specialisation and architecture.
//! NVRTC must be where the system's loader finds it. `cargo xtask kernels` calls this.
//!
//! Which kernels there are is not listed but seen: a device that only records what it is asked to compile is taken through sessions
//! of all operations.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use backend_cuda::{Compiler, Target};
use field::circle::CirclePoint;
use field::{ExtensionField, Field, Fp3, Goldilocks, M31, QM31};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, DeepTerm, GoldilocksStark, Result, StarkBackend};
use gpu_runtime::{DeviceInfo, GpuBackend, KernelDevice, KernelSource, Launch, library};
use hal_conformance::{TestProtocol, session};

type Sources = Arc<Mutex<Vec<KernelSource>>>;

/// Most points (Circle: terms) of a launch of the DEEP quotient's kernel, which is compiled for each number of them.
const DEEP_TERMS: usize = 4;
/// Of a domain; any number but 0 will do.
const SHIFT: Goldilocks = Goldilocks::new(7);

/// Takes everything, does nothing, and remembers sources. Its memory reads as zeros.
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

impl KernelDevice for Recorder {
    type Memory = ();
    type Module = ();
    type Kernel = ();
    type Event = Instant;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn generated_operations(&self) -> u32 {
        self.generated_operations
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn alloc(&self, _: u64) -> Result<()> {
        Ok(())
    }

    fn upload(&self, _: &(), _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn download(&self, _: &(), _: u64, to: &mut [u8]) -> Result<()> {
        to.fill(0);
        Ok(())
    }

    fn copy(&self, _: &(), _: u64, _: &(), _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    fn fill(&self, _: &(), _: u64, _: u64, _: u8) -> Result<()> {
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

fn sessions<E: ExtensionField<Goldilocks>>(sources: &Sources) -> Result<()>
where
    GoldilocksStark<E>: TestProtocol,
{
    // Interpreted and generated; the variants for the least shared memory and for that of a CUDA device; sizes for every number of
    // levels of a transform's pass.
    for (generated_operations, shared_bytes) in [(0, 32 << 10), (600, 48 << 10)] {
        let device = Recorder::new(generated_operations, shared_bytes, sources);
        let backend = GpuBackend::<_, GoldilocksStark<E>>::new("recorder", device)?;
        for log_trace in 2..=12 {
            session(&backend, 1, log_trace)?;
        }
        quotients(&backend)?;
    }
    Ok(())
}

/// Quotients at more points than the one of a session.
fn quotients<E: ExtensionField<Goldilocks>>(backend: &GpuBackend<Recorder, GoldilocksStark<E>>) -> Result<()> {
    let table = backend.upload(&[Goldilocks::ONE; 2], 1, 1)?;
    let term = |point| DeepTerm {
        point: E::from(Goldilocks::new(point)),
        weights: vec![(0, 0, E::ONE)],
        constant: E::ZERO,
        slope: E::ZERO,
    };
    for points in 2..=DEEP_TERMS as u64 {
        let terms: Vec<_> = (0..points).map(term).collect();
        backend.deep_quotient(&[table.as_ref()], CosetDomain::new(SHIFT, 1), &terms)?;
    }
    Ok(())
}

/// The same for the Circle protocol, whose kernels have no variants.
fn circle_sessions(sources: &Sources) -> Result<()> {
    for generated_operations in [0, 600] {
        let backend =
            GpuBackend::<_, CircleStark>::new("recorder", Recorder::new(generated_operations, 32 << 10, sources))?;
        for log_trace in 2..=12 {
            session(&backend, 1, log_trace)?;
        }
        let table = backend.upload(&[M31::ONE; 2], 1, 1)?;
        let point = CirclePoint { x: QM31::ONE, y: QM31::ZERO };
        let term = DeepTerm { point, weights: vec![(0, 0, QM31::ONE)], constant: QM31::ZERO, slope: QM31::ZERO };
        for terms in 2..=DEEP_TERMS {
            backend.deep_quotient(&[table.as_ref()], CircleDomain::canonic(1), &vec![term.clone(); terms])?;
        }
    }
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: kernels FOLDER ARCHITECTURE...")?;
    let architectures = arguments.map(|text| text.parse()).collect::<std::result::Result<Vec<u32>, _>>()?;
    std::fs::create_dir_all(&folder)?;

    let sources = Sources::default();
    sessions::<Fp3>(&sources)?;
    sessions::<Goldilocks>(&sources)?;
    circle_sessions(&sources)?;
    let sources = sources.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    let seen: BTreeSet<&str> = sources.iter().map(|source| source.name).collect();
    if let Some(unit) = library::UNITS.iter().chain(library::CIRCLE_UNITS).find(|unit| !seen.contains(unit.name())) {
        return Err(format!("no operation compiled the unit '{}': dead, or the sessions miss it", unit.name()).into());
    }

    let compiler = Compiler::find()?;
    for (index, source) in sources.iter().enumerate() {
        for architecture in &architectures {
            let compiled = compiler.compile(source, Target::Ptx(*architecture))?;
            let defines: String = source.defines.iter().map(|(name, value)| format!("-{name}{value}")).collect();
            let is_program =
                [&library::PROGRAM, &library::CIRCLE_PROGRAM].iter().any(|unit| unit.name() == source.name);
            let number = if is_program { format!("-{index}") } else { String::new() };
            let file = format!("{}{defines}{number}.sm_{architecture}.ptx", source.name);
            std::fs::write(Path::new(&folder).join(file), compiled.code)?;
        }
    }
    println!("{} units and specialisations for {} architectures", sources.len(), architectures.len());
    Ok(())
}
