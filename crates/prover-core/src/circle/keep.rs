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
        /// Once columns are committed to, nothing but what main columns are made of: a trace of the host, or the
        /// sources of a [`super::TraceMaker`]. All rounds take columns that are made again, some tables at a time.
        /// Without such sources, and for interaction columns that the statement gives, prefixes.
        Sources = "sources",
        /// As [`Self::Sources`], and no tree has all its columns extended at once: it commits to a half of their rows,
        /// then to the other half, for which columns are made again, and so are they to be opened. Where there are no
        /// such sources, where the backend takes no such domains ([`gpu_hal::Capabilities::blocks`]), and for a
        /// component of one row without blowup, as [`Self::Sources`].
        Halves = "halves",
    }
    parse "`{}` is nothing to keep: take {}"
}

/// The cost of a proof that keeps something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeepCost {
    /// Bytes of memory, of the device and of the host where tables are moved there.
    pub(crate) bytes: u64,
    /// Bytes moved between the two.
    pub(crate) moved: u64,
    /// Cells made again.
    pub(crate) remade: u64,
}

impl KeepCost {
    /// A cell that is made again costs about as much as a byte that is moved: a GPU extends 4 to 5 * 10^10 cells a
    /// second, and its link to the host carries 2.5 to 5 * 10^10 bytes.
    fn cost(&self) -> u64 {
        self.moved.saturating_add(self.remade)
    }
}

impl Keep {
    /// The one that keeps least.
    pub const LEAST: Self = Self::Halves;

    /// The cheapest that takes `room` at most, or the one that takes least: a small statement may take more where it
    /// keeps less. Of two that cost the same the first. `taken` returns what one takes, and a value for it; one that
    /// `is_too_large` for an operation is passed over, and is the result if all are.
    pub(crate) fn choose<T, E>(
        room: Option<u64>,
        is_too_large: impl Fn(&E) -> bool,
        mut taken: impl FnMut(Self) -> Result<(KeepCost, T), E>,
    ) -> Result<T, E> {
        let mut best: Option<(KeepCost, T)> = None;
        let mut refused = None;
        let fits = |taken: &KeepCost| room.is_none_or(|room| taken.bytes <= room);
        for keep in Self::ALL {
            let next = match taken(keep) {
                Ok(next) => next,
                Err(error) if is_too_large(&error) => {
                    refused.get_or_insert(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let is_better = match &best {
                None => true,
                Some((best, _)) => match (fits(best), fits(&next.0)) {
                    (true, true) => next.0.cost() < best.cost(),
                    (false, false) => next.0.bytes < best.bytes,
                    (best_fits, _) => !best_fits,
                },
            };
            if is_better {
                best = Some(next);
            }
            // To keep less makes more again.
            if best.as_ref().is_some_and(|(best, _)| fits(best) && best.moved == 0) {
                break;
            }
        }
        best.map(|(_, value)| value).ok_or_else(|| refused.expect("each is there or is refused"))
    }
}

/// Cells that a proof makes again because it does not keep them. Rows take an inverse transform and a transform of
/// their height, extensions an inverse transform of the height of the rows and a transform of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// Rows of tables, and coefficients.
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
    use super::{Keep, KeepCost, runs};

    #[test]
    fn nothing_keeps_less_than_the_least() {
        assert_eq!(Keep::ALL.into_iter().max(), Some(Keep::LEAST));
    }

    #[test]
    fn names_are_read() {
        for keep in Keep::ALL {
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
        assert!("rows".parse::<Keep>().unwrap_err().contains("all, extensions, prefixes, sources, halves"));
    }

    #[test]
    fn the_first_that_fits_is_chosen() {
        let choose = |room, bytes: [u64; 5]| {
            let mut asked = 0;
            let chosen = Keep::choose(
                room,
                |_: &()| false,
                |keep| {
                    asked += 1;
                    let (bytes, remade) = (bytes[keep as usize], 10 * keep as u64);
                    Ok((KeepCost { bytes, moved: 0, remade }, keep))
                },
            );
            (chosen.expect("a choice"), asked)
        };
        assert_eq!(choose(None, [9, 5, 4, 3, 2]), (Keep::All, 1));
        assert_eq!(choose(Some(9), [9, 5, 4, 3, 2]), (Keep::All, 1));
        assert_eq!(choose(Some(8), [9, 5, 4, 3, 2]), (Keep::Extensions, 2));
        assert_eq!(choose(Some(4), [9, 5, 4, 3, 2]), (Keep::Prefixes, 3));
        assert_eq!(choose(Some(4), [9, 9, 4, 3, 2]), (Keep::Prefixes, 3));
        assert_eq!(choose(Some(3), [9, 5, 4, 3, 2]), (Keep::Sources, 4));
        assert_eq!(choose(Some(2), [9, 5, 4, 3, 2]), (Keep::Halves, 5));
        // None fits.
        assert_eq!(choose(Some(1), [9, 5, 4, 3, 2]), (Keep::Halves, 5));
        assert_eq!(choose(Some(2), [9, 5, 4, 3, 3]), (Keep::Sources, 5));
        assert_eq!(choose(Some(2), [9, 5, 6, 6, 6]), (Keep::Extensions, 5));
        assert_eq!(choose(Some(2), [9, 9, 9, 9, 9]), (Keep::All, 5));
    }

    #[test]
    fn where_bytes_are_moved_the_cheapest_is_chosen() {
        let choose = |room, all: [Option<[u64; 3]>; 5]| {
            Keep::choose(
                Some(room),
                |error| *error == "too large",
                |keep| {
                    let [bytes, moved, remade] = all[keep as usize].ok_or("too large")?;
                    Ok((KeepCost { bytes, moved, remade }, keep))
                },
            )
        };
        // Moves cost as much as cells.
        let all = [Some([9, 80, 0]), Some([9, 60, 10]), Some([9, 20, 40]), Some([9, 0, 90]), Some([9, 0, 95])];
        assert_eq!(choose(9, all), Ok(Keep::Prefixes));
        assert_eq!(choose(9, [Some([9, 80, 0]), None, None, Some([9, 0, 70]), None]), Ok(Keep::Sources));
        assert_eq!(choose(9, [Some([9, 80, 0]), None, None, Some([9, 0, 80]), None]), Ok(Keep::All));
        assert_eq!(choose(9, [Some([9, 80, 0]), None, None, Some([9, 50, 60]), Some([9, 0, 75])]), Ok(Keep::Halves));
        // An operation takes too much at once.
        assert_eq!(choose(9, [None, None, None, Some([9, 9, 9]), None]), Ok(Keep::Sources));
        assert_eq!(choose(9, [None; 5]), Err("too large"));
        // Both memories are too small.
        assert_eq!(choose(8, [Some([9, 1, 0]), None, Some([8, 50, 50]), None, None]), Ok(Keep::Prefixes));
        let fails = Keep::choose(Some(9), |error| *error == "too large", |_| Err::<(KeepCost, ()), _>("lost"));
        assert_eq!(fails, Err("lost"));
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
