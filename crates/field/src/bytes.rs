//! Numbers of bytes for people.

use core::fmt;

/// A number of bytes. Shown exactly and, from a KiB on, rounded beside it: `1610612736 bytes (1.5 GiB)`. With `{:#}` it
/// is the rounded number alone: `1.5 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count) = *self;
        if count < 1024 {
            return if f.alternate() { write!(f, "{count} B") } else { write!(f, "{count} bytes") };
        }
        let (mut value, mut unit) = (count as f64 / 1024.0, 0);
        // A value that would be shown as 1024.0 is one of the next unit.
        while value >= 1023.95 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let unit = UNITS[unit];
        if f.alternate() { write!(f, "{value:.1} {unit}") } else { write!(f, "{count} bytes ({value:.1} {unit})") }
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::format;
    use alloc::string::ToString;

    use super::Bytes;

    #[test]
    fn bytes_are_exact_and_rounded() {
        for (count, exact, rounded) in [
            (0, "0 bytes", "0 B"),
            (1023, "1023 bytes", "1023 B"),
            (1024, "1024 bytes (1.0 KiB)", "1.0 KiB"),
            ((1 << 20) - 1, "1048575 bytes (1.0 MiB)", "1.0 MiB"),
            (3 << 29, "1610612736 bytes (1.5 GiB)", "1.5 GiB"),
            (u64::MAX, "18446744073709551615 bytes (16.0 EiB)", "16.0 EiB"),
        ] {
            assert_eq!(
                (Bytes(count).to_string(), format!("{:#}", Bytes(count))),
                (exact.to_owned(), rounded.to_owned())
            );
        }
    }
}
