//! The hand-written kernel: its tables, parameters and launch.

use field::{Field, Fp3, Goldilocks, TwoAdicField};
use gpu_hal::{CosetDomain, Result};
use gpu_runtime::{Argument, GpuProtocol, KernelDevice, KernelSource, Launch};

/// As in the kernel.
const LOW_BITS: u32 = 12;
const THREADS: u32 = 256;
const DEGREE: u64 = 3;

/// The domain and the tables to evaluate on.
pub(crate) struct Task {
    /// The domain of the columns.
    pub(crate) domain: CosetDomain<Goldilocks>,
    pub(crate) log_trace: u32,
    /// The first `2^log_eval` points are evaluated.
    pub(crate) log_eval: u32,
    pub(crate) gamma: Fp3,
    pub(crate) beta: Fp3,
}

/// The kernel with its arguments on a device.
pub(crate) struct HandWritten<'a, D: KernelDevice> {
    device: &'a D,
    kernel: D::Kernel,
    _module: D::Module,
    tables: [D::Memory; 4],
    result: D::Memory,
    params: Vec<u8>,
    threads: u64,
    count: u64,
}

/// `first` times the points of the subgroup whose index has only the bits `from .. to`, in storage order: bit b of an
/// index stands for the root of order 2^(b+1).
fn points(first: Goldilocks, from: u32, to: u32) -> Vec<Goldilocks> {
    let mut points = vec![first];
    for bit in from..to {
        let root = Goldilocks::two_adic_generator(bit + 1);
        points.extend(points.clone().iter().map(|point| *point * root));
    }
    points
}

fn params(task: &Task, threads: u64) -> Vec<u8> {
    let g = Goldilocks::two_adic_generator(task.log_trace);
    let back = g.inverse_or_zero();
    let shift = task.domain.shift.pow_two_to(task.log_trace);
    let lifts = points(shift, 0, task.domain.log_size - task.log_trace);
    let zerofier = |k: usize| lifts.get(k).map_or(Goldilocks::ZERO, |y| (*y - Goldilocks::ONE).inverse_or_zero());
    let base = (0..4).map(zerofier).chain((1..=3).map(|k| back.pow(k))).chain([g]);
    let beta = task.beta;
    let ext = [beta, beta * task.gamma, beta.pow(2), beta.pow(3), beta.pow(4)];
    let words = base.chain(ext.iter().flat_map(|value| field::ExtensionField::coordinates(value).to_vec()));
    let mut bytes: Vec<u8> = words.flat_map(|word: Goldilocks| word.value().to_ne_bytes()).collect();
    bytes.extend((1u64 << task.log_eval).to_ne_bytes());
    bytes.extend(threads.to_ne_bytes());
    bytes.extend(task.domain.log_size.to_ne_bytes());
    bytes.extend(task.log_trace.to_ne_bytes());
    bytes
}

impl<'a, D: KernelDevice> HandWritten<'a, D> {
    /// Compiles the kernel, `rows` points a thread, and puts everything on the device. The columns are on the task's
    /// domain in storage order: A and B; the coordinates of Z.
    pub(crate) fn new(device: &'a D, rows: u64, task: &Task, main: &[Goldilocks], aux: &[Goldilocks]) -> Result<Self> {
        let defines = [("DEGREE", DEGREE), ("ROWS", rows)];
        let KernelSource { text, .. } = gpu_hal::GoldilocksStark::<Fp3>::UNITS.program.source(&defines);
        let text = text + include_str!("fibonacci_rap.h");
        let module = device.build(&KernelSource { name: "fibonacci_rap", text, defines: defines.to_vec() })?;
        let upload = |elements: &[Goldilocks]| {
            let bytes: Vec<u8> = elements.iter().flat_map(|element| element.value().to_ne_bytes()).collect();
            let memory = device.alloc(bytes.len() as u64)?;
            device.upload(&memory, 0, &bytes)?;
            Ok(memory)
        };
        let count = 1u64 << task.log_eval;
        let threads = count.div_ceil(rows);
        let low = points(task.domain.shift, 0, LOW_BITS);
        let high = points(Goldilocks::ONE, LOW_BITS, task.domain.log_size.max(LOW_BITS));
        Ok(Self {
            device,
            kernel: device.kernel(&module, "fibonacci_rap")?,
            _module: module,
            tables: [upload(main)?, upload(aux)?, upload(&low)?, upload(&high)?],
            result: device.alloc(DEGREE * count * 8)?,
            params: params(task, threads),
            threads,
            count,
        })
    }

    /// Evaluates.
    pub(crate) fn launch(&self) -> Result<()> {
        let block = THREADS.min(self.device.info().max_threads);
        let memories = self.tables.iter().chain([&self.result]);
        let buffers: Vec<Argument<'_, D::Memory>> = memories.map(|memory| Argument { memory, offset: 0 }).collect();
        let blocks = self.threads.div_ceil(u64::from(block));
        self.device.launch(&Launch {
            kernel: &self.kernel,
            grid: [
                u32::try_from(blocks).expect("a thread takes a point at least, and 2^32 points are 2^24 blocks"),
                1,
                1,
            ],
            block,
            buffers: &buffers,
            params: &self.params,
        })
    }

    /// The result as the library has it: three columns.
    pub(crate) fn download(&self) -> Result<Vec<Goldilocks>> {
        let mut bytes = vec![0; (DEGREE * self.count * 8) as usize];
        self.device.download(&self.result, 0, &mut bytes)?;
        let word = |word: &[u8]| Goldilocks::new(u64::from_ne_bytes(word.try_into().expect("eight bytes")));
        Ok(bytes.chunks_exact(8).map(word).collect())
    }
}
