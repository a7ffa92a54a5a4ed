//! Two stages of work on threads: statements are loaded ahead, and proven.

use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many jobs of a batch are at work at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Proofs. One that finds no memory beside the others waits for them.
    pub proofs: NonZero<usize>,
    /// Statements that are being loaded, or are loaded and wait for their proof. None but the first is begun while less
    /// than a quarter is free of the host's memory that was free at the start.
    pub ahead: NonZero<usize>,
}

/// How long a run that lacks memory is not tried again.
const PATIENCE: Duration = Duration::from_millis(50);

/// The state that the threads making runs share.
#[derive(Default)]
struct Begun {
    /// Jobs whose runs are begun.
    jobs: usize,
    /// Runs that are there: being made, waiting, being proven.
    runs: usize,
}

/// Makes the runs of all jobs by `load`, in order, and hands each to `prove`. No run is begun without room, unless it
/// is the only one.
pub(super) fn run<'a, J: Sync, R: Send>(
    jobs: &'a [J],
    flow: Flow,
    has_room: impl Fn() -> bool + Sync,
    load: impl Fn(&'a J) -> R + Sync,
    prove: impl Fn(&'a J, R) + Sync,
) {
    let begun = Mutex::new(Begun::default());
    // A thread that has made a run keeps it until somebody takes it: `ahead` threads have as many runs.
    let (ready, taken) = sync_channel(0);
    let taken = Arc::new(Mutex::new(taken));
    let (begun, has_room, load, prove) = (&begun, &has_room, &load, &prove);
    thread::scope(|scope| {
        for _ in 0..flow.ahead.get().min(jobs.len()) {
            let ready = ready.clone();
            scope.spawn(move || {
                while let Some((job, counted)) = begin(begun, jobs, has_room) {
                    if ready.send((job, load(job), counted)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(ready);
        for _ in 0..flow.proofs.get().min(jobs.len()) {
            // The last of these threads takes the receiver with it, so that nobody waits for one.
            let taken = taken.clone();
            scope.spawn(move || {
                let next = || lock(&taken).recv();
                while let Ok((job, run, counted)) = next() {
                    prove(job, run);
                    drop(counted);
                }
            });
        }
        drop(taken);
    });
}

/// One of [`Begun::runs`] as long as it lives: a run that ends by a panic is counted no longer, too.
struct CountedRun<'a>(&'a Mutex<Begun>);

impl Drop for CountedRun<'_> {
    fn drop(&mut self) {
        lock(self.0).runs -= 1;
    }
}

/// The next job, when its run may begin.
fn begin<'a, 'b, J>(
    begun: &'b Mutex<Begun>,
    jobs: &'a [J],
    has_room: impl Fn() -> bool,
) -> Option<(&'a J, CountedRun<'b>)> {
    loop {
        {
            let mut state = lock(begun);
            let job = jobs.get(state.jobs)?;
            if state.runs == 0 || has_room() {
                state.jobs += 1;
                state.runs += 1;
                return Some((job, CountedRun(begun)));
            }
        }
        thread::sleep(PATIENCE);
    }
}

/// No update can stop halfway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts threads that are in a place at the same time.
    #[derive(Default)]
    struct Crowd {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl Crowd {
        fn enter(&self) {
            self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        }

        fn leave(&self) {
            self.now.fetch_sub(1, Ordering::SeqCst);
        }

        fn most(&self) -> usize {
            self.most.load(Ordering::SeqCst)
        }
    }

    /// The jobs in the order of their proofs; most proofs, and most runs, that there were at the same time.
    fn worked(jobs: usize, proofs: usize, ahead: usize, has_room: bool) -> (Vec<usize>, usize, usize) {
        let jobs: Vec<usize> = (0..jobs).collect();
        let flow = Flow { proofs: NonZero::new(proofs).unwrap(), ahead: NonZero::new(ahead).unwrap() };
        let (proving, runs, done) = (Crowd::default(), Crowd::default(), Mutex::new(Vec::new()));
        let load = |job: &usize| {
            runs.enter();
            *job
        };
        run(
            &jobs,
            flow,
            || has_room,
            load,
            |job, run| {
                proving.enter();
                thread::sleep(Duration::from_millis(2));
                assert_eq!(*job, run);
                lock(&done).push(run);
                proving.leave();
                runs.leave();
            },
        );
        (done.into_inner().unwrap(), proving.most(), runs.most())
    }

    #[test]
    fn all_jobs_are_done_in_bounds() {
        assert_eq!(worked(0, 2, 2, true).0, Vec::<usize>::new());
        assert_eq!(worked(20, 1, 1, true).0, Vec::from_iter(0..20));
        for (proofs, ahead) in [(1, 3), (3, 1), (2, 4)] {
            let (mut done, proving, runs) = worked(40, proofs, ahead, true);
            done.sort_unstable();
            assert_eq!(done, Vec::from_iter(0..40));
            assert_eq!(proving, proofs, "so many proofs at the same time");
            assert!((proofs + 1..=proofs + ahead).contains(&runs), "{proofs} proofs and {ahead} ahead: {runs} runs");
        }
    }

    #[test]
    fn without_room_there_is_one_run() {
        let (done, _, runs) = worked(5, 2, 4, false);
        assert_eq!((done, runs), (Vec::from_iter(0..5), 1));
    }

    #[test]
    fn a_panic_ends_the_batch() {
        let flow = Flow { proofs: NonZero::<usize>::MIN, ahead: NonZero::<usize>::MIN };
        for has_room in [true, false] {
            let proof = || run(&[1, 2, 3], flow, || has_room, |job| *job, |_, _: i32| panic!("as a test wants it"));
            assert!(std::panic::catch_unwind(proof).is_err());
            let load = || run(&[1, 2, 3], flow, || has_room, |_| panic!("as a test wants it"), |_, _: i32| ());
            assert!(std::panic::catch_unwind(load).is_err());
        }
    }
}
