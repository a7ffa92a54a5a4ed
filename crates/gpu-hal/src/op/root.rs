//! The root of a tree.

use super::*;

op! {
    /// [`crate::StarkBackend::root`].
    Root(tree: &'a T::Tree) -> RootOf;

    reads(on) { on.tree(tree) }
    makes(_) { Default::default() }
    through(on, see) { on.root(see.tree(tree)?) }
}
