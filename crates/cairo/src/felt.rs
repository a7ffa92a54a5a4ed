//! Felts as text.

use cairo_vm::Felt252;
use num_bigint::BigUint;
use proof_format::text::shown;

/// Digits of the prime in base 10: longer text is no felt, and is not read.
const MAX_DIGITS: usize = 76;

/// The felt that a text is: decimal, or hexadecimal after `0x`; below the prime, without a sign.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<Felt252, String> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let is_number =
        !digits.is_empty() && digits.len() <= MAX_DIGITS && digits.chars().all(|digit| digit.is_digit(radix));
    let number = is_number.then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten();
    match number {
        None => Err(format!("`{}` is no felt: write it decimal, or hexadecimal after 0x", shown(text))),
        Some(number) if number >= Felt252::prime() => {
            Err(format!("`{}` is not below the prime 2^251 + 17 * 2^192 + 1", shown(text)))
        }
        Some(number) => Ok(number.into()),
    }
}

/// The text of a felt: hexadecimal after `0x`, without leading zeros.
pub fn text(felt: &Felt252) -> String {
    format!("{felt:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn felts_are_numbers_below_the_prime() {
        assert_eq!(parse("144"), Ok(144.into()));
        assert_eq!(parse("0x90"), Ok(144.into()));
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
    fn text_is_read_again() {
        for felt in [Felt252::ZERO, 144.into(), -Felt252::ONE] {
            assert_eq!(parse(&text(&felt)), Ok(felt));
        }
        assert_eq!(text(&144.into()), "0x90");
    }
}
