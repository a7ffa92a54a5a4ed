//! `memory.bin`: a record of 40 bytes for each cell that has a value, in any order.
//!
//! A record is an address of 8 bytes and a value of 32, both little-endian. An address has its highest bit set, then 16
//! bits of the segment and 47 of the offset. A value whose highest bit is set is an address, with all bits between at
//! 0; any other is a felt.

use super::error::{Error, Member, Place, Reason};
use super::{Address, Cell, Value};
use crate::felt::{from_words, is_reduced};

const RECORD: usize = 40;
const OFFSET_BITS: u32 = 47;
/// Segments that addresses can name, and cells of one.
pub(super) const MAX_SEGMENTS: u64 = 1 << 16;
pub(super) const MAX_CELLS: u64 = 1 << OFFSET_BITS;
/// The highest bit of an address, and of a value that is one.
const MARK: u64 = 1 << 63;

/// The cells, by address.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<Vec<Cell>, Error> {
    let (records, rest) = bytes.as_chunks::<RECORD>();
    if !rest.is_empty() {
        let what = format!("it has {} bytes, which are no records of {RECORD}", bytes.len());
        return Err(Error::new(Reason::Form, Place::Member(Member::Memory), what));
    }
    let cells = records
        .iter()
        .enumerate()
        .map(|(index, record)| cell(record).map_err(|what| Error::value(Place::Record(index), what)));
    sorted(cells.collect::<Result<_, _>>()?)
}

/// The cells by address, each once.
pub(crate) fn sorted(mut cells: Vec<Cell>) -> Result<Vec<Cell>, Error> {
    if !cells.is_sorted_by_key(|cell| cell.address) {
        cells.sort_unstable_by_key(|cell| cell.address);
    }
    match cells.windows(2).find(|pair| pair[0].address == pair[1].address) {
        Some(pair) => Err(Error::value(Place::Cell(pair[0].address), "it is there twice")),
        None => Ok(cells),
    }
}

fn cell(record: &[u8; RECORD]) -> Result<Cell, &'static str> {
    let word = |at: usize| record[8 * at..].iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let address = address(word(0)).ok_or("its address does not have its highest bit")?;
    let value = [word(1), word(2), word(3), word(4)];
    let value = match value {
        [low, 0, 0, MARK] if low & MARK == 0 => Value::Pointer(parts(low)),
        [.., high] if high & MARK != 0 => return Err("its value is marked as an address and is none"),
        felt => {
            let words = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (felt[i / 2] >> (32 * (i % 2))) as u32);
            if !is_reduced(&words) {
                return Err("its value is not below the prime");
            }
            Value::Felt(from_words(&words))
        }
    };
    Ok(Cell { address, value })
}

fn address(word: u64) -> Option<Address> {
    (word & MARK != 0).then(|| parts(word & !MARK))
}

fn parts(word: u64) -> Address {
    Address { segment: word >> OFFSET_BITS, offset: word & (MAX_CELLS - 1) }
}

/// The records of cells, whose addresses are within the bounds.
pub(super) fn to_bytes(cells: &[Cell]) -> Vec<u8> {
    let whole = |address: &Address| address.segment << OFFSET_BITS | address.offset;
    let mut bytes = Vec::with_capacity(RECORD * cells.len());
    for Cell { address, value } in cells {
        bytes.extend((MARK | whole(address)).to_le_bytes());
        match value {
            Value::Felt(felt) => bytes.extend(felt.to_bytes_le()),
            Value::Pointer(target) => bytes.extend([whole(target), 0, 0, MARK].map(u64::to_le_bytes).concat()),
        }
    }
    bytes
}
