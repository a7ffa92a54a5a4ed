//! The arguments of the operations, generic over the types of a backend.

mod constraints;
mod quotients;
mod traces;
mod transforms;
mod trees;

pub use constraints::{Combination, CombinationGroup, Constraints, Factor, Multiplier};
pub use quotients::{DeepTerm, EvalAt, Values};
pub use traces::{
    Accumulated, Map, RowRun, RowsMade, Running, RunningColumn, RunningForm, RunningKind, TreeMap, Verdict,
};
pub use transforms::{Basis, EvalOrder, MakeElements};
pub use trees::{GrindChallenge, LeafLayout, Leaves, OpenRequest, Opened};
