//! Messages between a run and the process of its hints. The run sends a hint, answers the questions that the hint
//! asks, one after the other, and sends the next hint when it has ended. What a hint writes has no answer: a hint does
//! not go on after a write that fails, since the run ends with it.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use num_bigint::BigInt;

use super::wire::{Malformed, Reader, Writer};

/// The version of the messages, which both ends must have.
pub(super) const VERSION: u64 = 1;
/// Cells that a hint reads at once.
pub(super) const MAX_RANGE: usize = 1 << 18;
/// Bytes of a cell, of a text, of a felt with its name, at least.
const CELL: usize = 17;
const TEXT: usize = 8;
const NAMED: usize = 40;

/// A message of the process.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// It is ready for hints, and has these messages.
    Ready { version: u64 },
    /// The number of what the names behind `ids.` mean in the current hint.
    Resolve(Vec<String>),
    /// The value of what has a number.
    Get(usize),
    /// Writes a cell that has a number; no answer.
    Set(usize, MaybeRelocatable),
    /// The value of a cell.
    Load(Relocatable),
    /// Writes a cell; no answer.
    Store(Relocatable, MaybeRelocatable),
    /// The value of a cell that may have none.
    Find(Relocatable),
    /// The values of cells.
    Range(Relocatable, usize),
    /// Makes a segment.
    Segment { is_temporary: bool },
    /// Writes cells one behind the other; no answer.
    Write(Relocatable, Vec<MaybeRelocatable>),
    /// Lets a temporary segment become part of another one in the end; no answer.
    Relocate(Relocatable, MaybeRelocatable),
    /// The hint has given another value to a number that a hint of the library has left, or something that is no
    /// number; no answer.
    Number(String, Option<BigInt>),
    /// The program input.
    Input,
    /// Enters a scope, in which the library's hints find these felts.
    Enter(Vec<(String, Felt252)>),
    /// Leaves the current scope; no answer.
    Exit,
    /// The hint has printed a text; no answer.
    Printed(String),
    /// The hint has ended, after so many steps of the interpreter.
    Ended { steps: usize, end: End },
}

/// How a hint has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Well,
    /// It takes more steps than are left.
    Steps,
    Failed(String),
}

/// A message of the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    Hint(Start),
    Cell(Option<MaybeRelocatable>),
    Cells(Vec<MaybeRelocatable>),
    /// The number, and how many of the names it stands for.
    Resolved(usize, usize),
    /// The names mean nothing.
    Unresolved(String),
    /// The program input as JSON.
    Input(Option<String>),
    /// The number of the scope that was entered.
    Scope(u64),
}

/// A hint that begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Start {
    pub(super) number: u64,
    /// Its text, the first time.
    pub(super) text: Option<String>,
    pub(super) scope: u64,
    /// Scopes that were left.
    pub(super) left: Vec<u64>,
    /// `ap`, `fp` and `pc`.
    pub(super) registers: [Relocatable; 3],
    /// Steps that are left.
    pub(super) steps: usize,
    /// Numbers that hints of the library have left in the scope.
    pub(super) numbers: Vec<(String, BigInt)>,
}

impl Request {
    /// The message with its length.
    ///
    /// # Errors
    /// It is too long.
    pub(super) fn write(&self) -> Result<Vec<u8>, Malformed> {
        let kind = Writer::new;
        match self {
            Self::Ready { version } => kind(0).u64(*version),
            Self::Resolve(names) => kind(1).list(names, |writer, name| writer.text(name)),
            Self::Get(number) => kind(2).count(*number),
            Self::Set(number, cell) => kind(3).count(*number).cell(cell),
            Self::Load(place) => kind(4).place(*place),
            Self::Store(place, cell) => kind(5).place(*place).cell(cell),
            Self::Find(place) => kind(6).place(*place),
            Self::Range(place, count) => kind(7).place(*place).count(*count),
            Self::Segment { is_temporary } => kind(8).byte((*is_temporary).into()),
            Self::Write(place, cells) => kind(9).place(*place).list(cells, Writer::cell),
            Self::Number(name, number) => kind(10).text(name).optional_number(number.as_ref()),
            Self::Input => kind(11),
            Self::Enter(felts) => kind(12).list(felts, |writer, (name, felt)| writer.text(name).felt(felt)),
            Self::Exit => kind(13),
            Self::Printed(text) => kind(14).text(text),
            Self::Relocate(place, target) => kind(16).place(*place).cell(target),
            Self::Ended { steps, end } => {
                let writer = kind(15).count(*steps);
                match end {
                    End::Well => writer.byte(0),
                    End::Steps => writer.byte(1),
                    End::Failed(text) => writer.byte(2).text(text),
                }
            }
        }
        .finish()
    }

    /// The message of these bytes, without the length.
    ///
    /// # Errors
    /// They are none.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let request = match reader.byte()? {
            0 => Self::Ready { version: reader.u64()? },
            1 => Self::Resolve(reader.list(TEXT, Reader::text)?),
            2 => Self::Get(reader.index()?),
            3 => Self::Set(reader.index()?, reader.cell()?),
            4 => Self::Load(reader.place()?),
            5 => Self::Store(reader.place()?, reader.cell()?),
            6 => Self::Find(reader.place()?),
            7 => Self::Range(reader.place()?, reader.index()?),
            8 => Self::Segment { is_temporary: reader.flag()? },
            9 => Self::Write(reader.place()?, reader.list(CELL, Reader::cell)?),
            10 => Self::Number(reader.text()?, reader.optional_number()?),
            11 => Self::Input,
            12 => Self::Enter(reader.list(NAMED, |reader| Ok((reader.text()?, reader.felt()?)))?),
            13 => Self::Exit,
            14 => Self::Printed(reader.text()?),
            15 => Self::Ended {
                steps: reader.index()?,
                end: match reader.byte()? {
                    0 => End::Well,
                    1 => End::Steps,
                    2 => End::Failed(reader.text()?),
                    _ => return Err(Malformed("a hint ends in an unknown way")),
                },
            },
            16 => Self::Relocate(reader.place()?, reader.cell()?),
            _ => return Err(Malformed("a message is of an unknown kind")),
        };
        reader.end().map(|()| request)
    }
}

impl Reply {
    /// The message with its length.
    ///
    /// # Errors
    /// It is too long.
    pub(super) fn write(&self) -> Result<Vec<u8>, Malformed> {
        let kind = Writer::new;
        match self {
            Self::Hint(start) => {
                let writer = kind(0).u64(start.number).optional_text(start.text.as_deref()).u64(start.scope);
                let writer = writer.list(&start.left, |writer, scope| writer.u64(*scope));
                let writer = start.registers.into_iter().fold(writer, Writer::place).count(start.steps);
                writer.list(&start.numbers, |writer, (name, number)| writer.text(name).number(number))
            }
            Self::Cell(cell) => match cell {
                Some(cell) => kind(1).byte(1).cell(cell),
                None => kind(1).byte(0),
            },
            Self::Cells(cells) => kind(2).list(cells, Writer::cell),
            Self::Resolved(number, used) => kind(3).count(*number).count(*used),
            Self::Unresolved(fault) => kind(4).text(fault),
            Self::Input(input) => kind(5).optional_text(input.as_deref()),
            Self::Scope(scope) => kind(6).u64(*scope),
        }
        .finish()
    }

    /// The message of these bytes, without the length.
    ///
    /// # Errors
    /// They are none.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let reply = match reader.byte()? {
            0 => Self::Hint(Start {
                number: reader.u64()?,
                text: reader.optional_text()?,
                scope: reader.u64()?,
                left: reader.list(8, Reader::u64)?,
                registers: [reader.place()?, reader.place()?, reader.place()?],
                steps: reader.index()?,
                numbers: reader.list(2 * TEXT, |reader| Ok((reader.text()?, reader.number()?)))?,
            }),
            1 => Self::Cell(if reader.flag()? { Some(reader.cell()?) } else { None }),
            2 => Self::Cells(reader.list(CELL, Reader::cell)?),
            3 => Self::Resolved(reader.index()?, reader.index()?),
            4 => Self::Unresolved(reader.text()?),
            5 => Self::Input(reader.optional_text()?),
            6 => Self::Scope(reader.u64()?),
            _ => return Err(Malformed("a message is of an unknown kind")),
        };
        reader.end().map(|()| reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::python::wire::{LENGTH, MAX_MESSAGE};

    const PLACE: Relocatable = Relocatable { segment_index: -3, offset: 5 };

    fn requests() -> Vec<Request> {
        let cells = || vec![MaybeRelocatable::Int(Felt252::from(-1)), PLACE.into()];
        vec![
            Request::Ready { version: VERSION },
            Request::Resolve(vec!["p".into(), String::new()]),
            Request::Get(3),
            Request::Set(usize::MAX, cells()[0].clone()),
            Request::Load(PLACE),
            Request::Store(PLACE, cells()[1].clone()),
            Request::Find(PLACE),
            Request::Range(PLACE, 7),
            Request::Segment { is_temporary: true },
            Request::Write(PLACE, cells()),
            Request::Relocate(PLACE, cells()[1].clone()),
            Request::Number("n".into(), None),
            Request::Number("n".into(), Some(BigInt::from(-1) << 300)),
            Request::Input,
            Request::Enter(vec![("n".into(), Felt252::from(7))]),
            Request::Exit,
            Request::Printed("ä\n".into()),
            Request::Ended { steps: 9, end: End::Well },
            Request::Ended { steps: 9, end: End::Steps },
            Request::Ended { steps: 9, end: End::Failed("why".into()) },
        ]
    }

    fn replies() -> Vec<Reply> {
        let start = Start {
            number: 1,
            text: Some("x = 1".into()),
            scope: 2,
            left: vec![3, 4],
            registers: [PLACE; 3],
            steps: 5,
            numbers: vec![("n".into(), BigInt::from(7))],
        };
        vec![
            Reply::Hint(start),
            Reply::Cell(None),
            Reply::Cell(Some(PLACE.into())),
            Reply::Cells(vec![PLACE.into(); 3]),
            Reply::Resolved(1, 2),
            Reply::Unresolved("why".into()),
            Reply::Input(Some("{}".into())),
            Reply::Scope(u64::MAX),
        ]
    }

    /// The bytes of a message are read as it was, and no part of them is a message, nor are they with one more.
    fn judge<T: PartialEq + std::fmt::Debug>(bytes: &[u8], read: fn(&[u8]) -> Result<T, Malformed>, expected: &T) {
        let (length, message) = bytes.split_at(LENGTH);
        assert_eq!(length, (message.len() as u32).to_le_bytes());
        assert_eq!(read(message).as_ref(), Ok(expected));
        for end in 0..message.len() {
            assert!(read(&message[..end]).is_err(), "{expected:?} of {end} bytes");
        }
        let longer = [message, &[0]].concat();
        assert!(read(&longer).is_err_and(|Malformed(why)| why.contains("behind its end")), "{expected:?}");
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        for request in requests() {
            judge(&request.write().unwrap(), Request::read, &request);
        }
        for reply in replies() {
            judge(&reply.write().unwrap(), Reply::read, &reply);
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let refused = |bytes: &[u8], why: &str| {
            assert!(Request::read(bytes).is_err_and(|Malformed(said)| said.contains(why)), "{bytes:?}");
        };
        refused(&[17], "unknown kind");
        refused(&[8, 2], "a flag");
        // A list of 2^60 texts, of cells, and a text of 2^64 - 1 bytes.
        refused(&[&[1][..], &(1u64 << 60).to_le_bytes()].concat(), "longer than its message");
        refused(&[&[9][..], &[0; 16], &(1u64 << 60).to_le_bytes()].concat(), "longer than its message");
        refused(&[&[14][..], &u64::MAX.to_le_bytes()].concat(), "too early");
        refused(&[&[14][..], &1u64.to_le_bytes(), &[0xff]].concat(), "UTF-8");
        // The prime.
        let prime = [&[3][..], &[0; 8], &[0], &Felt252::prime().to_bytes_be()].concat();
        refused(&prime, "below the prime");
        // A segment and an offset that no pointer has.
        refused(&[&[4][..], &(1u64 << 31).to_le_bytes(), &[0; 8]].concat(), "out of all segments");
        refused(&[&[4][..], &[0; 8], &(1u64 << 62).to_le_bytes()].concat(), "out of all segments");
        refused(&[&[15][..], &[0; 8], &[3]].concat(), "unknown way");
        assert!(Reply::Input(Some("x".repeat(MAX_MESSAGE))).write().is_err());
    }
}
