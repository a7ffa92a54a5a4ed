//! Ranges of sizes.

use std::str::FromStr;

/// Log2 of the first and of the last size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    from: u32,
    to: u32,
}

/// Sizes of a sweep: no smaller than the shortest trace, no larger than any domain.
const LEAST: u32 = 2;
const MOST: u32 = 32;

/// Why a text is no sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// Not two numbers.
    #[error("`{0}` is not LOG_FROM..LOG_TO, such as 16..24")]
    Form(String),
    /// No sizes, or sizes that nothing has.
    #[error("{from}..{to} is no range of sizes: {LEAST} to {MOST}, the first not above the last")]
    Range {
        /// Log2 of the first size.
        from: u32,
        /// Log2 of the last size.
        to: u32,
    },
}

impl Sweep {
    /// The logarithms, both ends included.
    pub fn logs(self) -> impl Iterator<Item = u32> {
        self.from..=self.to
    }
}

impl FromStr for Sweep {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let (from, to) = text
            .split_once("..")
            .and_then(|(from, to)| Some((number(from)?, number(to)?)))
            .ok_or_else(|| SweepError::Form(text.to_owned()))?;
        if from > to || from < LEAST || to > MOST {
            return Err(SweepError::Range { from, to });
        }
        Ok(Self { from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_has_both_ends() {
        assert_eq!("4..6".parse::<Sweep>().unwrap().logs().collect::<Vec<_>>(), [4, 5, 6]);
        for bad in ["", "4", "4..", "..6", "4...6", "a..b", "+4..6", "4..=6"] {
            assert_eq!(bad.parse::<Sweep>(), Err(SweepError::Form(bad.to_owned())), "{bad}");
        }
        for (from, to) in [(6, 4), (1, 4), (4, 33)] {
            assert_eq!(format!("{from}..{to}").parse::<Sweep>(), Err(SweepError::Range { from, to }));
        }
    }
}
