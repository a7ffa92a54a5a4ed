//! Statistics of many times.

use std::time::Duration;

use serde::Serialize;

/// A value with the quartiles around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Median, quartiles and extremes of measured times, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct TimeView {
    pub(crate) median_seconds: f64,
    pub(crate) lower_quartile_seconds: f64,
    pub(crate) upper_quartile_seconds: f64,
    pub(crate) least_seconds: f64,
    pub(crate) most_seconds: f64,
}

impl TimeView {
    /// Statistics of at least one time; zeros for none.
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |quarters| figure(quantile(&times, quarters));
        Self {
            median_seconds: at(2),
            lower_quartile_seconds: at(1),
            upper_quartile_seconds: at(3),
            least_seconds: at(0),
            most_seconds: at(4),
        }
    }

    /// The median and the quartiles, in another unit: a speed if `of` falls where the time grows.
    pub(crate) fn spread(&self, of: impl Fn(f64) -> f64) -> Spread {
        let [value, one, other] =
            [self.median_seconds, self.lower_quartile_seconds, self.upper_quartile_seconds].map(of);
        Spread { value, low: one.min(other), high: one.max(other) }
    }

    /// Median, and the quartiles as spread.
    pub(crate) fn text(&self) -> String {
        let [median, lower, upper] =
            [self.median_seconds, self.lower_quartile_seconds, self.upper_quartile_seconds].map(milliseconds);
        format!("{:>8} ms  ({} to {})", short(median), short(lower), short(upper))
    }
}

/// The sorted times at `quarters` fourths of the way from the first to the last, in seconds, between two times the line
/// through them.
fn quantile(sorted: &[Duration], quarters: usize) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let (below, rest) = (last * quarters / 4, (last * quarters % 4) as f64 / 4.0);
    let [low, high] = [below, (below + 1).min(last)].map(|index| sorted[index].as_secs_f64());
    low + (high - low) * rest
}

/// Six significant digits: more is noise. JSON has them, text and pages have three.
pub(crate) fn figure(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Three significant digits, all that a reader can use.
pub(crate) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded == 0.0 || !rounded.is_finite() {
        return format!("{rounded}");
    }
    // Digits after the point: with one before it there are two.
    let decimals = 2 - rounded.abs().log10().floor() as i32;
    format!("{rounded:.*}", usize::try_from(decimals).unwrap_or(0))
}

/// Milliseconds of seconds.
pub(crate) fn milliseconds(seconds: f64) -> f64 {
    figure(seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_times() {
        let of = |times: &[u64]| TimeView::of(times.iter().map(|seconds| Duration::from_secs(*seconds)).collect());
        assert_eq!(of(&[5, 1, 3]).median_seconds, 3.0);
        assert_eq!(of(&[4, 1, 2, 10]).median_seconds, 3.0);
        assert_eq!((of(&[4, 1]).least_seconds, of(&[4, 1]).most_seconds), (1.0, 4.0));
        let five = of(&[50, 10, 40, 20, 30]);
        assert_eq!((five.lower_quartile_seconds, five.upper_quartile_seconds), (20.0, 40.0));
        assert_eq!(of(&[1, 2]).lower_quartile_seconds, 1.25);
        assert_eq!(of(&[]).median_seconds, 0.0);
    }

    #[test]
    fn readers_see_three_digits() {
        let cases = [0.0, 0.000_123_456, 0.1, 1.0, 9.996, 12.345, 999.5, 123_456.0];
        let expected = ["0", "0.000123", "0.100", "1.00", "10.0", "12.3", "1000", "123000"];
        assert_eq!(cases.map(short), expected);
    }

    #[test]
    fn figures_have_six_digits() {
        assert_eq!(figure(0.001_234_567_89), 0.001_234_57);
        assert_eq!(figure(123_456_789.0), 123_457_000.0);
        assert_eq!(figure(0.0), 0.0);
    }
}
