//! The backend of NVIDIA's GPUs. Tests of one process share its memory, so the test that fills it is a program of its
//! own, `soak`.

mod circle_proofs;
mod conformance;
mod errors;
mod proofs;
mod transfers;
mod two_gpus;
