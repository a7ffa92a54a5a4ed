//! The backends that this program is built with, by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use backend_cpu::Cpu;
use backend_cuda::Cuda;
use backend_reference::CpuReference;
use gpu_hal::{Capabilities, ErrorKind, MemoryInfo, StarkBackend};

use crate::{Error, Goldilocks3, Proven, Request, memory, prove_air};

/// Names of the backends, the preferred one first. `auto` is the first that is available.
pub const BACKENDS: [&str; 3] = ["cuda", "cpu", "cpu-reference"];

/// A backend that was chosen by name.
#[non_exhaustive]
pub enum Device {
    /// An NVIDIA GPU.
    Cuda(Arc<Cuda<Goldilocks3>>),
    /// The host's processor, all of it.
    Cpu(Arc<Cpu<Goldilocks3>>),
    /// The host's processor, plain and on one thread.
    CpuReference(Arc<CpuReference<Goldilocks3>>),
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

/// Something to be done with a backend, whichever it is.
pub trait Task {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: &Arc<B>) -> Self::Output;
}

/// Something for which a backend is given away, for instance to a decorator.
pub trait OwningTask {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: Arc<B>) -> Self::Output;
}

/// What is known of a backend on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Its name.
    pub name: &'static str,
    /// What it is and can do, or why it cannot be used.
    pub state: Result<(Capabilities, MemoryInfo), String>,
    /// Memory that a statement may use, in bytes, if anyone can tell: the backend or the host that it runs on.
    pub available_memory: Option<u64>,
}

impl Device {
    /// The backend of that name. `threads` is how many threads of the host a backend on the host's processor uses; the
    /// reference always uses one, and other devices have their own.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`], [`Error::NoThreads`], or [`Error::Backend`] if it cannot be used on this machine.
    pub fn open(name: &str, threads: Option<usize>) -> Result<Self, Error> {
        let threads = threads.map(|threads| NonZeroUsize::new(threads).ok_or(Error::NoThreads)).transpose()?;
        match name {
            "auto" => match Self::open("cuda", None) {
                // No GPU that can be used: that is what `auto` asks. Anything else is trouble that the caller must see.
                Err(Error::Backend(error)) if error.kind == ErrorKind::Unavailable => {
                    tracing::debug!(%error, "no GPU, the processor is used");
                    Self::open("cpu", threads.map(NonZeroUsize::get))
                }
                other => other,
            },
            "cuda" => Ok(Self::Cuda(Arc::new(backend_cuda::open()?))),
            "cpu" => Ok(Self::Cpu(Arc::new(match threads {
                Some(threads) => Cpu::with_threads(threads.get())?,
                None => Cpu::new(),
            }))),
            "cpu-reference" => Ok(Self::CpuReference(Arc::new(CpuReference::<Goldilocks3>::new()))),
            _ => Err(Error::UnknownBackend(name.to_owned())),
        }
    }

    /// What it is and can do.
    pub fn capabilities(&self) -> &Capabilities {
        match self {
            Self::Cuda(backend) => backend.capabilities(),
            Self::Cpu(backend) => backend.capabilities(),
            Self::CpuReference(backend) => backend.capabilities(),
        }
    }

    /// Does something with the backend.
    pub fn run<T: Task>(&self, task: T) -> T::Output {
        match self {
            Self::Cuda(backend) => task.run(backend),
            Self::Cpu(backend) => task.run(backend),
            Self::CpuReference(backend) => task.run(backend),
        }
    }

    /// Gives the backend away.
    pub fn run_owning<T: OwningTask>(self, task: T) -> T::Output {
        match self {
            Self::Cuda(backend) => task.run(backend),
            Self::Cpu(backend) => task.run(backend),
            Self::CpuReference(backend) => task.run(backend),
        }
    }

    /// [`prove_air`] on this backend.
    ///
    /// # Errors
    /// Those of [`prove_air`].
    pub fn prove(&self, request: &Request) -> Result<Proven, Error> {
        struct Prove<'a>(&'a Request);
        impl Task for Prove<'_> {
            type Output = Result<Proven, Error>;

            fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: &Arc<B>) -> Self::Output {
                prove_air(backend, self.0)
            }
        }
        self.run(Prove(request))
    }
}

/// Memory that a statement may use on a backend, in bytes. A backend that cannot tell works in the host's memory.
///
/// # Errors
/// Those of [`StarkBackend::memory`].
pub fn available_memory<B: StarkBackend>(backend: &B) -> Result<Option<u64>, gpu_hal::HalError> {
    Ok(backend.memory()?.available.or_else(memory::available))
}

/// What a proof takes and what there is, if that is too little. `peak` bytes are the device's, of which `kept` are taken already. A trace of
/// `upload` bytes is in the host's memory; where the backend cannot tell its own it works there too, and both must fit.
///
/// # Errors
/// What the backend reports.
pub fn missing_memory<B: StarkBackend>(
    backend: &B,
    peak: u64,
    kept: u64,
    upload: u64,
) -> Result<Option<(u64, u64)>, gpu_hal::HalError> {
    let host = if backend.memory()?.available.is_none() { upload } else { 0 };
    let needed = peak.saturating_add(host);
    let available = available_memory(backend)?.map(|available| available.saturating_add(kept));
    Ok(available.filter(|available| needed > *available).map(|available| (needed, available)))
}

/// All backends of this program and what they are on this machine.
pub fn backends() -> Vec<Availability> {
    struct Ask;
    impl Task for Ask {
        type Output = Result<(Capabilities, MemoryInfo, Option<u64>), Error>;

        fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: &Arc<B>) -> Self::Output {
            Ok((backend.capabilities().clone(), backend.memory()?, available_memory(&**backend)?))
        }
    }
    let ask = |name| match Device::open(name, None).and_then(|device| device.run(Ask)) {
        Ok((capabilities, memory, available_memory)) => {
            Availability { name, state: Ok((capabilities, memory)), available_memory }
        }
        Err(error) => Availability { name, state: Err(error.to_string()), available_memory: None },
    };
    BACKENDS.into_iter().map(ask).collect()
}
