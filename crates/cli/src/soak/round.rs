//! One statement: its proof, the same elsewhere, cancelled, and no proof of what is false.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Mutex;

use adversary::Bounds;

use super::case::Drawn;
use super::faults::{self, Arm, Reach};
use super::faulty::FaultyDevice;
use super::report::Counts;
use crate::progress::lock;
use crate::protocol::CommandLine;
use sdk::{Class, Device, Error, Follow, ProofSystem, Stage};

/// Of faults in small statements.
const REACH: Reach = Reach { operations: 64, results: 12 };

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
}

/// What came of a part of a round.
enum Trouble {
    /// There was no memory, because somebody else has it.
    NoRoom,
    Wrong(String),
}

impl From<String> for Trouble {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

/// A statement of a run.
pub(super) struct Round<'a> {
    pub(super) number: u64,
    pub(super) seed: u64,
    pub(super) bounds: &'a Bounds,
}

/// Ends nothing.
pub(super) fn go_on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl Round<'_> {
    /// All that is done with the statement; an error says what is wrong.
    pub(super) fn go<F: CommandLine>(&self, pair: &Pair<F>) -> Result<Counts, String> {
        let mut counts = Counts { statements: 1, ..Counts::default() };
        match self.count(pair, &mut counts) {
            Ok(()) => Ok(counts),
            Err(Trouble::NoRoom) => Ok(Counts { no_room: 1, ..counts }),
            Err(Trouble::Wrong(what)) => Err(what),
        }
    }

    fn count<F: CommandLine>(&self, pair: &Pair<F>, counts: &mut Counts) -> Result<(), Trouble> {
        let Self { number, seed, bounds } = *self;
        let Drawn { truth, lies } = F::drawn(seed, bounds);
        // Before the proof: whatever a cancelled one leaves behind, that one meets.
        if number % 4 < 2 {
            let ended = cancel(seed, |follow| truth.prove(&pair.device, follow).map(drop));
            let ended = ended.map_err(|error| trouble(pair, &error, "cancelled, and failed otherwise"))?;
            counts.cancelled += u64::from(ended.ok_or_else(|| PROVEN_ANYWAY.to_owned())?);
        }
        let proven = truth.prove(&pair.device, &go_on).map_err(|error| trouble(pair, &error, "no proof"))?;
        let expected =
            truth.prove(&pair.judge, &go_on).map_err(|error| format!("no proof to compare with: {error}"))?;
        counts.proofs += 1;
        same(&proven.file, &expected.file)?;
        for (what, lie) in lies {
            match lie.prove(&pair.device, &go_on) {
                Err(error) if error.class() == Class::Invalid => counts.refused += 1,
                Err(error) => {
                    return Err(trouble(pair, &error, &format!("changed {what}, refused for another reason")));
                }
                Ok(_) => return Err(format!("changed {what}, and proven").into()),
            }
        }
        match &pair.faulty {
            Some(faulty) => {
                let mut faulty = lock(faulty);
                let prove = |arm: Arm<'_>| {
                    let (proven, struck) = faulty.prove(arm, |device| truth.prove(device, &go_on));
                    (proven.map(|proven| proven.file), struck)
                };
                faults::prove(prove, REACH, seed, &expected.file, counts, |error| pair.is_pardoned(error))
                    .map_err(Trouble::Wrong)
            }
            None => Ok(()),
        }
    }
}

/// An error where there should be none, or another.
fn trouble<F: ProofSystem>(pair: &Pair<F>, error: &Error, what: &str) -> Trouble {
    if pair.is_pardoned(error) { Trouble::NoRoom } else { Trouble::Wrong(format!("{what}: {error}")) }
}

/// What is said of a proof that was cancelled and is there.
pub(super) const PROVEN_ANYWAY: &str = "proven although it was cancelled";

/// Whether two proofs are equal; an error says where they are not.
pub(super) fn same(ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    Err(format!("the proofs differ from byte {at} on, of {} and {} bytes", ours.len(), theirs.len()))
}

/// Ends the proof at a phase that depends on the seed. Whether there was one so late; `None` if it was proven all the same.
pub(super) fn cancel(seed: u64, prove: impl FnOnce(&Follow<'_>) -> Result<(), Error>) -> Result<Option<bool>, Error> {
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
