//! Prepared constraint programs.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use field::Field;
use gpu_hal::ir::{Instruction, Kind, Schedule};
use gpu_hal::{ConstraintProgram, DeviceProgram, HalError, Operation, Protocol, Result};
use ir::text::constraints::{self, Encoded, GROUP_WORDS, Key, LOAD_WORDS, Purpose, Run, Sink};

use crate::device::{DIALECT, KernelDevice, KernelSource};
use crate::elements;
use crate::generated::{Generated, GeneratedKernels};

/// A prepared program.
pub struct GpuProgram<P: Protocol, D: KernelDevice> {
    schedule: Schedule<P>,
    /// Kernels generated for it: some for every way in which its outputs are combined.
    kernels: Mutex<HashMap<Key, Arc<Generated<D>>>>,
}

impl<P: Protocol, D: KernelDevice> DeviceProgram<P> for GpuProgram<P, D> {
    fn program(&self) -> &ConstraintProgram<P> {
        self.schedule.program()
    }
}

/// The device memory that a run takes.
#[derive(Clone, Copy, Default)]
pub(crate) struct ScratchSize {
    /// Words that its kernels read of the program.
    pub(crate) read: u64,
    /// Elements that they hand on, for each row.
    pub(crate) handed: u64,
}

impl ScratchSize {
    /// Words of the buffers of a run over `rows` rows.
    pub(crate) fn words<P: Protocol>(self, rows: u64) -> Vec<u64> {
        let read = Some(self.read).filter(|words| *words > 0);
        read.into_iter().chain(handed_words::<P>(self.handed * rows)).collect()
    }
}

/// Words of the memory in which kernels of one program hand on elements, if they do.
pub(crate) fn handed_words<P: Protocol>(elements: u64) -> Option<u64> {
    (elements > 0).then(|| elements::words::<P>(elements))
}

/// Most words of registers; beyond, the registers of all threads would not fit a device.
const MAX_REGISTERS: u64 = 8192;
/// Most kernels that are generated for one program, about; longer ones are interpreted.
const MOST_KERNELS: u32 = 64;

impl<P: Protocol, D: KernelDevice> GpuProgram<P, D> {
    pub(crate) fn new(program: &ConstraintProgram<P>) -> Result<Self> {
        let schedule = Schedule::new(program);
        let program = Self { schedule, kernels: Mutex::default() };
        program.check_registers(Operation::Prepare, 0)?;
        Ok(program)
    }

    /// Whether the device likes to compile kernels of these instructions.
    pub(crate) fn is_generated(&self, device: &D, encoded: &Encoded) -> bool {
        let most = device.info().generated_operations.saturating_mul(MOST_KERNELS);
        encoded.cost(P::DEGREE as u32) <= most
    }

    /// The memory that a run with these sinks and tables takes beside tables and result, at most.
    pub(crate) fn taken(
        &self,
        device: &D,
        (accumulators, sinks): (usize, &[Vec<Sink<P::Ext>>]),
        tables: usize,
    ) -> ScratchSize {
        let params = vec![P::Ext::ZERO; self.program().params()];
        // A program that cannot be encoded is refused where it is run.
        let Ok(encoded) = self.encode(Operation::Prepare, &params, accumulators, sinks) else {
            return ScratchSize::default();
        };
        // With other parameters every accumulator may have a total: a weight of one, and the total.
        let totals = accumulators * (1 + P::DEGREE);
        let (degree, element) = (P::DEGREE as u32, size_of::<P::Base>() as u64);
        let constants = elements::words::<P>((encoded.constants.len() + totals) as u64);
        let beside = constants + (LOAD_WORDS * encoded.loads.len() + GROUP_WORDS * accumulators + 1) as u64;
        if !self.is_generated(device, &encoded) {
            return ScratchSize { read: beside + 2 * (encoded.code.len() + accumulators) as u64, handed: 0 };
        }
        let cut = constraints::cut(&encoded, degree, device.info().generated_operations);
        let reads = cut.pieces.iter().any(|piece| !piece.fits_params(DIALECT, tables, totals, element));
        ScratchSize { read: if reads { beside } else { 0 }, handed: cut.handed.into() }
    }

    /// The kernels generated for these instructions, which go after `source`; new ones are shown to `check` first.
    /// `None` if they are more than the device likes to compile.
    pub(crate) fn generated(
        &self,
        (device, kept): (&D, &GeneratedKernels<D>),
        run: &Run<'_>,
        purpose: Purpose,
        source: impl FnOnce() -> KernelSource,
        check: impl FnOnce(&Generated<D>) -> Result<()>,
    ) -> Result<Option<Arc<Generated<D>>>> {
        if !self.is_generated(device, run.encoded) {
            return Ok(None);
        }
        let key = Key::new(run, purpose);
        let own = self.kernels().get(&key).cloned();
        let known = own.or_else(|| {
            let kept = kept.get(&key)?;
            Some(Arc::clone(self.kernels().entry(key.clone()).or_insert(kept)))
        });
        if let Some(known) = known {
            #[cfg(debug_assertions)]
            assert!(known.has_texts_of(run, purpose), "equal keys of different texts");
            return Ok(Some(known));
        }
        let cut = constraints::cut(run.encoded, P::DEGREE as u32, device.info().generated_operations);
        let made = Arc::new(Generated::build(device, (run, purpose), cut, &source())?);
        check(&made)?;
        let made = kept.insert(key.clone(), made);
        Ok(Some(Arc::clone(self.kernels().entry(key).or_insert(made))))
    }

    fn kernels(&self) -> MutexGuard<'_, HashMap<Key, Arc<Generated<D>>>> {
        // One insertion is one call, so a panic elsewhere leaves the map whole.
        self.kernels.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn check_registers(&self, op: Operation, accumulators: usize) -> Result<()> {
        let words = constraints::register_words(&self.schedule, accumulators);
        if words <= MAX_REGISTERS {
            return Ok(());
        }
        let detail = format!("a program with {words} words of values alive at once; at most {MAX_REGISTERS}");
        Err(HalError::unsupported(op, detail))
    }

    /// Whether it loads each of these columns of its only group with the row offsets 0 and 1.
    pub(crate) fn loads_all(&self, columns: usize) -> bool {
        let load = |instruction: &Instruction| match *instruction {
            Instruction::Load { column, offset, .. } => Some((column, offset)),
            _ => None,
        };
        let loads: BTreeSet<_> = self.schedule.instructions.iter().filter_map(load).collect();
        loads.len() == 2 * columns
    }

    /// None for any output.
    pub(crate) fn no_sinks(&self) -> Vec<Vec<Sink<P::Ext>>> {
        self.program().outputs().iter().map(|_| Vec::new()).collect()
    }

    /// One for each of these outputs, in their order: the column's number makes it.
    pub(crate) fn sinks(&self, outputs: &[usize], make: impl Fn(u32) -> Sink<P::Ext>) -> Vec<Vec<Sink<P::Ext>>> {
        let mut sinks = self.no_sinks();
        for (column, output) in outputs.iter().enumerate() {
            sinks[*output].push(make(column as u32));
        }
        sinks
    }

    /// The instructions, with the sinks of every output in place of the outputs.
    pub(crate) fn encode(
        &self,
        op: Operation,
        params: &[P::Ext],
        accumulators: usize,
        sinks: &[Vec<Sink<P::Ext>>],
    ) -> Result<Encoded> {
        self.check_registers(op, accumulators)?;
        Ok(constraints::encode(&self.schedule, params, accumulators, sinks))
    }
}

/// Base columns that an element of a column of a group takes, and the first of them.
pub(crate) fn first_base_column<P: Protocol>(program: &ConstraintProgram<P>, group: usize, column: usize) -> usize {
    match program.groups()[group].kind {
        Kind::Base => column,
        Kind::Ext => column * P::DEGREE,
    }
}
