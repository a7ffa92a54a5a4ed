//! A short list of what was asked for last.

use alloc::vec::Vec;

/// Values by their keys. When it is full, the one that was asked for longest ago makes room.
#[derive(Debug)]
pub struct Recent<K, V> {
    /// The one that was asked for last is the last one.
    list: Vec<(K, V)>,
    most: usize,
}

impl<K, V> Recent<K, V> {
    /// An empty list of at most so many values, at least one.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), most }
    }

    /// The value of the first key that is the wanted one.
    pub fn get(&mut self, is_wanted: impl Fn(&K) -> bool) -> Option<&V> {
        let at = self.list.iter().position(|(key, _)| is_wanted(key))?;
        self.list[at..].rotate_left(1);
        self.list.last().map(|(_, value)| value)
    }

    /// The keys, the one that was asked for longest ago first.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.list.iter().map(|(key, _)| key)
    }

    /// The values in the same order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.list.iter().map(|(_, value)| value)
    }

    /// Keeps a value.
    pub fn insert(&mut self, key: K, value: V) {
        if self.list.len() == self.most {
            self.list.remove(0);
        }
        self.list.push((key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_one_asked_for_longest_ago_makes_room() {
        let mut recent = Recent::new(3);
        (1..4).for_each(|key| recent.insert(key, 10 * key));
        assert_eq!(recent.get(|key| *key == 1), Some(&10));
        assert_eq!(recent.get(|key| *key == 7), None);
        recent.insert(4, 40);
        assert!(recent.keys().copied().eq([3, 1, 4]));
        assert_eq!(recent.get(|key| *key == 2), None);
        assert!(recent.values().copied().eq([30, 10, 40]));
    }
}
