//! Circuits: their components, columns, and proofs. One program: linking the verifier of Cairo is dear.

mod broken;
mod columns;
mod constraints;
mod definition;
mod examples;
mod false_components;
mod files;
mod folds;
mod liar;
mod lie;
mod lies;
mod proofs;
mod refused;
mod values;
