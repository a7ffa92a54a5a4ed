//! The ways to refer to a job: its name, or enough of the digits that it begins with.

use std::borrow::Borrow;

use crate::state::Row;
use crate::{Digest, Error, JobName, Result};

/// Digits of a name by which a job may be called.
const SHORTEST: usize = 4;
/// The most jobs that are named in answer to an ambiguous beginning.
const CANDIDATES: usize = 5;

/// A reference to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobReference {
    /// Its name.
    Name(JobName),
    /// The beginning of its name, and the first and the last name that begin so.
    Beginning(String, JobName, JobName),
}

impl JobReference {
    /// The job that a text calls. All jobs, by name, are waited for only if the text is no whole name.
    ///
    /// # Errors
    /// [`Error::NoName`], [`Error::Nobody`] or [`Error::Several`], and the errors of `rows`.
    pub(crate) async fn job(text: &str, rows: impl Future<Output = Result<impl Borrow<Vec<Row>>>>) -> Result<JobName> {
        match Self::read(text)? {
            Self::Name(name) => Ok(name),
            called => called.among(rows.await?.borrow()),
        }
    }

    fn read(text: &str) -> Result<Self> {
        if let Ok(name) = text.parse() {
            return Ok(Self::Name(name));
        }
        let found = Digest::beginning(text).filter(|_| text.len() >= SHORTEST);
        let (first, last) = found.ok_or_else(|| Error::NoName { text: text.to_owned(), least: SHORTEST })?;
        Ok(Self::Beginning(text.to_owned(), first, last))
    }

    /// The one that is meant of all jobs, by name.
    fn among(self, rows: &[Row]) -> Result<JobName> {
        let (text, first, last) = match self {
            Self::Name(name) => return Ok(name),
            Self::Beginning(text, first, last) => (text, first, last),
        };
        let from = rows.partition_point(|row| row.name < first);
        let so = rows[from..].iter().map(|row| row.name).take_while(|name| *name <= last);
        let found: Vec<JobName> = so.take(CANDIDATES + 1).collect();
        match found[..] {
            [] => Err(Error::Nobody(text)),
            [name] => Ok(name),
            _ => {
                let mut names: Vec<String> = found.iter().take(CANDIDATES).map(ToString::to_string).collect();
                if found.len() > CANDIDATES {
                    names.push("others".into());
                }
                Err(Error::Several { text, names: names.join(", ") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Priority, State};

    #[test]
    fn a_job_is_called_by_digits_that_it_alone_begins_with() {
        let name = |digits: &str| format!("{digits:0<64}").parse::<JobName>().unwrap();
        let all = ["abc0", "abcd1", "abcd2", "abcd3", "abcd4", "abcd5", "abcd6", "f123"].map(name);
        let rows: Vec<Row> =
            all.iter().map(|name| Row { name: *name, state: State::Queued, priority: Priority::Normal }).collect();
        let found = |text: &str| JobReference::read(text).and_then(|called| called.among(&rows));
        for text in ["F123", "f1230", &all[7].to_string(), &all[7].to_string().to_uppercase()] {
            assert_eq!(found(text).unwrap(), all[7], "{text}");
        }
        let error = |text: &str| found(text).unwrap_err().to_string();
        // A whole name is looked up where it is needed.
        assert_eq!(found(&"0".repeat(64)).unwrap(), name("0"));
        assert!(error("0000").contains("no job's name begins with 0000"), "{}", error("0000"));
        for wrong in ["", "abc", "abcg", &"a".repeat(65), &"x".repeat(1 << 20)] {
            assert!(error(wrong).contains("is no job's name") && error(wrong).len() < 300, "{}", error(wrong));
        }
        let several = error("ABCD");
        assert!(all[1..6].iter().all(|name| several.contains(&name.to_string())), "{several}");
        assert!(several.contains("others") && !several.contains(&all[6].to_string()), "{several}");
        assert_eq!(found("abcd6").unwrap(), all[6]);
    }
}
