//! What is kept as long as there is room.

use std::collections::HashMap;
use std::hash::Hash;

/// Values by their keys, each with a weight. When they are too heavy together, those that were asked for longest ago make room.
pub(crate) struct LeastRecent<K, V> {
    values: HashMap<K, Value<V>>,
    requests: u64,
    weight: usize,
    most: usize,
}

struct Value<V> {
    value: V,
    weight: usize,
    /// The number of the request that asked last.
    last: u64,
}

impl<K: Clone + Eq + Hash, V> LeastRecent<K, V> {
    /// Nothing yet, of so much weight at most; one value may be heavier, and is alone then.
    pub(crate) fn new(most: usize) -> Self {
        Self { values: HashMap::new(), requests: 0, weight: 0, most }
    }

    /// The value of a key.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        self.requests += 1;
        let value = self.values.get_mut(key)?;
        value.last = self.requests;
        Some(&value.value)
    }

    /// Keeps a value; if the key has one, that stays. The one that is kept.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) -> &V {
        if !self.values.contains_key(&key) {
            self.make_room(weight);
            self.weight += weight;
        }
        self.requests += 1;
        let last = self.requests;
        &self.values.entry(key).or_insert(Value { value, weight, last }).value
    }

    fn make_room(&mut self, weight: usize) {
        while self.weight + weight > self.most
            && let Some(oldest) = self.values.iter().min_by_key(|(_, value)| value.last).map(|(key, _)| key.clone())
            && let Some(gone) = self.values.remove(&oldest)
        {
            self.weight -= gone.weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_asked_for_longest_ago_make_room() {
        let mut kept = LeastRecent::new(10);
        for (key, weight) in [("a", 4), ("b", 4), ("c", 2)] {
            assert_eq!(*kept.insert(key, key, weight), key);
        }
        assert_eq!(kept.get(&"a"), Some(&"a"));
        // Another of the same key is not kept.
        assert_eq!(*kept.insert("c", "other", 9), "c");
        kept.insert("d", "d", 3);
        let mut known = |key| kept.get(&key).is_some();
        assert_eq!(["a", "b", "c", "d"].map(&mut known), [true, false, true, true]);
        kept.insert("e", "e", 100);
        let mut known = |key| kept.get(&key).is_some();
        assert_eq!(["a", "b", "c", "d", "e"].map(&mut known), [false, false, false, false, true]);
        assert_eq!(kept.weight, 100);
        kept.insert("f", "f", 1);
        assert_eq!((kept.weight, kept.values.len()), (1, 1));
    }
}
