//! A CairoPIE in memory.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BuiltinName, Felt252, program_hash};

/// A CairoPIE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CairoPie {
    /// The version of its format.
    pub version: Version,
    /// The program and the segments.
    pub metadata: Metadata,
    /// The cells that have a value, by address, each once.
    pub memory: Vec<Cell>,
    /// The resources that the run took.
    pub resources: Resources,
    /// Data of builtins beside their cells, in the order of the file.
    pub additional_data: Vec<(BuiltinName, AdditionalData)>,
}

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The first one, which need not say its number.
    V1_0,
    /// The one that is written today.
    V1_1,
}

impl Version {
    /// Its number.
    pub const fn to_str(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
        }
    }
}

/// The program, and the segments of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The program.
    pub program: Program,
    /// The segment of the program's words: 0.
    pub program_segment: Segment,
    /// The stack: 1.
    pub execution_segment: Segment,
    /// The segment to which the first frame pointer points, without cells. It follows the builtins.
    pub ret_fp_segment: Segment,
    /// The segment to which `main` returns, without cells.
    pub ret_pc_segment: Segment,
    /// The segments of the builtins, in the order in which `main` takes them, from 2 on.
    pub builtin_segments: Vec<(BuiltinName, Segment)>,
    /// All other segments.
    pub extra_segments: Vec<Segment>,
}

/// A program without hints and names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its words.
    pub data: Vec<Felt252>,
    /// The builtins whose pointers `main` takes and returns, in order.
    pub builtins: Vec<BuiltinName>,
    /// The word at which `main` begins.
    pub main: u64,
}

impl Program {
    /// The hash by which a verifier of Cairo proofs names a program of these words.
    pub fn hash(&self) -> Felt252 {
        let words: Vec<_> = self.data.iter().map(crate::felt::to_words).collect();
        program_hash(&words)
    }
}

/// A segment of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Its number.
    pub index: u64,
    /// Its cells, with or without a value.
    pub size: u64,
}

/// A place in the memory of a run that is not relocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The number of the segment, below 2^16.
    pub segment: u64,
    /// The cell in it, below 2^47.
    pub offset: u64,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.segment, self.offset)
    }
}

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A felt.
    Felt(Felt252),
    /// An address, which becomes a felt when the segments are laid out.
    Pointer(Address),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Felt(felt) => write!(f, "{felt:#x}"),
            Self::Pointer(address) => write!(f, "{address}"),
        }
    }
}

/// A cell that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its place.
    pub address: Address,
    /// Its value.
    pub value: Value,
}

/// The resources that a run took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Steps.
    pub n_steps: u64,
    /// Cells that were never accessed.
    pub n_memory_holes: u64,
    /// Instances of each builtin; the output counts words.
    pub builtin_instances: Vec<(BuiltinName, u64)>,
}

/// Data of a builtin beside its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdditionalData {
    /// The builtin has none.
    Nothing,
    /// The output's pages by their number, and its attributes, such as `gps_fact_topology`.
    Output {
        /// The pages beside the first.
        pages: BTreeMap<u64, Page>,
        /// Lists of numbers by their names.
        attributes: BTreeMap<String, Vec<u64>>,
    },
    /// The cells of Pedersen's results that the run has computed.
    Addresses(Vec<Address>),
    /// ECDSA's signatures, by the cell of their public key.
    Signatures(Vec<(Address, [Felt252; 2])>),
}

/// A page of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The first word.
    pub start: u64,
    /// Words.
    pub size: u64,
}

impl CairoPie {
    /// The cells of a segment that have a value, in order.
    pub fn cells(&self, segment: u64) -> &[Cell] {
        let before = |index| self.memory.partition_point(|cell| cell.address.segment < index);
        &self.memory[before(segment)..before(segment.saturating_add(1))]
    }

    /// The cells of the output, in order. There are fewer than its segment has if the program passed words over.
    pub fn output(&self) -> &[Cell] {
        let output = self.metadata.builtin_segments.iter().find(|(name, _)| *name == BuiltinName::Output);
        output.map_or(&[], |(_, segment)| self.cells(segment.index))
    }
}

impl Metadata {
    /// All segments, by their numbers if they are sound.
    pub fn segments(&self) -> impl Iterator<Item = Segment> {
        let first = [self.program_segment, self.execution_segment];
        let builtins = self.builtin_segments.iter().map(|(_, segment)| *segment);
        let returns = [self.ret_fp_segment, self.ret_pc_segment];
        first.into_iter().chain(builtins).chain(returns).chain(self.extra_segments.iter().copied())
    }
}
