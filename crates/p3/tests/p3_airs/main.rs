//! AIRs of Plonky3, own and shipped, over both fields: the same constraints as Plonky3's, proven, verified, and
//! refused.

mod airs;
mod circle;
mod evaluation;
mod lookups;
mod refused;
mod shipped;
mod small;
mod support;
