//! Circuits: their components, columns, and proofs. One program: linking the verifier of Cairo is dear.

mod columns;
mod constraints;
mod definition;
mod examples;
mod files;
mod proofs;
mod refused;
mod values;
