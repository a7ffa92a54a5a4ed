//! The operations as values: one file for each has its arguments, their check, its reads, results, memory and
//! costs, and how it is called.
//!
//! Hardware writes methods ([`Operations`]). A backend around others writes one function for all operations, generic
//! over [`Op`]: [`Operations::perform`].

mod absent;
mod accumulate;
mod bind;
mod bind_sum;
mod constraint_eval;
mod contract;
mod cost;
mod deep_quotient;
mod download;
mod eval_at;
mod facts;
mod fri_fold;
mod grind;
mod lde;
mod map;
mod merkle;
mod moves;
mod ntt;
mod open;
mod out;
mod outcome;
mod prelude;
mod random;
mod recurrence;
mod root;
mod rows;
mod running;
mod select;
mod split;
mod sum;
mod sync;
mod tree_map;
mod upload;
mod upload_lde;

pub use contract::{DynOp, DynOps, Op, OutOf};
pub use cost::{Cost, Transform};
pub use facts::{Handles, Makes, NoTypes, Reads, Same, Size};
pub use out::{
    ColumnsAndLists, Elements, Extended, Fault, NewTable, NewTables, NewTree, Nonce, Nothing, Openings, Out,
    PointValues, Root as RootOf, Stashed, Sums, TablesAndSums, Totals, Wrap,
};
pub use outcome::Outcome;
pub use upload::Data;

pub(crate) use absent::absent;
use prelude::*;

/// The table of all operations: hands them to a macro, each as `Variant method`. Behind the first semicolon are the
/// calls that are no [`Op`]: their methods take or give more than tables and trees. Behind the second are the [`Op`]s
/// that count as others, each as `Type file`.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($then:path; $($args:tt)*) => {
        $then! {
            $($args)*
            Upload upload, Download download, Sync sync, Ntt ntt, Lde lde, UploadLde upload_lde, Split split,
            Select select, Merkle merkle, Root root, Open open, Running running, Recurrence recurrence, Map map,
            TreeMap tree_map, ConstraintEval constraint_eval, Rows rows, Accumulate accumulate, Random random,
            Bind bind, Sum sum, BindSum bind_sum,
            EvalAt eval_at, DeepQuotient deep_quotient, FriFold fri_fold, Grind grind;
            CopyTo copy_to, Prepare prepare;
            HadFault rows, StashTable moves, RestoreTable moves, StashTree moves, RestoreTree moves, OpenStored moves
        }
    };
}

macro_rules! exported {
    ($($op:ident $file:ident),+; $($call:ident $method:ident),+; $($other:ident $of_other:ident),+) => {
        $(pub use $file::$op;)+
        $(pub use $of_other::$other;)+
    };
}

crate::__operations!(exported;);
