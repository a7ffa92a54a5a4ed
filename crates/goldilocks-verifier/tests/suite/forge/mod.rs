//! Attempts to forge: provers that follow the protocol except in one step. Each must be refused, by the check that is
//! there for it.

mod attacks;
mod late;
mod lies;
mod limits;
mod statement;
mod trees;
