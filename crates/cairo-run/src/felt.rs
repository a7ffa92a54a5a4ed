//! Felts as text, and as words of memory.

use num_bigint::BigUint;
use proof_format::text::excerpt;

use crate::Felt252;

/// A value as eight words of 32 bits, the least significant first.
pub type Words = [u32; 8];

/// The Cairo prime `2^251 + 17 * 2^192 + 1`, least significant word first.
pub const PRIME: Words = [1, 0, 0, 0, 0, 0, 17, 1 << 27];

/// Whether a number, least significant word first, is below the prime.
pub fn is_reduced(words: &Words) -> bool {
    words.iter().rev().lt(PRIME.iter().rev())
}

/// Digits of the prime in base 10: longer text is no felt, and is not read.
const MAX_DIGITS: usize = 76;
/// So many digits, decimal or hexadecimal, are below 2^64.
const SHORT: usize = 16;

/// The felt that a text is: decimal, or hexadecimal after `0x`; below the prime, without a sign.
///
/// # Errors
/// A sentence with the fault of the text.
pub fn parse(text: &str) -> Result<Felt252, String> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let is_number =
        !digits.is_empty() && digits.len() <= MAX_DIGITS && digits.chars().all(|digit| digit.is_digit(radix));
    if is_number
        && digits.len() <= SHORT
        && let Ok(number) = u64::from_str_radix(digits, radix)
    {
        return Ok(number.into());
    }
    let number = is_number.then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten();
    match number {
        None => Err(format!("`{}` is no felt: write it decimal, or hexadecimal after 0x", excerpt(text))),
        Some(number) if number >= Felt252::prime() => {
            Err(format!("`{}` is not below the prime 2^251 + 17 * 2^192 + 1", excerpt(text)))
        }
        Some(number) => Ok(number.into()),
    }
}

/// The text of a felt: hexadecimal after `0x`, without leading zeros.
pub fn text(felt: &Felt252) -> String {
    format!("{felt:#x}")
}

/// The felt of eight words of 32 bits, the least significant first. It is reduced.
pub fn from_words(words: &Words) -> Felt252 {
    let mut bytes = [0; 32];
    bytes.chunks_exact_mut(4).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    Felt252::from_bytes_le(&bytes)
}

/// The eight words of a felt.
pub fn to_words(felt: &Felt252) -> Words {
    let digits = felt.to_le_digits();
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (digits[i / 2] >> (32 * (i % 2))) as u32)
}

/// Numbers at the edges of limbs, of the prime and of small operands, and any others.
#[cfg(test)]
pub(crate) fn felts() -> impl proptest::strategy::Strategy<Value = Felt252> {
    use proptest::prelude::*;

    let near = (0u32..253, -2i64..3, any::<bool>()).prop_map(|(log, more, is_negative)| {
        let felt = Felt252::TWO.pow(log) + Felt252::from(more);
        if is_negative { -felt } else { felt }
    });
    let full = any::<[u8; 32]>().prop_map(|bytes| Felt252::from_bytes_le(&bytes));
    prop_oneof![near, full, any::<u64>().prop_map(Felt252::from)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn felts_are_numbers_below_the_prime() {
        assert_eq!(parse("144"), Ok(144.into()));
        assert_eq!(parse("0x90"), Ok(144.into()));
        // The longest short ones, and one digit more.
        for (text, felt) in [("9999999999999999", 9_999_999_999_999_999_u64), ("0xffffffffffffffff", u64::MAX)] {
            assert_eq!(parse(text), Ok(felt.into()));
            let (longer, digit, base) = if felt == u64::MAX { ("f", 15, 16_u64) } else { ("9", 9, 10) };
            let expected = Felt252::from(felt) * Felt252::from(base) + Felt252::from(digit as u64);
            assert_eq!(parse(&format!("{text}{longer}")), Ok(expected));
        }
        let largest = "0x800000000000011000000000000000000000000000000000000000000000000";
        assert_eq!(parse(largest), Ok(-Felt252::ONE));
        // As many digits as the prime.
        assert_eq!(
            parse("3618502788666131213697322783095070105623107215331596699973092056135872020480"),
            Ok(-Felt252::ONE)
        );
        let prime = "3618502788666131213697322783095070105623107215331596699973092056135872020481";
        for bad in ["", "0x", "-1", "+1", " 1", "0xg", "1e3", prime, &"9".repeat(1000)] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        // Long text is not read.
        assert!(parse(&"9".repeat(77)).unwrap_err().contains("is no felt"));
    }

    #[test]
    fn felts_of_words() {
        for (words, felt) in [([5, 0, 0, 0, 0, 0, 0, 0], 5.into()), ([0, 0, 0, 0, 0, 0, 17, 1 << 27], -Felt252::ONE)] {
            assert_eq!((from_words(&words), to_words(&felt)), (felt, words));
        }
    }

    #[test]
    fn text_is_read_again() {
        for felt in [Felt252::ZERO, 144.into(), -Felt252::ONE] {
            assert_eq!(parse(&text(&felt)), Ok(felt));
        }
        assert_eq!(text(&144.into()), "0x90");
    }
}
