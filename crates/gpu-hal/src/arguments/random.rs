//! Uniform elements.

use core::fmt;

use crate::Digest;

/// The elements that [`crate::StarkBackend::random`] writes, and where.
///
/// Element `e` of column `c` of a stream is made of 16 bytes, taken as a big-endian number and reduced modulo the order
/// of the field: bytes `16 (e mod 8) ..` of block `e / 8`, which is [`crate::hash::random_block`] of the key, the
/// stream and the column. So an element is uniform but for a statistical distance of `2^-64` at most for whoever does
/// not know the key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RandomRows {
    /// The key. It decides about every element: as secret as they are.
    pub key: Digest,
    /// The number of the stream.
    pub stream: u64,
    /// The number of the element that row 0 has, or would have.
    pub first: u64,
    /// The first row that is written; as many as the table has, if none is.
    pub from: usize,
}

/// Without the key.
impl fmt::Debug for RandomRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, first, from, .. } = self;
        let mut out = f.debug_struct("RandomRows");
        out.field("stream", stream).field("first", first).field("from", from).finish_non_exhaustive()
    }
}

impl RandomRows {
    /// Elements of a block.
    pub const BLOCK: u64 = 8;
}
