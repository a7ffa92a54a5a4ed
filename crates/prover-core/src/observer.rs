//! What a caller can see of a proof while it is made.

use gpu_hal::Digest;

/// The phases of a proof, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Upload, LDE and tree of the main trace.
    Main,
    /// Auxiliary (interaction) columns, their LDE and tree.
    Auxiliary,
    /// Constraint evaluation, composition parts and their tree.
    Composition,
    /// Values out of the domain.
    OutOfDomain,
    /// DEEP quotient.
    Deep,
    /// FRI layers.
    Fri,
    /// Proof of work.
    Grinding,
    /// Openings of the queries.
    Openings,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Main,
        Self::Auxiliary,
        Self::Composition,
        Self::OutOfDomain,
        Self::Deep,
        Self::Fri,
        Self::Grinding,
        Self::Openings,
    ];

    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main trace",
            Self::Auxiliary => "auxiliary trace",
            Self::Composition => "composition",
            Self::OutOfDomain => "out-of-domain values",
            Self::Deep => "DEEP quotient",
            Self::Fri => "FRI",
            Self::Grinding => "grinding",
            Self::Openings => "openings",
        }
    }
}

/// Follows a proof with challenges in `E`. All methods do nothing unless overridden.
pub trait Observer<E> {
    /// A phase begins.
    fn phase(&self, _phase: Phase) {}

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

/// Tells an observer and the log that a phase begins.
pub(crate) fn begin<E>(observer: &dyn Observer<E>, phase: Phase) -> tracing::span::EnteredSpan {
    observer.phase(phase);
    tracing::info_span!("phase", name = phase.name()).entered()
}
