//! Values of a recorded statement that verifiers of Goldilocks compute: on cosets, at an out-of-domain point.

mod coset;
mod exemptions;
mod progression;
