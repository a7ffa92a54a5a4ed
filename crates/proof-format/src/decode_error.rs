//! Why bytes are not an encoding, and where.

use alloc::string::String;
use core::fmt;

/// Why and where bytes are not an encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {kind}")]
pub struct DecodeError {
    /// Offset of the first byte of the item that is wrong.
    pub offset: usize,
    /// The kind of the error.
    pub kind: DecodeErrorKind,
}

/// Kinds of errors in an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside an item: it is truncated, unless a length in it is wrong.
    Truncated {
        /// Bytes of the input.
        end: usize,
        /// Bytes that the item needs beyond them, at least: the bytes behind the item are not known.
        missing: u64,
    },
    /// Bytes are left after the last item.
    TrailingBytes,
    /// An integer starts with a byte that no integer starts with.
    IntegerTag(u8),
    /// An integer is not in its shortest form.
    LongInteger,
    /// An option starts with something other than 0 or 1.
    OptionTag(u8),
    /// An option that this protocol always leaves empty is not.
    NotNone,
    /// A list is longer than the rest of the input can hold.
    ListLength(u64),
    /// A list has not as many items as statement and options fix.
    Count {
        /// By the statement.
        expected: usize,
        /// The announced number.
        found: usize,
    },
    /// The input has not the length that statement and options fix.
    Length {
        /// The least that is possible.
        least: u128,
        /// The most that is possible.
        most: u128,
        /// The present number.
        found: usize,
    },
    /// A field element is announced with a wrong number of bytes.
    ElementLength {
        /// The number that the field needs.
        expected: u64,
        /// The announced number.
        found: u64,
    },
    /// A coordinate of a field element is not below the prime.
    NotCanonical,
    /// A file does not start with the magic bytes of a statement.
    Magic,
    /// A file has a version that this program does not know.
    Version(u64),
    /// A number is out of the range of its field in the file.
    Range(u64),
    /// A name is empty, too long, or has characters other than `a-z A-Z 0-9 - _ .`
    Name,
    /// The names of parameters are not in ascending order, each once.
    Order,
    /// A suite that this program does not know, by its name.
    Suite(String),
    /// A file of another protocol.
    Protocol,
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { end, missing } => {
                write!(f, "the input is truncated: it ends at byte {end}, at least {missing} more are missing")
            }
            Self::TrailingBytes => f.write_str("bytes are left after the end"),
            Self::IntegerTag(tag) => write!(f, "no integer starts with {tag:#04x}"),
            Self::LongInteger => f.write_str("an integer is not in its shortest form"),
            Self::OptionTag(tag) => write!(f, "an option starts with 0x00 or 0x01, not with {tag:#04x}"),
            Self::NotNone => f.write_str("this option must be empty"),
            Self::ListLength(length) => {
                write!(
                    f,
                    "a list of {length} items does not fit into the rest of the input, which is truncated or changed"
                )
            }
            Self::Count { expected, found } => write!(f, "a list has {found} items, the statement asks for {expected}"),
            Self::Length { least, most, found } => {
                write!(f, "there are {found} bytes, the statement and its options ask for {least} to {most}")
            }
            Self::ElementLength { expected, found } => {
                write!(f, "a field element takes {expected} bytes, not {found}")
            }
            Self::NotCanonical => f.write_str("a field element is not reduced"),
            Self::Magic => f.write_str("this is no Polystark file"),
            Self::Version(version) => write!(f, "file version {version} is not known to this program"),
            Self::Range(value) => write!(f, "{value} is out of range"),
            Self::Name => f.write_str("a name must be 1 to 64 characters out of a-z A-Z 0-9 - _ ."),
            Self::Order => f.write_str("parameters must be in ascending order of their names, each once"),
            Self::Suite(name) => write!(f, "no suite `{name}` is known to this program"),
            Self::Protocol => f.write_str("the file is of another protocol"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;

    /// A reader of a message knows which error it is, and the numbers in it.
    #[test]
    fn no_two_errors_say_the_same() {
        let kinds = [
            DecodeErrorKind::Truncated { end: 71, missing: 72 },
            DecodeErrorKind::TrailingBytes,
            DecodeErrorKind::IntegerTag(0xFE),
            DecodeErrorKind::LongInteger,
            DecodeErrorKind::OptionTag(9),
            DecodeErrorKind::NotNone,
            DecodeErrorKind::ListLength(73),
            DecodeErrorKind::Count { expected: 74, found: 75 },
            DecodeErrorKind::Length { least: 76, most: 77, found: 78 },
            DecodeErrorKind::ElementLength { expected: 79, found: 80 },
            DecodeErrorKind::NotCanonical,
            DecodeErrorKind::Magic,
            DecodeErrorKind::Version(81),
            DecodeErrorKind::Range(82),
            DecodeErrorKind::Name,
            DecodeErrorKind::Order,
            DecodeErrorKind::Suite("of-83".into()),
            DecodeErrorKind::Protocol,
        ];
        let texts: BTreeSet<_> =
            kinds.iter().map(|kind| DecodeError { offset: 70, kind: kind.clone() }.to_string()).collect();
        assert_eq!(texts.len(), kinds.len());
        let all = texts.into_iter().collect::<Vec<_>>().join("\n");
        assert!((70..=83).all(|number| all.contains(&number.to_string())) && all.contains("0xfe"), "{all}");
    }
}
