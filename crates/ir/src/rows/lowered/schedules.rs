//! Schedules that were made of a program, kept for the runs to come: a program is run at each proof, mostly for as many
//! rows as before.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::lru_cache::LruCache;
use super::schedule::Schedule;

/// Most schedules that are kept of a program.
const MOST: usize = 4;

/// Schedules by tables' heights and rows (log2).
type List<F> = LruCache<(Vec<u32>, u32), Arc<Schedule<F>>>;

/// The schedules of a program and of its clones. They follow from the program, so they are no part of its identity.
#[derive(Clone, Debug)]
pub(in crate::rows) struct Schedules<F>(Arc<Mutex<List<F>>>);

impl<F> Default for Schedules<F> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(LruCache::new(MOST))))
    }
}

impl<F> PartialEq for Schedules<F> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<F> Eq for Schedules<F> {}

impl<F> Hash for Schedules<F> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<F> Schedules<F> {
    /// The schedule for these heights, or else the result of `make`. Two threads may make the same; both are right.
    pub(super) fn get(&self, tables: &[u32], log_height: u32, make: impl FnOnce() -> Schedule<F>) -> Arc<Schedule<F>> {
        // No change of the list can stop halfway.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(|(heights, rows)| heights == tables && *rows == log_height).cloned();
        known.unwrap_or_else(|| {
            let made = Arc::new(make());
            lock().insert((tables.to_vec(), log_height), Arc::clone(&made));
            made
        })
    }
}

#[cfg(test)]
mod tests {
    use field::M31;

    use super::*;
    use crate::RowRecorder;

    #[test]
    fn the_latest_schedules_are_kept_by_their_heights() {
        let recorder = RowRecorder::<M31>::new(1);
        let table = recorder.table(1);
        recorder.columns(recorder.read(table, 0, recorder.input(0)));
        let program = recorder.finish().expect("a program");
        let first = program.schedule(&[3], 5);
        assert!(Arc::ptr_eq(&first, &program.clone().schedule(&[3], 5)));
        for other in [program.schedule(&[4], 5), program.schedule(&[3], 6)] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
        // Asked for again, it outlives three others, but not four.
        assert!(Arc::ptr_eq(&first, &program.schedule(&[3], 5)));
        (7..10).for_each(|height| drop(program.schedule(&[height], 5)));
        assert!(Arc::ptr_eq(&first, &program.schedule(&[3], 5)));
        (10..14).for_each(|height| drop(program.schedule(&[height], 5)));
        assert!(!Arc::ptr_eq(&first, &program.schedule(&[3], 5)));
    }
}
