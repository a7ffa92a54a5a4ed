//! Values of cells as Python has them.
//!
//! A pointer is a number: the interpreter has no operators for objects of its host, and numbers have all that hints do
//! with pointers. They are added to, subtracted from each other and compared, within a segment. They are so large that
//! no felt, and no number that is made of felts in a few operations, is one of them.

use std::borrow::Cow;

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use monty_types::{DictPairs, MontyObject};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use proof_format::text::excerpt;
use serde_json::Value;

/// Where pointers begin: a power of two that no felt and no product of two felts reaches.
const POINTERS: u32 = 600;
/// Bits of an offset, which may be negative on the way to another one.
const OFFSET: u32 = 64;
const ZERO_OFFSET: i128 = 1 << 62;
/// Segments of both signs.
const ZERO_SEGMENT: i128 = 1 << 31;

/// A number.
pub(super) fn number(value: BigInt) -> MontyObject {
    match value.to_i64() {
        Some(small) => MontyObject::Int(small),
        None => MontyObject::BigInt(value),
    }
}

/// A felt, from 0 to the prime.
pub(super) fn felt(felt: &Felt252) -> MontyObject {
    number(felt.to_biguint().into())
}

/// A pointer.
pub(super) fn pointer(at: Relocatable) -> MontyObject {
    let place = ((at.segment_index as i128 + ZERO_SEGMENT) << OFFSET) + at.offset as i128 + ZERO_OFFSET;
    MontyObject::BigInt((BigInt::from(1) << POINTERS) + place)
}

/// The value of a cell.
pub(super) fn cell(value: &MaybeRelocatable) -> MontyObject {
    match value {
        MaybeRelocatable::Int(word) => felt(word),
        MaybeRelocatable::RelocatableValue(at) => pointer(*at),
    }
}

/// The place that a number stands for, if it is a pointer.
fn place(number: &BigInt) -> Option<Relocatable> {
    let place = (number - (BigInt::from(1) << POINTERS)).to_i128()?;
    let offset = (place & ((1 << OFFSET) - 1)) - ZERO_OFFSET;
    let segment = (place >> OFFSET) - ZERO_SEGMENT;
    let is_segment = place >= 0 && segment.abs() < ZERO_SEGMENT;
    let segment_index = isize::try_from(segment).ok().filter(|_| is_segment)?;
    let offset = usize::try_from(offset).ok().filter(|offset| (*offset as i128) < ZERO_OFFSET)?;
    Some(Relocatable { segment_index, offset })
}

/// An integer.
pub(super) fn integer(value: &MontyObject) -> Option<BigInt> {
    match value {
        MontyObject::Bool(bit) => Some(BigInt::from(*bit)),
        MontyObject::Int(small) => Some(BigInt::from(*small)),
        MontyObject::BigInt(large) => Some(large.clone()),
        _ => None,
    }
}

/// The value of a cell that a hint writes.
///
/// # Errors
/// Anything but a felt, from 0 to the prime, and a pointer.
pub(super) fn to_cell(value: &MontyObject) -> Result<MaybeRelocatable, String> {
    let number = integer(value).ok_or_else(|| format!("{} is no integer", named(value)))?;
    if let Some(at) = place(&number) {
        return Ok(at.into());
    }
    if number.is_negative() {
        return Err(format!("{} is negative, and a felt is not; take it modulo PRIME", named(value)));
    }
    let below = number.to_biguint().filter(|number| *number < Felt252::prime());
    match below {
        Some(below) => Ok(MaybeRelocatable::Int(Felt252::from(below))),
        None => Err(format!("{} is not below the prime; take it modulo PRIME", named(value))),
    }
}

/// A felt, if it is one.
pub(super) fn to_felt(value: &MontyObject) -> Option<Felt252> {
    to_cell(value).ok()?.get_int()
}

/// The place of a cell that a hint names.
pub(super) fn to_place(value: &MontyObject) -> Result<Relocatable, String> {
    integer(value).as_ref().and_then(place).ok_or_else(|| format!("{} is no address", named(value)))
}

/// The beginning of a value, for a message.
fn named(value: &MontyObject) -> String {
    match value {
        MontyObject::List(items) => format!("a list of {} values", items.len()),
        // Long ones take long to write.
        MontyObject::BigInt(number) if number.bits() > 1 << 12 => format!("a number of {} bits", number.bits()),
        MontyObject::Int(_) | MontyObject::BigInt(_) | MontyObject::Bool(_) | MontyObject::None => {
            let text = integer(value).map_or_else(|| "None".into(), |number| number.to_string());
            excerpt(&with_places(&text)).to_string()
        }
        MontyObject::String(text) => format!("'{}'", excerpt(text)),
        MontyObject::Dict(_) => "a dictionary".into(),
        MontyObject::Tuple(_) => "a tuple".into(),
        MontyObject::Float(float) => format!("the float {float}"),
        MontyObject::Type(kind) => format!("a value of the type {}", kind.name()),
        _ => "a value of this type".into(),
    }
}

/// A text in which pointers are written as cairo-lang writes them: `2:5`.
pub(super) fn with_places(text: &str) -> Cow<'_, str> {
    // 2^600 has 181 digits.
    const DIGITS: usize = 181;
    if text.len() < DIGITS {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|char: char| char.is_ascii_digit()) {
        let digits = &rest[start..];
        let digits = &digits[..digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len())];
        replaced += &rest[..start];
        let found = if digits.len() == DIGITS { digits.parse().ok().as_ref().and_then(place) } else { None };
        match found {
            Some(Relocatable { segment_index, offset }) => replaced += &format!("{segment_index}:{offset}"),
            None => replaced += digits,
        }
        rest = &rest[start + digits.len()..];
    }
    Cow::Owned(replaced + rest)
}

/// A value of the program input.
pub(super) fn json(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(bit) => MontyObject::Bool(*bit),
        Value::Number(given) => {
            let text = given.to_string();
            text.parse().map_or_else(|_| MontyObject::Float(given.as_f64().unwrap_or(f64::NAN)), number)
        }
        Value::String(text) => MontyObject::String(text.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(json).collect()),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (MontyObject::String(key.clone()), json(value)));
            MontyObject::Dict(entries.collect::<DictPairs>())
        }
    }
}

/// How many values a value of the program input is, itself included, and a step for each few bytes of text.
pub(super) fn json_work(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(json_work).sum(),
        Value::Object(entries) => entries.iter().map(|(key, value)| key.len() / 16 + json_work(value)).sum(),
        Value::String(text) => text.len() / 16,
        _ => 0,
    };
    1 + inner
}

/// Bytes of a value that is kept for later hints; `None` if a part of it lives as long as its hint alone.
pub(super) fn bytes(value: &MontyObject) -> Option<usize> {
    let inner = match value {
        MontyObject::None | MontyObject::Bool(_) | MontyObject::Int(_) | MontyObject::Float(_) => 0,
        MontyObject::BigInt(number) => (number.bits() / 8) as usize,
        MontyObject::String(text) => text.len(),
        MontyObject::Bytes(bytes) => bytes.len(),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items) => items.iter().map(bytes).sum::<Option<usize>>()?,
        MontyObject::Dict(entries) => {
            entries.into_iter().map(|(key, value)| Some(bytes(key)? + bytes(value)?)).sum::<Option<usize>>()?
        }
        _ => return None,
    };
    Some(inner + size_of::<MontyObject>())
}
