//! One thing changed.

use super::Statement;
use super::lookup::Count;
use crate::draw::Draw;
use crate::violation::{changed, violations};
use crate::{Change, Violation};

impl Statement {
    /// Changes of every kind that the statement has, each of which makes it false: `violated` or `uncancelled` says so.
    /// Only [`Change::Public`] leaves it true, and another statement. A kind is left out if none of its changes that
    /// were drawn did so.
    pub fn violations(&self, seed: u64) -> Vec<Violation<Self>> {
        let kinds = [Self::cell, Self::cell, Self::multiplicity, Self::boundary, Self::known, Self::public];
        violations(self, seed, &kinds, &|changed| !changed.violated().is_empty() || changed.uncancelled() > 0)
    }

    fn cell(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let component = draw.below(self.shapes.len());
        let table = &self.shapes[component].table;
        let (column, row) = (draw.of(&table.fixed), draw.below(table.rows()));
        let what = Change::Cell { component, column, row };
        changed(self, what, |statement| statement.shapes[component].table.columns[column][row] += draw.nonzero())
    }

    fn multiplicity(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let yields =
            self.shapes.iter().flat_map(|shape| shape.lookups.iter().map(|lookup| (shape.number, lookup.count)));
        let columns = yields.filter_map(|(component, count)| match count {
            Count::Yield(column) => Some((component, column)),
            _ => None,
        });
        let columns: Vec<(usize, usize)> = columns.collect();
        let (component, column) = (!columns.is_empty()).then(|| draw.of(&columns))?;
        let row = draw.below(self.shapes[component].table.rows());
        let what = Change::Multiplicity { component, column, row };
        changed(self, what, |statement| statement.shapes[component].table.columns[column][row] += draw.nonzero())
    }

    fn boundary(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let with: Vec<usize> =
            self.shapes.iter().filter(|shape| !shape.boundaries.is_empty()).map(|shape| shape.number).collect();
        let component = (!with.is_empty()).then(|| draw.of(&with))?;
        let index = draw.below(self.shapes[component].boundaries.len());
        let what = Change::Boundary { component, index };
        changed(self, what, |statement| statement.shapes[component].boundaries[index].2 += draw.nonzero())
    }

    fn known(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let component = draw.below(self.shapes.len());
        let known = &self.shapes[component].table.known;
        let index = (!known.is_empty()).then(|| draw.below(known.len()))?;
        let row = draw.below(known[index].len());
        let what = Change::Known { component, index, row };
        changed(self, what, |statement| statement.shapes[component].table.known[index][row] += draw.nonzero())
    }

    fn public(&self, draw: &mut Draw) -> Option<Violation<Self>> {
        let index = (!self.public.is_empty()).then(|| draw.below(self.public.len()))?;
        changed(self, Change::Public { index }, |statement| statement.public[index] += draw.nonzero())
    }
}
