//! The malicious prover of the Goldilocks protocol. The [`Liar`] has a dial for each [`Lie`]; any other departure from
//! the protocol is a [`Cheat`] for [`prove`].

mod cheat;
mod dials;
mod false_trace;
mod identity;
mod leaves;
mod lie;
mod prover;
mod words;

use air::{Air, Trace, record};
use field::Goldilocks;
use goldilocks_proof::{Proof, Seed, encode, lambdaworks};

pub use cheat::{Cheat, Drawn, Honest, Round, end_right};
pub use identity::{Cubic, Identity, composition};
pub use leaves::nodes_as_leaves;
pub use lie::Lie;
pub use prover::{Claimed, prove};
pub use words::{Domain, Table, at, fold, fold_pair};

use dials::Dials;

/// A prover with a dial for each lie. With none turned on its proofs are the honest prover's.
#[derive(Clone)]
pub struct Liar<'a> {
    claimed: Claimed<'a>,
    trace: &'a Trace<Goldilocks>,
    lies: Vec<Lie>,
    seed: u64,
}

impl<'a> Liar<'a> {
    /// All dials are off. The transcript starts with the default seed.
    pub fn new(statement: &'a dyn Air<Cubic>, trace: &'a Trace<Goldilocks>, options: lambdaworks::Options) -> Self {
        let claimed = Claimed { air: statement, options, seed: Seed::Default };
        Self { claimed, trace, lies: Vec::new(), seed: 0 }
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

    /// A proof of the claim; nothing if some lie has nothing to be told about: there is no auxiliary column, no
    /// work, no second part.
    ///
    /// # Panics
    /// If the AIR cannot be recorded, or trace or options do not fit it.
    pub fn proof(&self) -> Option<Proof<Cubic>> {
        let recorded = record::<Cubic, _>(self.claimed.air).expect("a valid AIR");
        let mut trace = self.trace.clone();
        for &lie in &self.lies {
            let draw = &mut super::draw(self.seed, lie as u64);
            match lie {
                Lie::Cell => false_trace::cell(&recorded, self.claimed.air, &mut trace, draw)?,
                Lie::Multiplicity => false_trace::multiplicity(&recorded, self.claimed.air, &mut trace, draw)?,
                _ => {}
            }
        }
        let mut dials = Dials::new(&self.lies, self.seed, &recorded, &self.claimed.options);
        let (proof, _) = dials.can_lie().then(|| prove(&self.claimed, &trace, &mut dials))?;
        dials.have_lied().then_some(proof)
    }

    /// The bytes of [`Self::proof`].
    ///
    /// # Panics
    /// As there.
    pub fn prove(&self) -> Option<Vec<u8>> {
        self.proof().map(|proof| encode(&proof))
    }
}
