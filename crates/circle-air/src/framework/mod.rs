//! The one place that knows stwo: its `FrameworkEval`s are recorded here, and given to its verifier.
//!
//! The crate speaks its own field elements. Only code inside `evaluate` computes with stwo's: an AIR converts its
//! constants by [`base`] and [`secure`], and its drawn elements by [`lookup_elements`].

mod component;
mod convert;
mod elements;
mod evaluator;
mod named;
mod recording;
pub(crate) mod tape;

pub use component::{AirComponent, SharedComponent};
pub use convert::{base, qm31, secure};
pub use elements::lookup_elements;
pub use named::NamedComponent;
pub use recording::Recording;
pub use stwo_constraint_framework::TraceLocationAllocator;
pub use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
