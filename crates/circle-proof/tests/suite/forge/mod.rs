//! Attempts to forge: provers that follow the protocol except in one step. Each must be refused, by the check that is
//! there for it.

mod allocated;
mod attacks;
mod late;
mod lies;
mod lifting;
mod limits;
mod lookups;
mod low_tree;
mod openings;
mod relations;
mod transcript;
