//! Faults of files that should be CairoPIEs: where, and what.

use std::fmt;

use super::Address;

/// A member of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `version.json`; CairoPIEs of version 1.0 may lack it.
    Version,
    /// `metadata.json`: the program and the segments.
    Metadata,
    /// `memory.bin`: the cells.
    Memory,
    /// `additional_data.json`: data of builtins beside their cells.
    AdditionalData,
    /// `execution_resources.json`: steps, and instances of builtins.
    ExecutionResources,
}

impl Member {
    /// All members, in the order in which they are written.
    pub(super) const ALL: [Self; 5] =
        [Self::Version, Self::Metadata, Self::Memory, Self::AdditionalData, Self::ExecutionResources];

    /// Its name in the archive.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Version => "version.json",
            Self::Metadata => "metadata.json",
            Self::Memory => "memory.bin",
            Self::AdditionalData => "additional_data.json",
            Self::ExecutionResources => "execution_resources.json",
        }
    }
}

/// Where in a CairoPIE something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The archive itself.
    Archive,
    /// A member.
    Member(Member),
    /// A value in a JSON member, by its path from the member's root.
    Field(Member, String),
    /// A record of 40 bytes in `memory.bin`, by its index.
    Record(usize),
    /// A cell of the memory.
    Cell(Address),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive => f.write_str("the archive"),
            Self::Member(member) => f.write_str(member.name()),
            Self::Field(member, path) => write!(f, "{}, {path}", member.name()),
            Self::Record(index) => write!(f, "{}, record {index}", Member::Memory.name()),
            Self::Cell(address) => write!(f, "{}, cell {address}", Member::Memory.name()),
        }
    }
}

/// The class of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes are no zip archive, or one that uses what no CairoPIE does.
    Archive,
    /// A member is missing, is there twice, or is none of a CairoPIE.
    Members,
    /// More bytes than are read.
    TooLong,
    /// A size that the archive says is not the size of the data.
    FalseSize,
    /// The checksum of a member is not the checksum of its data.
    Checksum,
    /// JSON that is none, or of another form.
    Form,
    /// A value that a CairoPIE cannot have, or that contradicts another one.
    Value,
}

/// Why a file is no CairoPIE that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sound CairoPIE: {place}: {what}")]
pub struct Error {
    /// The class of the fault.
    pub reason: Reason,
    /// Where it is.
    pub place: Place,
    /// The finding.
    pub what: String,
}

impl Error {
    pub(super) fn new(reason: Reason, place: Place, what: impl Into<String>) -> Self {
        Self { reason, place, what: what.into() }
    }

    pub(super) fn archive(what: impl Into<String>) -> Self {
        Self::new(Reason::Archive, Place::Archive, what)
    }

    /// A value that is wrong.
    pub(crate) fn value(place: Place, what: impl Into<String>) -> Self {
        Self::new(Reason::Value, place, what)
    }
}
