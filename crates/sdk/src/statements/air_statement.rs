//! Statements about AIRs: from a request to a proof that the verifier has accepted.

use std::sync::Arc;

use gpu_hal::StarkBackend;
use gpu_hal::rehearsal::Step;
use proof_format::Profile;
use proof_format::policy::check_security;
use prover_core::MemoryError;

use crate::airs::{AirInstance, Airs};
use crate::devices::backend::AnyBackend;
use crate::devices::device::Device;
use crate::devices::memory::missing_memory;
use crate::error::Error;
use crate::stage::{Follow, Stage};
use crate::statements::statement::{Ready, Statement};
use crate::system::{AirFacts, MemoryPlan, Prepared, ProofSystem, Request, TraceSource};
use crate::verification::report::Proven;

/// A statement about an AIR, built: a request, and the statement that it asks for.
pub struct AirStatement<'a, S: ProofSystem> {
    airs: Airs<S>,
    request: Request<S>,
    provable: AirInstance<S>,
    /// A trace that is there already.
    trace: Option<&'a S::Trace>,
}

impl<S: ProofSystem> Clone for AirStatement<'_, S> {
    fn clone(&self) -> Self {
        let Self { airs, request, provable, trace } = self;
        Self { airs: airs.clone(), request: request.clone(), provable: provable.clone(), trace: *trace }
    }
}

impl<'a, S: ProofSystem> AirStatement<'a, S> {
    /// The statement that a request asks for, about one of `airs`. To build it may take as long as its trace.
    ///
    /// # Errors
    /// The errors of [`Airs::build`].
    pub fn new(airs: &Airs<S>, request: &Request<S>) -> Result<Self, Error> {
        Ok(Self::built(airs.clone(), request.clone(), airs.build(request)?))
    }

    /// A request about one of `airs`, and the statement that was built of it.
    pub fn built(airs: Airs<S>, request: Request<S>, provable: AirInstance<S>) -> Self {
        Self { airs, request, provable, trace: None }
    }

    /// The request.
    pub fn request(&self) -> &Request<S> {
        &self.request
    }

    /// The statement itself.
    pub fn air(&self) -> &S::Air {
        &self.provable.air
    }

    /// The statement that a trace satisfies an AIR, which needs no name.
    ///
    /// # Errors
    /// If the AIR has an impossible name or number of rows.
    pub fn of_air(air: Arc<S::Air>, trace: &'a S::Trace, options: S::Options, profile: Profile) -> Result<Self, Error> {
        let AirFacts { name, rows, .. } = S::facts(&air);
        let request = Request { options, profile, ..Request::new(name, rows) };
        Ok(Self { trace: Some(trace), ..Self::new(&Airs::of(air), &request)? })
    }

    /// With the parts of a request that only this proof system has.
    #[must_use]
    pub fn with_extras(mut self, extras: S::Extras) -> Self {
        self.request.extras = extras;
        self
    }

    /// Refuses a proof that would be worth less than it must.
    fn check_worth(&self) -> Result<(), Error> {
        let Profile { kind, bits } = self.request.profile;
        if bits == 0 {
            return Ok(());
        }
        let security = S::rounds_of(&self.request, &self.provable.air)?.security_by(kind);
        Ok(check_security(&security, kind, bits)?)
    }
}

impl<S: ProofSystem> Statement<S> for AirStatement<'_, S> {
    type Plan = MemoryPlan;
    type Proven = Proven<S>;
    type Ready<'a>
        = ReadyAir<'a, S>
    where
        Self: 'a;

    fn plan(&self, device: &Device<S>) -> Result<MemoryPlan, Error> {
        let (_, plan) = device.fitting(|backend| S::least_plan(backend, &self.request, &self.provable.air))?;
        Ok(plan.into())
    }

    fn ready<'a>(&'a self, device: &'a Device<S>) -> Result<ReadyAir<'a, S>, Error> {
        ReadyAir::new(self.clone(), device)
    }
}

/// A request is about one of the device's AIRs.
impl<S: ProofSystem> Statement<S> for Request<S> {
    type Plan = MemoryPlan;
    type Proven = Proven<S>;
    type Ready<'a> = ReadyAir<'a, S>;

    fn plan(&self, device: &Device<S>) -> Result<MemoryPlan, Error> {
        AirStatement::new(device.airs(), self)?.plan(device)
    }

    fn ready<'a>(&'a self, device: &'a Device<S>) -> Result<ReadyAir<'a, S>, Error> {
        ReadyAir::new(AirStatement::new(device.airs(), self)?, device)
    }
}

/// A statement about an AIR, ready on a device.
pub struct ReadyAir<'a, S: ProofSystem> {
    statement: AirStatement<'a, S>,
    backend: &'a AnyBackend<S>,
    prepared: Prepared<S>,
}

/// The main columns of a proof.
pub enum MainTrace<'a, T> {
    /// The device makes them.
    Device,
    /// The caller has them.
    Given(&'a T),
    /// They were made for this proof.
    Made(T),
}

impl<'a, S: ProofSystem> ReadyAir<'a, S> {
    fn new(statement: AirStatement<'a, S>, device: &'a Device<S>) -> Result<Self, Error> {
        statement.check_worth()?;
        let AirStatement { request, provable, .. } = &statement;
        let (backend, prepared) = device.fitting(|backend| S::prepare(backend, request, &provable.air))?;
        Ok(Self { statement, backend, prepared })
    }

    /// The memory that a proof takes.
    pub fn footprint(&self) -> MemoryPlan {
        self.prepared.plan.clone().into()
    }

    /// Whether the device makes the trace; else it is uploaded.
    pub fn generates(&self) -> bool {
        match self.statement.request.trace {
            _ if self.statement.trace.is_some() => false,
            TraceSource::Auto => self.prepared.generates,
            TraceSource::Upload => false,
            TraceSource::Device => true,
        }
    }

    /// The operations of a proof, gone through without a device.
    ///
    /// # Errors
    /// If the device shall make a trace that it can't make.
    pub fn steps(&self) -> Result<Vec<Step>, Error> {
        S::steps(&self.prepared.prover, &self.statement.request, self.generates())
    }

    /// The main columns; `follow` is asked before they are computed. A statement that does not fit the memory is
    /// refused before that: the trace's own memory would be the first to be missing.
    ///
    /// # Errors
    /// If there is too little memory, or no trace.
    pub fn main_trace(&self, follow: &Follow<'_>) -> Result<MainTrace<'_, S::Trace>, Error> {
        let (footprint, generated) = (self.footprint(), self.generates());
        let upload = if generated { 0 } else { footprint.upload_bytes };
        let missing = missing_memory(self.backend, footprint.peak_bytes, footprint.kept_bytes, upload)?;
        if let Some((needed, available)) = missing {
            return Err(MemoryError::Missing { needed, at: footprint.peak_at, available }.into());
        }
        match self.statement.trace {
            _ if generated => Ok(MainTrace::Device),
            Some(trace) => Ok(MainTrace::Given(trace)),
            None => {
                begin(follow, Stage::Trace)?;
                check_room(upload)?;
                let _span = tracing::info_span!("trace").entered();
                Ok(MainTrace::Made(self.statement.provable.trace()?))
            }
        }
    }

    /// Proves with these main columns: the bytes of a file of the statement and its proof, which is not verified.
    ///
    /// # Errors
    /// Why there is no proof.
    pub fn prove_trace(&self, main: &MainTrace<'_, S::Trace>, follow: &Follow<'_>) -> Result<Vec<u8>, Error> {
        let AirStatement { airs, request, provable, .. } = &self.statement;
        let parameters = airs.public_parameters(request)?;
        let _span = tracing::info_span!("prove", air = request.air, rows = request.rows).entered();
        let uploaded = match main {
            MainTrace::Device => None,
            MainTrace::Given(trace) => Some(*trace),
            MainTrace::Made(trace) => Some(trace),
        };
        S::prove(&self.prepared.prover, request, parameters, &provable.air, uploaded, follow).map_err(|error| {
            match error.is_unsatisfied() && self.is_true(uploaded) {
                true => Error::Miscomputed { backend: self.name() },
                false => error,
            }
        })
    }

    /// Whether a trace that was refused satisfies the AIR after all. It may be slow, and is only asked after a failure.
    fn is_true(&self, trace: Option<&S::Trace>) -> bool {
        let provable = &self.statement.provable;
        let is_satisfied = |trace: &_| S::check_trace(&provable.air, trace, 1).is_ok();
        match trace {
            Some(trace) => is_satisfied(trace),
            None => provable.trace().is_ok_and(|trace| is_satisfied(&trace)),
        }
    }

    /// The name of the backend.
    fn name(&self) -> String {
        self.backend.capabilities().backend.clone()
    }
}

impl<S: ProofSystem> Ready for ReadyAir<'_, S> {
    type Proven = Proven<S>;

    fn prove(&self, follow: &Follow<'_>) -> Result<Proven<S>, Error> {
        let AirStatement { airs, request, .. } = &self.statement;
        let file = self.prove_trace(&self.main_trace(follow)?, follow)?;
        begin(follow, Stage::Verify)?;
        let _span = tracing::info_span!("verify").entered();
        let report = airs.accept(request, &file).map_err(|error| Error::of_self_check(self.name(), error))?;
        Ok(Proven { file, report, plan: self.prepared.plan.clone(), generated: self.generates() })
    }
}

impl<S: ProofSystem> Device<S> {
    /// Proves that a trace satisfies an AIR of one's own, which needs no name: `prove_air` of the device of a protocol,
    /// with these options, of any security. The proof is verified before it is handed out. Its file names the
    /// AIR as that names itself, and [`Airs::of`] verifies it.
    ///
    /// # Errors
    /// A trace that is not of the AIR's shape or does not satisfy it; else the errors of [`Device::prove`].
    pub fn prove_air_with(
        &self,
        air: Arc<S::Air>,
        trace: &S::Trace,
        options: S::Options,
        follow: &Follow<'_>,
    ) -> Result<Proven<S>, Error> {
        self.prove_with(&AirStatement::of_air(air, trace, options, Profile::NONE)?, follow)
    }

    /// The same with the default options, for a proof that verifiers take by default.
    pub(crate) fn prove_air_by_default(&self, air: Arc<S::Air>, trace: &S::Trace) -> Result<Proven<S>, Error> {
        let options = S::default_options(S::facts(&air).rows);
        self.prove(&AirStatement::of_air(air, trace, options, Profile::DEFAULT)?)
    }
}

/// Whether the system gives as many bytes as a trace takes: the maker of the trace cannot say that it was refused them.
fn check_room(bytes: u64) -> Result<(), Error> {
    let length = usize::try_from(bytes).map_err(|_| Error::NoRoom { bytes })?;
    Vec::<u8>::new().try_reserve_exact(length).map_err(|_| Error::NoRoom { bytes })
}

/// [`Error::Cancelled`] if that is wished.
fn begin(follow: &Follow<'_>, stage: Stage) -> Result<(), Error> {
    if follow(stage).is_break() { Err(Error::Cancelled(stage)) } else { Ok(()) }
}
