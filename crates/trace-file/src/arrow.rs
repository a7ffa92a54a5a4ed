//! Arrow IPC, the file format ("Feather V2"): columns of integers without nulls, in record batches that are not compressed.
//! Format: arrow.apache.org/docs/format/Columnar.html, "IPC File Format" and "RecordBatch message".
//!
//! Footer and messages are flatbuffers, verified before they are read. What they say of places is checked here, so that no file of
//! others makes a decoder of whole arrays reach for what is not there.

use air::Cells;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, Endianness, Field, Footer, root_as_footer, root_as_message};
use bytes::Bytes;
use field::PrimeField;

use crate::TraceFileError;
use crate::integers::Integers;

/// First bytes, and the last ones.
pub(crate) const MAGIC: &[u8] = b"ARROW1";
/// Bytes after the footer: its length and [`MAGIC`].
const TRAILER: usize = 4 + 6;
/// Before the length of a message, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The columns of all record batches, one after the other.
pub(crate) fn columns<F: PrimeField>(bytes: &Bytes) -> Result<Vec<Cells<F>>, TraceFileError> {
    let short = || wrong("it ends before its footer: it is truncated");
    let trailer_at = bytes.len().checked_sub(TRAILER).ok_or_else(short)?;
    let trailer: [u8; TRAILER] = bytes[trailer_at..].try_into().map_err(|_| short())?;
    let length = read_footer_length(trailer).map_err(|_| short())?;
    let footer_at = trailer_at.checked_sub(length).ok_or_else(short)?;
    let footer =
        root_as_footer(&bytes[footer_at..trailer_at]).map_err(|error| wrong(format!("the footer: {error}")))?;
    let types = types(&footer)?;
    let mut pieces = vec![Vec::new(); types.len()];
    for block in footer.recordBatches().into_iter().flatten() {
        let block = place(block, footer_at).ok_or_else(|| wrong("a record batch lies outside of the file"))?;
        for (of, piece) in pieces.iter_mut().zip(batch(bytes, block, &types)?) {
            of.push(piece);
        }
    }
    types.iter().zip(&pieces).enumerate().map(|(column, (of, pieces))| of.column(pieces, column)).collect()
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

/// Where the message of a block starts, where its body starts and where that ends, before `end`.
fn place(block: &Block, end: usize) -> Option<[usize; 3]> {
    let start = usize::try_from(block.offset()).ok()?;
    let body = start.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
    let after = body.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
    (after <= end).then_some([start, body, after])
}

/// The values of each column in a record batch.
fn batch(bytes: &Bytes, [start, body, after]: [usize; 3], types: &[Integers]) -> Result<Vec<Bytes>, TraceFileError> {
    let message = &bytes[start..body];
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
        let first =
            usize::try_from(buffer.offset()).ok().and_then(|offset| body.checked_add(offset)).ok_or_else(outside)?;
        if first.checked_add(held).is_none_or(|end| end > after) {
            return Err(outside());
        }
        Ok(bytes.slice(first..first + size))
    };
    types.iter().enumerate().map(values).collect()
}
