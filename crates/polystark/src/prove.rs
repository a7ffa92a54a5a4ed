//! From a request to a proof that the verifier has accepted.

use std::sync::Arc;

use gpu_hal::StarkBackend;

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

impl<F: Flavour> Request<F> {
    /// The statement. Some AIRs compute their public values from the trace, so this may take as long as the trace.
    ///
    /// # Errors
    /// If there is no such AIR, or not with these parameters.
    pub fn build(&self) -> Result<Arc<F::Air>, Error> {
        F::build(self)
    }
}

/// [`Error::Cancelled`] if that is wished.
fn begin(follow: &Follow<'_>, stage: Stage) -> Result<(), Error> {
    if follow(stage).is_break() { Err(Error::Cancelled(stage)) } else { Ok(()) }
}

/// Proves the statement, then verifies the proof from the very bytes that are returned; `follow` is asked at the beginning of
/// each stage.
///
/// # Errors
/// What cannot be proven and why; [`Error::SelfCheck`] and [`Error::Miscomputed`] that the backend computes wrongly.
pub fn prove<F: Flavour, B: StarkBackend<P = F>>(
    backend: &Arc<B>,
    request: &Request<F>,
    follow: &Follow<'_>,
) -> Result<Proven<F>, Error> {
    let air = request.build()?;
    prove_ready(backend, &F::ready(backend, request, &air)?, &air, request, follow)
}

/// [`prove`] of a statement that is ready.
pub(crate) fn prove_ready<F: Flavour, B: StarkBackend<P = F>>(
    backend: &Arc<B>,
    ready: &F::Ready<B>,
    air: &F::Air,
    request: &Request<F>,
    follow: &Follow<'_>,
) -> Result<Proven<F>, Error> {
    let generated = match request.trace {
        TraceSource::Auto => ready.generates(),
        TraceSource::Upload => false,
        TraceSource::Device => true,
    };
    let trace = uploaded(&**backend, ready, air, generated, follow)?;
    let made = {
        let _span = tracing::info_span!("prove", air = request.air, rows = request.rows).entered();
        ready.prove(trace.as_ref(), follow)?
    };
    drop(trace);
    let file = F::file(request, air, &made)?;
    begin(follow, Stage::Verify)?;
    let _span = tracing::info_span!("verify").entered();
    let name = || backend.capabilities().backend.clone();
    let report =
        F::accept(request, &file).map_err(|error| Error::SelfCheck { backend: name(), source: Box::new(error) })?;
    Ok(Proven { file, report, plan: ready.plan().clone(), generated })
}

/// The trace, unless the device makes it; `follow` is asked before it is computed. What does not fit is refused before that: the
/// trace's own memory would be the first to be missing.
pub(crate) fn uploaded<F: Flavour, B: StarkBackend<P = F>>(
    backend: &B,
    ready: &F::Ready<B>,
    air: &F::Air,
    generated: bool,
    follow: &Follow<'_>,
) -> Result<Option<F::Trace>, Error> {
    let footprint = F::footprint(ready.plan());
    let upload = if generated { 0 } else { footprint.upload_bytes };
    if let Some((needed, available)) = missing_memory(backend, footprint.peak_bytes, footprint.kept_bytes, upload)? {
        return Err(F::out_of_memory(needed, footprint.peak_at, available));
    }
    if generated {
        return Ok(None);
    }
    begin(follow, Stage::Trace)?;
    let _span = tracing::info_span!("trace").entered();
    Ok(Some(F::trace(air)))
}
