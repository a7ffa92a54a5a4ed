//! A statement made ready on a backend.

mod rehearsals;
mod visit;

use std::cell::Cell;
use std::sync::Arc;

use circle_air::{RecordedStatement, Statement};
use circle_proof::CircleOptions;
use field::{M31, QM31};
use gpu_hal::rehearsal::{Prepared, Rehearsal};
use gpu_hal::{CircleStark, StarkBackend};
use rayon::prelude::*;

use super::ProveError;
use super::ahead::{GivenColumns, reserve_at_once};
use super::context::Context;
use super::keep::Keep;
use super::layout::Layout;
use super::plan::Plan;
use super::preprocessed::{self, Preprocessed, PreprocessedColumns, PreprocessedTrace};
use super::programs::{self, Programs};
use super::rounds::CircleProof;
use super::shape::{PlannedShape, StatementShape};
use super::witness::{FromMaker, Generator, MakeMain, TraceMaker, Witness};
use crate::cancellable::cancellable;
use crate::memory::{self, Need};
use crate::mode::{ModeOn, OnDevice};
use crate::observer::{Observer, Silent};

/// A statement made ready on a backend: recorded, its programs prepared, its preprocessed columns committed to. It
/// serves any number of proofs. It owns all its data, so a server can hold it and share it between threads. With a
/// [`TraceMaker`] `M` it proves traces that the maker makes.
pub struct Prover<B: StarkBackend<P = CircleStark>, M = WithoutMaker> {
    backend: Arc<B>,
    ready: Ready<B>,
    plan: Plan,
    preprocessed: Preprocessed<B>,
    maker: M,
}

/// Traces come from the host or from the statement's trace program.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithoutMaker;

/// The facts of a statement before anything is on the device.
struct Ready<B: StarkBackend<P = CircleStark>> {
    statement: Arc<dyn Statement>,
    shape: Arc<StatementShape<B>>,
}

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Records the statement, prepares its programs and commits to its preprocessed columns. Waits as long as other
    /// proofs hold the memory for that. Its proofs keep as much as the device's memory allows if they are alone on it:
    /// [`Plan::keep`].
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, one whose proof takes more memory than there is,
    /// or the backend's errors.
    pub fn new(backend: Arc<B>, statement: Arc<dyn Statement>, options: &CircleOptions) -> Result<Self, ProveError> {
        let ready = Ready::new(&*backend, statement, options, false)?;
        let plan = ready.plan(&ready.choose(&*backend, false, |keep| ready.rehearse_all(&backend, keep))?);
        let reserved = memory::reserve::<_, QM31>(&*backend, plan.need(), &Silent)??;
        let trace = ready.preprocessed(OnDevice::Proof, &*backend)?;
        let preprocessed = Preprocessed::own(&*backend, trace, &ready.shape.layout)?;
        reserved.keep(plan.kept_bytes);
        Ok(Self { backend, ready, plan, preprocessed, maker: WithoutMaker })
    }

    /// The plan of a proof that keeps as little as can be. Nothing of the size of the statement is allocated, and
    /// nothing is refused for its size.
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, or the backend's errors.
    pub fn least_plan(
        backend: &Arc<B>,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
    ) -> Result<Plan, ProveError> {
        let ready = Ready::new(&**backend, statement, options, false)?;
        Ok(ready.plan(&ready.rehearse_all(backend, Keep::LEAST)?))
    }

    /// The same prover, with proofs that keep `keep`. Whether there is the memory for it is seen when one is made.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn keeping(mut self, keep: Keep) -> Result<Self, ProveError> {
        self.plan = self.ready.plan(&self.ready.rehearse_all(&self.backend, keep)?);
        Ok(self)
    }

    /// Goes through a proof without a device: every operation with its shapes, and the tables that are live at the
    /// peak. Nothing of the size of the statement is allocated. `generated`: the device makes the trace.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where the device cannot make the trace.
    pub fn rehearse(&self, generated: bool) -> Result<Rehearsal, ProveError> {
        self.ready.rehearse(&self.backend, generated, self.plan.keep).map(|rehearsals| rehearsals.proof)
    }

    /// Proves a trace: by component and column, in the statement's [`Statement::order`].
    ///
    /// # Errors
    /// A trace of another shape or one that does not satisfy the statement; the backend's errors. The proof's memory is
    /// reserved before any work; as long as other proofs hold it, [`Observer::occupied`] decides whether this one
    /// waits.
    pub fn prove<C: AsRef<[M31]>>(
        &self,
        trace: &[Vec<C>],
        observer: &dyn Observer<QM31>,
    ) -> Result<CircleProof, ProveError> {
        let columns: Vec<Vec<&[M31]>> =
            trace.iter().map(|component| component.iter().map(AsRef::as_ref).collect()).collect();
        self.prove_witness(&Witness::Host(&columns), observer)
    }

    /// Whether [`Self::prove_generated`] can prove: the statement has a trace program and the backend the operations
    /// that it takes.
    pub fn generates(&self) -> bool {
        self.ready.shape.trace_programs.is_some()
    }

    /// As [`Self::prove`], of the honest trace that the statement's [`Statement::trace_program`] describes. The device
    /// makes it: only that program's data is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where [`Self::generates`] says no; else as [`Self::prove`].
    pub fn prove_generated(&self, observer: &dyn Observer<QM31>) -> Result<CircleProof, ProveError> {
        self.prove_witness(&Witness::Device(self.ready.generator(|program| &program.program)?), observer)
    }

    fn prove_witness(
        &self,
        witness: &Witness<'_, B>,
        observer: &dyn Observer<QM31>,
    ) -> Result<CircleProof, ProveError> {
        witness.check_shape(&self.ready.shape.recorded)?;
        self.prove_from(witness, observer)
    }
}

impl<B: StarkBackend<P = CircleStark>, M: TraceMaker> Prover<B, M> {
    /// As [`Prover::new`], for the traces that `maker` makes, and with preprocessed columns that other provers on this
    /// backend share: given ones, from [`Prover::preprocessed`] of another prover, or new ones. The caller must know
    /// that they have the right values.
    ///
    /// # Errors
    /// As [`Prover::new`]; [`ProveError::ForeignPreprocessed`] if the given ones have other names, heights or options.
    pub fn with_maker(
        backend: Arc<B>,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
        maker: M,
        preprocessed: Option<Arc<PreprocessedTrace<B>>>,
    ) -> Result<Self, ProveError> {
        Self::with_columns(backend, statement, options, maker, preprocessed.map(GivenColumns::Shared))
    }

    /// As [`Prover::with_maker`]; the columns may have been committed to ahead, too. Of these the ones that the
    /// statement does not read, and all of them if others hold the memory that its proofs take beside them, are given
    /// back, and new ones are made.
    ///
    /// # Errors
    /// As [`Prover::with_maker`].
    pub fn with_columns(
        backend: Arc<B>,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
        maker: M,
        given: Option<GivenColumns<B>>,
    ) -> Result<Self, ProveError> {
        let key = maker.shape().map(|shape| (*options, statement.samples_all_preprocessed(), shape));
        let known = given.as_ref().zip(key.as_ref()).and_then(|(given, key)| given.trace().known(key));
        let ready = match &known {
            Some(known) => Ready::of_shape(statement, known.shape.clone())?,
            None => Ready::new(&*backend, statement, options, true)?,
        };
        let StatementShape { recorded, layout, .. } = &*ready.shape;
        let given = match given {
            Some(GivenColumns::Ahead(ahead)) => {
                Some(GivenColumns::Ahead(ahead)).filter(|given| given.trace().fits(&backend, recorded, options))
            }
            Some(GivenColumns::Shared(shared)) if !shared.fits(&backend, recorded, options) => {
                return Err(ProveError::ForeignPreprocessed { statement: ready.statement.name().to_owned() });
            }
            given => given,
        };
        let known = match known {
            Some(known) => known,
            None => {
                let rehearse = |keep| ready.rehearse_made(&backend, &maker, keep);
                // Columns made ahead are promised, so they are part of the room.
                let is_taken = matches!(given, Some(GivenColumns::Shared(_)));
                let rehearsals = ready.choose(&*backend, is_taken, rehearse)?;
                let (plan, tree_bytes) = (ready.plan(&rehearsals), rehearsals.tree.live_bytes);
                Arc::new(PlannedShape { shape: ready.shape.clone(), plan, tree_bytes })
            }
        };
        let plan = known.plan.clone();
        let beside = |held| Need { held, ..plan.need() };
        let reserve = |need| memory::reserve::<_, QM31>(&*backend, need, &Silent);
        let (reserved, given) = match given {
            Some(GivenColumns::Shared(shared)) => (reserve(beside(known.tree_bytes))??, Some(shared)),
            Some(GivenColumns::Ahead(ahead)) => match reserve_at_once(&*backend, beside(known.tree_bytes))? {
                Ok(reserved) => (reserved, Some(ahead.into_shared())),
                Err(_) => {
                    // The room that was chosen by is the one before the columns: others may have taken of it since.
                    drop(ahead);
                    return Self::with_columns(backend, ready.statement, options, maker, None);
                }
            },
            None => (reserve(beside(0))??, None),
        };
        let held = if given.is_some() { known.tree_bytes } else { 0 };
        let trace = match given {
            Some(given) => given,
            None => Arc::new(ready.preprocessed(OnDevice::Proof, &*backend)?.on(&backend)),
        };
        if let Some(key) = key {
            trace.learn(key, known);
        }
        let preprocessed = Preprocessed::shared(&*backend, trace, layout)?;
        reserved.keep(plan.kept_bytes.saturating_sub(held));
        Ok(Self { backend, ready, plan, preprocessed, maker })
    }

    /// The plan of a statement's proofs from traces that `maker` makes, and the recorded statement: as
    /// [`Prover::with_maker`], but nothing of the size of the statement is allocated. They keep `keep`, if it is given;
    /// else as much as the device's memory allows.
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, or the backend's errors.
    pub fn plan_made(
        backend: &Arc<B>,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
        maker: &M,
        keep: Option<Keep>,
    ) -> Result<(Plan, RecordedStatement), ProveError> {
        let ready = Ready::new(&**backend, statement, options, true)?;
        let rehearse = |keep| ready.rehearse_made(backend, maker, keep);
        let rehearsals = match keep {
            Some(keep) => rehearse(keep)?,
            None => ready.choose(&**backend, false, rehearse)?,
        };
        Ok((ready.plan(&rehearsals), ready.shape.recorded.clone()))
    }

    /// The maker of the traces.
    pub fn maker(&self) -> &M {
        &self.maker
    }

    /// As [`Prover::keeping`].
    ///
    /// # Errors
    /// The backend's errors.
    pub fn keeping(mut self, keep: Keep) -> Result<Self, ProveError> {
        self.plan = self.ready.plan(&self.ready.rehearse_made(&self.backend, &self.maker, keep)?);
        Ok(self)
    }

    /// As [`Prover::prove`], of the trace that the maker makes.
    ///
    /// # Errors
    /// The maker's errors; else as [`Prover::prove`].
    pub fn prove_made(&self, observer: &dyn Observer<QM31>) -> Result<CircleProof, ProveError> {
        self.prove_from(&FromMaker(&self.maker), observer)
    }
}

impl<B: StarkBackend<P = CircleStark>, M> Prover<B, M> {
    /// The plan of a proof.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The recorded statement.
    pub fn recorded(&self) -> &RecordedStatement {
        &self.ready.shape.recorded
    }

    /// The preprocessed columns on the device.
    pub fn preprocessed(&self) -> &Arc<PreprocessedTrace<B>> {
        self.preprocessed.trace()
    }

    fn prove_from(
        &self,
        main: &(dyn MakeMain<B, OnDevice> + Sync),
        observer: &dyn Observer<QM31>,
    ) -> Result<CircleProof, ProveError> {
        let Plan { peak_bytes: peak, kept_bytes: held, peak_at: at, .. } = self.plan;
        let _reserved = memory::reserve(&*self.backend, Need { peak, held, at }, observer)??;
        let (backend, ready, preprocessed, keep) = (&*self.backend, &self.ready, &self.preprocessed, self.plan.keep);
        cancellable(backend, observer, |observer| {
            let programs = ready.shape.programs.iter().map(|programs| programs.map(|program| &program.program));
            ready.context(OnDevice::Proof, backend, programs.collect(), preprocessed, observer, keep).prove(main)
        })
    }
}

impl<B: StarkBackend<P = CircleStark>> Ready<B> {
    fn new(
        backend: &B,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
        is_shared: bool,
    ) -> Result<Self, ProveError> {
        let recorded = RecordedStatement::new(&*statement, options.lifting)?;
        let log_domain = options.validate(recorded.max_log_size())?;
        recorded.check_config(&*statement, options.log_blowup, options.lifting)?;
        let programs = recorded.components.par_iter().map(|component| Programs::new(backend, component));
        let shape = StatementShape {
            options: *options,
            log_domain,
            programs: programs.collect::<Result<_, _>>()?,
            trace_programs: programs::prepare(backend, &*statement)?,
            layout: Layout::new(&recorded, is_shared),
            makes_preprocessed: preprocessed::program(backend, &*statement, options.lifting).is_some(),
            recorded,
        };
        Ok(Self { statement, shape: Arc::new(shape) })
    }

    fn of_shape(statement: Arc<dyn Statement>, shape: Arc<StatementShape<B>>) -> Result<Self, ProveError> {
        shape.recorded.check_config(&*statement, shape.options.log_blowup, shape.options.lifting)?;
        Ok(Self { statement, shape })
    }

    /// How the device makes the trace, with the programs of a mode.
    fn generator<'a, C: StarkBackend<P = CircleStark>>(
        &'a self,
        of: impl Fn(&'a Arc<Prepared<B::T>>) -> &'a C::Program,
    ) -> Result<Generator<'a, C>, ProveError> {
        let none = || ProveError::NoTraceProgram { statement: self.statement.name().to_owned() };
        let (tables, programs) = self.shape.trace_programs.as_ref().ok_or_else(none)?;
        Ok(Generator { tables, programs: programs.iter().map(|making| making.map(&of)).collect() })
    }

    fn preprocessed<C: StarkBackend<P = CircleStark>>(
        &self,
        mode: impl ModeOn<C>,
        backend: &C,
    ) -> Result<PreprocessedTrace<C>, ProveError> {
        let StatementShape { options, recorded, layout, makes_preprocessed, .. } = &*self.shape;
        let statement = &*self.statement;
        let program = statement.preprocessed_program(options.lifting).filter(|_| *makes_preprocessed);
        let values = || statement.preprocessed_values(options.lifting);
        let (declared, order) = (recorded.preprocessed.clone(), statement.order());
        let columns = PreprocessedColumns { declared, order, values: &values };
        PreprocessedTrace::new(mode, backend, &columns, program, &layout.tables, options)
    }

    fn context<'a, C: StarkBackend<P = CircleStark>, S>(
        &'a self,
        mode: S,
        backend: &'a C,
        programs: Vec<Programs<&'a C::Program>>,
        preprocessed: &'a Preprocessed<C>,
        observer: &'a dyn Observer<QM31>,
        keep: Keep,
    ) -> Context<'a, C, S> {
        let StatementShape { options, log_domain, recorded, .. } = &*self.shape;
        let (statement, log_domain) = (&*self.statement, *log_domain);
        let remade = Cell::default();
        Context {
            mode,
            backend,
            statement,
            recorded,
            options,
            log_domain,
            programs,
            preprocessed,
            observer,
            keep,
            remade,
        }
    }
}
