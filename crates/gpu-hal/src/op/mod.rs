//! The operations as values: one file for each says its arguments, how they are checked, what it reads, makes, takes
//! and costs, and how it is called.
//!
//! Hardware writes methods ([`Operations`], [`crate::TraceOperations`]). A backend around others writes one function
//! for all operations, generic over [`Op`], and has the methods by [`crate::methods!`].

mod accumulate;
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
mod ntt;
mod open;
mod out;
mod outcome;
mod recurrence;
mod root;
mod rows;
mod running;
mod select;
mod split;
mod sync;
mod tree_map;
mod upload;
mod upload_lde;

use alloc::format;
use alloc::vec;
#[doc(hidden)]
pub use alloc::vec::Vec;
use core::ops::Range;

use field::{Field, PrimeField};

pub use accumulate::Accumulate;
pub use constraint_eval::ConstraintEval;
pub use contract::{Op, OutOf};
pub use cost::{Cost, Transform};
pub use deep_quotient::DeepQuotient;
pub use download::Download;
pub use eval_at::EvalAt;
pub use facts::{Handles, Makes, NoTypes, Reads, Same, Size};
pub use fri_fold::FriFold;
pub use grind::Grind;
pub use lde::Lde;
pub use map::Map;
pub use merkle::Merkle;
pub use ntt::Ntt;
pub use open::Open;
pub use out::{
    ColumnsAndLists, Elements, Extended, Fault, NewTable, NewTables, NewTree, Nonce, Nothing, Openings, Out,
    PointValues, Root as RootOf, Totals, Wrap,
};
pub use outcome::Outcome;
pub use recurrence::Recurrence;
pub use root::Root;
pub use rows::{HadFault, Rows};
pub use running::Running;
pub use select::Select;
pub use split::Split;
pub use sync::Sync;
pub use tree_map::TreeMap;
pub use upload::{Data, Upload};
pub use upload_lde::UploadLde;

use contract::{op, op_function, op_names, op_types};

use crate::check::{self, columns, require};
use crate::{
    BaseOf, Basis, Capabilities, Columns, DeviceProgram, DeviceTree, Domain, DomainOf, ExtOf, Footprint, HalError,
    Operation, Operations, Protocol, Result, TableRef, Types, shapes,
};

/// Hands the methods of [`crate::StarkBackend`] that do something on the device to a macro, each as `Variant method`.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($then:path; $($args:tt)*) => {
        $then! {
            $($args)*
            Upload upload, Download download, CopyTo copy_to, Sync sync, Ntt ntt, Lde lde, UploadLde upload_lde,
            Split split, Select select, Merkle merkle, Root root, Open open, Prepare prepare, Running running,
            Recurrence recurrence, Map map, TreeMap tree_map, ConstraintEval constraint_eval,
            Rows rows, Accumulate accumulate, EvalAt eval_at, DeepQuotient deep_quotient, FriFold fri_fold, Grind grind
        }
    };
}

/// Writes the methods of [`crate::Operations`] except `prepare`, over the types `$T`: each calls the macro `$by` with
/// the backend, the name of its operation, the [`crate::op::Op`] and its arguments.
#[macro_export]
macro_rules! methods {
    ($by:ident, $T:ty) => {
        $crate::methods!(
            $by, $T; upload upload_made download sync ntt lde upload_lde split select merkle root open running
            constraint_eval accumulate eval_at deep_quotient fri_fold grind
        );
    };
    ($by:ident, $T:ty; $($method:ident)+) => {
        $($crate::__method!($method, $by, $T);)+
    };
}

/// [`methods!`] of [`crate::TraceOperations`].
#[macro_export]
macro_rules! trace_methods {
    ($by:ident, $T:ty) => {
        $crate::methods!($by, $T; recurrence map tree_map rows rows_ahead had_fault);
    };
}

/// Hands the operations of [`crate::Operations`] except `prepare`, and of [`crate::TraceOperations`], to a macro, each
/// as `method Op`.
macro_rules! each_op {
    ($then:ident) => {
        $then! {
            upload Upload, download Download, sync Sync, ntt Ntt, lde Lde, upload_lde UploadLde, split Split,
            select Select, merkle Merkle, root Root, open Open, running Running, constraint_eval ConstraintEval, accumulate Accumulate,
            eval_at EvalAt, deep_quotient DeepQuotient, fri_fold FriFold, grind Grind, recurrence Recurrence, map Map,
            tree_map TreeMap, rows Rows, had_fault HadFault
        }
    };
}

pub(crate) use each_op;

/// A method by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! __method {
    (@ $by:ident $op:ident fn $of:ident $method:ident($($arg:ident: $ty:ty),*) -> $out:ty; $args:tt) => {
        fn $method(&self, $($arg: $ty),*) -> $crate::Result<$out> {
            $by!(self, $of, $crate::op::$op, $args)
        }
    };
    (upload, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Upload fn upload upload(data: &[$crate::BaseOf<$T>], width: usize,
            log_height: u32) -> $crate::Table<$T>; ($crate::op::Data::Given(data), width, log_height)
        }
    };
    (upload_made, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Upload fn upload upload_made(make: &$crate::MakeElements<'_, $crate::BaseOf<$T>>, width: usize,
            log_height: u32) -> $crate::Table<$T>; ($crate::op::Data::Made(make), width, log_height)
        }
    };
    (download, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Download fn download download(table: $crate::TableRef<'_, $T>,
            rows: core::ops::Range<usize>) -> $crate::op::Vec<$crate::BaseOf<$T>>; (table, rows)
        }
    };
    (sync, $by:ident, $T:ty) => {
        $crate::__method! { @ $by Sync fn sync sync() -> (); () }
    };
    (ntt, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Ntt fn ntt ntt(table: $crate::Columns<&mut <$T as $crate::Types>::Buffer>,
            from: $crate::Basis<$crate::DomainOf<$T>>, to: $crate::Basis<$crate::DomainOf<$T>>) -> ();
            (table, from, to)
        }
    };
    (lde, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Lde fn lde lde(table: $crate::TableRef<'_, $T>, from: $crate::Basis<$crate::DomainOf<$T>>,
            to: $crate::DomainOf<$T>) -> $crate::Table<$T>; (table, from, to)
        }
    };
    (upload_lde, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by UploadLde fn upload_lde upload_lde(columns: &[&[$crate::BaseOf<$T>]], log_height: u32,
            from: $crate::Basis<$crate::DomainOf<$T>>, to: $crate::DomainOf<$T>,
            keep: bool) -> $crate::Uploaded<<$T as $crate::Types>::Buffer>;
            (columns, log_height, from, to, keep)
        }
    };
    (split, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Split fn split split(table: $crate::TableRef<'_, $T>, parts: usize,
            log_part: u32) -> $crate::Table<$T>; (table, parts, log_part)
        }
    };
    (select, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Select fn select select(tables: &[$crate::TableRef<'_, $T>], picks: &[(usize,
            usize)]) -> $crate::Table<$T>; (tables, picks)
        }
    };
    (merkle, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Merkle fn merkle merkle(tables: &[$crate::TableRef<'_, $T>], leaves: $crate::Leaves,
            hash: $crate::HashFn) -> <$T as $crate::Types>::Tree; (tables, leaves, hash)
        }
    };
    (root, $by:ident, $T:ty) => {
        $crate::__method! { @ $by Root fn root root(tree: &<$T as $crate::Types>::Tree) -> $crate::Digest; (tree) }
    };
    (open, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Open fn open open(requests: &[$crate::OpenRequest<'_,
            $T>]) -> $crate::op::Vec<$crate::Opened<$crate::BaseOf<$T>>>; (requests)
        }
    };
    (running, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Running fn running running(requests: &[$crate::Running<'_,
            $T>]) -> $crate::op::Vec<$crate::Accumulated<$T>>; (requests)
        }
    };
    (constraint_eval, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by ConstraintEval fn constraint_eval constraint_eval(requests: &[$crate::Constraints<'_,
            $T>]) -> $crate::op::Vec<$crate::Table<$T>>; (requests)
        }
    };
    (accumulate, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Accumulate fn accumulate accumulate(into: $crate::Columns<&mut <$T as $crate::Types>::Buffer>,
            from: $crate::TableRef<'_, $T>) -> (); (into, from)
        }
    };
    (eval_at, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by EvalAt fn eval_at eval_at(requests: &[$crate::EvalAt<'_,
            $T>]) -> $crate::op::Vec<$crate::Values<$T>>; (requests)
        }
    };
    (deep_quotient, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by DeepQuotient fn deep_quotient deep_quotient(tables: &[$crate::TableRef<'_, $T>], log_cut: u32,
            domain: $crate::DomainOf<$T>, terms: &[$crate::DeepTerm<<$T as $crate::Types>::P>]) -> $crate::Table<$T>;
            (tables, log_cut, domain, terms)
        }
    };
    (fri_fold, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by FriFold fn fri_fold fri_fold(layer: $crate::TableRef<'_, $T>, domain: $crate::DomainOf<$T>,
            folded: $crate::DomainOf<$T>, alpha: $crate::ExtOf<$T>) -> $crate::Table<$T>;
            (layer, domain, folded, alpha)
        }
    };
    (grind, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Grind fn grind grind(challenge: &$crate::NonceSearch,
            windows: core::ops::Range<u64>) -> Option<u64>; (challenge, windows)
        }
    };
    (recurrence, $by:ident, $T:ty) => {
        $crate::__method! {

            @ $by Recurrence fn recurrence recurrence(recurrence: &$crate::Recurrence<$crate::BaseOf<$T>>) -> $crate::Table<$T>;
            (recurrence)
        }
    };
    (map, $by:ident, $T:ty) => {
        $crate::__method! { @ $by Map fn map map(args: &$crate::Map<'_, $T>) -> $crate::Table<$T>; (args) }
    };
    (tree_map, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by TreeMap fn tree_map tree_map(args: &$crate::TreeMap<'_, $T>) -> $crate::Table<$T>; (args)
        }
    };
    (rows, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Rows fn rows rows(run: &$crate::RowRun<'_, $T>,
            counters: &mut [$crate::Columns<&mut <$T as $crate::Types>::Buffer>]) -> $crate::RowsMade<$T>;
            (run, counters.iter_mut().map($crate::Columns::reborrow).collect(), None)
        }
    };
    (rows_ahead, $by:ident, $T:ty) => {
        $crate::__method! {
            @ $by Rows fn rows rows_ahead(run: &$crate::RowRun<'_, $T>,
            counters: &mut [$crate::Columns<&mut <$T as $crate::Types>::Buffer>],
            verdict: &mut $crate::Verdict) -> $crate::RowsMade<$T>;
            (run, counters.iter_mut().map($crate::Columns::reborrow).collect(), Some(verdict))
        }
    };
    (had_fault, $by:ident, $T:ty) => {
        $crate::__method! { @ $by HadFault fn had_fault had_fault(verdict: &$crate::Verdict) -> bool; (verdict) }
    };
}
