//! Arguments of an executable: words in a JSON file or in a list on the command line.

use std::collections::HashSet;
use std::fmt;

use num_bigint::BigUint;
use proof_format::text::{excerpt, parser_message};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::{Felt252, Problem};

/// Reads an arguments file: a JSON array such as `["0xc8", "0x1"]`, one string or number for each word. Strings are
/// hexadecimal after `0x` or decimal, numbers decimal and of any length. A byte-order mark before it is skipped.
///
/// A word of the Cairo prime or more is refused: it would be reduced, and the proof would speak of another argument.
///
/// # Errors
/// [`Problem::Arguments`], with the index of the word that is wrong.
pub fn parse_arguments_file(bytes: &[u8]) -> Result<Vec<Felt252>, Problem> {
    let wrong =
        |why: &str| Problem::Arguments(format!("the file is no JSON array of felts such as [\"0xc8\", 200]: {why}"));
    let text = std::str::from_utf8(without_mark(bytes)).map_err(|error| wrong(&error.to_string()))?;
    let items = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let items = items.ok_or_else(|| wrong("it does not begin with [ and end with ]"))?;
    if items.trim().is_empty() {
        return Ok(Vec::new());
    }
    // A felt has no comma in it. Numbers may be longer than serde_json has them.
    let mut words = Vec::new();
    let number = items.bytes().filter(|byte| *byte == b',').count() + 1;
    words
        .try_reserve_exact(number)
        .map_err(|_| Problem::Arguments(format!("there is no memory for {number} words")))?;
    for (index, item) in items.split(',').enumerate() {
        let item = item.trim();
        words.push(if item.starts_with('"') {
            let text: String = serde_json::from_str(item).map_err(|error| wrong(&format!("word {index}: {error}")))?;
            word(index, &text)?
        } else if item.starts_with("0x") {
            return Err(wrong(&format!("word {index}: hexadecimal numbers stand between quotes")));
        } else {
            word(index, item)?
        });
    }
    Ok(words)
}

/// Reads a program input: a JSON value. A byte-order mark before it is skipped.
///
/// # Errors
/// [`Problem::Arguments`] if it is no JSON, or if a key of an object is there twice: one of its values would be
/// ignored.
pub fn parse_program_input(bytes: &[u8]) -> Result<Value, Problem> {
    let wrong = |what: &str, error: serde_json::Error| {
        Problem::Arguments(format!("{what}{}", parser_message(&error.to_string())))
    };
    let bytes = without_mark(bytes);
    let value = serde_json::from_slice(bytes).map_err(|error| wrong("the file is no JSON: ", error))?;
    unique(bytes).map_err(|error| wrong("", error))?;
    Ok(value)
}

/// Refuses JSON in which an object has a key twice.
pub(crate) fn unique(bytes: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice::<Unique>(bytes).map(drop)
}

/// A JSON value of which nothing is kept but that its objects have each key once.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Looked;

        impl<'de> Visitor<'de> for Looked {
            type Value = Unique;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
                Ok(Unique)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unique, A::Error> {
                while list.next_element::<Unique>()?.is_some() {}
                Ok(Unique)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Unique, A::Error> {
                let mut keys = HashSet::new();
                while let Some((key, Unique)) = object.next_entry::<String, _>()? {
                    if let Some(key) = keys.replace(key) {
                        return Err(A::Error::custom(format_args!("the key `{}` is there twice", excerpt(&key))));
                    }
                }
                Ok(Unique)
            }
        }

        deserializer.deserialize_any(Looked)
    }
}

/// The bytes behind the byte-order mark that some editors write before a text.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Reads a list of words, separated by commas: decimal numbers, which may be negative, or hexadecimal ones that begin
/// with `0x`. Empty text is the empty list.
///
/// # Errors
/// [`Problem::Arguments`], with the index of the word that is wrong.
pub fn parse_arguments_list(text: &str) -> Result<Vec<Felt252>, Problem> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').enumerate().map(|(index, text)| word(index, text.trim())).collect()
}

/// Digits that are read at most, zeros before the number included.
const MAX_DIGITS: usize = 256;

/// A word: hexadecimal after `0x`, or decimal with or without a minus sign.
pub(crate) fn word(index: usize, text: &str) -> Result<Felt252, Problem> {
    let (is_negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (digits, radix) = match unsigned.strip_prefix("0x").filter(|_| !is_negative) {
        Some(digits) => (digits, 16),
        None => (unsigned, 10),
    };
    let is_number =
        !digits.is_empty() && digits.len() <= MAX_DIGITS && digits.chars().all(|digit| digit.is_digit(radix));
    let number = is_number.then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten();
    let felt = canonical(index, text, &number.ok_or_else(|| no_number(index, text))?)?;
    Ok(if is_negative { -felt } else { felt })
}

fn no_number(index: usize, text: &str) -> Problem {
    Problem::Arguments(format!(
        "word {index} is \"{}\", not a decimal number or one in hexadecimal after 0x",
        excerpt(text)
    ))
}

/// A number as a felt; one of the prime or more is refused.
fn canonical(index: usize, word: &str, number: &BigUint) -> Result<Felt252, Problem> {
    if *number >= Felt252::prime() {
        return Err(Problem::Arguments(format!(
            "word {index}, {}, is not below the Cairo prime 2^251 + 17 * 2^192 + 1",
            excerpt(word)
        )));
    }
    Ok(Felt252::from(number))
}
