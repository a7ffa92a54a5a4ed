//! Programs as a device runs them, kept for the runs to come: encoded for the interpreter, and the kernels that are
//! generated for them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use field::PrimeField;
use gpu_hal::ir::lowered::{LruCache, Schedule};
use gpu_hal::{Result, RowProgram};
use ir::text::Kernel;
use ir::text::rows::{self, Places};

use super::encode::{Encoded, encode};
use crate::device::DIALECT;

/// Most programs that are kept.
const MOST: usize = 256;

/// A program for a number of rows, tables of some heights and a number of parts of the source.
pub(super) struct Program<K> {
    pub(super) encoded: Encoded,
    /// `None` for one that is interpreted.
    pub(super) own: Option<Arc<OwnKernel<K>>>,
}

/// The kernel of a program's own: one for all programs with this text.
pub(super) struct OwnKernel<K> {
    source: Kernel,
    compiled: OnceLock<K>,
}

/// Programs by their schedules and by how many parts the source has.
type List<F, K> = LruCache<(Arc<Schedule<F>>, usize), Arc<Program<K>>>;

/// Programs by their schedules, which programs keep.
pub(crate) struct KeptPrograms<F, K> {
    list: Mutex<List<F, K>>,
    compiling: Mutex<()>,
}

impl<F, K> Default for KeptPrograms<F, K> {
    fn default() -> Self {
        Self { list: Mutex::new(LruCache::new(MOST)), compiling: Mutex::default() }
    }
}

impl<F: PrimeField, K: Send + Sync> KeptPrograms<F, K> {
    /// A program for `2^log_height` rows on tables of these heights (log2) and a source of `parts` parts. It has a
    /// kernel of its own if that costs no more than `most`.
    pub(super) fn get(
        &self,
        program: &RowProgram<F>,
        (tables, log_height): (&[u32], u32),
        parts: usize,
        most: u32,
    ) -> Arc<Program<K>> {
        let schedule = program.schedule(tables, log_height);
        let mut list = self.list();
        let known = list.get(|(other, of)| Arc::ptr_eq(other, &schedule) && *of == parts).cloned();
        known.unwrap_or_else(|| {
            let places = Places::new(program, parts);
            let own = rows::cost(&schedule).filter(|cost| *cost <= most).map(|_| {
                let source = rows::kernel(program, &schedule, places, DIALECT);
                let mut others = list.values().filter_map(|known| known.own.as_ref());
                let same = others.find(|other| other.source == source).map(Arc::clone);
                same.unwrap_or_else(|| Arc::new(OwnKernel { source, compiled: OnceLock::new() }))
            });
            let made = Arc::new(Program { encoded: encode(program, &schedule, places), own });
            list.insert((schedule, parts), Arc::clone(&made));
            made
        })
    }

    /// The kernel of a program's own. If it is not there yet, the kernels of all planned programs are compiled, on all
    /// cores.
    pub(super) fn compiled<'o>(
        &self,
        own: &'o OwnKernel<K>,
        compile: impl Fn(&Kernel) -> Result<K> + Sync,
    ) -> Result<&'o K> {
        if let Some(compiled) = own.compiled.get() {
            return Ok(compiled);
        }
        let _one_at_a_time = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        let planned: Vec<Arc<OwnKernel<K>>> = self.list().values().filter_map(|known| known.own.clone()).collect();
        let next = AtomicUsize::new(0);
        let compile_planned = || {
            while let Some(own) = planned.get(next.fetch_add(1, Ordering::Relaxed)) {
                // One that does not compile says so where it is run.
                if own.compiled.get().is_none()
                    && let Ok(compiled) = compile(&own.source)
                {
                    own.compiled.get_or_init(|| compiled);
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(planned.len());
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(compile_planned)));
            compile_planned();
        });
        if let Some(compiled) = own.compiled.get() {
            return Ok(compiled);
        }
        let compiled = compile(&own.source)?;
        Ok(own.compiled.get_or_init(|| compiled))
    }

    fn list(&self) -> MutexGuard<'_, List<F, K>> {
        // No change of the list can stop halfway.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use field::M31;
    use gpu_hal::ir::RowRecorder;

    use super::*;

    fn program(is_division: bool) -> RowProgram<M31> {
        let recorder = RowRecorder::<M31>::new(1);
        let word = recorder.input(0) + recorder.row();
        recorder.columns(if is_division { word.int_div_rem(recorder.word(3)).0 } else { word });
        recorder.finish().expect("a program")
    }

    #[test]
    fn a_program_is_encoded_once_for_its_heights_and_parts() {
        let program = program(false);
        let kept = KeptPrograms::<M31, ()>::default();
        let get = |log_height, parts| kept.get(&program, (&[], log_height), parts, 0);
        let first = get(5, 1);
        assert!(Arc::ptr_eq(&first, &get(5, 1)));
        assert!(!Arc::ptr_eq(&first, &get(6, 1)));
        assert!(!Arc::ptr_eq(&first, &get(5, 2)));
        assert!(Arc::ptr_eq(&first, &get(5, 1)));
        (0..MOST).for_each(|more| drop(get(5, 3 + more)));
        assert!(!Arc::ptr_eq(&first, &get(5, 1)));
        assert_eq!(kept.list().keys().count(), MOST);
    }

    #[test]
    fn equal_texts_are_compiled_once_and_with_all_others() {
        let (program, other, division) = (program(false), program(false), program(true));
        let kept = KeptPrograms::<M31, usize>::default();
        let own = |program, log_height, most| kept.get(program, (&[], log_height), 1, most).own.clone();
        let first = own(&program, 5, 100).expect("short");
        assert!(own(&program, 6, 1).is_none(), "too long");
        assert!(own(&division, 6, 100).is_none(), "no kernel has divisions");
        let second = own(&other, 7, 100).expect("short");
        assert!(Arc::ptr_eq(&first, &second));
        let recorder = RowRecorder::<M31>::new(1);
        recorder.columns(recorder.input(0));
        let third = own(&recorder.finish().expect("a program"), 5, 100).expect("short");
        assert!(!Arc::ptr_eq(&first, &third));
        let compilations = AtomicUsize::new(0);
        let compile = |own: &Kernel| {
            compilations.fetch_add(1, Ordering::Relaxed);
            Ok(own.text.len())
        };
        assert_eq!(kept.compiled(&third, compile).ok(), Some(&third.source.text.len()));
        assert_eq!(kept.compiled(&first, compile).ok(), Some(&first.source.text.len()));
        assert_eq!(compilations.into_inner(), 2);
    }
}
