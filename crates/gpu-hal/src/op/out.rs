//! The kinds of results of operations, over any types.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::op::Outcome;
use crate::stash::Stash;
use crate::{
    Accumulated, BaseOf, BoundSums, Digest, ExtOf, Opened, Result, RowsOutput, Table, Types, Uploaded, Values,
};

/// Converts new tables and trees from the types `T` to the types `U`.
pub trait Wrap<T: Types, U: Types<P = T::P>> {
    /// A new table.
    ///
    /// # Errors
    /// It is compared with another, and differs.
    fn table(&mut self, table: Table<T>) -> Result<Table<U>>;

    /// A new tree.
    ///
    /// # Errors
    /// As [`Self::table`].
    fn tree(&mut self, tree: T::Tree) -> Result<U::Tree>;
}

/// A kind of results.
pub trait Out: 'static {
    /// The result over the types of a backend.
    type Of<T: Types>;

    /// The same with other handles: of tables and trees in order.
    ///
    /// # Errors
    /// Errors of `with`.
    fn map<T: Types, U: Types<P = T::P>>(made: Self::Of<T>, with: &mut impl Wrap<T, U>) -> Result<Self::Of<U>>;

    /// How the data on the host differ, in words.
    fn difference<T: Types, U: Types<P = T::P>>(left: &Self::Of<T>, right: &Self::Of<U>) -> Option<String>;

    /// The result for a hook.
    fn outcome<T: Types>(made: &mut Self::Of<T>) -> Outcome<'_, T>;

    /// How many results, of a call that has one for each request.
    fn count<T: Types>(_made: &Self::Of<T>) -> usize {
        1
    }

    /// The results of a call whose requests were made one by one; `None` if there is no call.
    fn joined<T: Types>(mut made: Vec<Self::Of<T>>) -> Option<Self::Of<T>> {
        made.pop()
    }
}

/// Writes kinds of results: the type, its outcome, how handles are mapped, how data differ. In a list there is one for
/// each request.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])+
        $kind:ident($made:ident: $of:ty) $($list:ident)? => $outcome:expr;
        map($with:pat) $map:block
        difference($left:pat, $right:pat) $difference:block
    )+) => {$(
        $(#[$doc])+
        #[derive(Debug)]
        pub enum $kind {}

        impl Out for $kind {
            type Of<T: Types> = $of;

            fn map<T: Types, U: Types<P = T::P>>($made: $of, $with: &mut impl Wrap<T, U>) -> Result<Self::Of<U>> {
                Ok($map)
            }

            fn difference<T: Types, U: Types<P = T::P>>($left: &Self::Of<T>, $right: &Self::Of<U>) -> Option<String> {
                $difference
            }

            fn outcome<T: Types>($made: &mut $of) -> Outcome<'_, T> {
                $outcome
            }

            $(
                fn count<T: Types>($list: &$of) -> usize {
                    $list.len()
                }

                fn joined<T: Types>($list: Vec<$of>) -> Option<$of> {
                    Some($list.into_iter().flatten().collect())
                }
            )?
        }
    )+};
}

kinds! {
    /// No result.
    Nothing(_made: ()) => Outcome::Nothing;
    map(_) {}
    difference(_, _) { None }

    /// A new table.
    NewTable(made: Table<T>) => Outcome::Table(made);
    map(with) { with.table(made)? }
    difference(_, _) { None }

    /// A new table for each request.
    NewTables(made: Vec<Table<T>>) list => Outcome::Tables(made);
    map(with) { made.into_iter().map(|made| with.table(made)).collect::<Result<_>>()? }
    difference(_, _) { None }

    /// An uploaded table, if it is kept, and its extension.
    Extended(made: Uploaded<T::Buffer>) => Outcome::Uploaded(made);
    map(with) {
        let rows = made.0.map(|rows| with.table(rows)).transpose()?;
        (rows, with.table(made.1)?)
    }
    difference(_, _) { None }

    /// A new tree.
    NewTree(made: T::Tree) => Outcome::Tree(made);
    map(with) { with.tree(made)? }
    difference(_, _) { None }

    /// Columns and a total for each request; the outcome is as if no total came to the host.
    Totals(made: Vec<Accumulated<T>>) list => Outcome::Accumulated(made, 0);
    map(with) {
        let one = |made: Accumulated<T>| Ok(Accumulated { total: made.total, columns: with.table(made.columns)? });
        made.into_iter().map(one).collect::<Result<_>>()?
    }
    difference(a, b) {
        let [a, b] = [a.iter().map(|made| made.total).collect(), b.iter().map(|made| made.total).collect::<Vec<_>>()];
        first("total", &a, &b)
    }

    /// Columns and lists of a row program; the outcome is without the counters.
    ColumnsAndLists(made: RowsOutput<T>) => Outcome::Rows(made, Vec::new());
    map(with) {
        let lists = made.lists.into_iter().map(|list| with.table(list)).collect::<Result<_>>()?;
        RowsOutput { lists, columns: with.table(made.columns)? }
    }
    difference(_, _) { None }

    /// Elements.
    Elements(made: Vec<BaseOf<T>>) => Outcome::Elements(made);
    map(_) { made }
    difference(a, b) { first("element", a, b) }

    /// A digest.
    Root(made: Digest) => Outcome::Digest(made);
    map(_) { made }
    difference(a, b) { other(a, b) }

    /// Rows and paths for each request.
    Openings(made: Vec<Opened<BaseOf<T>>>) list => Outcome::Opened(made);
    map(_) { made }
    difference(a, b) {
        let within = |a: &Opened<_>, b: &Opened<_>| {
            first("opened row", &a.rows, &b.rows).or_else(|| first("path", &a.paths, &b.paths))
        };
        in_first("request", a, b, within)
    }

    /// Values at points for each request.
    PointValues(made: Vec<Values<T>>) list => Outcome::Values(made);
    map(_) { made }
    difference(a, b) {
        in_first("request", a, b, |a, b| in_first("point", a, b, |a, b| first("column", a, b)))
    }

    /// Sums for each request.
    Sums(made: Vec<Vec<ExtOf<T>>>) list => Outcome::Sums(made);
    map(_) { made }
    difference(a, b) { in_first("request", a, b, |a, b| first("sum", a, b)) }

    /// A table and sums for each request.
    TablesAndSums(made: Vec<BoundSums<T>>) list => Outcome::BoundSums(made);
    map(with) {
        let one = |made: BoundSums<T>| Ok(BoundSums { sums: made.sums, values: with.table(made.values)? });
        made.into_iter().map(one).collect::<Result<_>>()?
    }
    difference(a, b) { in_first("request", a, b, |a, b| first("sum", &a.sums, &b.sums)) }

    /// A nonce, if there is one.
    Nonce(made: Option<u64>) => Outcome::Nonce(made);
    map(_) { made }
    difference(a, b) { other(a, b) }

    /// A table or a tree in the host's memory.
    Stashed(made: Stash) => Outcome::Stashed(made.bytes());
    map(_) { made }
    difference(_, _) { None }

    /// Whether a row had a fault.
    Fault(made: bool) => Outcome::Fault(made);
    map(_) { made }
    difference(a, b) { other(a, b) }
}

/// Two values, if they differ.
fn other<V: PartialEq + Debug>(left: &V, right: &V) -> Option<String> {
    (left != right).then(|| format!("{left:?} and {right:?}"))
}

/// The first difference of two lists.
fn first<V: PartialEq + Debug>(what: &str, left: &[V], right: &[V]) -> Option<String> {
    in_first(what, left, right, other)
}

/// The first difference of two lists, within the element that has it.
fn in_first<V, W>(what: &str, left: &[V], right: &[W], within: impl Fn(&V, &W) -> Option<String>) -> Option<String> {
    let mut pairs = left.iter().zip(right).enumerate();
    match pairs.find_map(|(at, (a, b))| within(a, b).map(|difference| format!("{what} {at}: {difference}"))) {
        None if left.len() != right.len() => Some(format!("{} and {} {what}s", left.len(), right.len())),
        difference => difference,
    }
}
