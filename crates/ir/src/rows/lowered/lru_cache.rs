//! A short list of the most recently requested values.

use alloc::vec::Vec;

/// Values by their keys, each with a weight. When they are too heavy together, the least recently used ones make room.
#[derive(Debug)]
pub struct LruCache<K, V> {
    /// With their weights; the one that was asked for last is the last one.
    list: Vec<(K, V, usize)>,
    most: usize,
}

impl<K, V> LruCache<K, V> {
    /// An empty list of at most this weight together. One value may be heavier, and is alone then.
    pub fn new(most: usize) -> Self {
        Self { list: Vec::new(), most }
    }

    /// The value of the first key that is the wanted one.
    pub fn get(&mut self, is_wanted: impl Fn(&K) -> bool) -> Option<&V> {
        let at = self.list.iter().position(|(key, ..)| is_wanted(key))?;
        self.list[at..].rotate_left(1);
        self.list.last().map(|(_, value, _)| value)
    }

    /// The keys, the one that was asked for longest ago first.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.list.iter().map(|(key, ..)| key)
    }

    /// The values in the same order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.list.iter().map(|(_, value, _)| value)
    }

    /// Keeps a value of weight one.
    pub fn insert(&mut self, key: K, value: V) {
        self.insert_weighted(key, value, 1);
    }

    /// Keeps a value of this weight.
    pub fn insert_weighted(&mut self, key: K, value: V, weight: usize) {
        let mut together = weight + self.list.iter().map(|(.., weight)| weight).sum::<usize>();
        while together > self.most && !self.list.is_empty() {
            together -= self.list.remove(0).2;
        }
        self.list.push((key, value, weight));
    }
}

#[cfg(test)]
mod tests {
    use super::LruCache;

    #[test]
    fn the_one_asked_for_longest_ago_makes_room() {
        let mut recent = LruCache::new(3);
        (1..4).for_each(|key| recent.insert(key, 10 * key));
        assert_eq!(recent.get(|key| *key == 1), Some(&10));
        assert_eq!(recent.get(|key| *key == 7), None);
        recent.insert(4, 40);
        assert!(recent.keys().copied().eq([3, 1, 4]));
        assert_eq!(recent.get(|key| *key == 2), None);
        assert!(recent.values().copied().eq([30, 10, 40]));
    }

    #[test]
    fn as_many_make_room_as_a_heavy_one_takes() {
        let mut recent = LruCache::new(10);
        [("a", 4), ("b", 4), ("c", 2)].into_iter().for_each(|(key, weight)| recent.insert_weighted(key, (), weight));
        assert!(recent.get(|key| *key == "a").is_some());
        recent.insert_weighted("d", (), 3);
        assert!(recent.keys().copied().eq(["c", "a", "d"]));
        recent.insert_weighted("e", (), 100);
        assert!(recent.keys().copied().eq(["e"]));
        recent.insert("f", ());
        assert!(recent.keys().copied().eq(["f"]));
    }
}
