//! `polystark soak`: random statements, or random Cairo programs, on a device, compared with another, for as long as
//! one likes.

mod case;
mod faults;
mod faulty;
mod hold;
#[cfg(feature = "soak-cairo")]
mod programs;
mod report;
mod round;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use adversary::Bounds;
use clap::Args;

use self::case::{Case, DrawnStatement};
use self::faulty::FaultyDevice;
use self::hold::Holder;
use self::report::{Report, Sample, Tally, resident_bytes};
use self::round::{Pair, Round, Trials, go_on};
use super::arguments::DeviceArguments;
use super::command::Command;
use super::interrupt;
use crate::arguments::values::integer;
use crate::lock::lock;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::hal::{CircleStark, Protocol as _};
use sdk::{DeviceOptions, Goldilocks3, ProofSystem, Registry};

/// Minutes unless said.
const MINUTES: u32 = 10;
/// Log2 of the rows that the largest statement may have.
const LOG_ROWS: Range<i64> = 3..21;
/// The default.
const MAX_LOG_ROWS: u32 = 8;
/// The seed of the statement that is timed.
const FIXED: u64 = 0;

#[derive(Args)]
pub(crate) struct SoakCommand {
    /// Minutes [default: 10, unless --statements says how many]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Statements at most
    #[arg(long, value_name = "N", value_parser = integer)]
    statements: Option<u64>,
    /// The number from which the random statements are drawn
    #[arg(long, value_name = "S", default_value = "1", value_parser = integer)]
    seed: u64,
    /// Prove statement N alone, which a failure has named
    #[arg(long, value_name = "N", value_parser = integer, conflicts_with_all = ["minutes", "statements"])]
    only: Option<u64>,
    /// Statements that are proven at the same time [default: 2; of Cairo programs 1]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u16).range(1..=1024))]
    at_once: Option<u16>,
    /// Log2 of the most rows of a statement, 3 to 20 [default: 8]
    #[arg(long, value_name = "LOG", conflicts_with = "cairo", value_parser = clap::value_parser!(u32).range(LOG_ROWS))]
    max_log_rows: Option<u32>,
    /// Random Cairo programs instead: each must do what another machine says, and is proven once more by the other
    /// backend, which keeps as little as it can
    #[arg(long)]
    cairo: bool,
    /// The backend that must make the same proofs [default: cpu; of cpu, cpu-reference; of Cairo programs cpu]
    #[arg(long, value_name = "BACKEND")]
    against: Option<String>,
    /// Also prove each statement, or program, on a device that fails at some operation, and on one that computes a
    /// wrong value: there must be an error that says so, or the right proof
    #[arg(long)]
    faults: bool,
    /// Another process holds about BYTES bytes of the device, now a little more, now a little less; proofs that then
    /// find too little memory are counted
    #[arg(long, value_name = "BYTES", value_parser = integer)]
    hold: Option<u64>,
    /// Be that process
    #[arg(long, hide = true, requires = "hold")]
    holds: bool,
    #[command(flatten)]
    device: DeviceArguments,
}

impl Command for SoakCommand {
    /// The process that holds memory ends with the one that has started it.
    fn interrupted(&self) -> Option<&'static str> {
        (!self.holds).then_some(interrupt::NOTHING)
    }

    /// Proves until the time is over, or something is wrong.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        if let (true, Some(bytes)) = (self.holds, self.hold) {
            return hold::hold(&self.device, bytes, registry, output);
        }
        let bounds = Bounds { max_log_rows: self.max_log_rows.unwrap_or(MAX_LOG_ROWS), ..Bounds::default() };
        let holder = self.hold.map(|_| Holder::start(self.of_holder())).transpose()?;
        let soak = Soak {
            arguments: self,
            goldilocks: self.open(registry)?,
            circle: self.open(registry)?,
            programs: self.cairo.then(|| programs(self, registry)).transpose()?,
            fixed: DrawnStatement::goldilocks(FIXED, &bounds).truth,
            bounds,
            start: Instant::now(),
            next: AtomicU64::new(self.only.unwrap_or(0)),
            tally: Mutex::default(),
            wrong: Mutex::default(),
        };
        std::thread::scope(|scope| {
            for _ in 0..self.at_once.unwrap_or(if self.cairo { 1 } else { 2 }) {
                scope.spawn(|| soak.work());
            }
        });
        let held = holder.as_ref().map_or(0, |holder| holder.bytes);
        drop(holder);
        if let Some((number, what)) = lock(&soak.wrong).take() {
            let seed = self.seed_of(number);
            let again = self.again(number);
            return Err(Failure::invalid(format!("statement {number} (seed {seed}): {what}\nagain: {again}")));
        }
        let report = Report::new(soak.names(), soak.start.elapsed(), held, &lock(&soak.tally));
        output.result(&report, &report.text())
    }
}

impl SoakCommand {
    /// Both devices of a protocol.
    fn open<F: ProofSystem>(&self, registry: &Registry) -> Result<Pair<F>, Failure> {
        let device = self.device.open::<F>(registry)?;
        let other = if device.capabilities().backend == "cpu" { "cpu-reference" } else { "cpu" };
        let judge = registry.open(self.against.as_deref().unwrap_or(other), &DeviceOptions::default())?;
        // Programs have one of their own.
        let faulty = if self.cairo { None } else { self.faulty(registry)? };
        Ok(Pair { device, judge, faulty, may_lack_memory: self.hold.is_some() })
    }

    /// The device with faults, if that is wanted.
    fn faulty<F: ProofSystem>(&self, registry: &Registry) -> Result<Option<Mutex<FaultyDevice<F>>>, Failure> {
        let open = || Ok(Mutex::new(FaultyDevice::new(self.device.open::<F>(registry)?)));
        self.faults.then(open).transpose()
    }

    /// The arguments of the process that holds memory.
    fn of_holder(&self) -> Vec<String> {
        let hold = self.hold.unwrap_or(0).to_string();
        let own = ["--json", "soak", "--holds", "--hold", &hold].map(str::to_owned);
        own.into_iter().chain(self.device.as_arguments()).collect()
    }

    /// The seed of statement `number`.
    fn seed_of(&self, number: u64) -> u64 {
        self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number)
    }

    /// The command that makes a statement again.
    fn again(&self, number: u64) -> String {
        let Self { seed, max_log_rows, device, .. } = self;
        let mut against = self.against.as_ref().map(|name| format!(" --against {name}")).unwrap_or_default();
        if !self.cairo {
            against += &format!(" --max-log-rows {}", max_log_rows.unwrap_or(MAX_LOG_ROWS));
        }
        for (is_on, flag) in [(self.faults, " --faults"), (self.cairo, " --cairo")] {
            against += if is_on { flag } else { "" };
        }
        let backend = device.backend();
        format!("polystark soak --backend {backend}{against} --seed {seed} --only {number}")
    }
}

#[cfg(feature = "soak-cairo")]
fn programs(arguments: &SoakCommand, registry: &Registry) -> Result<Box<dyn Trials>, Failure> {
    let device = arguments.device.open::<CircleStark>(registry)?.keeping();
    let against = arguments.against.as_deref().unwrap_or("cpu");
    let judge = match against == device.capabilities().backend {
        true => device.clone(),
        false => registry.open::<CircleStark>(against, &DeviceOptions::default())?.keeping(),
    };
    let (faulty, may_lack_memory) = (arguments.faulty(registry)?, arguments.hold.is_some());
    Ok(Box::new(programs::Programs(Pair { device, judge, faulty, may_lack_memory })))
}

#[cfg(not(feature = "soak-cairo"))]
fn programs(_: &SoakCommand, _: &Registry) -> Result<Box<dyn Trials>, Failure> {
    let why = "soak --cairo: this program draws no Cairo programs: build it with polystark's feature `soak-cairo`";
    Err(Failure::usage(why))
}

/// The data that all workers share.
struct Soak<'a> {
    arguments: &'a SoakCommand,
    bounds: Bounds,
    goldilocks: Pair<Goldilocks3>,
    circle: Pair<CircleStark>,
    /// If programs are to be proven, and no statements.
    programs: Option<Box<dyn Trials>>,
    /// A statement whose proofs are timed.
    fixed: Case<Goldilocks3>,
    start: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
    wrong: Mutex<Option<(u64, String)>>,
}

impl Soak<'_> {
    /// Takes statements one after the other.
    fn work(&self) {
        while let Some(number) = self.next() {
            // A panic is a failure of that statement, which must be named.
            let done = catch_unwind(AssertUnwindSafe(|| self.prove(number)));
            if let Err(what) = done.unwrap_or_else(|_| Err("a panic".to_owned())) {
                lock(&self.wrong).get_or_insert((number, what));
            }
        }
    }

    /// The number of the next statement, if there is time for one and nothing is wrong.
    fn next(&self) -> Option<u64> {
        let SoakCommand { minutes, statements, only, .. } = self.arguments;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let end = only.map(|only| only.saturating_add(1)).or(*statements);
        let minutes = minutes.or(if end.is_none() { Some(MINUTES) } else { None });
        let is_late =
            minutes.is_some_and(|minutes| self.start.elapsed() >= Duration::from_secs(60 * u64::from(minutes)));
        let is_over = is_late || end.is_some_and(|end| number >= end) || lock(&self.wrong).is_some();
        (!is_over).then_some(number)
    }

    /// Proves statement `number`, and looks at time and memory now and then.
    fn prove(&self, number: u64) -> Result<(), String> {
        let (seed, bounds) = (self.arguments.seed_of(number), &self.bounds);
        let round = Round { seed, number };
        let (name, counts) = match (&self.programs, number % 2) {
            (Some(programs), _) => ("cairo", programs.go(&round)?),
            (None, 0) => (Goldilocks3::NAME, round.go(&self.goldilocks, DrawnStatement::goldilocks(seed, bounds))?),
            (None, _) => (CircleStark::NAME, round.go(&self.circle, DrawnStatement::circle(seed, bounds))?),
        };
        if lock(&self.tally).add(name, counts)
            && let Some(sample) = self.sample()?
        {
            lock(&self.tally).keep(sample);
        }
        Ok(())
    }

    /// `None` if there was no memory for it.
    fn sample(&self) -> Result<Option<Sample>, String> {
        let start = Instant::now();
        match self.fixed.prove(&self.goldilocks.device, &go_on) {
            Err(error) if self.goldilocks.is_pardoned(&error) => return Ok(None),
            done => done.map_err(|error| format!("the timed statement: {error}"))?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let of_device = [self.goldilocks.device.memory(), self.circle.device.memory()];
        let in_use = of_device.into_iter().map(|memory| memory.map_or(0, |memory| memory.in_use)).sum();
        Ok(Some(Sample { seconds, in_use, resident: resident_bytes() }))
    }

    /// The names of the device and of its judge.
    fn names(&self) -> [String; 2] {
        self.programs.as_ref().map_or_else(|| self.goldilocks.names(), |programs| programs.names())
    }
}
