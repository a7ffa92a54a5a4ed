//! From a request to a proof that the verifier has accepted.

use std::sync::Arc;

use gpu_hal::StarkBackend;
use proof_format::Profile;
use proof_format::policy::check_security;

use crate::airs::{Airs, Provable};
use crate::device::Backend;
use crate::error::Error;
use crate::flavour::{Flavour, Ready};
use crate::memory::missing_memory;
use crate::proven::Proven;
use crate::request::{Request, TraceSource};
use crate::stage::{Follow, Stage};

impl<F: Flavour> Proven<F> {
    /// The bare proof.
    pub fn proof(&self) -> &[u8] {
        self.report.proof()
    }
}

/// Whether the system gives as many bytes as a trace takes: whoever makes it cannot say that it was refused them.
fn check_room(bytes: u64) -> Result<(), Error> {
    let length = usize::try_from(bytes).map_err(|_| Error::NoRoom { bytes })?;
    Vec::<u8>::new().try_reserve_exact(length).map_err(|_| Error::NoRoom { bytes })
}

/// [`Error::Cancelled`] if that is wished.
fn begin(follow: &Follow<'_>, stage: Stage) -> Result<(), Error> {
    if follow(stage).is_break() { Err(Error::Cancelled(stage)) } else { Ok(()) }
}

/// Proves a statement about one of `airs`, then verifies the proof from the very bytes that are returned; `follow` is asked at the
/// beginning of each stage.
///
/// # Errors
/// What cannot be proven and why; [`Error::SelfCheck`] and [`Error::Miscomputed`] that the backend computes wrongly.
pub fn prove<F: Flavour, B: StarkBackend<P = F>>(
    backend: &Arc<B>,
    airs: &Airs<F>,
    request: &Request<F>,
    follow: &Follow<'_>,
) -> Result<Proven<F>, Error> {
    let asked = Asked::new(airs, request)?;
    asked.check_worth()?;
    let backend = Arc::new(Backend::new(Arc::clone(backend)));
    asked.prove(&backend, &F::ready(&backend, request, &asked.statement)?, follow)
}

/// A request, and what it asks for.
pub(crate) struct Asked<'a, F: Flavour> {
    pub(crate) airs: &'a Airs<F>,
    pub(crate) request: &'a Request<F>,
    pub(crate) statement: Provable<F>,
    /// A trace that is there already.
    pub(crate) given: Option<&'a F::Trace>,
}

impl<'a, F: Flavour> Asked<'a, F> {
    pub(crate) fn new(airs: &'a Airs<F>, request: &'a Request<F>) -> Result<Self, Error> {
        Ok(Self { airs, request, statement: airs.build(request)?, given: None })
    }
}

/// Asks for a proof that a trace satisfies an AIR that needs no name.
pub(crate) fn asked_of_air<F: Flavour, R>(
    air: &Arc<F::Air>,
    trace: &F::Trace,
    options: F::Options,
    profile: Profile,
    prove: impl FnOnce(&Asked<'_, F>) -> R,
) -> Result<R, Error> {
    let (airs, request) = (Airs::of(Arc::clone(air)), Request::new(F::air_name(air), F::trace_rows(air)));
    let request = Request { options, profile, ..request };
    let statement = airs.build(&request)?;
    Ok(prove(&Asked { airs: &airs, request: &request, statement, given: Some(trace) }))
}

/// The main columns of a proof.
pub(crate) enum Main<'a, T> {
    /// The device makes them.
    Device,
    /// The caller has them.
    Given(&'a T),
    /// They were made for this proof.
    Made(T),
}

impl<T> Main<'_, T> {
    /// Those that are uploaded.
    pub(crate) fn uploaded(&self) -> Option<&T> {
        match self {
            Self::Device => None,
            Self::Given(trace) => Some(trace),
            Self::Made(trace) => Some(trace),
        }
    }
}

impl<F: Flavour> Asked<'_, F> {
    /// Refuses a proof that would be worth less than it must.
    pub(crate) fn check_worth(&self) -> Result<(), Error> {
        let Profile { kind, bits } = self.request.profile;
        if bits == 0 {
            return Ok(());
        }
        let security = F::rounds_of(self.request, &self.statement.air)?.security();
        Ok(check_security(&security, kind, bits)?)
    }

    /// [`prove`], with a statement that is ready.
    pub(crate) fn prove(
        &self,
        backend: &Backend<F>,
        ready: &F::Ready,
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error> {
        let request = self.request;
        let generated = match request.trace {
            _ if self.given.is_some() => false,
            TraceSource::Auto => ready.generates(),
            TraceSource::Upload => false,
            TraceSource::Device => true,
        };
        let main = self.main(backend, ready, generated, follow)?;
        let made = {
            let _span = tracing::info_span!("prove", air = request.air, rows = request.rows).entered();
            ready.prove(main.uploaded(), follow)?
        };
        drop(main);
        let file = F::file(request, self.airs.public_parameters(request)?, &self.statement.air, &made)?;
        begin(follow, Stage::Verify)?;
        let _span = tracing::info_span!("verify").entered();
        let name = || backend.capabilities().backend.clone();
        let report = F::accept(self.airs, request, &file)
            .map_err(|error| Error::SelfCheck { backend: name(), source: Box::new(error) })?;
        Ok(Proven { file, report, plan: ready.plan().clone(), generated })
    }

    /// The main columns; `follow` is asked before they are computed. What does not fit is refused before that: the trace's own memory
    /// would be the first to be missing.
    pub(crate) fn main(
        &self,
        backend: &Backend<F>,
        ready: &F::Ready,
        generated: bool,
        follow: &Follow<'_>,
    ) -> Result<Main<'_, F::Trace>, Error> {
        let footprint = F::footprint(ready.plan());
        let upload = if generated { 0 } else { footprint.upload_bytes };
        if let Some((needed, available)) = missing_memory(backend, footprint.peak_bytes, footprint.kept_bytes, upload)?
        {
            return Err(F::out_of_memory(needed, footprint.peak_at, available));
        }
        if generated {
            return Ok(Main::Device);
        }
        if let Some(trace) = self.given {
            return Ok(Main::Given(trace));
        }
        begin(follow, Stage::Trace)?;
        check_room(upload)?;
        let _span = tracing::info_span!("trace").entered();
        Ok(Main::Made(self.statement.trace()?))
    }
}
