//! The malicious prover of the Circle protocol. The [`Liar`] has a dial for each [`Lie`]; any other departure from the
//! protocol is a [`Cheat`] for [`prove`].

mod cheat;
mod dials;
mod false_trace;
mod identity;
mod late;
mod lie;
mod prover;
mod words;

use circle_air::Statement;
use circle_proof::CircleOptions;

pub use cheat::{Cheat, Honest, Round};
pub use identity::{Identity, PointSamples, Samples, unit};
pub use late::{choose_values, solve};
pub use lie::Lie;
pub use prover::{Claimed, Forged, prove};
pub use words::{Table, at, coefficients, evaluate, extend, fold};

use dials::Dials;

/// A prover with a dial for each lie. With none turned on its proofs are the honest prover's.
#[derive(Clone)]
pub struct Liar<'a> {
    claimed: Claimed<'a>,
    trace: &'a [Table],
    lies: Vec<Lie>,
    seed: u64,
}

impl<'a> Liar<'a> {
    /// All dials are off. The trace is by component and column, in the order of the rows.
    pub fn new(statement: &'a dyn Statement, trace: &'a [Table], options: CircleOptions) -> Self {
        Self { claimed: Claimed { statement, options }, trace, lies: Vec::new(), seed: 0 }
    }

    /// Turns a dial on. Several may be on at a time.
    pub fn with(mut self, lie: Lie) -> Self {
        self.lies.push(lie);
        self
    }

    /// Chooses the cell, column, query or layer of the lies that have a place.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// A proof of the claim, with its claimed sums; nothing if some lie has nothing to be told about: there are
    /// no lookups, no selectors, no work.
    ///
    /// # Panics
    /// If the statement cannot be recorded, or trace or options do not fit it.
    pub fn prove(&self) -> Option<Forged> {
        let (statement, mut trace) = (self.claimed.statement, self.trace.to_vec());
        for &lie in &self.lies {
            let draw = &mut super::draw(self.seed, lie as u64);
            match lie {
                Lie::Cell => false_trace::cell(statement, &mut trace, draw)?,
                Lie::Multiplicity | Lie::UnbalancedLookup => false_trace::multiplicity(statement, &mut trace, draw)?,
                _ => {}
            }
        }
        let mut dials = Dials::new(&self.lies, self.seed, &self.claimed);
        let forged = dials.can_lie().then(|| prove(&self.claimed, &trace, &mut dials))?;
        dials.have_lied().then_some(forged)
    }
}
