//! A batch of the library: its proofs share a device that does not hold what all of them would keep.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use polystark::backend_cpu::Cpu;
use polystark::cairo::file::Format;
use polystark::cairo_run::{self, Loaded};
use polystark::circle_proof::CircleOptions;
use polystark::hal::CircleStark;
use polystark::prover::Phase;
use polystark::prover::circle::Keep;
use polystark::{CAIRO_OPTIONS, CairoProven, CairoRequest, Device, Error, Flow, Job, Stage};

fn vectors(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo").join(path)
}

/// `tiny` with another blowup, which has other preprocessed columns.
struct Tiny {
    options: CircleOptions,
    /// Cancelled before this phase.
    ends_before: Option<Phase>,
    loads: AtomicUsize,
    finished: Mutex<Vec<Result<Vec<u8>, Error>>>,
}

impl Tiny {
    fn new(log_blowup: u32, ends_before: Option<Phase>) -> Self {
        let options = CircleOptions { log_blowup, queries: 3, pow_bits: 5, ..CAIRO_OPTIONS };
        Self { options, ends_before, loads: AtomicUsize::new(0), finished: Mutex::default() }
    }

    fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    /// How it was finished.
    fn result(&self) -> Result<Vec<u8>, Error> {
        let mut finished = self.finished.lock().unwrap();
        assert_eq!(finished.len(), 1, "a job is finished once");
        finished.pop().unwrap()
    }
}

impl Job<CircleStark> for Tiny {
    type Loaded = Loaded;
    type Proven = CairoProven;
    type Statement<'a> = CairoRequest<'a>;
    type Error = Error;

    fn load(&self) -> Result<Loaded, Error> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let program = std::fs::read(vectors("programs/tiny.json")).unwrap();
        Ok(cairo_run::load(&program, &cairo_run::Options::default())?)
    }

    fn statement<'a>(&self, loaded: &'a Loaded) -> Result<CairoRequest<'a>, Error> {
        // A proof that keeps less of its columns would take less memory.
        Ok(CairoRequest { options: self.options, keep: Some(Keep::All), ..CairoRequest::new(loaded)? })
    }

    fn follow(&self, stage: Stage) -> ControlFlow<()> {
        match stage {
            Stage::Prove(phase) if Some(phase) == self.ends_before => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn finish(&self, proven: Result<(&Loaded, CairoProven), Error>) {
        let proof = proven.map(|(loaded, proven)| {
            assert_eq!(loaded.output, proven.verified.stated.output);
            proven.file(Format::Bincode).unwrap()
        });
        self.finished.lock().unwrap().push(proof);
    }
}

/// A device with no more memory than a job takes alone: beside the preprocessed columns of another blowup there is no
/// proof of it.
fn room_for(job: &Tiny) -> Device<CircleStark> {
    let loaded = job.load().unwrap();
    let plan = Device::new(Cpu::new()).plan(&job.statement(&loaded).unwrap()).unwrap().device;
    Device::new(Cpu::with_memory_limit(plan.peak_bytes.max(plan.preparation_bytes)))
}

fn flow(proofs: usize, ahead: usize) -> Flow {
    let [proofs, ahead] = [proofs, ahead].map(|number| NonZero::new(number).unwrap());
    Flow { proofs, ahead }
}

#[test]
fn proofs_wait_for_memory_and_none_is_refused() {
    let jobs = [Tiny::new(2, None), Tiny::new(1, None), Tiny::new(1, None), Tiny::new(1, Some(Phase::Composition))];
    let device = room_for(&jobs[0]);
    device.prove_batch(&jobs, flow(2, 3));
    let [higher, first, second, cancelled] = jobs.map(|job| job.result());
    let vector = std::fs::read(vectors("proofs/tiny.small.low.bincode")).unwrap();
    assert!(first.unwrap() == vector && second.unwrap() == vector);
    assert!(!higher.unwrap().is_empty());
    assert!(matches!(cancelled, Err(Error::Cancelled(Stage::Prove(Phase::Composition)))), "{cancelled:?}");
    assert_eq!(device.memory().unwrap().in_use, 0, "nothing is kept");
}

#[test]
fn a_proof_that_finds_no_memory_comes_last() {
    let jobs = [Tiny::new(1, None), Tiny::new(2, None), Tiny::new(1, None)];
    let device = room_for(&jobs[1]);
    device.prove_batch(&jobs, flow(1, 1));
    // Once to see its memory.
    assert_eq!(jobs.each_ref().map(Tiny::loads), [1, 1 + 2, 1]);
    assert!(jobs.iter().all(|job| job.result().is_ok()));
    assert_eq!(device.memory().unwrap().in_use, 0, "nothing is kept");
}

#[test]
fn what_never_fits_is_refused_with_what_it_takes() {
    let jobs = [Tiny::new(1, None), Tiny::new(1, None)];
    let device = Device::new(Cpu::with_memory_limit(1 << 20));
    device.prove_batch(&jobs, device.flow().unwrap());
    for job in jobs {
        let error = job.result().unwrap_err();
        assert!(error.missing_memory().is_some_and(|(needed, available)| needed > available), "{error}");
    }
}
