//! Columns that are made while a program runs: the same proofs, errors in order, and nothing left behind.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use backend_cpu::Cpu;
use cairo::file::Format;
use cairo::preprocessed::Variant;
use cairo_run::{Loaded, RunSigns};
use circle_proof::{CircleOptions, Suite};
use gpu_hal::decorate::{Call, Hook, Hooked};
use gpu_hal::op::Outcome;
use gpu_hal::{CancelToken, CircleStark, ErrorKind, HalError, Operation, StarkBackend};

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

/// More than the machine's memory at the moment says, which other tests take from.
const ROOM: u64 = 64 << 30;

/// The device does something odd with the first tree, the one of the columns.
enum Odd {
    /// It counts trees.
    Counts(AtomicUsize),
    /// It fails.
    Fails,
    /// It works until it is stopped, and says that it is at work.
    Waits(AtomicBool),
}

struct OddHook(Odd);

impl<B: StarkBackend> Hook<B> for OddHook {
    fn around<R>(
        &self,
        _: &B,
        call: Call,
        run: impl FnOnce() -> gpu_hal::Result<R>,
        _: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> gpu_hal::Result<R> {
        if call.operation != Operation::Merkle {
            return run();
        }
        match &self.0 {
            Odd::Counts(trees) => drop(trees.fetch_add(1, Ordering::SeqCst)),
            Odd::Fails => return Err(HalError::new(ErrorKind::Backend, call.operation, "it fell into the sea")),
            Odd::Waits(works) => {
                works.store(true, Ordering::SeqCst);
                let stop = CancelToken::here();
                wait(|| stop.is_stopped());
            }
        }
        run()
    }
}

/// Waits for something that comes soon.
fn wait(is_there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(100), "it does not come");
        std::thread::yield_now();
    }
}

fn odd(odd: Odd) -> (Arc<OddHook>, Device<CircleStark>) {
    let hook = Arc::new(OddHook(odd));
    let device = Device::new(Hooked::with_hook(Cpu::<CircleStark>::with_memory_limit(ROOM), hook.clone()));
    (hook, device.keeping())
}

fn trees(hook: &OddHook) -> usize {
    match &hook.0 {
        Odd::Counts(trees) => trees.load(Ordering::SeqCst),
        Odd::Fails | Odd::Waits(_) => 0,
    }
}

fn waits() -> Odd {
    Odd::Waits(AtomicBool::new(false))
}

/// Until the device is at work, if it is one that waits.
fn at_work(hook: &OddHook) {
    if let Odd::Waits(works) = &hook.0 {
        wait(|| works.load(Ordering::SeqCst));
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
    let (hook, device) = odd(Odd::Counts(AtomicUsize::new(0)));
    let known = known(Some(Variant::CanonicalSmall), OPTIONS);
    let (loaded, made) = after_the_device(&known, &device).unwrap();
    assert!(made.unwrap() > Duration::ZERO);
    assert_eq!(trees(&hook), 1);
    let request = CairoRequest { options: OPTIONS, ..CairoRequest::new(&loaded).unwrap() };
    let file = |device: &Device<CircleStark>| device.prove(&request).unwrap().file(Format::Bincode).unwrap();
    let before = trees(&hook);
    assert!(file(&device) == vector);
    let with = trees(&hook) - before;
    // One that makes them itself makes a tree more.
    let (other, alone) = odd(Odd::Counts(AtomicUsize::new(0)));
    assert!(file(&alone) == vector);
    assert_eq!(trees(&other), with + 1);
    drop((device, alone));
}

/// The run of a batch's job ends when the device has its columns, and those of all others that wait.
struct Small {
    known: CairoAhead,
    fails: bool,
    together: Arc<Barrier>,
    made: AtomicBool,
    finished: Mutex<Option<Result<Vec<u8>, Error>>>,
}

impl Small {
    fn new(options: CircleOptions, fails: bool, together: &Arc<Barrier>) -> Self {
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
        self.together.wait();
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
    let together = Arc::new(Barrier::new(3));
    let suites = [Suite::Blake2s, Suite::Blake2sM31, Suite::Blake2s];
    let jobs = suites.map(|suite| Small::new(CircleOptions { suite, ..OPTIONS }, false, &together));
    let (hook, device) = odd(Odd::Counts(AtomicUsize::new(0)));
    device.prove_batch(&jobs, flow(1, 3));
    let [first, other, third] = jobs.map(Small::result);
    let vector = std::fs::read(vectors("proofs/tiny.small.low.bincode")).unwrap();
    assert!(first.unwrap() == vector && third.unwrap() == vector && other.unwrap() != vector);
    // Two trees of columns, and those of three proofs.
    let made = trees(&hook);
    let loaded = load(&RunSigns::default()).unwrap();
    let request = CairoRequest { options: OPTIONS, ..CairoRequest::new(&loaded).unwrap() };
    device.prove(&request).unwrap();
    let alone = trees(&hook) - made;
    assert_eq!(made, 3 * (alone - 1) + 2);
}

#[test]
fn a_program_that_fails_says_so_and_the_device_stops() {
    for how in [waits(), Odd::Fails] {
        let (hook, device) = odd(how);
        let known = known(None, OPTIONS);
        let load = || {
            known.signs.begin();
            at_work(&hook);
            Err::<Loaded, _>(Error::NoThreads)
        };
        let ended = load_beside(|loading| known.make(&device, loading), load, &goes_on);
        assert!(matches!(ended, Err(Error::NoThreads)));
        assert_eq!(device.memory().unwrap().in_use, 0);
    }
    let alone = Arc::new(Barrier::new(1));
    let jobs = [Small::new(OPTIONS, true, &alone), Small::new(OPTIONS, false, &alone)];
    let (_, device) = odd(Odd::Counts(AtomicUsize::new(0)));
    device.prove_batch(&jobs, flow(1, 1));
    let [failed, proven] = jobs.map(Small::result);
    assert!(matches!(failed, Err(Error::NoThreads)) && proven.is_ok());
    assert_eq!(device.memory().unwrap().in_use, 0);
}

#[test]
fn a_device_that_fails_says_so_after_the_run() {
    let (_, device) = odd(Odd::Fails);
    let (loaded, made) = after_the_device(&known(None, OPTIONS), &device).unwrap();
    let error = made.unwrap_err();
    assert!(error.to_string().contains("it fell into the sea"), "{error}");
    assert_eq!(loaded.steps, load(&RunSigns::default()).unwrap().steps);
    assert_eq!(device.memory().unwrap().in_use, 0);
    let jobs = [Small::new(OPTIONS, false, &Arc::new(Barrier::new(1)))];
    device.prove_batch(&jobs, flow(1, 1));
    let [failed] = jobs.map(Small::result);
    assert!(failed.unwrap_err().to_string().contains("it fell into the sea"));
}

/// While the program runs, and while the device is waited for.
#[test]
fn both_are_cancelled() {
    let (hook, device) = odd(waits());
    let known = known(None, OPTIONS);
    let stopped = || {
        known.signs.begin();
        at_work(&hook);
        let options = cairo_run::Options::default();
        options.stop.stop();
        let program = std::fs::read(vectors("programs/mixed_100k.json")).unwrap();
        Ok::<_, Error>(cairo_run::load(&program, &options)?)
    };
    let ended = load_beside(|loading| known.make(&device, loading), stopped, &goes_on);
    assert!(matches!(ended, Err(Error::Cancelled(Stage::Trace))), "{:?}", ended.map(drop));
    assert_eq!(device.memory().unwrap().in_use, 0);

    let (hook, device) = odd(waits());
    let load = || {
        known.signs.begin();
        at_work(&hook);
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
    let plan = request.plan(&Device::new(Cpu::new())).unwrap().device;
    let limited = || Device::<CircleStark>::new(Cpu::with_memory_limit(plan.preparation_bytes)).keeping();
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
