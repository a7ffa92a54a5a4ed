//! Encoded programs, kept for the runs to come.

use std::sync::{Arc, Mutex, PoisonError};

use field::PrimeField;
use gpu_hal::RowProgram;
use gpu_hal::lowered::Schedule;

use super::encode::{Encoded, Places, encode};

/// Most programs that are kept. The one that was asked for longest ago goes first.
const MOST: usize = 256;

/// A schedule, of how many parts the source is, and what both are encoded as; the one that was asked for last is the last one.
type List<F> = Vec<(Arc<Schedule<F>>, usize, Arc<Encoded>)>;

/// Encoded programs by their schedules, which programs keep.
pub(crate) struct KeptPrograms<F>(Mutex<List<F>>);

impl<F> Default for KeptPrograms<F> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<F: PrimeField> KeptPrograms<F> {
    /// A program for `2^log_height` rows on tables of these heights (log2) and a source of so many parts.
    pub(super) fn get(&self, program: &RowProgram<F>, tables: &[u32], log_height: u32, parts: usize) -> Arc<Encoded> {
        let schedule = program.schedule(tables, log_height);
        // No change of the list can stop halfway.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = list.iter().position(|(other, of, _)| Arc::ptr_eq(other, &schedule) && *of == parts);
        let at = known.unwrap_or_else(|| {
            let encoded = Arc::new(encode(program, &schedule, Places::new(program, parts)));
            if list.len() == MOST {
                list.remove(0);
            }
            list.push((schedule, parts, encoded));
            list.len() - 1
        });
        list[at..].rotate_left(1);
        Arc::clone(&list[list.len() - 1].2)
    }
}

#[cfg(test)]
mod tests {
    use field::M31;
    use gpu_hal::RowRecorder;

    use super::*;

    #[test]
    fn a_program_is_encoded_once_for_its_heights_and_parts() {
        let recorder = RowRecorder::<M31>::new(1);
        recorder.columns(recorder.input(0) + recorder.row());
        let program = recorder.finish().expect("a program");
        let kept = KeptPrograms::default();
        let first = kept.get(&program, &[], 5, 1);
        assert!(Arc::ptr_eq(&first, &kept.get(&program, &[], 5, 1)));
        assert!(!Arc::ptr_eq(&first, &kept.get(&program, &[], 6, 1)));
        assert!(!Arc::ptr_eq(&first, &kept.get(&program, &[], 5, 2)));
        assert!(Arc::ptr_eq(&first, &kept.get(&program, &[], 5, 1)));
        (0..MOST).for_each(|more| drop(kept.get(&program, &[], 5, 3 + more)));
        assert!(!Arc::ptr_eq(&first, &kept.get(&program, &[], 5, 1)));
        assert_eq!(kept.0.lock().expect("no panic").len(), MOST);
    }
}
