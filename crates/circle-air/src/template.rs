//! The constants of a recording that are parameters: they differ when it is recorded with other drawn elements and
//! other public values.

use field::QM31;

use crate::framework::Recording;
use crate::framework::tape::Entry;
use crate::{RecordError, TREES};

/// A recording in which some constants stand for parameters.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) recording: Recording,
    /// For each entry, the value in the second recording if it is a constant that differs.
    pub(crate) varying: Vec<Option<QM31>>,
}

impl Template {
    /// Every constant has its own value.
    pub(crate) fn fixed(recording: Recording) -> Self {
        let varying = vec![None; recording.entries.len()];
        Self { recording, varying }
    }

    /// Parameters where `other` has other constants.
    pub(crate) fn new(recording: Recording, other: &Recording) -> Result<Self, RecordError> {
        same_shape(&recording, other)?;
        let varying = recording.entries.iter().zip(&other.entries).map(|pair| match pair {
            (Entry::Constant(a), Entry::Constant(b)) if a != b => Some(*b),
            _ => None,
        });
        let varying = varying.collect();
        Ok(Self { recording, varying })
    }

    /// Checks that `other` differs from this in parameters only.
    pub(crate) fn check(&self, other: &Recording) -> Result<(), RecordError> {
        same_shape(&self.recording, other)?;
        for ((recorded, now), varying) in self.recording.entries.iter().zip(&other.entries).zip(&self.varying) {
            if varying.is_none() && recorded != now {
                return Err(constant_changed(recorded, now));
            }
        }
        Ok(())
    }
}

/// The error of a constant that has changed.
pub(crate) fn constant_changed(recorded: &Entry, now: &Entry) -> RecordError {
    let text = |entry: &Entry| match entry {
        Entry::Constant(value) => value.to_string(),
        other => format!("{other:?}"),
    };
    RecordError::Constant { recorded: text(recorded), now: text(now) }
}

/// Whether two recordings are equal up to the values of constants.
fn same_shape(a: &Recording, b: &Recording) -> Result<(), RecordError> {
    let shape = |what: String| Err(RecordError::Shape { what });
    if a.log_size != b.log_size {
        return shape(format!("its size: 2^{} and 2^{} rows", a.log_size, b.log_size));
    }
    if a.preprocessed != b.preprocessed {
        return shape("the preprocessed columns it reads".to_owned());
    }
    if let Some(tree) = (0..TREES).find(|&tree| a.offsets[tree] != b.offsets[tree]) {
        return shape(format!("the columns or row offsets of tree {tree}"));
    }
    let differs = |(x, y): (&Entry, &Entry)| match (x, y) {
        (Entry::Constant(_), Entry::Constant(_)) => false,
        _ => x != y,
    };
    if let Some(index) = a.entries.iter().zip(&b.entries).position(differs) {
        return shape(format!("operation {index}: {:?} and {:?}", a.entries[index], b.entries[index]));
    }
    if a.entries.len() != b.entries.len() {
        return shape(format!("the number of operations: {} and {}", a.entries.len(), b.entries.len()));
    }
    if a.constraints != b.constraints {
        return shape("the constraints".to_owned());
    }
    if a.batches != b.batches {
        return shape("the lookup entries".to_owned());
    }
    Ok(())
}
