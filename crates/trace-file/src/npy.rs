//! NumPy's `.npy`: numpy.lib.format, versions 1 to 3.
//!
//! ```text
//! magic     6 bytes, [`MAGIC`]
//! version   2 bytes: major, minor
//! length    of the header, little-endian: 2 bytes in version 1, 4 later
//! header    a Python dictionary: 'descr', 'fortran_order', 'shape'
//! elements
//! ```

use air::Cells;
use bytes::Bytes;
use field::PrimeField;
use proof_format::text::excerpt;

use crate::integers::Integers;
use crate::{Shape, TraceFileError};

/// First bytes.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header: NumPy's own limit for files that it does not trust.
const MAX_HEADER: usize = 10_000;

/// The content of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    integers: Integers,
    fortran_order: bool,
    shape: Shape,
}

/// A table of rows and columns, or the only column of a list.
#[derive(Debug)]
pub(crate) struct Table {
    header: Header,
    data: Bytes,
}

impl Table {
    pub(crate) fn new(bytes: &Bytes, shape: Shape) -> Result<Self, TraceFileError> {
        let (text, start) = header(bytes)?;
        let header = Header::parse(text)?;
        let cells = header.shape.rows.checked_mul(header.shape.columns);
        let length = cells.and_then(|cells| cells.checked_mul(header.integers.width));
        let expected = length.and_then(|length| length.checked_add(start)).unwrap_or(usize::MAX);
        if expected != bytes.len() {
            return Err(TraceFileError::Length { found: bytes.len() as u64, expected: expected as u64 });
        }
        shape.check(header.shape)?;
        Ok(Self { header, data: bytes.slice(start..) })
    }

    pub(crate) fn columns<F: PrimeField>(&self) -> Result<Vec<Cells<F>>, TraceFileError> {
        let Header { integers, fortran_order, shape: Shape { rows, columns } } = self.header;
        let column = |column: usize| {
            if fortran_order || columns == 1 {
                let length = rows * integers.width;
                return integers.column(&[self.data.slice(column * length..(column + 1) * length)], column);
            }
            let cells = self.data.chunks_exact(integers.width).skip(column).step_by(columns);
            integers.copied(cells, rows, column)
        };
        (0..columns).map(column).collect()
    }
}

/// The dictionary, and where the elements start.
fn header(bytes: &[u8]) -> Result<(&str, usize), TraceFileError> {
    let rest = &bytes[MAGIC.len()..];
    let (length, start) = match *rest {
        [1, 0, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), 10),
        [2 | 3, 0, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        [major, minor, ..] => return Err(wrong(format!("version {major}.{minor}; 1.0, 2.0 and 3.0 are read"))),
        _ => return Err(wrong("it ends before its version".to_owned())),
    };
    if length > MAX_HEADER {
        return Err(wrong(format!("{length} bytes, more than {MAX_HEADER}")));
    }
    let end = start + length;
    let text =
        bytes.get(start..end).ok_or(TraceFileError::Length { found: bytes.len() as u64, expected: end as u64 })?;
    Ok((std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?, end))
}

fn wrong(what: String) -> TraceFileError {
    TraceFileError::Npy(what)
}

impl Header {
    fn parse(text: &str) -> Result<Self, TraceFileError> {
        let text = text.trim();
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let mut rest = inside.ok_or_else(|| wrong(format!("`{}` is no dictionary", excerpt(text))))?.trim_start();
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let value = after
                .trim_start()
                .strip_prefix(':')
                .ok_or_else(|| wrong(format!("`{}` has no value", excerpt(key))))?;
            let value = value.trim_start();
            let is_new = match key {
                "descr" => {
                    let (name, after) = quoted(value)?;
                    rest = after;
                    descr.replace(integers(name)?).is_none()
                }
                "fortran_order" => {
                    let order = [("True", true), ("False", false)];
                    let found = order.into_iter().find_map(|(word, order)| Some((value.strip_prefix(word)?, order)));
                    let (after, order) =
                        found.ok_or_else(|| wrong("`fortran_order` is neither True nor False".to_owned()))?;
                    rest = after;
                    fortran_order.replace(order).is_none()
                }
                "shape" => {
                    let tuple = value.strip_prefix('(').and_then(|value| value.split_once(')'));
                    let (inside, after) = tuple.ok_or_else(|| wrong("`shape` is no tuple".to_owned()))?;
                    rest = after;
                    shape.replace(rows_and_columns(inside)?).is_none()
                }
                other => return Err(wrong(format!("the key `{}`", excerpt(other)))),
            };
            if !is_new {
                return Err(wrong(format!("the key `{key}` is there twice")));
            }
            rest = rest.trim_start();
            rest = match rest.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if rest.is_empty() => rest,
                None => return Err(wrong(format!("no comma after `{key}`"))),
            };
        }
        match (descr, fortran_order, shape) {
            (Some(integers), Some(fortran_order), Some(shape)) => Ok(Self { integers, fortran_order, shape }),
            _ => Err(wrong("one of the keys `descr`, `fortran_order`, `shape` is missing".to_owned())),
        }
    }
}

/// A string at the beginning, and the rest. None of the strings that are accepted has a backslash in it.
fn quoted(text: &str) -> Result<(&str, &str), TraceFileError> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '\'' | '"'));
    let inside = mark.and_then(|mark| text[1..].split_once(mark));
    inside.ok_or_else(|| wrong(format!("no string at `{}`", text.chars().take(16).collect::<String>())))
}

/// The type of that name: NumPy's array interface.
fn integers(name: &str) -> Result<Integers, TraceFileError> {
    let found = || TraceFileError::Type { column: 0, found: format!("`{}`", excerpt(name)) };
    let (order, kind) = name.split_at_checked(1).ok_or_else(found)?;
    let (signed, width) = match kind.split_at_checked(1).ok_or_else(found)? {
        ("u", width) => (false, width),
        ("i", width) => (true, width),
        _ => return Err(found()),
    };
    let width = match (order, width) {
        ("|" | "<", "1") => 1,
        ("<", "2") => 2,
        ("<", "4") => 4,
        ("<", "8") => 8,
        _ => return Err(found()),
    };
    Ok(Integers { width, signed })
}

/// `rows,` or `rows, columns`, with or without a comma at the end.
fn rows_and_columns(tuple: &str) -> Result<Shape, TraceFileError> {
    let mut numbers = tuple.trim().strip_suffix(',').unwrap_or(tuple.trim()).split(',').map(|number| {
        let number = number.trim();
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse::<usize>().ok().filter(|_| digits)
    });
    let shape = (numbers.next().flatten(), numbers.next().unwrap_or(Some(1)), numbers.next());
    match shape {
        (Some(rows), Some(columns), None) => Ok(Shape { columns, rows }),
        _ => Err(wrong(format!("the shape ({}) is neither (rows,) nor (rows, columns)", excerpt(tuple)))),
    }
}
