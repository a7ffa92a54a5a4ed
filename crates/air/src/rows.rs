//! The rows on which a transition constraint holds.

use alloc::format;
use alloc::string::String;

/// Up to this many linear factors stand for the end exemptions of a transition; beyond it, a column does.
pub const MAX_FACTORS: usize = 8;

/// Rows `o, o + pi, o + 2 pi, ...` of `n`, except the last `e` of them, and except the rows `u` modulo `q`.
///
/// ```
/// # use air::Rows;
/// let rows = Rows::all().every(4).from(1).except_last(2);
/// assert_eq!((0..32).filter(|&row| rows.contains(row, 32)).collect::<Vec<_>>(), [1, 5, 9, 13, 17, 21]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rows {
    period: usize,
    offset: usize,
    end_exemptions: usize,
    exempted: Option<(usize, usize)>,
}

/// How `E(x) = product over the exempt rows r of (x - g^r)` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EndForm {
    /// As these linear factors.
    Exempt,
    /// Together with the zerofier, as 1 over the linear factors of the rows that are left.
    Active,
    /// As a column.
    Column,
}

impl Default for Rows {
    fn default() -> Self {
        Self::all()
    }
}

impl Rows {
    /// All rows.
    pub const fn all() -> Self {
        Self { period: 1, offset: 0, end_exemptions: 0, exempted: None }
    }

    /// Only one row in `period`, a power of two.
    pub const fn every(self, period: usize) -> Self {
        Self { period, ..self }
    }

    /// The first of them is row `offset`, below the period.
    pub const fn from(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Not on the last `count` of them (counted in rows of the set, not in rows of the trace).
    pub const fn except_last(self, count: usize) -> Self {
        Self { end_exemptions: count, ..self }
    }

    /// Not on the rows that are `offset` modulo `period`, a power of two.
    pub const fn except_every(self, period: usize, offset: usize) -> Self {
        Self { exempted: Some((period, offset)), ..self }
    }

    /// `pi`.
    pub const fn period(&self) -> usize {
        self.period
    }

    /// `o`.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// `e`.
    pub const fn end_exemptions(&self) -> usize {
        self.end_exemptions
    }

    /// `(q, u)`.
    pub const fn exempted(&self) -> Option<(usize, usize)> {
        self.exempted
    }

    /// Whether the constraint holds on `row` of `n` rows.
    pub fn contains(&self, row: usize, n: usize) -> bool {
        row % self.period == self.offset
            && row / self.period < self.active(n)
            && self.exempted.is_none_or(|(q, u)| row % q != u)
    }

    /// Checks the parameters against a trace of `n` rows.
    ///
    /// # Errors
    /// The reason why there are no such rows.
    pub fn validate(&self, n: usize) -> Result<(), String> {
        for (what, period, offset) in core::iter::once(("period", self.period, self.offset))
            .chain(self.exempted.map(|(q, u)| ("exemptions period", q, u)))
        {
            if !period.is_power_of_two() || period > n {
                return Err(format!("the {what} {period} is not a power of two up to the {n} rows"));
            }
            if offset >= period {
                return Err(format!("the offset {offset} is not below the {what} {period}: reduce it"));
            }
        }
        if self.end_exemptions > n / self.period {
            return Err(format!("{} end exemptions of {} rows", self.end_exemptions, n / self.period));
        }
        Ok(())
    }

    /// Rows left by the end exemptions.
    pub(crate) fn active(&self, n: usize) -> usize {
        n / self.period - self.end_exemptions
    }

    /// The smaller of both sides decides.
    pub(crate) fn end_form(&self, n: usize) -> EndForm {
        let (exempt, active) = (self.end_exemptions, self.active(n));
        if exempt.min(active) > MAX_FACTORS {
            EndForm::Column
        } else if exempt <= active {
            EndForm::Exempt
        } else {
            EndForm::Active
        }
    }

    /// The rows of the end exemptions, `o + n - k pi` for `k = 1..=e`.
    pub(crate) fn exempt_rows(&self, n: usize) -> impl Iterator<Item = usize> {
        let Self { period, offset, end_exemptions, .. } = *self;
        (1..=end_exemptions).map(move |k| offset + n - k * period)
    }

    /// The rows that the end exemptions leave, `o + k pi`.
    pub(crate) fn active_rows(&self, n: usize) -> impl Iterator<Item = usize> {
        let Self { period, offset, .. } = *self;
        (0..self.active(n)).map(move |k| offset + k * period)
    }

    /// The key that `E` depends on: the same without the exemptions period.
    pub(crate) fn end_key(&self) -> Self {
        Self { exempted: None, ..*self }
    }
}
