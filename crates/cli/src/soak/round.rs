//! One statement: its proof, the same elsewhere, cancelled, and no proof of a false one.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Mutex;

use super::case::DrawnStatement;
use super::faults::{self, Arm, Reach};
use super::faulty::FaultyDevice;
use super::report::Counts;
use crate::lock::lock;
use sdk::{Class, Device, Error, Follow, ProofSystem, Stage};

/// The reach of faults in small statements.
const REACH: Reach = Reach { operations: 64, results: 12 };

/// Trials of random Cairo programs on a pair of devices.
pub(super) trait Trials: Send + Sync {
    /// The names of both devices.
    fn names(&self) -> [String; 2];

    /// All trials of the program of a round's seed; an error names the fault.
    fn go(&self, round: &Round) -> Result<Counts, String>;
}

/// A device, and one that is trusted to make the right proof.
pub(super) struct Pair<F: ProofSystem> {
    pub(super) device: Device<F>,
    pub(super) judge: Device<F>,
    /// The first with faults, if that is wanted.
    pub(super) faulty: Option<Mutex<FaultyDevice<F>>>,
    /// Whether somebody else takes its memory.
    pub(super) may_lack_memory: bool,
}

impl<F: ProofSystem> Pair<F> {
    /// Whether an error is none of the device's: somebody else has the memory.
    pub(super) fn is_pardoned(&self, error: &Error) -> bool {
        self.may_lack_memory && error.lacks_memory()
    }

    /// An error where there should be none, or another.
    pub(super) fn error(&self, what: &str, error: &Error) -> RoundError {
        if self.is_pardoned(error) { RoundError::OutOfMemory } else { RoundError::Wrong(format!("{what}: {error}")) }
    }

    /// The names of both.
    pub(super) fn names(&self) -> [String; 2] {
        [&self.device, &self.judge].map(|device| {
            let capabilities = device.capabilities();
            format!("{}, {}", capabilities.backend, capabilities.device)
        })
    }
}

/// The trouble of a part of a round.
pub(super) enum RoundError {
    /// There was no memory, because somebody else has it.
    OutOfMemory,
    Wrong(String),
}

impl From<String> for RoundError {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

/// The maker of a proof.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    Device,
    Judge,
}

/// A statement of a run.
pub(super) struct Round {
    pub(super) number: u64,
    pub(super) seed: u64,
}

/// Ends nothing.
pub(super) fn go_on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl Round {
    /// All work on the statement of its seed; an error names the fault.
    pub(super) fn go<F: ProofSystem>(&self, pair: &Pair<F>, drawn: DrawnStatement<F>) -> Result<Counts, String> {
        let DrawnStatement { truth, lies } = drawn;
        let prove = |device: &Device<F>, _: Maker, follow: &Follow<'_>| Ok(((), truth.prove(device, follow)?.file));
        self.trials(pair, REACH, prove, |(), counts| {
            for (what, lie) in lies {
                match lie.prove(&pair.device, &go_on) {
                    Err(error) if error.class() == Class::Invalid => counts.refused += 1,
                    Err(error) => {
                        return Err(pair.error(&format!("changed {what}, refused for another reason"), &error));
                    }
                    Ok(_) => return Err(format!("changed {what}, and proven").into()),
                }
            }
            Ok(())
        })
    }

    /// Proves a true statement, cancelled, on both devices and on the one with faults; `prove` gives the proof and its
    /// bytes. In between `lie` shows that a false statement is not proven.
    pub(super) fn trials<F: ProofSystem, T>(
        &self,
        pair: &Pair<F>,
        reach: Reach,
        prove: impl Fn(&Device<F>, Maker, &Follow<'_>) -> Result<(T, Vec<u8>), Error>,
        lie: impl FnOnce(T, &mut Counts) -> Result<(), RoundError>,
    ) -> Result<Counts, String> {
        let mut counts = Counts { statements: 1, ..Counts::default() };
        let all = || -> Result<(), RoundError> {
            // Before the proof, which meets all that a cancelled one leaves behind.
            if self.number % 4 < 2 {
                let ended = cancel(self.seed, |follow| prove(&pair.device, Maker::Device, follow).map(drop));
                let ended = ended.map_err(|error| pair.error("cancelled, and failed otherwise", &error))?;
                counts.cancelled += u64::from(ended.ok_or_else(|| "proven although it was cancelled".to_owned())?);
            }
            let proven = prove(&pair.device, Maker::Device, &go_on);
            let (proof, file) = proven.map_err(|error| pair.error("no proof", &error))?;
            let expected = prove(&pair.judge, Maker::Judge, &go_on);
            let (_, expected) = expected.map_err(|error| pair.error("no proof to compare with", &error))?;
            counts.proofs += 1;
            same(&file, &expected)?;
            lie(proof, &mut counts)?;
            let Some(faulty) = &pair.faulty else { return Ok(()) };
            let mut faulty = lock(faulty);
            let again = |device: &Device<F>| Ok(prove(device, Maker::Device, &go_on)?.1);
            let with_faults = |arm: Arm<'_>| faulty.prove(arm, again);
            let is_pardoned = |error: &Error| pair.is_pardoned(error);
            Ok(faults::prove(with_faults, reach, self.seed, &expected, &mut counts, is_pardoned)?)
        };
        match all() {
            Ok(()) => Ok(counts),
            Err(RoundError::OutOfMemory) => Ok(Counts { no_room: 1, ..counts }),
            Err(RoundError::Wrong(what)) => Err(what),
        }
    }
}

/// Whether two proofs are equal; an error says where they are not.
fn same(ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    Err(format!("the proofs differ from byte {at} on, of {} and {} bytes", ours.len(), theirs.len()))
}

/// Ends the proof at a phase that depends on the seed. Whether there was one so late; `None` if it was proven all the
/// same.
fn cancel(seed: u64, prove: impl FnOnce(&Follow<'_>) -> Result<(), Error>) -> Result<Option<bool>, Error> {
    let (left, is_ended) = (Cell::new(seed / 4 % Stage::all().count() as u64), Cell::new(false));
    // A stage that lasts is asked about again and again, by the clock.
    let last = Cell::new(None);
    let follow = |stage: Stage| match (stage, left.get()) {
        // Others hold the memory: that is no phase.
        (Stage::Wait, _) => ControlFlow::Continue(()),
        (stage, _) if last.replace(Some(stage)) == Some(stage) => ControlFlow::Continue(()),
        (_, 0) => {
            is_ended.set(true);
            ControlFlow::Break(())
        }
        (_, phases) => {
            left.set(phases - 1);
            ControlFlow::Continue(())
        }
    };
    match prove(&follow) {
        Err(Error::Cancelled(_)) => Ok(Some(true)),
        Ok(()) => Ok((!is_ended.get()).then_some(false)),
        Err(error) => Err(error),
    }
}
