//! Many statements on one device: while it proves, the next ones are loaded on the host's cores.

mod beside;
mod pipeline;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

pub use beside::{Loading, load_beside};
pub use pipeline::Flow;

use gpu_hal::HalError;

use crate::devices::device::Device;
use crate::devices::memory::host_memory;
use crate::error::Error;
use crate::stage::Stage;
use crate::statements::statement::Statement;
use crate::system::ProofSystem;

/// Most statements that are loaded ahead by default: a GPU is not faster than this many cores.
const MAX_AHEAD: usize = 8;
/// One in this many parts of the host's memory is kept free of statements that are loaded ahead.
const FREE_PART: u64 = 4;

/// A statement of a batch, such as the run of a Cairo program. Its methods are called on threads of the batch, for
/// different jobs at the same time.
pub trait Job<S: ProofSystem>: Sync {
    /// The data of the statement, such as a run.
    type Loaded: Send;
    /// A verified proof.
    type Proven;
    /// The statement.
    type Statement<'a>: Statement<S, Proven = Self::Proven>;
    /// Why there is no proof.
    type Error: From<Error> + Send;

    /// Reads and makes the data. Called again if the proof found no memory beside others.
    ///
    /// # Errors
    /// Any error, for [`Self::finish`].
    fn load(&self) -> Result<Self::Loaded, Self::Error>;

    /// Makes ready on the device of the batch what the statement takes whatever its data are, while [`Self::load`] is
    /// at work on another thread ([`load_beside`]). By default there is nothing.
    ///
    /// # Errors
    /// Any error. It does not count: the proof is made all the same, and meets a device that fails itself.
    fn ahead(&self, _device: &Device<S>, _loading: &Loading) -> Result<(), Self::Error> {
        Ok(())
    }

    /// The statement about the data.
    ///
    /// # Errors
    /// Any error, for [`Self::finish`].
    fn statement<'a>(&self, loaded: &'a Self::Loaded) -> Result<Self::Statement<'a>, Self::Error>;

    /// A stage begins; says whether to go on, see [`crate::Follow`].
    fn follow(&self, _stage: Stage) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Takes the data with its verified proof, or the reason why there is none. Called once.
    fn finish(&self, proven: Result<(&Self::Loaded, Self::Proven), Self::Error>);
}

impl<S: ProofSystem> Device<S> {
    /// The flow that suits this device. One that has memory of its own makes four proofs at the same time, so that it
    /// works while others of them are planned, verified and written by the host, and half of the host's cores, 8 at
    /// most, load statements ahead. The host's processor makes one proof, and loads one statement ahead.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn flow(&self) -> Result<Flow, HalError> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let (proofs, ahead) = match self.memory()?.is_host {
            true => (1, 1),
            false => (4, (cores / 2).min(MAX_AHEAD)),
        };
        let at_least_one = |number| NonZero::new(number).unwrap_or(NonZero::<usize>::MIN);
        Ok(Flow { proofs: at_least_one(proofs), ahead: at_least_one(ahead) })
    }

    /// Proves statements as [`Device::prove`] does, each for itself: the proofs are the same for any flow.
    /// Data that several of them need, such as preprocessed columns, are made once for all. A failed job does not stop
    /// the others. Proofs begin about in the order of the jobs.
    ///
    /// A job that is refused because the others leave too little memory, on the device or the host, is done again after
    /// all others, alone.
    pub fn prove_batch<J: Job<S>>(&self, jobs: &[J], flow: Flow) {
        let keeping = self.keeping();
        let begins_with = host_memory();
        let has_room = || host_memory() >= begins_with.map(|bytes| bytes / FREE_PART);
        let late = Mutex::new(Vec::new());
        let load = |job: &J| {
            let ahead = |loading: &Loading| job.ahead(&keeping, loading);
            // A device that failed may have another try: the proof makes what is not there.
            load_beside(ahead, || job.load(), &|stage| job.follow(stage)).map(|(loaded, _)| loaded)
        };
        pipeline::run(jobs, flow, has_room, load, |job, loaded| {
            if work(&keeping, job, loaded, jobs.len() > 1).is_none() {
                late.lock().unwrap_or_else(PoisonError::into_inner).push(job);
            }
        });
        drop(keeping);
        for job in late.into_inner().unwrap_or_else(PoisonError::into_inner) {
            work(self, job, job.load(), false);
        }
    }
}

/// Proves a statement and finishes the job. `None` if memory was missing: the job is not finished then, for it
/// `comes_again`.
fn work<S: ProofSystem, J: Job<S>>(
    device: &Device<S>,
    job: &J,
    loaded: Result<J::Loaded, J::Error>,
    comes_again: bool,
) -> Option<()> {
    let proven = loaded.and_then(|loaded| {
        let statement = job.statement(&loaded)?;
        let proven = device.prove_with(&statement, &|stage| job.follow(stage));
        drop(statement);
        Ok(proven.map(|proven| (loaded, proven)))
    });
    match proven {
        Ok(Err(error)) if comes_again && error.missing_memory().is_some() => return None,
        Ok(Err(error)) => job.finish(Err(error.into())),
        Ok(Ok((loaded, proven))) => job.finish(Ok((&loaded, proven))),
        Err(error) => job.finish(Err(error)),
    }
    Some(())
}
