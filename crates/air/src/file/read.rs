//! From bytes. Strict, bounded by the length of the input, free of panics.

use alloc::string::String;
use alloc::vec::Vec;

use field::{ExtensionField, PrimeField};
use gpu_hal::{Protocol, RunningKind};
use proof_format::file::{magic, name, small};
use proof_format::wire::{Reader, Result};

use super::{AirFile, DecodeError, DecodeErrorKind, MAGIC, MAX_LAYOUT, Running, VERSION};
use crate::expression::Expression;
use crate::{Column, Layout, Rows, Scan};

impl<P: Protocol> AirFile<P> {
    /// The AIR that these bytes encode. Whether it contradicts itself, [`crate::record`] says.
    ///
    /// # Errors
    /// If they encode none of this protocol; the error says where and why.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let r = &mut reader;
        header::<P>(r)?;
        let (name, log_rows) = (name(r)?, small(r, 32)?);
        let mut size = || Ok(small(r, MAX_LAYOUT)? as usize);
        let layout = Layout {
            main_columns: size()?,
            aux_columns: size()?,
            frame_rows: size()?,
            challenges: size()?,
            composition_parts: size()?,
        };
        let public_inputs = r.list(1, element)?;
        let periodic = r.list(1, |r| r.list(1, element))?;
        let mut count = 0;
        let expressions = r.list(2, |r| {
            let expression = expression::<P>(r, count)?;
            count += 1;
            Ok(expression)
        })?;
        let transitions = r.list(5, |r| {
            let (root, mut rows) = (earlier(r, count)?, Rows::all().every(index(r)?).from(index(r)?));
            rows = rows.except_last(index(r)?);
            let exempted = r.option(|r| Ok((index(r)?, index(r)?)))?;
            Ok((root, exempted.map_or(rows, |(period, offset)| rows.except_every(period, offset))))
        })?;
        let boundaries = r.list(4, |r| {
            let column = match small(r, 1)? {
                0 => Column::Main(index(r)?),
                _ => Column::Aux(index(r)?),
            };
            Ok((column, index(r)?, element(r)?))
        })?;
        let aux = r.list(4, |r| {
            let kind = if small(r, 1)? == 0 { RunningKind::Product } else { RunningKind::Sum };
            let scan = if small(r, 1)? == 0 { Scan::Inclusive } else { Scan::Exclusive };
            Ok(Running { kind, scan, numerator: earlier(r, count)?, denominator: earlier(r, count)? })
        })?;
        reader.end()?;
        Ok(Self { name, log_rows, layout, public_inputs, periodic, expressions, transitions, boundaries, aux })
    }
}

/// The name of the protocol that a file's AIR is of.
///
/// # Errors
/// If the file holds no AIR, or is of another version.
pub fn protocol(bytes: &[u8]) -> Result<String> {
    let r = &mut Reader::new(bytes);
    magic(r, &MAGIC, VERSION)?;
    name(r)
}

/// Magic bytes, version, protocol and degree of its extension.
fn header<P: Protocol>(r: &mut Reader<'_>) -> Result<()> {
    magic(r, &MAGIC, VERSION)?;
    let offset = r.offset();
    let (protocol, degree) = (name(r)?, r.int()?);
    if protocol != P::NAME || degree != P::DEGREE as u64 {
        return Err(DecodeError { offset, kind: DecodeErrorKind::Protocol });
    }
    Ok(())
}

/// A number of the host's size.
fn index(r: &mut Reader<'_>) -> Result<usize> {
    let offset = r.offset();
    let value = r.int()?;
    usize::try_from(value).map_err(|_| DecodeError { offset, kind: DecodeErrorKind::Range(value) })
}

/// The number of one of the first `count` expressions.
fn earlier(r: &mut Reader<'_>, count: u32) -> Result<u32> {
    let offset = r.offset();
    match r.int()? {
        value if value < u64::from(count) => Ok(value as u32),
        value => Err(DecodeError { offset, kind: DecodeErrorKind::Range(value) }),
    }
}

fn element<F: PrimeField>(r: &mut Reader<'_>) -> Result<F> {
    let offset = r.offset();
    F::from_canonical(r.int()?).ok_or(DecodeError { offset, kind: DecodeErrorKind::NotCanonical })
}

/// The expression after `count` others.
fn expression<P: Protocol>(r: &mut Reader<'_>, count: u32) -> Result<Expression<P>> {
    let offset = r.offset();
    Ok(match r.int()? {
        0 => Expression::Main { column: index(r)?, offset: index(r)? },
        1 => Expression::Aux { column: index(r)?, offset: index(r)? },
        2 => Expression::Periodic { index: index(r)?, offset: index(r)? },
        3 => Expression::Challenge(index(r)?),
        4 => Expression::Base(element(r)?),
        5 => {
            let coordinates = (0..P::DEGREE).map(|_| element(r)).collect::<Result<Vec<P::Base>>>()?;
            let element = P::Ext::from_coordinates(&coordinates);
            Expression::Ext(element.ok_or(DecodeError { offset, kind: DecodeErrorKind::NotCanonical })?)
        }
        6 => Expression::Add(earlier(r, count)?, earlier(r, count)?),
        7 => Expression::Sub(earlier(r, count)?, earlier(r, count)?),
        8 => Expression::Mul(earlier(r, count)?, earlier(r, count)?),
        9 => Expression::Neg(earlier(r, count)?),
        tag => return Err(DecodeError { offset, kind: DecodeErrorKind::Range(tag) }),
    })
}
