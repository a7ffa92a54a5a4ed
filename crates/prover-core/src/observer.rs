//! The observer of a proof: it follows the proof while it is made, and can stop it.

use std::ops::ControlFlow;

use gpu_hal::{Digest, Rehearse};
use tracing::span::EnteredSpan;

use crate::mode::Mode;

proof_format::named! {
    /// The phases of a proof, in order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Phase {
        /// Upload, LDE and tree of the main trace.
        Main = "main trace",
        /// Auxiliary (interaction) columns, their LDE and tree.
        Auxiliary = "auxiliary trace",
        /// Constraint evaluation, composition parts and their tree.
        Composition = "composition",
        /// Values out of the domain.
        OutOfDomain = "out-of-domain values",
        /// DEEP quotient.
        Deep = "DEEP quotient",
        /// FRI layers.
        Fri = "FRI",
        /// Proof of work.
        Grinding = "grinding",
        /// Openings of the queries.
        Openings = "openings",
        /// GKR: upload of the columns, layers of the trees.
        Layers = "layers of trees",
        /// GKR: the sum-checks, layer by layer.
        Sumchecks = "sum-checks",
    }
}

impl Phase {
    /// The phases of a proof of a statement, which are all but those of GKR, in order.
    pub const OF_STATEMENTS: [Self; 8] = [
        Self::Main,
        Self::Auxiliary,
        Self::Composition,
        Self::OutOfDomain,
        Self::Deep,
        Self::Fri,
        Self::Grinding,
        Self::Openings,
    ];
}

/// The observer stopped the proof. Its device memory is released, and the prover can be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof was cancelled before or in the phase `{phase}`")]
pub struct Cancelled {
    /// The phase that would have begun, or gone on.
    pub phase: Phase,
}

/// Follows a proof with challenges in `E`. All methods do nothing unless overridden.
pub trait Observer<E> {
    /// Other proofs on the device hold the memory that this one needs. Asked again and again before the first phase:
    /// after [`ControlFlow::Continue`] the proof waits for them, after [`ControlFlow::Break`] it ends with an error
    /// that says so.
    fn occupied(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A phase begins. After [`ControlFlow::Break`] it does not, and the proof ends with [`Cancelled`].
    fn phase(&self, _phase: Phase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A phase lasts: asked between its parts, which in a search for a nonce are some tens of milliseconds, and, where
    /// the backend says [`gpu_hal::Capabilities::stops`], again and again while an operation is at work, but on a
    /// thread of a rayon pool. After [`ControlFlow::Break`] the proof ends with [`Cancelled`].
    fn goes_on(&self, _phase: Phase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A root was committed to.
    fn root(&self, _name: &'static str, _root: &Digest) {}

    /// Challenges were drawn, or values computed that the transcript absorbs.
    fn values(&self, _name: &'static str, _values: &[E]) {}

    /// Query indices.
    fn queries(&self, _indices: &[usize]) {}
}

/// Follows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<E> Observer<E> for Silent {}

/// Tells an observer that a phase begins, and of a proof the log too.
pub(crate) fn begin<E>(
    mode: impl Mode,
    observer: &dyn Observer<E>,
    phase: Phase,
) -> Result<Option<EnteredSpan>, Cancelled> {
    if observer.phase(phase).is_break() {
        return Err(Cancelled { phase });
    }
    Ok(mode.either(|| Some(span(phase).entered()), || None))
}

/// Asks an observer whether a phase goes on.
pub(crate) fn go_on<E>(observer: &dyn Observer<E>, phase: Phase) -> Result<(), Cancelled> {
    if observer.goes_on(phase).is_break() { Err(Cancelled { phase }) } else { Ok(()) }
}

/// The span of a phase, by its name. Spans of its operations, with their inputs, lie in it.
fn span(phase: Phase) -> tracing::Span {
    macro_rules! spans {
        ($($phase:ident)+) => {
            match phase {
                $(Phase::$phase => tracing::info_span!(Phase::$phase.name()),)+
            }
        };
    }
    spans!(Main Auxiliary Composition OutOfDomain Deep Fri Grinding Openings Layers Sumchecks)
}

/// Tells a rehearsal where the proof is.
pub(crate) struct Placing<'a, B>(pub(crate) &'a B);

impl<B: Rehearse, E> Observer<E> for Placing<'_, B> {
    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        self.0.enter(phase.name());
        ControlFlow::Continue(())
    }
}
