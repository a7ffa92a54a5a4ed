//! Many programs on one device: while it proves, the next ones run on the host's cores.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use cairo_run::Loaded;
use gpu_hal::{CircleStark, HalError};

use super::{CairoProven, CairoRequest, Programs, pipeline};
use crate::device::Device;
use crate::error::Error;
use crate::memory::host_memory;
use crate::stage::Stage;

/// Most runs that are made ahead unless somebody says otherwise: a GPU is not faster than so many cores.
const MAX_AHEAD: usize = 8;
/// The part of the host's memory that is kept free of runs that are made ahead: one in so many.
const FREE_PART: u64 = 4;

/// How many jobs of a batch are at work at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CairoFlow {
    /// Proofs. One that finds no memory beside the others waits for them.
    pub proofs: NonZero<usize>,
    /// Runs that are being made, or are ready and wait for their proof. No run but the first is begun while less than a quarter is free of
    /// the host's memory that was free at the start.
    pub ahead: NonZero<usize>,
}

/// A program of a batch. Its methods are called on threads of the batch, those of different jobs at the same time.
pub trait CairoJob: Sync {
    /// Why there is no proof.
    type Error: From<Error> + Send;

    /// Reads and runs the program. Called again if the proof found no memory beside others.
    ///
    /// # Errors
    /// Whatever [`Self::finish`] is to be told.
    fn load(&self) -> Result<Loaded, Self::Error>;

    /// What is to be proven of the run.
    ///
    /// # Errors
    /// Whatever [`Self::finish`] is to be told.
    fn request<'a>(&self, loaded: &'a Loaded) -> Result<CairoRequest<'a>, Self::Error>;

    /// A stage begins; says whether to go on, see [`crate::Follow`].
    fn follow(&self, _stage: Stage) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Takes the run with its verified proof, or says why there is none. Called once.
    fn finish(&self, proven: Result<(&Loaded, CairoProven), Self::Error>);
}

impl Device<CircleStark> {
    /// The flow that suits this device. One that has memory of its own makes four proofs at the same time, so that it works while others of
    /// them are planned, verified and written by the host, and half of the host's cores, 8 at most, make runs ahead. The host's processor
    /// makes one proof and one run ahead.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn cairo_flow(&self) -> Result<CairoFlow, HalError> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let (proofs, ahead) = match self.memory()?.is_host {
            true => (1, 1),
            false => (4, (cores / 2).min(MAX_AHEAD)),
        };
        let at_least_one = |number| NonZero::new(number).unwrap_or(NonZero::<usize>::MIN);
        Ok(CairoFlow { proofs: at_least_one(proofs), ahead: at_least_one(ahead) })
    }

    /// Proves programs as [`Device::prove_cairo`] does, each for itself: the proofs are the same, whatever the flow is. Preprocessed columns
    /// are made once for all. A failed job does not stop the others. Proofs begin about in the order of the jobs.
    ///
    /// A job that is refused because what others keep leaves too little memory, on the device or the host, is done again after all others,
    /// alone.
    pub fn prove_cairo_batch<J: CairoJob>(&self, jobs: &[J], flow: CairoFlow) {
        let programs = self.programs();
        let keeping = programs.keeping();
        let begins_with = host_memory();
        let has_room = || host_memory() >= begins_with.map(|bytes| bytes / FREE_PART);
        let late = Mutex::new(Vec::new());
        pipeline::run(jobs, flow, has_room, J::load, |job, run| {
            if work(&keeping, job, run, jobs.len() > 1).is_none() {
                late.lock().unwrap_or_else(PoisonError::into_inner).push(job);
            }
        });
        drop(keeping);
        for job in late.into_inner().unwrap_or_else(PoisonError::into_inner) {
            work(&programs, job, job.load(), false);
        }
    }
}

/// Proves a run and finishes the job. `None` if memory was missing: the job is not finished then, for it `comes_again`.
fn work<J: CairoJob>(programs: &Programs, job: &J, run: Result<Loaded, J::Error>, comes_again: bool) -> Option<()> {
    let proven = run.and_then(|loaded| {
        let request = job.request(&loaded)?;
        Ok(programs.prove(&request, &|stage| job.follow(stage)).map(|proven| (loaded, proven)))
    });
    match proven {
        Ok(Err(error)) if comes_again && error.missing_memory().is_some() => return None,
        Ok(Err(error)) => job.finish(Err(error.into())),
        Ok(Ok((loaded, proven))) => job.finish(Ok((&loaded, proven))),
        Err(error) => job.finish(Err(error)),
    }
    Some(())
}
