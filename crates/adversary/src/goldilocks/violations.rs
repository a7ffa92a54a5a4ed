//! One thing changed.

use super::Statement;
use crate::draw::Draw;
use crate::{Change, Violation};

type Kind = fn(&Statement, &mut Draw) -> Option<Violation<Statement>>;

/// How often a change is drawn until it makes the statement false: some cells are free, some values are read by nobody.
const TRIES: usize = 32;

impl Statement {
    /// Changes of every kind that the statement has, each of which makes it false: `violated` says where. Only [`Change::Public`] leaves it
    /// true, and another statement. A kind is left out if none of its changes that were drawn did so.
    pub fn violations(&self, seed: u64) -> Vec<Violation<Self>> {
        let draw = &mut Draw::new(seed ^ 0x5eed);
        let kinds: [Kind; 6] =
            [Self::cell, Self::cell, Self::multiplicity, Self::boundary, Self::periodic, Self::public];
        let drawn = |kind: Kind| {
            let is_false = |violation: &Violation<Self>| {
                matches!(violation.what, Change::Public { .. }) || !violation.statement.violated().is_empty()
            };
            (0..TRIES).map_while(|_| kind(self, draw)).find(is_false)
        };
        kinds.into_iter().filter_map(drawn).collect()
    }

    fn changed(&self, what: Change, change: impl FnOnce(&mut Self)) -> Option<Violation<Self>> {
        let mut statement = self.clone();
        change(&mut statement);
        Some(Violation { what, statement })
    }

    fn cell(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let (column, row) = (draw.of(&self.table.fixed), draw.below(self.table.rows()));
        let what = Change::Cell { component: 0, column, row };
        self.changed(what, |statement| statement.table.columns[column][row] += draw.nonzero())
    }

    fn multiplicity(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let column = self.arguments.iter().find_map(|argument| argument.multiplicity())?;
        let row = draw.below(self.table.rows());
        let what = Change::Multiplicity { component: 0, column, row };
        self.changed(what, |statement| statement.table.columns[column][row] += draw.nonzero())
    }

    fn boundary(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.boundaries.is_empty()).then(|| draw.below(self.boundaries.len()))?;
        self.changed(Change::Boundary { index }, |statement| statement.boundaries[index].2 += draw.nonzero())
    }

    fn periodic(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.table.periodic.is_empty()).then(|| draw.below(self.table.periodic.len()))?;
        let row = draw.below(self.table.periodic[index].len());
        let what = Change::Known { component: 0, index, row };
        self.changed(what, |statement| statement.table.periodic[index][row] += draw.nonzero())
    }

    fn public(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.public.is_empty()).then(|| draw.below(self.public.len()))?;
        self.changed(Change::Public { index }, |statement| statement.public[index] += draw.nonzero())
    }
}
