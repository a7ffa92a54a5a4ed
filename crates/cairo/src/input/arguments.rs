//! Arguments of an executable: words in a JSON file or in a list on the command line.

use cairo_vm::Felt252;
use num_bigint::{BigInt, Sign};
use num_traits::Num;
use proof_format::text::{said, shown};

use super::Problem;

/// Reads an arguments file: a JSON array of hexadecimal strings such as `["0xc8", "0x1"]`, one for each word.
///
/// A word of the Cairo prime or more is refused: it would be reduced, and the proof would speak of another argument.
///
/// # Errors
/// [`Problem::Arguments`], with the index of the word that is wrong.
pub fn parse_arguments_file(bytes: &[u8]) -> Result<Vec<Felt252>, Problem> {
    let words: Vec<String> = serde_json::from_slice(bytes).map_err(|error| {
        Problem::Arguments(format!(
            "the file is no JSON array of strings such as \"0xc8\": {}",
            said(&error.to_string())
        ))
    })?;
    words.iter().enumerate().map(|(index, word)| hexadecimal(index, word)).collect()
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
    text.split(',')
        .enumerate()
        .map(|(index, word)| {
            let word = word.trim();
            if word.starts_with("0x") {
                return hexadecimal(index, word);
            }
            let number = decimal(word).ok_or_else(|| {
                Problem::Arguments(format!(
                    "word {index} is \"{}\", not a decimal number or one in hexadecimal after 0x",
                    shown(word)
                ))
            })?;
            let (sign, magnitude) = number.into_parts();
            let felt = canonical(index, word, &magnitude)?;
            Ok(if sign == Sign::Minus { -felt } else { felt })
        })
        .collect()
}

/// The number of digits that the Cairo prime has in base 10, with a sign: longer text is no felt, and is not parsed.
const MAX_DIGITS: usize = 77;

fn decimal(word: &str) -> Option<BigInt> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let valid = !digits.is_empty() && digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| BigInt::from_str_radix(word, 10).ok())?
}

fn hexadecimal(index: usize, word: &str) -> Result<Felt252, Problem> {
    let number = word
        .strip_prefix("0x")
        .filter(|digits| {
            !digits.is_empty() && digits.len() <= 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
        .and_then(|digits| num_bigint::BigUint::from_str_radix(digits, 16).ok())
        .ok_or_else(|| {
            let word = shown(word);
            Problem::Arguments(format!("word {index} is \"{word}\", not a hexadecimal number after 0x"))
        })?;
    canonical(index, word, &number)
}

/// A number as a felt; one of the prime or more is refused.
fn canonical(index: usize, word: &str, number: &num_bigint::BigUint) -> Result<Felt252, Problem> {
    if *number >= Felt252::prime() {
        return Err(Problem::Arguments(format!(
            "word {index}, {word}, is not below the Cairo prime 2^251 + 17 * 2^192 + 1"
        )));
    }
    Ok(Felt252::from(number))
}
