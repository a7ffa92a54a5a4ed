//! The root of a tree.

use super::*;

op! {
    /// [`crate::StarkBackend::root`].
    Root(tree: &'a T::Tree) -> RootOf;

    reads(on) { on.tree(tree) }
    makes(on) {
        on.moves(Self::NAME, 0, 0);
        Default::default()
    }
    through(on, see) { on.root(see.tree(tree)?) }
}
