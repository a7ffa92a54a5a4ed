//! One thing changed.

use super::Statement;
use crate::draw::Draw;
use crate::violation::{changed, violations};
use crate::{Change, Violation};

impl Statement {
    /// Changes of every kind that the statement has, each of which makes it false: `violated` says where. Only
    /// [`Change::Public`] leaves it true, and another statement. A kind is left out if none of its changes that were
    /// drawn did so.
    pub fn violations(&self, seed: u64) -> Vec<Violation<Self>> {
        let kinds = [Self::cell, Self::cell, Self::multiplicity, Self::boundary, Self::known, Self::public];
        violations(self, seed, &kinds, &|changed| !changed.violated().is_empty())
    }

    fn cell(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let (column, row) = (draw.of(&self.table.fixed), draw.below(self.table.rows()));
        let what = Change::Cell { component: 0, column, row };
        changed(self, what, |statement| statement.table.columns[column][row] += draw.nonzero())
    }

    fn multiplicity(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let column = self.arguments.iter().find_map(|argument| argument.multiplicity())?;
        let row = draw.below(self.table.rows());
        let what = Change::Multiplicity { component: 0, column, row };
        changed(self, what, |statement| statement.table.columns[column][row] += draw.nonzero())
    }

    fn boundary(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.boundaries.is_empty()).then(|| draw.below(self.boundaries.len()))?;
        changed(self, Change::Boundary { component: 0, index }, |statement| {
            statement.boundaries[index].2 += draw.nonzero()
        })
    }

    fn known(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.table.known.is_empty()).then(|| draw.below(self.table.known.len()))?;
        let row = draw.below(self.table.known[index].len());
        let what = Change::Known { component: 0, index, row };
        changed(self, what, |statement| statement.table.known[index][row] += draw.nonzero())
    }

    fn public(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.public.is_empty()).then(|| draw.below(self.public.len()))?;
        changed(self, Change::Public { index }, |statement| statement.public[index] += draw.nonzero())
    }
}
