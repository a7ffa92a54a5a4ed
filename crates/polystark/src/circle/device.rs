//! The backends of the Circle protocol, by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use backend_cpu::Cpu;
use backend_cuda::Cuda;
use backend_reference::CpuReference;
use gpu_hal::{Capabilities, CircleStark, ErrorKind, StarkBackend};

use crate::Error;

/// A backend that was chosen by name.
#[non_exhaustive]
pub enum Device {
    /// An NVIDIA GPU.
    Cuda(Arc<Cuda<CircleStark>>),
    /// The host's processor, all of it.
    Cpu(Arc<Cpu<CircleStark>>),
    /// The host's processor, plain and on one thread.
    CpuReference(Arc<CpuReference<CircleStark>>),
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
    fn run<B: StarkBackend<P = CircleStark>>(self, backend: &Arc<B>) -> Self::Output;
}

/// Something for which a backend is given away, for instance to a decorator.
pub trait OwningTask {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<B: StarkBackend<P = CircleStark>>(self, backend: Arc<B>) -> Self::Output;
}

impl Device {
    /// The backend of that name, one of [`crate::BACKENDS`] or `auto`; `threads` as for [`crate::Device::open`].
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
            "cpu-reference" => Ok(Self::CpuReference(Arc::new(CpuReference::<CircleStark>::new()))),
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
}
