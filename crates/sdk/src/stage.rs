//! Stages of the work, and their followers.

use std::ops::ControlFlow;

use prover_core::{Observer, Phase};

/// A stage of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Computing the trace on the host, if it is not the device that does.
    Trace,
    /// Waiting for preprocessed columns that the device commits to while the trace is computed; comes again and again
    /// meanwhile.
    Columns,
    /// Waiting for other proofs that hold the device's memory; comes again and again meanwhile.
    Wait,
    /// A phase of the prover.
    Prove(Phase),
    /// Verifying the proof.
    Verify,
}

impl Stage {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Columns => "waiting for preprocessed columns",
            Self::Wait => "waiting for memory",
            Self::Prove(phase) => phase.name(),
            Self::Verify => "verification",
        }
    }

    /// All that a proof on a free device has, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        let phases = Phase::OF_STATEMENTS.into_iter().map(Self::Prove);
        std::iter::once(Self::Trace).chain(phases).chain(std::iter::once(Self::Verify))
    }
}

/// A callback: it gets the stage that begins, again and again while that lasts, and returns whether to go on. After
/// [`ControlFlow::Break`] there is no proof: [`crate::Error::Cancelled`], or in [`Stage::Wait`] an error that says what
/// memory others hold.
pub type Follow<'a> = dyn Fn(Stage) -> ControlFlow<()> + 'a;

/// Follows nothing.
pub(crate) fn silent(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The prover's observer, made from the caller's callback.
pub(crate) struct Following<'a>(pub(crate) &'a Follow<'a>);

impl<E> Observer<E> for Following<'_> {
    fn occupied(&self) -> ControlFlow<()> {
        (self.0)(Stage::Wait)
    }

    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        (self.0)(Stage::Prove(phase))
    }

    fn goes_on(&self, phase: Phase) -> ControlFlow<()> {
        (self.0)(Stage::Prove(phase))
    }
}
