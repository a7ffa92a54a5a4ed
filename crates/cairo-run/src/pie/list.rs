//! Lists in JSON that are read up to a length.

use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a list of at most so many entries, which a message calls by a name.
pub(super) struct AtMost<T> {
    most: usize,
    entry: &'static str,
    entries: PhantomData<T>,
}

impl<T> AtMost<T> {
    /// `entry` is the name of one entry.
    pub(super) fn new(most: usize, entry: &'static str) -> Self {
        Self { most, entry, entries: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for AtMost<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for AtMost<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a list of {}s", self.entry)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let Self { most, entry, .. } = self;
        let mut entries = Vec::new();
        let at = |index: usize| move |error| A::Error::custom(format!("{entry} {index}: {error}"));
        while let Some(read) = list.next_element().map_err(at(entries.len()))? {
            if entries.len() == most {
                return Err(A::Error::custom(format!("a list of more than {most} {entry}s")));
            }
            entries.push(read);
        }
        Ok(entries)
    }
}
