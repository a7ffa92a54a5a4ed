//! One statement: its proof, the same elsewhere, cancelled, and no proof of what is false.

use std::cell::Cell;
use std::ops::ControlFlow;

use adversary::Bounds;

use super::case::{Case, Soaked};
use super::report::Counts;
use crate::{Class, Device, Driven, Error, Stage};

/// A device, and one that is trusted to make the right proof.
pub(super) struct Pair<F: Driven> {
    pub(super) device: Device<F>,
    pub(super) judge: Device<F>,
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
    pub(super) fn go<F: Soaked>(&self, pair: &Pair<F>) -> Result<Counts, String> {
        let Self { number, seed, bounds } = *self;
        let truth = F::truth(seed, bounds);
        let mut counts = Counts { statements: 1, ..Counts::default() };
        // Before the proof: whatever a cancelled one leaves behind, that one meets.
        if number % 4 < 2 {
            counts.cancelled += u64::from(cancel(&truth, &pair.device, seed)?);
        }
        let proven = truth.prove(&pair.device, &go_on).map_err(|error| format!("no proof: {error}"))?;
        let expected =
            truth.prove(&pair.judge, &go_on).map_err(|error| format!("no proof to compare with: {error}"))?;
        counts.proofs += 1;
        if proven.file != expected.file {
            let (ours, theirs) = (&proven.file, &expected.file);
            let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
            let lengths = [ours.len(), theirs.len()];
            return Err(format!("the proofs differ from byte {at} on, of {} and {} bytes", lengths[0], lengths[1]));
        }
        for (what, lie) in F::lies(seed, bounds) {
            match lie.prove(&pair.device, &go_on) {
                Err(error) if error.class() == Class::Invalid => counts.refused += 1,
                Err(error) => return Err(format!("changed {what}, refused for another reason: {error}")),
                Ok(_) => return Err(format!("changed {what}, and proven")),
            }
        }
        Ok(counts)
    }
}

/// Ends the proof at a phase that depends on the seed. Whether there was one so late.
fn cancel<F: Soaked>(case: &Case<F>, device: &Device<F>, seed: u64) -> Result<bool, String> {
    let (left, is_ended) = (Cell::new(seed / 4 % Stage::all().count() as u64), Cell::new(false));
    let follow = |stage: Stage| match (stage, left.get()) {
        // Others hold the memory: that is no phase.
        (Stage::Wait, _) => ControlFlow::Continue(()),
        (_, 0) => {
            is_ended.set(true);
            ControlFlow::Break(())
        }
        (_, phases) => {
            left.set(phases - 1);
            ControlFlow::Continue(())
        }
    };
    match case.prove(device, &follow) {
        Err(Error::Cancelled(_)) => Ok(true),
        Ok(_) if is_ended.get() => Err("proven although it was cancelled".to_owned()),
        Ok(_) => Ok(false),
        Err(error) => Err(format!("cancelled, and failed otherwise: {error}")),
    }
}
