//! Columns that are made while a program runs: the same proofs, errors in order, and nothing left behind.

mod device;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cairo::file::Format;
use cairo::preprocessed::Variant;
use cairo_run::{Loaded, RunSigns};
use circle_proof::{CircleOptions, Suite};
use device::Odd;
use gpu_hal::CircleStark;

use super::{CAIRO_OPTIONS, CairoAhead, CairoProven, CairoRequest};
use crate::batch::{Flow, Job, Loading, load_beside};
use crate::devices::device::Device;
use crate::error::Error;
use crate::stage::Stage;
use crate::statements::statement::Statement as _;

fn vectors(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo").join(path)
}

const OPTIONS: CircleOptions = CircleOptions { queries: 3, pow_bits: 5, ..CAIRO_OPTIONS };

fn known(variant: Option<Variant>, options: CircleOptions) -> CairoAhead {
    CairoAhead { variant, options, signs: RunSigns::default() }
}

/// Runs a program.
fn load(signs: &RunSigns) -> Result<Loaded, Error> {
    let program = std::fs::read(vectors("programs/tiny.json")).unwrap();
    Ok(cairo_run::load(&program, &cairo_run::Options { signs: signs.clone(), ..Default::default() })?)
}

/// Waits for something that comes soon.
fn wait(is_there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(100), "it does not come");
        std::thread::yield_now();
    }
}

fn goes_on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Loads once the device has made its columns, or failed.
fn after_the_device(
    known: &CairoAhead,
    device: &Device<CircleStark>,
) -> Result<(Loaded, Result<Duration, Error>), Error> {
    let (tell, told) = std::sync::mpsc::channel();
    let ahead = |loading: &Loading| {
        let made = known.make(device, loading);
        tell.send(()).unwrap();
        made
    };
    let load = || {
        known.signs.begin();
        told.recv().unwrap();
        load(&known.signs)
    };
    load_beside(ahead, load, &goes_on)
}

#[test]
fn a_proof_takes_the_columns_that_are_made_while_its_program_runs() {
    let vector = std::fs::read(vectors("proofs/tiny.small.low.bincode")).unwrap();
    let (odd, device) = Odd::counts().device();
    let known = known(Some(Variant::CanonicalSmall), OPTIONS);
    let (loaded, made) = after_the_device(&known, &device).unwrap();
    assert!(made.unwrap() > Duration::ZERO);
    assert_eq!(odd.trees(), 1);
    let request = CairoRequest { options: OPTIONS, ..CairoRequest::new(&loaded).unwrap() };
    let file = |device: &Device<CircleStark>| device.prove(&request).unwrap().file(Format::Bincode).unwrap();
    let before = odd.trees();
    assert!(file(&device) == vector);
    let with = odd.trees() - before;
    // One that makes them itself makes a tree more.
    let (other, alone) = Odd::counts().device();
    assert!(file(&alone) == vector);
    assert_eq!(other.trees(), with + 1);
    drop((device, alone));
}

/// The place where the runs of a batch meet before any of them ends.
struct Meeting {
    runs: usize,
    arrived: AtomicUsize,
    odd: Arc<Odd>,
    /// Trees that the device has made when the last run arrives.
    trees: Mutex<Option<usize>>,
}

impl Meeting {
    fn of(runs: usize, odd: &Arc<Odd>) -> Arc<Self> {
        Arc::new(Self { runs, arrived: AtomicUsize::new(0), odd: odd.clone(), trees: Mutex::default() })
    }

    /// Waits for the others.
    fn meet(&self) {
        if self.arrived.fetch_add(1, Ordering::SeqCst) + 1 == self.runs {
            *self.trees.lock().unwrap() = Some(self.odd.trees());
        }
        wait(|| self.trees.lock().unwrap().is_some());
    }
}

/// The run of a batch's job ends when the device has its columns, and those of all others that wait.
struct Small {
    known: CairoAhead,
    fails: bool,
    together: Arc<Meeting>,
    made: AtomicBool,
    finished: Mutex<Option<Result<Vec<u8>, Error>>>,
}

impl Small {
    fn new(options: CircleOptions, fails: bool, together: &Arc<Meeting>) -> Self {
        let known = known(Some(Variant::CanonicalSmall), options);
        Self { known, fails, together: together.clone(), made: AtomicBool::new(false), finished: Mutex::default() }
    }

    fn result(self) -> Result<Vec<u8>, Error> {
        self.finished.into_inner().unwrap().expect("it is finished")
    }
}

impl Job<CircleStark> for Small {
    type Loaded = Loaded;
    type Proven = CairoProven;
    type Statement<'a> = CairoRequest<'a>;
    type Error = Error;

    fn load(&self) -> Result<Loaded, Error> {
        self.known.signs.begin();
        wait(|| self.made.load(Ordering::SeqCst));
        self.together.meet();
        if self.fails { Err(Error::NoThreads) } else { load(&self.known.signs) }
    }

    fn ahead(&self, device: &Device<CircleStark>, loading: &Loading) -> Result<(), Error> {
        let made = self.known.make(device, loading);
        self.made.store(true, Ordering::SeqCst);
        made.map(drop)
    }

    fn statement<'a>(&self, loaded: &'a Loaded) -> Result<CairoRequest<'a>, Error> {
        Ok(CairoRequest { options: self.known.options, ..CairoRequest::new(loaded)? })
    }

    fn finish(&self, proven: Result<(&Loaded, CairoProven), Error>) {
        let file = proven.map(|(_, proven)| proven.file(Format::Bincode).unwrap());
        assert!(self.finished.lock().unwrap().replace(file).is_none(), "a job is finished once");
    }
}

fn flow(proofs: usize, ahead: usize) -> Flow {
    let [proofs, ahead] = [proofs, ahead].map(|number| NonZero::new(number).unwrap());
    Flow { proofs, ahead }
}

#[test]
fn a_batch_makes_the_columns_of_its_first_jobs_while_they_run() {
    let (odd, device) = Odd::counts().device();
    let together = Meeting::of(3, &odd);
    let suites = [Suite::Blake2s, Suite::Blake2sM31, Suite::Blake2s];
    let jobs = suites.map(|suite| Small::new(CircleOptions { suite, ..OPTIONS }, false, &together));
    device.prove_batch(&jobs, flow(1, 3));
    let [first, other, third] = jobs.map(Small::result);
    let vector = std::fs::read(vectors("proofs/tiny.small.low.bincode")).unwrap();
    assert!(first.unwrap() == vector && third.unwrap() == vector && other.unwrap() != vector);
    // Two trees of columns while the programs ran, and then those of three proofs.
    assert_eq!(*together.trees.lock().unwrap(), Some(2));
    let made = odd.trees();
    let loaded = load(&RunSigns::default()).unwrap();
    let request = CairoRequest { options: OPTIONS, ..CairoRequest::new(&loaded).unwrap() };
    device.prove(&request).unwrap();
    let alone = odd.trees() - made;
    assert_eq!(made, 3 * (alone - 1) + 2);
}

#[test]
fn a_program_that_fails_says_so_and_the_device_stops() {
    for how in [Odd::waits(), Odd::Fails] {
        let (odd, device) = how.device();
        let known = known(None, OPTIONS);
        let load = || {
            known.signs.begin();
            odd.at_work();
            Err::<Loaded, _>(Error::NoThreads)
        };
        let ended = load_beside(|loading| known.make(&device, loading), load, &goes_on);
        assert!(matches!(ended, Err(Error::NoThreads)));
        assert_eq!(device.memory().unwrap().in_use, 0);
    }
    let (odd, device) = Odd::counts().device();
    let alone = Meeting::of(1, &odd);
    let jobs = [Small::new(OPTIONS, true, &alone), Small::new(OPTIONS, false, &alone)];
    device.prove_batch(&jobs, flow(1, 1));
    let [failed, proven] = jobs.map(Small::result);
    assert!(matches!(failed, Err(Error::NoThreads)) && proven.is_ok());
    assert_eq!(device.memory().unwrap().in_use, 0);
}

#[test]
fn a_device_that_fails_says_so_after_the_run() {
    let (odd, device) = Odd::Fails.device();
    let (loaded, made) = after_the_device(&known(None, OPTIONS), &device).unwrap();
    let error = made.unwrap_err();
    assert!(error.to_string().contains("it fell into the sea"), "{error}");
    assert_eq!(loaded.steps, load(&RunSigns::default()).unwrap().steps);
    assert_eq!(device.memory().unwrap().in_use, 0);
    let jobs = [Small::new(OPTIONS, false, &Meeting::of(1, &odd))];
    device.prove_batch(&jobs, flow(1, 1));
    let [failed] = jobs.map(Small::result);
    assert!(failed.unwrap_err().to_string().contains("it fell into the sea"));
    // The proof of a job makes columns that could not be made beside its run.
    let (odd, device) = Odd::fails_once().device();
    let jobs = [Small::new(OPTIONS, false, &Meeting::of(1, &odd))];
    device.prove_batch(&jobs, flow(1, 1));
    let [proven] = jobs.map(Small::result);
    assert!(proven.unwrap() == std::fs::read(vectors("proofs/tiny.small.low.bincode")).unwrap());
}

/// While the program runs, and while the device is waited for.
#[test]
fn both_are_cancelled() {
    let (odd, device) = Odd::waits().device();
    let known = known(None, OPTIONS);
    let stopped = || {
        known.signs.begin();
        odd.at_work();
        let options = cairo_run::Options::default();
        options.stop.stop();
        let program = std::fs::read(vectors("programs/mixed_100k.json")).unwrap();
        Ok::<_, Error>(cairo_run::load(&program, &options)?)
    };
    let ended = load_beside(|loading| known.make(&device, loading), stopped, &goes_on);
    assert!(matches!(ended, Err(Error::Cancelled(Stage::Trace))), "{:?}", ended.map(drop));
    assert_eq!(device.memory().unwrap().in_use, 0);

    let (odd, device) = Odd::waits().device();
    let load = || {
        known.signs.begin();
        odd.at_work();
        load(&known.signs)
    };
    let asked = Mutex::new(Vec::new());
    let stop_waiting = |stage| {
        asked.lock().unwrap().push(stage);
        ControlFlow::Break(())
    };
    let ended = load_beside(|loading| known.make(&device, loading), load, &stop_waiting);
    assert!(matches!(ended, Err(Error::Cancelled(Stage::Columns))), "{:?}", ended.map(drop));
    assert_eq!(asked.into_inner().unwrap(), [Stage::Columns]);
    assert_eq!(device.memory().unwrap().in_use, 0);
}

/// Later signs of the run decide. Here there is no room for what it takes then, and the other columns go.
#[test]
fn columns_of_a_variant_that_the_run_does_not_take_are_given_back() {
    let loaded = load(&RunSigns::default()).unwrap();
    let request = CairoRequest { options: OPTIONS, ..CairoRequest::new(&loaded).unwrap() };
    let plan = request.plan(&Odd::counts().device().1).unwrap().device;
    let limited = || Odd::counts().device_of(plan.preparation_bytes).1;
    let (device, known) = (limited(), known(None, OPTIONS));
    let in_use = || device.memory().unwrap().in_use;
    let load = || {
        known.signs.begin();
        wait(|| in_use() > 0);
        known.signs.show(false, true, 0);
        wait(|| in_use() == 0);
        Ok::<_, Error>(())
    };
    load_beside(|loading| known.make(&device, loading), load, &goes_on).unwrap().1.unwrap();
    // A proof that takes others lets go of them, too.
    let device = limited();
    after_the_device(&self::known(Some(Variant::CanonicalSmall), OPTIONS), &device).unwrap().1.unwrap();
    assert!(device.memory().unwrap().in_use > 0);
    let other = CairoRequest { variant: Variant::CanonicalWithoutPedersen, ..request };
    let error = device.prove(&other).map(drop).unwrap_err();
    let (_, available) = error.missing_memory().expect("it is too large");
    assert_eq!((available, device.memory().unwrap().in_use), (plan.preparation_bytes, 0));
}
