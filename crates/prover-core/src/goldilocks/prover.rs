//! An AIR made ready on a backend.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use air::{Air, RecordedAir, Trace, TraceProgram};
use field::Goldilocks;
use gpu_hal::rehearsal::{Prepared, Rehearsal};
use gpu_hal::{CosetProtocol, Operation, Rehearse, StarkBackend};

use super::ProveError;
use super::context::{Context, Programs};
use super::domains::Domains;
use super::format::ProofFormat;
use super::masks::MaskSeed;
use super::plan::{Composition, Plan};
use super::witness::Witness;
use crate::cancellable::cancellable;
use crate::memory::{self, Need};
use crate::mode::{DryRun, OnDevice};
use crate::observer::{Observer, Placing, Silent};
use crate::table::Ext;

/// The seed of rehearsals, in which no mask counts.
static REHEARSED: MaskSeed = MaskSeed::from_bytes([0; 32]);

/// An AIR made ready on a backend: its programs are recorded and prepared once and serve any number of proofs.
/// It owns all its data, so a server can hold it and share it between threads.
pub struct Prover<B: StarkBackend<P: CosetProtocol>> {
    backend: Arc<B>,
    air: Arc<dyn Air<B::P>>,
    recorded: RecordedAir<B::P>,
    programs: Programs<Arc<Prepared<B::T>>>,
    /// The last one that was made, as the options seldom change.
    last_plan: Mutex<Option<(Box<dyn Any + Send>, Plan)>>,
}

impl<B: StarkBackend<P: CosetProtocol>> Prover<B> {
    /// Records the AIR and prepares its programs on the backend.
    ///
    /// # Errors
    /// [`ProveError::Air`] if the AIR contradicts itself, [`ProveError::Hal`] if the backend cannot prepare a program.
    pub fn new(backend: Arc<B>, air: Arc<dyn Air<B::P>>) -> Result<Self, ProveError> {
        let recorded = air::record(&*air)?;
        let programs = Programs::new(&*backend, &recorded)?;
        Ok(Self { backend, air, recorded, programs, last_plan: Mutex::default() })
    }

    /// The recorded AIR.
    pub fn recorded(&self) -> &RecordedAir<B::P> {
        &self.recorded
    }

    /// The plan of a proof with these options, wherever its trace is made.
    ///
    /// # Errors
    /// [`ProveError::Options`].
    pub fn plan<F: ProofFormat>(&self, options: &F) -> Result<Plan, ProveError> {
        let mut last = self.last_plan.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((of, plan)) if of.downcast_ref() == Some(options) => Ok(plan.clone()),
            _ => Ok(last.insert((Box::new(options.clone()), self.make_plan(options)?)).1.clone()),
        }
    }

    fn make_plan(&self, options: &impl ProofFormat) -> Result<Plan, ProveError> {
        let mut rehearsal = self.rehearse(options, false)?;
        if self.generates() {
            let other = self.rehearse(options, true)?;
            let spill = rehearsal.spill.zip(other.spill).map(|(one, other)| one.max(other));
            if other.peak_bytes > rehearsal.peak_bytes {
                rehearsal = other;
            }
            rehearsal.spill = spill;
        }
        let (log_trace, width) = (self.recorded.log_trace_length(), self.recorded.layout().main_columns);
        let domains = Domains::new(log_trace, options);
        Ok(Plan {
            peak_bytes: rehearsal.peak_bytes,
            peak_at: rehearsal.peak_at,
            spill: rehearsal.spill,
            upload_bytes: ((width as u64) << log_trace) * size_of::<Goldilocks>() as u64,
            constraint_operations: rehearsal.constraint_operations(),
            composition: Composition::of(&self.recorded, domains.log_blowup),
            log_trace,
            log_lde: domains.log_lde(),
        })
    }

    /// Goes through a proof without a device: every operation with its shapes, and the tables that are live at the
    /// peak. Nothing of the size of the statement is allocated. `generated`: the device makes the trace.
    ///
    /// # Errors
    /// [`ProveError::Options`]; [`ProveError::NoTraceProgram`] where the device cannot make the trace.
    pub fn rehearse<F: ProofFormat>(&self, options: &F, generated: bool) -> Result<Rehearsal, ProveError> {
        options.check(&self.recorded)?;
        let domains = Domains::new(self.recorded.log_trace_length(), options);
        let program = if generated { Some(self.trace_program()?) } else { None };
        let witness = program.as_ref().map_or(Witness::Shape, Witness::Device);
        self.check_shape(witness)?;
        let rehearsed = B::Shapes::of(self.backend.clone());
        let programs = self.programs.map(B::Shapes::program);
        let context = Context {
            mode: DryRun,
            backend: &rehearsed,
            air: &*self.air,
            recorded: &self.recorded,
            programs: programs.map(|program| program),
            options,
            domains,
            composition: Composition::of(&self.recorded, domains.log_blowup),
            mask_seed: options.hiding().hides().then_some(&REHEARSED),
            masks: None,
            observer: &Placing(&rehearsed),
        };
        F::prove(&context, witness, F::any_seed())?;
        Ok(rehearsed.finish())
    }

    /// Asks the backend for all that proofs with these options ask it for, with zeros for data and with no check of the
    /// results: of a trace of the host, and of one that the device makes, if it can. For a backend that computes
    /// nothing and remembers its calls, such as one on `gpu_runtime::Recorder`.
    ///
    /// # Errors
    /// [`ProveError::Options`], or the backend's errors.
    pub fn visit<F: ProofFormat>(&self, options: &F) -> Result<(), ProveError> {
        options.check(&self.recorded)?;
        let domains = Domains::new(self.recorded.log_trace_length(), options);
        let program = self.generates().then(|| self.trace_program()).transpose()?;
        for witness in [Witness::Shape].into_iter().chain(program.as_ref().map(Witness::Device)) {
            let context = Context {
                mode: OnDevice::Zeros,
                backend: &*self.backend,
                air: &*self.air,
                recorded: &self.recorded,
                programs: self.programs.map(|program| &program.program),
                options,
                domains,
                composition: Composition::of(&self.recorded, domains.log_blowup),
                mask_seed: options.hiding().hides().then_some(&REHEARSED),
                masks: None,
                observer: &Silent,
            };
            F::prove(&context, witness, F::any_seed())?;
        }
        Ok(())
    }

    /// Proves that `trace` satisfies the AIR. The proof is a function of the arguments alone, and of random bytes of
    /// the system if the options hide the witness. Its out-of-domain identity is checked before it is returned: a trace
    /// that does not satisfy the AIR gives [`ProveError::Unsatisfied`], not a proof.
    ///
    /// # Errors
    /// See [`ProveError`]. After an error the backend is as before, and its memory released. The proof's memory is
    /// reserved before any work; as long as other proofs hold it, [`Observer::occupied`] decides whether this one
    /// waits.
    pub fn prove<F: ProofFormat>(
        &self,
        trace: &Trace<Goldilocks>,
        options: &F,
        seed: F::Seed<'_>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<F::Proof<B::P>, ProveError> {
        self.prove_from(Witness::Host(trace), options, seed, None, observer)
    }

    /// As [`Self::prove`] or, without a trace, as [`Self::prove_generated`], with masks of this seed where the options
    /// hide the witness. Those take a seed of the system.
    ///
    /// # Errors
    /// As these.
    pub fn prove_masked<F: ProofFormat>(
        &self,
        trace: Option<&Trace<Goldilocks>>,
        options: &F,
        seed: F::Seed<'_>,
        masks: MaskSeed,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<F::Proof<B::P>, ProveError> {
        match trace {
            Some(trace) => self.prove_from(Witness::Host(trace), options, seed, Some(masks), observer),
            None => self.prove_from(Witness::Device(&self.trace_program()?), options, seed, Some(masks), observer),
        }
    }

    /// Whether [`Self::prove_generated`] can prove: the AIR has a [`TraceProgram`] of its shape, no auxiliary column is
    /// the host's, and the backend has the operations.
    pub fn generates(&self) -> bool {
        let has = |op| self.backend.has(op);
        self.trace_program().is_ok_and(|program| {
            let is_one = program.columns.len() == 1;
            has(Operation::Recurrence)
                && (is_one || has(Operation::Select))
                && self.check_shape(Witness::Device(&program)).is_ok()
        })
    }

    /// As [`Self::prove`], of the honest trace that the AIR's [`TraceProgram`] describes. The device makes it: nothing
    /// of the size of the trace is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where there is nothing to make it from; an unsupported [`ProveError::Hal`] where
    /// the backend lacks an operation; else as [`Self::prove`].
    pub fn prove_generated<F: ProofFormat>(
        &self,
        options: &F,
        seed: F::Seed<'_>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<F::Proof<B::P>, ProveError> {
        self.prove_from(Witness::Device(&self.trace_program()?), options, seed, None, observer)
    }

    fn prove_from<F: ProofFormat>(
        &self,
        witness: Witness<'_>,
        options: &F,
        seed: F::Seed<'_>,
        masks: Option<MaskSeed>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<F::Proof<B::P>, ProveError> {
        self.check_shape(witness)?;
        let plan = self.plan(options)?;
        let need = Need { peak: plan.peak_bytes, held: 0, at: plan.peak_at };
        let _reserved = memory::reserve(&*self.backend, need, observer)??;
        let masks = match (options.hiding().hides(), masks) {
            (true, None) => Some(MaskSeed::from_system()?),
            (true, given) => given,
            (false, _) => None,
        };
        cancellable(&*self.backend, observer, |observer| {
            let context = Context {
                mode: OnDevice::Proof,
                backend: &*self.backend,
                air: &*self.air,
                recorded: &self.recorded,
                programs: self.programs.map(|program| &program.program),
                options,
                domains: Domains::new(plan.log_trace, options),
                composition: plan.composition,
                mask_seed: masks.as_ref(),
                masks: None,
                observer,
            };
            F::prove(&context, witness, seed)
        })
    }

    fn trace_program(&self) -> Result<TraceProgram<Goldilocks>, ProveError> {
        let none = |reason| ProveError::NoTraceProgram { air: self.air.name().to_owned(), reason };
        if !self.recorded.host_aux().is_empty() {
            return Err(none("the host computes auxiliary columns from the trace"));
        }
        self.air.trace_program().ok_or_else(|| none("it declares no trace program"))
    }

    fn check_shape(&self, witness: Witness<'_>) -> Result<(), ProveError> {
        let (expected_width, expected_log_height) =
            (self.recorded.layout().main_columns, self.recorded.log_trace_length());
        let (width, log_height) = match witness {
            Witness::Host(trace) => (trace.width(), trace.log_height()),
            Witness::Shape => (expected_width, expected_log_height),
            Witness::Device(program) => {
                let heights = program.columns.iter().map(|column| column.log_height);
                let other = heights.into_iter().find(|log_height| *log_height != expected_log_height);
                (program.columns.len(), other.unwrap_or(expected_log_height))
            }
        };
        if width != expected_width || log_height != expected_log_height {
            return Err(ProveError::TraceShape { width, log_height, expected_width, expected_log_height });
        }
        Ok(())
    }
}
