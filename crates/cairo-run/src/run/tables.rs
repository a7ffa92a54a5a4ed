//! The tables of a memory: each value once, and its id at each of its addresses.
//!
//! Addresses are walked upwards. A value below 2^72 takes the next small id, unless the small table is full; any other
//! value takes the next big one. A value that came before has the id that it got then. So an id follows from the first
//! address of its value, and from how many values before it are small and big: both are found in parallel.

use std::hash::{BuildHasher, RandomState};
use std::mem::take;

use rayon::prelude::*;

use super::memory::{BIG_ID, Memory, NO_ID, is_small};
use crate::Words;
use crate::pages::Pages;

/// Values that the small table holds.
const SMALL_CAPACITY: usize = 1 << 24;

/// Addresses that one task takes.
const CHUNK: usize = 1 << 15;

impl Memory {
    /// The memory of these values, the first of which has address 1.
    pub fn of_values(values: &[Words]) -> Self {
        build(values, SMALL_CAPACITY)
    }
}

/// As [`Memory::of_values`], with a small table of this capacity.
fn build(values: &[Words], small_capacity: usize) -> Memory {
    let (first, news) = first_occurrences(values);

    // Small values beyond the capacity are big. So many of each are before each chunk.
    let mut seen = News::default();
    let counts: Vec<News> = news
        .iter()
        .map(|new| {
            let small = new.small.min(small_capacity - seen.small);
            let admitted = News { small, big: new.big + (new.small - small) };
            seen = News { small: seen.small + admitted.small, big: seen.big + admitted.big };
            admitted
        })
        .collect();

    let mut small_values = Pages::<u128>::zeroed(seen.small);
    let mut f252_values = Pages::<Words>::zeroed(seen.big);
    let mut id_of_first = Pages::<u32>::zeroed(values.len());
    let mut rest = (&mut small_values[..], &mut f252_values[..]);
    let mut next = News::default();
    let parts: Vec<_> = counts
        .iter()
        .map(|count| {
            let ((small, small_rest), (big, big_rest)) =
                (take(&mut rest.0).split_at_mut(count.small), take(&mut rest.1).split_at_mut(count.big));
            rest = (small_rest, big_rest);
            let before = next;
            next = News { small: next.small + count.small, big: next.big + count.big };
            (small, big, before)
        })
        .collect();
    let chunks = values.par_chunks(CHUNK).zip(first.par_chunks(CHUNK)).zip(id_of_first.par_chunks_mut(CHUNK));
    chunks.zip(parts).enumerate().for_each(|(chunk, (((values, first), ids), (small, big, before)))| {
        let mut made = News::default();
        for (index, ((value, first), id)) in (chunk * CHUNK..).zip(values.iter().zip(first).zip(ids)) {
            if *first as usize != index {
                continue;
            }
            if is_small(value) && made.small < small.len() {
                small[made.small] = small_value(value);
                *id = (before.small + made.small) as u32;
                made.small += 1;
            } else {
                big[made.big] = *value;
                *id = BIG_ID + (before.big + made.big) as u32;
                made.big += 1;
            }
        }
    });

    let mut address_to_id = Pages::<u32>::zeroed(values.len() + 1);
    address_to_id[0] = NO_ID;
    let chunks = address_to_id[1..].par_chunks_mut(CHUNK).zip(first.par_chunks(CHUNK)).enumerate();
    chunks.for_each(|(chunk, (ids, first))| {
        let start = chunk * CHUNK;
        for (index, first) in first.iter().enumerate() {
            // The equal value that is named may be in the chunk, and name another one itself.
            ids[index] = match (*first as usize).checked_sub(start) {
                Some(before) if before < index => ids[before],
                _ => id_of_first[*first as usize],
            };
        }
    });
    Memory::new(address_to_id, f252_values, small_values)
}

/// How many values there are, of those that did not come before.
#[derive(Clone, Copy, Default)]
struct News {
    small: usize,
    big: usize,
}

fn small_value(words: &Words) -> u128 {
    u128::from(words[0]) | u128::from(words[1]) << 32 | u128::from(words[2]) << 64
}

/// The index of an equal value, for each value, and how many values of each chunk are new. It is the first equal value,
/// or one of the same chunk that is before this one, of which the same holds.
///
/// Most values came shortly before. The others of a chunk are dealt out to parts by their hash, in the order of their
/// addresses; the table of a part stays in a core's cache. The hash is keyed, so that no program can aim at collisions.
fn first_occurrences(values: &[Words]) -> (Pages<u32>, Vec<News>) {
    let hasher = Hasher::new();
    let log_parts = (values.len() / PART).checked_ilog2().unwrap_or(0).min(MAX_LOG_PARTS);
    let mut first = Pages::<u32>::zeroed(values.len());
    let mut dealt = Pages::<u64>::zeroed(values.len());
    // Each chunk deals to each part: entries of a tag, and the index with a mark of small values.
    let chunks = values.par_chunks(CHUNK).zip(first.par_chunks_mut(CHUNK)).zip(dealt.par_chunks_mut(CHUNK));
    let by_chunk: Vec<Vec<&mut [u64]>> = chunks
        .enumerate()
        .map_init(Scratch::default, |scratch, (chunk, ((values, first), dealt))| {
            let start = chunk * CHUNK;
            scratch.find_recent(&hasher, start, values, first);
            deal(&scratch.left, log_parts, start, values, dealt)
        })
        .collect();
    let numbers: Vec<usize> = by_chunk.iter().map(|parts| parts.iter().map(|part| part.len()).sum()).collect();
    let mut by_chunk: Vec<_> = by_chunk.into_iter().map(Vec::into_iter).collect();
    let mut parts: Vec<Vec<&mut [u64]>> = Vec::with_capacity(1 << log_parts);
    for _ in 0..1usize << log_parts {
        parts.push(by_chunk.iter_mut().filter_map(Iterator::next).collect());
    }
    parts.into_par_iter().for_each_init(Vec::new, |slots, part| find_first(values, slots, part));

    // The place of an entry now has the marked index, and the index of the first equal value.
    let chunks = first.par_chunks_mut(CHUNK).zip(dealt.par_chunks(CHUNK)).zip(numbers);
    let found = chunks.map(|((first, found), number)| {
        let mut new = News::default();
        for entry in &found[..number] {
            let (marked, earliest) = ((entry >> 32) as u32, *entry as u32);
            let index = marked & !SMALL;
            first[index as usize % CHUNK] = earliest;
            if index == earliest {
                *(if marked & SMALL != 0 { &mut new.small } else { &mut new.big }) += 1;
            }
        }
        new
    });
    let news = found.collect();
    (first, news)
}

/// Values of a chunk that came shortly before, and those that did not.
#[derive(Default)]
struct Scratch {
    /// By the bits of a hash below its tag, the last value that was left over: its tag, and its index.
    recent: Vec<u64>,
    /// The hashes and the indices of the values that are left over.
    left: Vec<(u64, u32)>,
}

impl Scratch {
    /// Names an equal value of the same chunk for each value that came shortly before. The others are left over. The
    /// first value has the index `start`.
    fn find_recent(&mut self, hasher: &Hasher, start: usize, values: &[Words], first: &mut [u32]) {
        self.left.clear();
        self.recent.clear();
        self.recent.resize(RECENT, NO_VALUE);
        for (index, (value, first)) in (start as u32..).zip(values.iter().zip(first)) {
            let hash = hasher.hash(value);
            let recent = &mut self.recent[(hash >> (32 - LOG_RECENT)) as usize % RECENT];
            let other = *recent as u32;
            if *recent & TAG == hash & TAG && values.get((other - start as u32) as usize) == Some(value) {
                *first = other;
            } else {
                *recent = hash & TAG | u64::from(index);
                self.left.push((hash, index));
            }
        }
    }
}

/// Deals the values of a chunk that are left over to the parts, in their order. The chunk's first one has the index
/// `start`.
fn deal<'a>(
    left: &[(u64, u32)],
    log_parts: u32,
    start: usize,
    values: &[Words],
    mut dealt: &'a mut [u64],
) -> Vec<&'a mut [u64]> {
    // The highest bits of a hash choose the part, the next ones the slot of its table.
    let part_of = |hash: u64| (hash >> 32 >> (32 - log_parts)) as usize;
    let mut ends = vec![0usize; 1 << log_parts];
    left.iter().for_each(|(hash, _)| ends[part_of(*hash)] += 1);
    let mut next = 0;
    for end in &mut ends {
        (*end, next) = (next, next + *end);
    }
    for (hash, index) in left {
        let place = &mut ends[part_of(*hash)];
        let mark = if is_small(&values[*index as usize - start]) { SMALL } else { 0 };
        dealt[*place] = hash << log_parts & TAG | u64::from(*index | mark);
        *place += 1;
    }
    let mut before = 0;
    let parts = ends.into_iter().map(|end| {
        let (part, rest) = take(&mut dealt).split_at_mut(end - before);
        (dealt, before) = (rest, end);
        part
    });
    parts.collect()
}

/// Puts the marked index and the index of the first equal value in the place of each entry of a part.
fn find_first(values: &[Words], slots: &mut Vec<u64>, part: Vec<&mut [u64]>) {
    // At most half full. The lower half of a slot is one more than an index, the upper half the index's tag.
    let entries: usize = part.iter().map(|entries| entries.len()).sum();
    let log_slots = (2 * entries).max(2).next_power_of_two().ilog2();
    slots.clear();
    slots.resize(1 << log_slots, 0);
    for entry in part.into_iter().flatten() {
        let (tag, marked) = (*entry & TAG, *entry as u32);
        let index = marked & !SMALL;
        let mut slot = (tag >> 32 >> (32 - log_slots)) as usize;
        let earliest = loop {
            let held = slots[slot];
            if held == 0 {
                slots[slot] = tag | u64::from(index + 1);
                break index;
            }
            let other = held as u32 - 1;
            if held & TAG == tag && values[other as usize] == values[index as usize] {
                break other;
            }
            slot = (slot + 1) & (slots.len() - 1);
        };
        *entry = u64::from(marked) << 32 | u64::from(earliest);
    }
}

/// Values of a part, about, and log2 of the most parts.
const PART: usize = 1 << 13;
const MAX_LOG_PARTS: u32 = 10;

/// Values that are remembered of a chunk: their entries stay in the cache beside what is read once.
const LOG_RECENT: u32 = 11;
const RECENT: usize = 1 << LOG_RECENT;

/// The entry of no value: an index that no value has.
const NO_VALUE: u64 = u32::MAX as u64;

/// The bits of a hash that an entry keeps.
const TAG: u64 = !0 << 32;

/// The mark of a small value beside an index, which is below 2^29.
const SMALL: u32 = 1 << 31;

/// A keyed hash of values: NH of UMAC (Black et al., CRYPTO 1999, section 4) on words of 64 bits, and a keyed product
/// that brings it to 64 bits.
struct Hasher {
    keys: [u64; 4],
    last: [u64; 2],
}

impl Hasher {
    fn new() -> Self {
        let random = RandomState::new();
        let key = |number: u64| random.hash_one(number);
        Self { keys: [0, 1, 2, 3].map(key), last: [4, 5].map(|number| key(number) | 1) }
    }

    fn hash(&self, value: &Words) -> u64 {
        let words: [u64; 4] = bytemuck::cast(*value);
        let term = |i: usize| u128::from(words[i].wrapping_add(self.keys[i]));
        let sum = (term(0) * term(1)).wrapping_add(term(2) * term(3));
        let [low, high] = [sum as u64, (sum >> 64) as u64];
        let mixed = low.wrapping_mul(self.last[0]).wrapping_add(high.wrapping_mul(self.last[1]));
        // The upper bits depend on all lower ones; they are the ones that count.
        (mixed ^ mixed >> 32).wrapping_mul(self.last[0])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stwo_cairo_adapter::memory::{Memory as Theirs, MemoryBuilder, MemoryConfig, MemoryEntry};

    use super::*;

    /// The tables that the reference's builder makes of the same values, with a small table of `2^log_capacity` values.
    fn reference(values: &[Words], log_capacity: u32) -> Theirs {
        let config = MemoryConfig::new((1 << 72) - 1, log_capacity);
        let entries = values.iter().zip(1..).map(|(value, address)| MemoryEntry { address, value: *value });
        MemoryBuilder::from_iter(config, entries).build().0
    }

    fn assert_equal(values: &[Words], log_capacity: u32) {
        let (ours, theirs) = (build(values, 1 << log_capacity), reference(values, log_capacity));
        assert_eq!(ours.small_values[..], theirs.small_values);
        assert_eq!(ours.f252_values[..], theirs.f252_values);
        let ids: Vec<u32> = theirs.address_to_id.iter().map(|id| id.0).collect();
        assert_eq!(ours.address_to_id[..], ids);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Values that repeat, small and big, with small tables that overflow.
        #[test]
        fn tables_are_those_of_the_reference(
            values in prop::collection::vec((0u32..40, prop::sample::select(vec![0usize, 1, 2, 3, 7])), 1..200),
            log_capacity in 0u32..7,
        ) {
            let values: Vec<Words> = values
                .into_iter()
                .map(|(value, word)| {
                    let mut words = [0; 8];
                    words[word] = value * 9;
                    words
                })
                .collect();
            assert_equal(&values, log_capacity);
        }
    }

    /// Enough values that several tasks share them, half of which came shortly before, each some times in a row.
    #[test]
    fn tables_of_many_values() {
        let values: Vec<Words> = (0..5 * CHUNK as u32)
            .map(|i| {
                let i = if i % 2 == 0 { i } else { i.saturating_sub(i / 100 % 50) };
                let x = i.wrapping_mul(0x9e37_79b9) >> 15;
                [x, 0, if x % 3 == 0 { x % 600 } else { 0 }, 0, 0, 0, 0, 0]
            })
            .collect();
        for log_capacity in [13, 24] {
            assert_equal(&values, log_capacity);
        }
    }
}
