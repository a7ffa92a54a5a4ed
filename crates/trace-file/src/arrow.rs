//! Arrow IPC, the file format ("Feather V2"): columns of integers without nulls, in record batches that are not
//! compressed. Format: arrow.apache.org/docs/format/Columnar.html, "IPC File Format" and "RecordBatch message".
//!
//! Footer and messages are flatbuffers, verified before they are read. The places in them are checked here, so that no
//! foreign file makes a decoder of whole arrays read beyond them.

use std::ops::Range;

use air::Cells;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, Endianness, Field, Footer, root_as_footer, root_as_message};
use bytes::Bytes;
use field::PrimeField;

use crate::integers::Integers;
use crate::{Shape, TraceFileError};

/// Bytes after the footer: its length and the first bytes again.
const TRAILER: usize = 4 + 6;
/// Before the length of a message, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The columns of all record batches.
#[derive(Debug)]
pub(crate) struct Table {
    types: Vec<Integers>,
    /// The pieces of each column in the record batches, in their order.
    pieces: Vec<Vec<Bytes>>,
}

impl Table {
    /// No byte is a value of two columns or batches, so that a table is never larger than the file.
    pub(crate) fn new(bytes: &Bytes, shape: Shape) -> Result<Self, TraceFileError> {
        let short = || wrong("it ends before its footer: it is truncated");
        let trailer_at = bytes.len().checked_sub(TRAILER).ok_or_else(short)?;
        let trailer: [u8; TRAILER] = bytes[trailer_at..].try_into().map_err(|_| short())?;
        let length = read_footer_length(trailer).map_err(|_| short())?;
        let footer_at = trailer_at.checked_sub(length).ok_or_else(short)?;
        let footer =
            root_as_footer(&bytes[footer_at..trailer_at]).map_err(|error| wrong(format!("the footer: {error}")))?;
        let types = types(&footer)?;
        let blocks = footer.recordBatches().into_iter().flatten();
        let blocks: Option<Vec<Place>> = blocks.map(|block| Place::of(block, footer_at)).collect();
        let blocks = blocks.ok_or_else(|| wrong("a record batch lies outside of the file"))?;
        if overlap(blocks.iter().map(|place| place.start..place.end)) {
            return Err(wrong("record batches overlap: the footer names some bytes of the file twice"));
        }
        let mut found = Shape { columns: types.len(), rows: 0 };
        let mut pieces = vec![Vec::new(); types.len()];
        for place in blocks {
            let (rows, values) = batch(bytes, &place, &types)?;
            found.rows = found.rows.saturating_add(rows);
            if found.columns != shape.columns || found.rows > shape.rows {
                break;
            }
            for (of, piece) in pieces.iter_mut().zip(values) {
                of.push(piece);
            }
        }
        shape.check(found)?;
        Ok(Self { types, pieces })
    }

    pub(crate) fn columns<F: PrimeField>(&self) -> Result<Vec<Cells<F>>, TraceFileError> {
        let columns = self.types.iter().zip(&self.pieces).enumerate();
        columns.map(|(column, (of, pieces))| of.column(pieces, column)).collect()
    }
}

/// Whether two of these ranges have a byte in common.
fn overlap(ranges: impl Iterator<Item = Range<usize>>) -> bool {
    let mut ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.windows(2).any(|pair| pair[0].end > pair[1].start)
}

fn wrong(what: impl ToString) -> TraceFileError {
    TraceFileError::Arrow(what.to_string())
}

/// The type of each column, at least one.
fn types(footer: &Footer<'_>) -> Result<Vec<Integers>, TraceFileError> {
    let schema = footer.schema().ok_or_else(|| wrong("it has no schema"))?;
    if schema.endianness() != Endianness::Little {
        return Err(wrong("it is big-endian"));
    }
    if footer.dictionaries().is_some_and(|dictionaries| !dictionaries.is_empty()) {
        return Err(wrong("it has dictionaries: columns must be plain integers"));
    }
    let integers = |(column, field): (usize, Field<'_>)| {
        let found =
            || TraceFileError::Type { column, found: field.type_type().variant_name().unwrap_or("unknown").to_owned() };
        let int = field.type_as_int().filter(|_| field.dictionary().is_none()).ok_or_else(found)?;
        match int.bitWidth() {
            8 | 16 | 32 | 64 => Ok(Integers { width: int.bitWidth() as usize / 8, signed: int.is_signed() }),
            _ => Err(found()),
        }
    };
    let types: Vec<Integers> =
        schema.fields().into_iter().flatten().enumerate().map(integers).collect::<Result<_, _>>()?;
    if types.is_empty() { Err(TraceFileError::NoColumns) } else { Ok(types) }
}

/// Where the message of a block starts, where its body starts and where that ends.
struct Place {
    start: usize,
    body: usize,
    end: usize,
}

impl Place {
    /// A block that has a message, and ends before `end`.
    fn of(block: &Block, end: usize) -> Option<Self> {
        let start = usize::try_from(block.offset()).ok()?;
        let body = start.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
        let after = body.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
        (start < body && after <= end).then_some(Self { start, body, end: after })
    }
}

/// The rows of a record batch, and the values of each column.
fn batch(bytes: &Bytes, place: &Place, types: &[Integers]) -> Result<(usize, Vec<Bytes>), TraceFileError> {
    let message = &bytes[place.start..place.body];
    let message = message.strip_prefix(&CONTINUATION).unwrap_or(message);
    let message = message.get(4..).ok_or_else(|| wrong("a message has no bytes"))?;
    let message = root_as_message(message).map_err(|error| wrong(format!("a message: {error}")))?;
    let batch = message.header_as_record_batch().ok_or_else(|| wrong("a block is no record batch"))?;
    if batch.compression().is_some() {
        return Err(wrong("it is compressed: write it without compression, so that it can be mapped"));
    }
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(wrong("a record batch has no arrays"));
    };
    // An array of integers has two buffers: which values are there, and the values.
    if nodes.len() != types.len() || buffers.len() != 2 * types.len() {
        return Err(wrong("a record batch has not the arrays of the schema"));
    }
    let values = |(column, of): (usize, &Integers)| {
        let (node, buffer) = (nodes.get(column), buffers.get(2 * column + 1));
        if node.null_count() != 0 {
            return Err(TraceFileError::Nulls { column, count: node.null_count().unsigned_abs() });
        }
        if node.length() != batch.length() {
            return Err(wrong(format!("column {column} has {} rows in a batch of {}", node.length(), batch.length())));
        }
        let outside = || wrong(format!("the values of column {column} lie outside of their record batch"));
        let size =
            usize::try_from(node.length()).ok().and_then(|rows| rows.checked_mul(of.width)).ok_or_else(outside)?;
        let held = usize::try_from(buffer.length()).ok().filter(|held| *held >= size).ok_or_else(outside)?;
        let offset = usize::try_from(buffer.offset()).ok();
        let first = offset.and_then(|offset| place.body.checked_add(offset)).ok_or_else(outside)?;
        if first.checked_add(held).is_none_or(|end| end > place.end) {
            return Err(outside());
        }
        Ok(first..first + size)
    };
    let rows = usize::try_from(batch.length()).map_err(|_| wrong("a record batch has a negative number of rows"))?;
    let values: Vec<Range<usize>> = types.iter().enumerate().map(values).collect::<Result<_, _>>()?;
    if overlap(values.iter().cloned()) {
        return Err(wrong("columns of a record batch overlap: some bytes are values of two of them"));
    }
    Ok((rows, values.into_iter().map(|range| bytes.slice(range)).collect()))
}
