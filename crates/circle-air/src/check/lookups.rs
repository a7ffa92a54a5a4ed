//! Tuples that do not cancel, and the lookups that use or yield them.
//!
//! Tuples are compared by their denominators under one pair of drawn elements, which are different for different
//! tuples, up to a chance of about `N^2 w / 2^93`, with `N` lookups of `w` values. Tuples that do not cancel are
//! recovered from their denominators under more pairs.

use std::collections::HashMap;

use air::{Component, LookupUse, Lookups, Uncancelled};
use field::{Field, M31, QM31};
use gpu_hal::CircleStark;

use super::error::{FIRST_DRAWN, TraceError};
use super::fractions::Fractions;
use super::tables::Tables;
use super::tuple::{Tuple, pairs_needed, solve};
use crate::interaction::denominator;
use crate::recorded::sentinels;
use crate::{ComponentNames, Statement, StatementError};

/// The widths of tuples that are tried, one after the other.
const WIDTHS: [usize; 4] = [4, 16, 64, 256];

/// A denominator up to its factor of the base field.
type Key = [u32; 4];

/// Where a tuple is looked up.
#[derive(Clone, Copy)]
struct Place {
    /// `None`: by a public value.
    component: Option<usize>,
    row: usize,
    lookup: usize,
    /// The tuple's denominator is known without its factor.
    multiplicity: QM31,
    denominator: QM31,
}

/// The tuples that do not cancel, the first `limit` of them with the first `limit` lookups by each component.
pub(super) fn uncancelled(
    statement: &dyn Statement,
    tables: &Tables,
    names: &[ComponentNames],
    claimed: String,
    limit: usize,
) -> Result<Lookups<CircleStark>, TraceError> {
    let mut reader = Reader { statement, tables, names, sets: Vec::new(), widths: HashMap::new() };
    reader.draw(1)?;
    let mut order: Vec<(Key, QM31)> = Vec::new();
    let mut index_of: HashMap<Key, usize> = HashMap::new();
    reader.each(&mut |key, place| {
        let index = *index_of.entry(key).or_insert_with(|| {
            order.push((key, QM31::ZERO));
            order.len() - 1
        });
        order[index].1 += place.multiplicity;
    });
    order.retain(|(_, sum)| !sum.is_zero());
    let uncancelled = order.len();
    order.truncate(limit);
    let listed: HashMap<Key, usize> = order.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
    let mut places: Vec<(Vec<Place>, usize)> = vec![(Vec::new(), 0); order.len()];
    reader.each(&mut |key, place| {
        if let Some((kept, count)) = listed.get(&key).map(|&at| &mut places[at]) {
            *count += 1;
            if kept.iter().filter(|other| other.component == place.component).count() < limit {
                kept.push(place);
            }
        }
    });
    let described = order.into_iter().zip(places).map(|((_, sum), (kept, used))| reader.described(sum, &kept, used));
    Ok(Lookups { claimed, tuples: described.collect::<Result<_, _>>()?, uncancelled })
}

/// The multiple of an element whose last coordinate that is not zero is one, and the factor from it to the element.
fn direction(value: QM31) -> Option<(Key, M31)> {
    let factor = *value.0.iter().rev().find(|coordinate| !coordinate.is_zero())?;
    let inverse = factor.inverse()?;
    Some((value.0.map(|coordinate| (coordinate * inverse).value()), factor))
}

/// The fractions of all components under one set of drawn elements.
struct Drawn {
    /// `z` and `alpha` of each relation.
    pairs: Vec<(QM31, QM31)>,
    fractions: Vec<Fractions>,
}

/// Reads lookups under sets of drawn elements, which are made when they are asked for.
struct Reader<'a> {
    statement: &'a dyn Statement,
    tables: &'a Tables,
    names: &'a [ComponentNames],
    sets: Vec<Drawn>,
    /// By component and lookup: its relation and the width of its tuples, `None` if its denominators are of another
    /// form.
    widths: HashMap<(usize, usize), Option<(usize, usize)>>,
}

impl Reader<'_> {
    /// Makes the first `sets`.
    fn draw(&mut self, sets: usize) -> Result<(), TraceError> {
        while self.sets.len() < sets {
            // No lookup depends on claims.
            let (draws, set) = (self.statement.draws(), FIRST_DRAWN + self.sets.len() as u64);
            let drawn = sentinels(set, draws + self.statement.claims());
            let mut fractions = Vec::new();
            for (component, of) in self.statement.components(&drawn).iter().enumerate() {
                let made = of.recording().and_then(Fractions::new);
                fractions.push(made.map_err(|source| StatementError::Component { component, source })?);
            }
            let pairs = drawn[..draws].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            self.sets.push(Drawn { pairs, fractions });
        }
        Ok(())
    }

    /// Hands out each lookup whose multiplicity is not zero: by component, row and lookup, then the lookups of public
    /// values. Under the first set.
    fn each(&self, visit: &mut dyn FnMut(Key, Place)) {
        let Drawn { pairs, fractions } = &self.sets[0];
        let mut one = |component, row, lookup, numerator: QM31, denominator: QM31| {
            // A denominator of zero was refused before.
            if let Some((key, factor)) = direction(denominator).filter(|_| !numerator.is_zero()) {
                let multiplicity = numerator * factor.inverse_or_zero();
                visit(key, Place { component, row, lookup, multiplicity, denominator });
            }
        };
        for (component, (rows, fractions)) in self.tables.rows().zip(fractions).enumerate() {
            for row in 0..rows {
                let load = |group, column, offset| self.tables.cell(component, row, group, column, offset).1;
                for (lookup, [numerator, denominator]) in fractions.evaluate(load).into_iter().enumerate() {
                    one(Some(component), row, lookup, numerator, denominator);
                }
            }
        }
        for (lookup, public) in self.statement.public_lookups().iter().enumerate() {
            if let Some(&pair) = pairs.get(public.relation) {
                one(None, 0, lookup, QM31::from(public.multiplicity), denominator(pair, &public.tuple));
            }
        }
    }

    /// A tuple that does not cancel, with its values, from the lookups of it that are listed and the number of all.
    fn described(&mut self, sum: QM31, kept: &[Place], used: usize) -> Result<Uncancelled<CircleStark>, TraceError> {
        let mut tuple = None;
        for place in kept {
            tuple = match place.component {
                None => {
                    let public = self.statement.public_lookups().into_iter().nth(place.lookup);
                    public.map(|public| (public.relation, public.tuple))
                }
                Some(component) => self.tuple(component, place.lookup, place.row)?,
            };
            if tuple.is_some() {
                break;
            }
        }
        let first = kept.first().map(|place| place.denominator).unwrap_or_default();
        let pairs = &self.sets[0].pairs;
        let denominator = tuple.as_ref().map_or(first, |(relation, values)| denominator(pairs[*relation], values));
        // One relation needs no number.
        let relation = tuple.as_ref().map(|(relation, _)| *relation).filter(|_| pairs.len() > 1);
        let tuple = tuple.map(|(_, values)| values);
        // The multiplicities up to here belong to the key's denominator.
        let scale = direction(denominator).map_or(M31::ONE, |(_, factor)| factor);
        let uses = kept.iter().map(|place| {
            let of = place.component.map(|index| (index, &self.names[index]));
            LookupUse {
                component: of.map(|(index, names)| Component { index, name: names.component.clone() }),
                lookup: place.lookup,
                name: of.and_then(|(_, names)| names.lookups.get(place.lookup).cloned().flatten()),
                row: place.row,
                multiplicity: place.multiplicity * scale,
            }
        });
        Ok(Uncancelled { relation, denominator, sum: sum * scale, uses: uses.collect(), used, tuple })
    }

    /// The relation and the tuple of a lookup on a row; `None` if its denominator is of another form.
    fn tuple(&mut self, component: usize, lookup: usize, row: usize) -> Result<Option<(usize, Vec<M31>)>, TraceError> {
        let width = match self.widths.get(&(component, lookup)) {
            Some(width) => *width,
            None => {
                let width = self.width(component, lookup)?;
                self.widths.insert((component, lookup), width);
                width
            }
        };
        let Some((relation, width)) = width else { return Ok(None) };
        let tables = self.tables;
        let load = |group, column, offset| tables.cell(component, row, group, column, offset).1;
        Ok(self.solved(component, lookup, (relation, width), &load)?.map(|tuple| (relation, tuple.values)))
    }

    /// The relation of a lookup, and how many values its tuples have: up to the last that is not zero if the cells are
    /// arbitrary.
    fn width(&mut self, component: usize, lookup: usize) -> Result<Option<(usize, usize)>, TraceError> {
        let arbitrary = |group: usize, column: usize, offset: i32| {
            let cell = (group as u64) << 56 ^ (column as u64) << 32 ^ u64::from(offset as u32);
            QM31::from(M31::reduce(cell.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 3))
        };
        let relations = self.sets[0].pairs.len();
        for (width, relation) in
            WIDTHS.into_iter().flat_map(|width| (0..relations).map(move |relation| (width, relation)))
        {
            if let Some(Tuple { values, .. }) = self.solved(component, lookup, (relation, width), &arbitrary)? {
                let last = values.iter().rposition(|value| !value.is_zero());
                return Ok(Some((relation, last.map_or(1, |last| last + 1))));
            }
        }
        Ok(None)
    }

    /// The tuple of a lookup's denominator, if it has that many values of that relation, where `load` reads the cells.
    fn solved(
        &mut self,
        component: usize,
        lookup: usize,
        (relation, width): (usize, usize),
        load: &dyn Fn(usize, usize, i32) -> QM31,
    ) -> Result<Option<Tuple>, TraceError> {
        let needed = pairs_needed(width);
        self.draw(needed)?;
        let sets = &self.sets[..needed];
        let pairs: Vec<_> = sets.iter().map(|set| set.pairs[relation]).collect();
        let denominators: Vec<QM31> =
            sets.iter().map(|set| set.fractions[component].evaluate(load)[lookup][1]).collect();
        Ok(solve(&pairs, &denominators, width))
    }
}
