//! The columns that a proof keeps from a round to the next that reads them, and the columns that it makes again.

use std::fmt;
use std::ops::Range;

proof_format::named! {
    /// The main and lookup columns that a proof keeps from a round to the next that reads them. The less it keeps, the
    /// less memory it takes and the more it makes again. The proof is the same, byte for byte.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Keep {
        /// Rows of main columns until the lookups, extensions until the end: nothing is made again.
        #[default]
        All = "all",
        /// Extensions, and no rows: the lookups take rows that are made again from the extension, some components at a
        /// time.
        Extensions = "extensions",
        /// Once an extension is committed to, only the prefix that fixes its polynomials, and no rows: the composition,
        /// the quotient and the openings take extensions that are made again, some tables at a time.
        Prefixes = "prefixes",
    }
    parse "`{}` is nothing to keep: take {}"
}

impl Keep {
    /// The first that takes `room` at most, or the one that takes least: a small statement may take more where it keeps
    /// less. `taken` returns the bytes that one takes, and a value for it.
    pub(crate) fn choose<T, E>(room: Option<u64>, mut taken: impl FnMut(Self) -> Result<(u64, T), E>) -> Result<T, E> {
        let mut least = taken(Self::All)?;
        for keep in [Self::Extensions, Self::Prefixes] {
            if room.is_none_or(|room| least.0 <= room) {
                break;
            }
            let next = taken(keep)?;
            if next.0 < least.0 {
                least = next;
            }
        }
        Ok(least.1)
    }
}

/// Cells that a proof makes again because it does not keep them. Rows take an inverse transform and a transform of
/// their height, extensions an inverse transform of the height of the rows and a transform of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// Rows of tables in row order.
    pub rows: u64,
    /// Rows of extensions.
    pub extended: u64,
}

impl fmt::Display for Recomputed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cells of rows and {} of extensions made again", self.rows, self.extended)
    }
}

/// Cuts a list of cell counts into runs: none has more cells than `times` the largest of the list.
pub(crate) fn runs(cells: &[u64], times: u64) -> Vec<Range<usize>> {
    let most = cells.iter().copied().max().unwrap_or(0).saturating_mul(times);
    let (mut runs, mut first, mut sum) = (Vec::new(), 0, 0);
    for (at, cells) in cells.iter().enumerate() {
        if sum + cells > most {
            runs.push(first..at);
            (first, sum) = (at, 0);
        }
        sum += cells;
    }
    if first < cells.len() {
        runs.push(first..cells.len());
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{Keep, runs};

    #[test]
    fn names_are_read() {
        for keep in Keep::ALL {
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
        assert!("rows".parse::<Keep>().unwrap_err().contains("all, extensions, prefixes"));
    }

    #[test]
    fn the_first_that_fits_is_chosen() {
        let choose = |room, taken: [u64; 3]| {
            let mut asked = 0;
            let chosen = Keep::choose(room, |keep| {
                asked += 1;
                Ok::<_, ()>((taken[keep as usize], keep))
            });
            (chosen.expect("a choice"), asked)
        };
        assert_eq!(choose(None, [9, 5, 4]), (Keep::All, 1));
        assert_eq!(choose(Some(9), [9, 5, 4]), (Keep::All, 1));
        assert_eq!(choose(Some(8), [9, 5, 4]), (Keep::Extensions, 2));
        assert_eq!(choose(Some(4), [9, 5, 4]), (Keep::Prefixes, 3));
        assert_eq!(choose(Some(4), [9, 9, 4]), (Keep::Prefixes, 3));
        // None fits.
        assert_eq!(choose(Some(3), [9, 5, 4]), (Keep::Prefixes, 3));
        assert_eq!(choose(Some(3), [9, 5, 6]), (Keep::Extensions, 3));
        assert_eq!(choose(Some(3), [9, 9, 9]), (Keep::All, 3));
    }

    #[test]
    fn runs_are_as_large_as_the_largest_at_most() {
        assert_eq!(runs(&[], 1), []);
        assert_eq!(runs(&[0, 0, 1, 1], 1), [0..3, 3..4]);
        assert_eq!(runs(&[8, 1, 7, 1, 8], 1), [0..1, 1..3, 3..4, 4..5]);
        assert_eq!(runs(&[2, 3, 5, 1], 1), [0..2, 2..3, 3..4]);
        assert_eq!(runs(&[8, 1, 7, 1, 8], 2), [0..3, 3..5]);
    }
}
