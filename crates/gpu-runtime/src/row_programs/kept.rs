//! Encoded programs, kept for the runs to come.

use std::sync::{Arc, Mutex, PoisonError};

use field::PrimeField;
use gpu_hal::RowProgram;
use gpu_hal::lowered::{Recent, Schedule};

use super::encode::{Encoded, Places, encode};

/// Most programs that are kept.
const MOST: usize = 256;

/// Encoded programs by their schedules and by how many parts the source has.
type List<F> = Recent<(Arc<Schedule<F>>, usize), Arc<Encoded>>;

/// Encoded programs by their schedules, which programs keep.
pub(crate) struct KeptPrograms<F>(Mutex<List<F>>);

impl<F> Default for KeptPrograms<F> {
    fn default() -> Self {
        Self(Mutex::new(Recent::new(MOST)))
    }
}

impl<F: PrimeField> KeptPrograms<F> {
    /// A program for `2^log_height` rows on tables of these heights (log2) and a source of so many parts.
    pub(super) fn get(&self, program: &RowProgram<F>, tables: &[u32], log_height: u32, parts: usize) -> Arc<Encoded> {
        let schedule = program.schedule(tables, log_height);
        // No change of the list can stop halfway.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = list.get(|(other, of)| Arc::ptr_eq(other, &schedule) && *of == parts).cloned();
        known.unwrap_or_else(|| {
            let encoded = Arc::new(encode(program, &schedule, Places::new(program, parts)));
            list.insert((schedule, parts), Arc::clone(&encoded));
            encoded
        })
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
        assert_eq!(kept.0.lock().expect("no panic").keys().count(), MOST);
    }
}
