//! The arguments of the operations, generic over the types of a backend.

mod constraints;
mod quotients;
mod random;
#[cfg(feature = "std")]
mod rows;
mod sumchecks;
mod traces;
mod transforms;
mod trees;

pub use constraints::{Combination, CombinationGroup, Constraints, Factor, Multiplier};
pub use quotients::{DeepTerm, EvalRequest, Values};
pub use random::RandomRows;
#[cfg(feature = "std")]
pub use rows::{DeferredFault, RowRun, RowsOutput};
pub use sumchecks::{BindRequest, BindSumRequest, BoundSums, Multilinear, SumRequest};
pub use traces::{Accumulated, MapArgs, RunningColumn, RunningForm, RunningKind, RunningRequest, TreeMapArgs};
pub use transforms::{Basis, EvalOrder, MakeElements};
pub use trees::{LeafLayout, Leaves, OpenRequest, Opened};
