//! Hints: computations of the prover's side, which run before an instruction and are no part of the proof.
//!
//! [`executable`] has those of Cairo 1, [`library`] those of Cairo 0's common library, [`program_input`] the ones by
//! which a program takes its input. They run in any machine, which they see as a [`machine::HintContext`]. [`guard`] is
//! for cairo-vm's own hints, which it keeps within bounds. The hints of bootloaders are with [`super::bootloader`].

pub(super) mod error;
pub(super) mod executable;
pub(super) mod guard;
mod instance;
pub(super) mod library;
pub(super) mod machine;
mod program_input;
