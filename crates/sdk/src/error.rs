//! All errors, by the action that a caller can take.

use std::any::Any;
use std::fmt;

use gpu_hal::{ErrorKind, HalError};
use proof_format::security::OutOfReach;
use proof_format::text::excerpt;
use proof_format::{DecodeError, DecodeErrorKind, PolicyError};
use prover_core::MemoryError;

use crate::similar::meant;
use crate::stage::Stage;
use crate::statements::statement_error::StatementError;
use crate::verification::mismatch::Mismatch;

/// Why there is no proof, or why one was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The statement that was asked for does not exist.
    #[error(transparent)]
    Air(Box<StatementError>),
    /// An error of one protocol, of one kind of statement or of one kind of driver alone: [`Error::specific`] gives it.
    #[error(transparent)]
    Kind(BoxedKindError),
    /// The follower of the proof ended it before this stage.
    #[error("cancelled before or in the stage: {}", .0.name())]
    Cancelled(Stage),
    /// A backend cannot be used.
    #[error(transparent)]
    Backend(#[from] HalError),
    /// A proof takes more memory than there is, or than others leave.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// No backend of that name.
    #[error("no backend `{}`{}; there are: auto, {}", excerpt(name), backend_meant(name, known), known.join(", "))]
    UnknownBackend {
        /// The requested name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// Two numbers for one device.
    #[error("device {one} and device {other} are asked for: say one number")]
    TwoDevices {
        /// The number after the name.
        one: u32,
        /// The other.
        other: u32,
    },
    /// A number of devices that tables are not cut for.
    #[error("{count} devices can't make a proof together: take 1, 2, 4, 8 or another power of two")]
    DeviceCount {
        /// How many are named.
        count: usize,
    },
    /// A device that shall do two parts of a proof.
    #[error("device {number} is named twice: name each device once")]
    RepeatedDevice {
        /// Its number.
        number: u32,
    },
    /// One device and several.
    #[error("device {device} is asked for, and devices {devices:?} are: say either one or several")]
    DeviceAndDevices {
        /// The one.
        device: u32,
        /// The others.
        devices: Vec<u32>,
    },
    /// A backend that makes each proof on one device.
    #[error("backend `{name}` makes a proof on one device, not on several: take `cuda` or `cpu`")]
    OneDevice {
        /// The backend.
        name: String,
    },
    /// A backend that moves nothing to the host's memory.
    #[error("backend `{name}` does not move tables to the host's memory: take `cuda` or `cpu`")]
    NoSpill {
        /// The backend.
        name: String,
    },
    /// No threads.
    #[error("0 threads can't compute: take at least 1")]
    NoThreads,
    /// The system does not give as much memory as the trace takes.
    #[error("the system has no room for {}, which the trace takes: prove fewer rows", gpu_hal::Bytes(*.bytes))]
    NoRoom {
        /// Bytes of the trace.
        bytes: u64,
    },
    /// The verifier refused a proof that was just made. The proof is not handed out.
    #[error(
        "the proof that backend `{backend}` made was refused by the verifier ({source}): the device computes wrongly"
    )]
    SelfCheck {
        /// The backend.
        backend: String,
        /// Why it was refused.
        source: Box<Error>,
    },
    /// There is no proof although the trace satisfies every constraint on every row.
    #[error("backend `{backend}` gave no proof of a true statement: the device computes wrongly")]
    Miscomputed {
        /// The backend.
        backend: String,
    },
    /// A proof cannot be put into a file.
    #[error("the statement cannot be written: {0}")]
    Encode(#[source] DecodeError),
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    File(#[source] DecodeError),
    /// The file is about an AIR that this program does not know. It may be a statement of a program that knows more.
    #[error(
        "the file is about the AIR `{name}`, which this program does not know: verify it with the program of whoever wrote that AIR; \
         this one knows: {}", known.join(", ")
    )]
    ForeignAir {
        /// The AIR that the file names.
        name: String,
        /// The AIRs of this program.
        known: Vec<String>,
    },
    /// The file names a statement that its AIR does not have.
    #[error("the statement of the file cannot be rebuilt: {0}")]
    Statement(#[source] Box<StatementError>),
    /// The proof in the file is no encoding of one; offsets count from the proof's first byte.
    #[error("the proof cannot be decoded: {0}")]
    Proof(#[source] DecodeError),
    /// The public inputs in the file are not the statement's.
    #[error("the public inputs of the file are not those of the statement: {0}")]
    PublicInputs(String),
    /// The transcript seed in the file is the default one, which a file leaves out.
    #[error("the transcript seed of the file is the default one: it must be left out")]
    DefaultSeed,
    /// The statement is not the expected one.
    #[error(transparent)]
    Expectation(#[from] Mismatch),
    /// The policy does not take the proof. It was not looked at any further, and may be valid.
    #[error("refused by policy: {0}")]
    Policy(#[from] PolicyError),
    /// No options reach the requested profile.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
}

/// An error of one protocol, of one kind of statement or of one kind of driver alone. [`Error`] carries it.
pub trait KindError: std::error::Error + Any + Send + Sync {
    /// The meaning for a caller.
    fn class(&self) -> Class;

    /// Whether there is no proof because the trace does not satisfy its AIR.
    fn is_unsatisfied(&self) -> bool {
        false
    }

    /// Whether the proof opens a node that every verifier computes otherwise than a right prover.
    fn is_wide_node(&self) -> bool {
        false
    }

    /// The output of the program whose run failed, if it printed something.
    fn printed(&self) -> Option<&str> {
        None
    }
}

/// A [`KindError`] of any type.
#[derive(Debug)]
pub struct BoxedKindError(Box<dyn KindError>);

impl fmt::Display for BoxedKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BoxedKindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl<E: KindError> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Kind(BoxedKindError(Box::new(error)))
    }
}

impl From<StatementError> for Error {
    fn from(error: StatementError) -> Self {
        Self::Air(Box::new(error))
    }
}

/// The errors of a protocol's check of traces, prover and verifier become [`Error`]s, by way of `$error`. Its prover
/// and its verifier call theirs `ProveError` and `VerifyError`.
macro_rules! errors_of {
    ($error:ident, $trace:ty) => {
        impl From<$trace> for $crate::Error {
            fn from(error: $trace) -> Self {
                $error::Trace(Box::new(error)).into()
            }
        }

        impl From<ProveError> for $crate::Error {
            fn from(error: ProveError) -> Self {
                match error {
                    ProveError::Memory(error) => Self::Memory(error),
                    ProveError::Hal(error) => Self::Backend(error),
                    ProveError::Cancelled(cancelled) => Self::Cancelled($crate::Stage::Prove(cancelled.phase)),
                    error => $error::Prove(error).into(),
                }
            }
        }

        impl From<VerifyError> for $crate::Error {
            fn from(error: VerifyError) -> Self {
                match error {
                    VerifyError::Policy(error) => Self::Policy(error),
                    error => $error::Verify(Box::new(error)).into(),
                }
            }
        }
    };
}
pub(crate) use errors_of;

/// The meaning of an error for a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The proof is not one of the statement, or the statement not the expected one; or a statement has no proof.
    Invalid,
    /// The policy does not take the proof, which may be valid.
    Refused,
    /// The request makes no sense or is too large, or the input is not for this program.
    Input,
    /// The device failed, its memory is held by others, or it is not there.
    Device,
}

impl Error {
    /// Memory that a proof takes and that there is, in bytes, if that is too little.
    pub fn missing_memory(&self) -> Option<(u64, u64)> {
        match self {
            Self::Memory(MemoryError::Missing { needed, available, .. }) => Some((*needed, *available)),
            _ => None,
        }
    }

    /// Whether an operation takes more memory at once than the device has: parts of it may take less.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Backend(error) if error.kind == ErrorKind::OutOfMemory)
    }

    /// Whether there was too little memory, as the plan has it or as the device found out, or too little as long as
    /// others hold it.
    pub fn lacks_memory(&self) -> bool {
        self.is_out_of_memory() || matches!(self, Self::Memory(_) | Self::NoRoom { .. })
    }

    /// The error of one protocol, kind of statement or kind of driver, if it is of this type.
    pub fn specific<E: KindError>(&self) -> Option<&E> {
        match self {
            Self::Kind(BoxedKindError(error)) => (&**error as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Whether there is no proof because the trace does not satisfy its AIR.
    pub fn is_unsatisfied(&self) -> bool {
        matches!(self, Self::Kind(BoxedKindError(error)) if error.is_unsatisfied())
    }

    /// The error of a proof that a backend made and that the verifier refused.
    pub(crate) fn of_self_check(backend: String, refused: Self) -> Self {
        match refused {
            Self::Kind(BoxedKindError(error)) if error.is_wide_node() => Self::Kind(BoxedKindError(error)),
            refused => Self::SelfCheck { backend, source: Box::new(refused) },
        }
    }

    /// The output of the program whose run failed, if it printed something.
    pub fn printed(&self) -> Option<&str> {
        match self {
            Self::Kind(BoxedKindError(error)) => error.printed(),
            _ => None,
        }
    }

    /// The meaning for a caller.
    pub fn class(&self) -> Class {
        match self {
            Self::Kind(BoxedKindError(error)) => error.class(),
            Self::Air(_)
            | Self::ForeignAir { .. }
            | Self::UnknownBackend { .. }
            | Self::TwoDevices { .. }
            | Self::DeviceCount { .. }
            | Self::RepeatedDevice { .. }
            | Self::DeviceAndDevices { .. }
            | Self::OneDevice { .. }
            | Self::NoSpill { .. }
            | Self::NoThreads
            | Self::NoRoom { .. }
            | Self::OutOfReach(_)
            | Self::Encode(_)
            | Self::Cancelled(_) => Class::Input,
            // A statement that takes more than there is asks for too much; memory that others hold is there later.
            Self::Memory(MemoryError::Missing { .. }) => Class::Input,
            Self::Memory(MemoryError::Occupied { .. })
            | Self::Backend(_)
            | Self::SelfCheck { .. }
            | Self::Miscomputed { .. } => Class::Device,
            Self::File(error) => match error.kind {
                // Not one of our files, or one of a later program. A file that starts like ours and breaks off is an
                // invalid proof.
                DecodeErrorKind::Magic | DecodeErrorKind::Version(_) => Class::Input,
                _ => Class::Invalid,
            },
            Self::Policy(_) => Class::Refused,
            Self::Statement(_) | Self::Proof(_) | Self::PublicInputs(_) | Self::DefaultSeed | Self::Expectation(_) => {
                Class::Invalid
            }
        }
    }
}

/// The backend that was meant. People say `gpu` and `gpu:1` where the backend is called after its maker.
fn backend_meant(name: &str, known: &[String]) -> String {
    let (kind, number) = name.split_once(':').map_or((name, None), |(kind, number)| (kind, Some(number)));
    let of_gpus = known.iter().find(|known| matches!(known.as_str(), "cuda" | "metal"));
    let is_gpu = ["gpu", "nvidia", "nvcc", "apple"].iter().any(|gpu| kind.eq_ignore_ascii_case(gpu));
    match (of_gpus.filter(|_| is_gpu), number.and_then(|number| number.parse::<u32>().ok())) {
        (Some(gpu), Some(number)) => format!(" (did you mean `{gpu}:{number}`?)"),
        (Some(gpu), None) => format!(" (did you mean `{gpu}`?)"),
        (None, _) => meant(kind, known),
    }
}

#[cfg(all(test, feature = "circle", feature = "goldilocks"))]
mod tests {
    use gpu_hal::Operation;
    use gpu_hal::rehearsal::PeakLocation;
    use prover_core::{MemoryError, circle, goldilocks};

    use super::*;

    /// A statement that is too large asks for too much; memory that others hold is there later.
    #[test]
    fn memory_that_others_hold_is_a_matter_of_the_device() {
        let (needed, at, available) = (2, PeakLocation { part: "trace", operation: Operation::Lde }, 1);
        let missing = MemoryError::Missing { needed, at, available };
        let occupied = MemoryError::Occupied { needed, at, available };
        for (error, class, missing) in [(missing, Class::Input, Some((2, 1))), (occupied, Class::Device, None)] {
            let errors: [Error; 2] =
                [goldilocks::ProveError::from(error).into(), circle::ProveError::from(error).into()];
            for error in errors {
                assert_eq!((error.class(), error.missing_memory()), (class, missing), "{error}");
            }
        }
    }
}
