//! CairoPIEs: runs of programs as tasks of a bootloader, in the zip files that cairo-vm and cairo-lang write.
//!
//! A CairoPIE has the program, the cells of its memory by segment, and the data of builtins that no cell has. It is the
//! run of `main` alone, not one in proof mode: a proof takes it through a bootloader, which runs it again.
//!
//! [`read`] takes versions 1.0 and 1.1 from anybody: it bounds what it unpacks, and checks every field and how the
//! fields fit together. [`write()`] writes version 1.1 as cairo-vm 3.2 does, the same bytes each time. With the feature
//! `vm` a CairoPIE of cairo-vm becomes one of these by `TryFrom`, without a file.

mod archive;
mod cairo_pie;
mod check;
mod error;
mod json;
mod list;
mod memory;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use cairo_pie::{
    AdditionalData, Address, CairoPie, Cell, Metadata, Page, Program, Resources, Segment, Value, Version,
};
pub(crate) use check::check;
pub use error::{Error, Member, Place, Reason};
#[cfg(feature = "vm")]
pub(crate) use memory::sorted;
pub use read::read;
#[cfg(feature = "vm")]
pub(crate) use read::read_of;
pub use write::write;

/// Bytes that the members of a CairoPIE may have unpacked, unless the caller says otherwise: 4 GiB, 40 bytes a cell.
pub const DEFAULT_MAX_BYTES: u64 = 1 << 32;
