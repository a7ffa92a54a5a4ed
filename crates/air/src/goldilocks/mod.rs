//! What verifiers of Goldilocks compute of a recorded statement: on cosets, at an out-of-domain point.

mod coset;
mod exemptions;
mod progression;
