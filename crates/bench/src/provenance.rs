//! By which program, when and how a report was made.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// How a report was made.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    version: &'static str,
    /// Null if the build did not name it.
    commit: Option<&'static str>,
    /// Coordinated universal time, by ISO 8601.
    date: String,
    command: String,
}

impl Provenance {
    /// Now, by this program, which is built from a commit.
    pub(crate) fn now(commit: Option<&'static str>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit,
            date: date(now),
            command: words.collect::<Vec<_>>().join(" "),
        }
    }

    /// In lines.
    pub(crate) fn facts(&self) -> [(&'static str, String); 4] {
        let commit =
            self.commit.unwrap_or("not known: build in the repository, or with POLYSTARK_COMMIT=$(git rev-parse HEAD)");
        [
            ("version", self.version.to_owned()),
            ("commit", commit.to_owned()),
            ("date", self.date.clone()),
            ("command", self.command.clone()),
        ]
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The date and the time so long after the first of January 1970.
fn date(since: Duration) -> String {
    let (mut days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        let of = |seconds| date(Duration::from_secs(seconds));
        assert_eq!(of(0), "1970-01-01T00:00:00Z");
        assert_eq!(of(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(of(951_868_800), "2000-03-01T00:00:00Z");
        assert_eq!(of(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(of(1_798_675_199), "2026-12-30T23:59:59Z");
    }

    #[test]
    fn a_command_can_be_called_again() {
        assert_eq!(["--rows", "2^20", "a b", "", "it's"].map(quoted).join(" "), r"--rows 2^20 'a b' '' 'it'\''s'");
    }
}
