//! A run of a Cairo program, as the statement and the witness of a proof take it.
//!
//! Fields have the names and the order of stwo-cairo-adapter's `ProverInput`, so that serde's JSON and bincode of a run
//! are the files of that type.

pub(crate) mod memory;
mod sort;
pub(crate) mod states;
mod tables;

use serde::{Deserialize, Serialize};

use crate::BuiltinName;
use memory::Memory;
use states::StateTransitions;

/// A run: every step, every memory cell, and which of them are public.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The states before each step, sorted by the component that proves the step.
    pub state_transitions: StateTransitions,
    /// The memory.
    pub memory: Memory,
    /// How many different instructions the steps execute.
    pub pc_count: usize,
    /// The addresses of the public memory, each as often as it is public.
    pub public_memory_addresses: Vec<u32>,
    /// Where the builtins' segments lie, padding included.
    pub builtin_segments: BuiltinSegments,
    /// Which builtins `main` takes.
    pub public_segment_context: PublicSegmentContext,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The first address.
    pub begin_addr: usize,
    /// The address behind the last one.
    pub stop_ptr: usize,
}

/// The segments of the builtins that a proof has components for, and of the output; `None` for one that is not used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BuiltinSegments {
    /// `add_mod`
    pub add_mod_builtin: Option<Segment>,
    /// `bitwise`
    pub bitwise_builtin: Option<Segment>,
    /// The output.
    pub output: Option<Segment>,
    /// `mul_mod`
    pub mul_mod_builtin: Option<Segment>,
    /// `pedersen`
    pub pedersen_builtin: Option<Segment>,
    /// `poseidon`
    pub poseidon_builtin: Option<Segment>,
    /// `range_check96`
    pub range_check96_builtin: Option<Segment>,
    /// `range_check`
    pub range_check_builtin: Option<Segment>,
    /// `ec_op`
    pub ec_op_builtin: Option<Segment>,
}

impl BuiltinSegments {
    /// The segments, by builtin.
    pub fn new(of: impl Fn(BuiltinName) -> Option<Segment>) -> Self {
        Self {
            add_mod_builtin: of(BuiltinName::AddMod),
            bitwise_builtin: of(BuiltinName::Bitwise),
            output: of(BuiltinName::Output),
            mul_mod_builtin: of(BuiltinName::MulMod),
            pedersen_builtin: of(BuiltinName::Pedersen),
            poseidon_builtin: of(BuiltinName::Poseidon),
            range_check96_builtin: of(BuiltinName::RangeCheck96),
            range_check_builtin: of(BuiltinName::RangeCheck),
            ec_op_builtin: of(BuiltinName::EcOp),
        }
    }

    /// The segment of a builtin.
    pub fn get(&self, name: BuiltinName) -> Option<Segment> {
        match name {
            BuiltinName::AddMod => self.add_mod_builtin,
            BuiltinName::Bitwise => self.bitwise_builtin,
            BuiltinName::Output => self.output,
            BuiltinName::MulMod => self.mul_mod_builtin,
            BuiltinName::Pedersen => self.pedersen_builtin,
            BuiltinName::Poseidon => self.poseidon_builtin,
            BuiltinName::RangeCheck96 => self.range_check96_builtin,
            BuiltinName::RangeCheck => self.range_check_builtin,
            BuiltinName::EcOp => self.ec_op_builtin,
            BuiltinName::Ecdsa | BuiltinName::Keccak | BuiltinName::SegmentArena => None,
        }
    }
}

/// Which builtins `main` takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicSegmentContext {
    /// For each of [`BuiltinName::PUBLIC`], whether `main` takes it.
    pub present: [bool; BuiltinName::PUBLIC.len()],
}

impl PublicSegmentContext {
    /// Of a `main` that takes these builtins.
    pub fn new(builtins: &[BuiltinName]) -> Self {
        Self { present: BuiltinName::PUBLIC.map(|builtin| builtins.contains(&builtin)) }
    }

    /// The builtins that `main` takes, in their order.
    pub fn builtins(&self) -> impl Iterator<Item = BuiltinName> {
        BuiltinName::PUBLIC.into_iter().zip(self.present).filter_map(|(builtin, present)| present.then_some(builtin))
    }
}
