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
    /// The builtins that `main` takes.
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

macro_rules! segments {
    ($($field:ident: $builtin:ident,)*) => {
        /// The segments of the builtins that a proof has components for, and of the output; `None` for one that is not
        /// used.
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        pub struct BuiltinSegments {
            $(
                #[doc = concat!("The segment of [`BuiltinName::", stringify!($builtin), "`].")]
                pub $field: Option<Segment>,
            )*
        }

        impl BuiltinSegments {
            /// The segments, by builtin.
            pub fn new(of: impl Fn(BuiltinName) -> Option<Segment>) -> Self {
                Self { $($field: of(BuiltinName::$builtin),)* }
            }

            /// The segment of a builtin.
            pub fn get(&self, name: BuiltinName) -> Option<Segment> {
                match name {
                    $(BuiltinName::$builtin => self.$field,)*
                    _ => None,
                }
            }
        }
    };
}

segments! {
    add_mod_builtin: AddMod,
    bitwise_builtin: Bitwise,
    output: Output,
    mul_mod_builtin: MulMod,
    pedersen_builtin: Pedersen,
    poseidon_builtin: Poseidon,
    range_check96_builtin: RangeCheck96,
    range_check_builtin: RangeCheck,
    ec_op_builtin: EcOp,
}

/// The builtins that `main` takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicSegmentContext {
    /// For each of [`BuiltinName::PUBLIC`], whether `main` takes it.
    pub present: [bool; BuiltinName::PUBLIC.len()],
}

impl PublicSegmentContext {
    /// For a `main` that takes these builtins.
    pub fn new(builtins: &[BuiltinName]) -> Self {
        Self { present: BuiltinName::PUBLIC.map(|builtin| builtins.contains(&builtin)) }
    }

    /// The builtins that `main` takes, in their order.
    pub fn builtins(&self) -> impl Iterator<Item = BuiltinName> {
        BuiltinName::PUBLIC.into_iter().zip(self.present).filter_map(|(builtin, present)| present.then_some(builtin))
    }
}
