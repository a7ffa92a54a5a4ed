//! Bytes in hexadecimal.

use core::fmt;

/// Bytes as they are shown in hexadecimal: two lower-case digits each, the first byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Hex;

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(Hex(&[0, 0x0a, 0xf0, 0xff]).to_string(), "000af0ff");
        assert_eq!(Hex(&[]).to_string(), "");
    }
}
