//! Keys of a JSON file that belong to nothing. Serde skips them, and a file of another program, or another version's,
//! would be taken for a proof of this one.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most letters of a path that an error says.
const MAX_SAID: usize = 200;

/// The first key of a JSON text, of which a value was read, that the value does not have: the keys on the way to it,
/// with dots between them, and it. Elements of an array count as one.
pub(crate) fn unknown(bytes: &[u8], value: &impl Serialize) -> serde_json::Result<Option<String>> {
    let mut known = HashSet::new();
    walk(&serde_json::to_vec(value)?, &mut |path| {
        known.insert(path.to_owned());
        true
    })?;
    let mut unknown = None;
    let walked = walk(bytes, &mut |path| {
        let is_known = known.contains(path);
        if !is_known {
            unknown = Some(path.chars().take(MAX_SAID).collect());
        }
        is_known
    });
    match unknown {
        None => walked.map(|()| None),
        found => Ok(found),
    }
}

/// Calls a function with the path of each key, as long as it returns true.
fn walk(bytes: &[u8], see: &mut dyn FnMut(&str) -> bool) -> serde_json::Result<()> {
    Keys { path: &mut String::new(), see }.deserialize(&mut serde_json::Deserializer::from_slice(bytes))
}

/// A value, at a path. Numbers are integers: the value was read from the same text, and has no others.
struct Keys<'a> {
    path: &'a mut String,
    see: &'a mut dyn FnMut(&str) -> bool,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element_seed(Keys { path: &mut *self.path, see: &mut *self.see })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let parent = self.path.len();
        while let Some(key) = entries.next_key::<String>()? {
            if parent > 0 {
                self.path.push('.');
            }
            // No key of ours has a dot.
            match key.contains('.') {
                true => self.path.extend(["\"", &key, "\""]),
                false => self.path.push_str(&key),
            }
            if !(self.see)(self.path) {
                entries.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom("a key that is not known"));
            }
            entries.next_value_seed(Keys { path: &mut *self.path, see: &mut *self.see })?;
            self.path.truncate(parent);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_of_nothing_is_found_anywhere() {
        let value = json!({"a": {"b": [{"c": 1}, {"c": null}]}, "d": "x"});
        let unknown = |text: &str| unknown(text.as_bytes(), &value).unwrap();
        assert_eq!(unknown(r#"{"d": "y", "a": {"b": [{"c": 2}, {"c": true}, {"c": "3"}]}}"#), None);
        assert_eq!(unknown(r#"{"a": {"b": []}, "e": {"f": 1}}"#), Some("e".to_owned()));
        assert_eq!(unknown(r#"{"a": {"b": [{"c": 1}, {"x": 1}]}}"#), Some("a.b.x".to_owned()));
        assert_eq!(unknown(r#"{"a.b": 1}"#), Some("\"a.b\"".to_owned()));
    }
}
