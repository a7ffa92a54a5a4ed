//! A statement made ready on a backend.

use std::sync::Arc;

use circle_air::{RecordedStatement, Statement};
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::{CircleStark, Prepared, Rehearsal, Rehearsed, StarkBackend};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;

use super::ProveError;
use super::context::{Context, Programs};
use super::plan::Plan;
use super::preprocessed::{self, Layout, Preprocessed};
use super::rounds::CircleProof;
use super::witness::{self, Generator, Makings, Witness};
use crate::memory::{self, Need};
use crate::observer::{Observer, Placing, Silent};
use crate::stage::{Dry, Live, Stage};

/// A statement made ready on a backend: recorded, its programs prepared, its preprocessed columns committed to. It serves any
/// number of proofs. It owns what it needs, so a server can hold it and share it between threads.
pub struct Prover<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    ready: Ready<B>,
    plan: Plan,
    preprocessed: Preprocessed<B>,
}

/// What is known of a statement before anything is on the device.
struct Ready<B: StarkBackend<P = CircleStark>> {
    statement: Arc<dyn Statement>,
    options: CircleOptions,
    /// Log2 of the common domain, `L`.
    log_domain: u32,
    recorded: RecordedStatement,
    layout: Layout,
    /// Whether the device makes the preprocessed columns.
    makes_preprocessed: bool,
    programs: Vec<Programs<Arc<Prepared<B>>>>,
    /// What makes the trace on the device, if the statement and the backend can.
    trace_programs: Option<Makings<B>>,
}

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Records the statement, prepares its programs and commits to its preprocessed columns. Waits as long as other proofs hold the
    /// memory for that.
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, one whose proof takes more memory than there is, or what the backend
    /// reports.
    pub fn new(backend: Arc<B>, statement: Arc<dyn Statement>, options: &CircleOptions) -> Result<Self, ProveError> {
        let ready = Ready::new(&*backend, statement, options)?;
        let plan = ready.plan(&backend)?;
        let (peak, at) = match plan.preparation_bytes > plan.peak_bytes {
            true => (plan.preparation_bytes, plan.preparation_at),
            false => (plan.peak_bytes, plan.peak_at),
        };
        let reserved = memory::reserve::<_, SecureField>(&*backend, Need { peak, held: 0, at }, &Silent)??;
        let preprocessed = ready.preprocessed(Live, &*backend)?;
        reserved.keep(plan.kept_bytes);
        Ok(Self { backend, ready, plan, preprocessed })
    }

    /// What a proof takes on the device.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The recorded statement.
    pub fn recorded(&self) -> &RecordedStatement {
        &self.ready.recorded
    }

    /// Goes through a proof without a device: every operation with its shapes, and what is live at the peak. Nothing of the size of
    /// the statement is allocated. `generated`: the device makes the trace.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where the device cannot make the trace.
    pub fn rehearse(&self, generated: bool) -> Result<Rehearsal<CircleStark>, ProveError> {
        self.ready.rehearse(&self.backend, generated).map(|(_, proof)| proof)
    }

    /// Proves a trace: by component and column, in the order of the rows.
    ///
    /// # Errors
    /// A trace of another shape or one that does not satisfy the statement; what the backend reports. The proof's memory is reserved
    /// before any work; as long as other proofs hold it, [`Observer::occupied`] decides whether this one waits.
    pub fn prove(
        &self,
        trace: &[Vec<Vec<M31>>],
        observer: &dyn Observer<SecureField>,
    ) -> Result<CircleProof, ProveError> {
        self.prove_from(&Witness::Host(trace), observer)
    }

    /// Whether [`Self::prove_generated`] can prove: the statement has a trace program and the backend the operations that it takes.
    pub fn generates(&self) -> bool {
        self.ready.trace_programs.is_some()
    }

    /// As [`Self::prove`], of the honest trace that the statement's [`Statement::trace_program`] describes. The device makes it: nothing
    /// but what that program says is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where [`Self::generates`] says no; else as [`Self::prove`].
    pub fn prove_generated(&self, observer: &dyn Observer<SecureField>) -> Result<CircleProof, ProveError> {
        self.prove_from(&Witness::Device(self.ready.generator(|program| &program.program)?), observer)
    }

    fn prove_from(
        &self,
        witness: &Witness<'_, B>,
        observer: &dyn Observer<SecureField>,
    ) -> Result<CircleProof, ProveError> {
        witness.check_shape(&self.ready.recorded)?;
        let Plan { peak_bytes: peak, kept_bytes: held, peak_at: at, .. } = self.plan;
        let _reserved = memory::reserve(&*self.backend, Need { peak, held, at }, observer)??;
        let programs = self.ready.programs.iter().map(|programs| programs.map(|program| &program.program));
        self.ready.context(Live, &*self.backend, programs.collect(), &self.preprocessed, observer).prove(witness)
    }
}

impl<B: StarkBackend<P = CircleStark>> Ready<B> {
    fn new(backend: &B, statement: Arc<dyn Statement>, options: &CircleOptions) -> Result<Self, ProveError> {
        let recorded = RecordedStatement::new(&*statement, options.lifting)?;
        let log_domain = options.validate(recorded.max_log_size())?;
        recorded.check_config(&*statement, &PcsConfig::from(*options))?;
        let programs = recorded.components.iter().map(|component| Programs::new(backend, component));
        Ok(Self {
            options: *options,
            log_domain,
            programs: programs.collect::<Result<_, _>>()?,
            trace_programs: witness::prepare(backend, &*statement)?,
            layout: Layout::new(&recorded),
            makes_preprocessed: preprocessed::program(backend, &*statement, options.lifting).is_some(),
            recorded,
            statement,
        })
    }

    /// A plan covers traces of the host and of the device.
    fn plan(&self, backend: &Arc<B>) -> Result<Plan, ProveError> {
        let (preparation, mut proof) = self.rehearse(backend, false)?;
        if self
            .generator(|program| program)
            .is_ok_and(|made| Witness::<Rehearsed<B>>::Device(made).check_shape(&self.recorded).is_ok())
        {
            let (_, other) = self.rehearse(backend, true)?;
            if other.peak_bytes > proof.peak_bytes {
                proof = other;
            }
        }
        let upload = |c: &circle_air::Recorded| ((c.width(1) as u64) << c.log_size) * size_of::<M31>() as u64;
        Ok(Plan {
            peak_bytes: proof.peak_bytes,
            peak_at: proof.peak_at,
            preparation_bytes: preparation.peak_bytes,
            preparation_at: preparation.peak_at,
            kept_bytes: preparation.live_bytes,
            upload_bytes: self.recorded.components.iter().map(upload).sum(),
            log_domain: self.log_domain,
        })
    }

    /// Making the preprocessed columns, then a proof, both without a device.
    fn rehearse(
        &self,
        backend: &Arc<B>,
        generated: bool,
    ) -> Result<(Rehearsal<CircleStark>, Rehearsal<CircleStark>), ProveError> {
        let witness = match generated {
            true => Witness::Device(self.generator(|program| program)?),
            false => Witness::Shape,
        };
        witness.check_shape(&self.recorded)?;
        let rehearsed = Rehearsed::new(backend.clone());
        rehearsed.enter("preprocessed columns");
        let preprocessed = self.preprocessed(Dry, &rehearsed)?;
        let preparation = rehearsed.finish();
        let programs = self.programs.iter().map(|programs| programs.map(|program| program));
        let observer = Placing(&rehearsed);
        self.context(Dry, &rehearsed, programs.collect(), &preprocessed, &observer).prove(&witness)?;
        Ok((preparation, rehearsed.finish()))
    }

    /// How the device makes the trace, with the programs of a stage.
    fn generator<'a, C: StarkBackend<P = CircleStark>>(
        &'a self,
        of: impl Fn(&'a Arc<Prepared<B>>) -> &'a C::Program,
    ) -> Result<Generator<'a, C>, ProveError> {
        let none = || ProveError::NoTraceProgram { statement: self.statement.name().to_owned() };
        let (tables, programs) = self.trace_programs.as_ref().ok_or_else(none)?;
        Ok(Generator { tables, programs: programs.iter().map(|making| making.map(&of)).collect() })
    }

    fn preprocessed<C: StarkBackend<P = CircleStark>>(
        &self,
        stage: impl Stage<C>,
        backend: &C,
    ) -> Result<Preprocessed<C>, ProveError> {
        let (statement, lifting) = (&*self.statement, self.options.lifting);
        let program = statement.preprocessed_program(lifting).filter(|_| self.makes_preprocessed);
        Preprocessed::new(stage, backend, statement, program, (&self.recorded, &self.layout), &self.options)
    }

    fn context<'a, C: StarkBackend<P = CircleStark>, S>(
        &'a self,
        stage: S,
        backend: &'a C,
        programs: Vec<Programs<&'a C::Program>>,
        preprocessed: &'a Preprocessed<C>,
        observer: &'a dyn Observer<SecureField>,
    ) -> Context<'a, C, S> {
        let Self { statement, options, log_domain, recorded, .. } = self;
        let (statement, log_domain) = (&**statement, *log_domain);
        Context { stage, backend, statement, recorded, options, log_domain, programs, preprocessed, observer }
    }
}
