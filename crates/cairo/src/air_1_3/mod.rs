//! The facts of cairo-air 1.3, one version of Cairo's AIR: its components in order, its claims, its transcript, and the roots
//! of its preprocessed columns. Another version of the AIR is another module like this one.
//!
//! Two more facts of the version stand where they are used. Padding rows request values from other components as rows of
//! entries do: `witness::sizes` and `witness::requests` count them. The preprocessed columns are in `preprocessed`.

mod channel;
mod claim;
mod evaluators;
mod roots;
mod table;

pub use channel::elements;
pub(crate) use channel::mixed;
pub(crate) use claim::{claim, claimed, interaction_claim, move_segments, presence};
pub(crate) use evaluators::components;
#[cfg(test)]
pub(crate) use evaluators::{Visitor, visit};
pub use roots::root;
pub(crate) use table::with_components;
