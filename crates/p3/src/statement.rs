//! Statements of the Circle protocol.

use std::sync::Arc;

use circle_air::{AirTable, Lookup, LoweredAir, LoweredTables, lower_air, lower_tables};
use field::{Field, M31};
use p3_mersenne_31::Mersenne31;

use crate::lookups::{Lookups, batches, number_buses};
use crate::selectors::Place;
use crate::symbolic::Constraint;
use crate::{Origin, P3Air, P3Error};

/// Largest degree of a constraint of the Circle protocol, a column counting 1.
const MAX_DEGREE: u64 = 3;

impl P3Air<Mersenne31> {
    /// The statement of the Circle protocol with one component, the AIR. Its trace is one table, of [`P3Air::columns`].
    /// Selectors and periodic columns are preprocessed columns; public values are parameters of the programs.
    ///
    /// # Errors
    /// [`P3Error::CircleDegree`]: a constraint, times the selector of its rows, has degree above 3.
    /// [`P3Error::Interactions`]: the AIR has some, which [`P3Air::tables`] takes. [`P3Error::Circle`] if the AIR
    /// contradicts itself, as one without constraints.
    pub fn statement(self) -> Result<LoweredAir, P3Error> {
        if !self.lookups.messages.is_empty() {
            return Err(P3Error::Interactions);
        }
        self.check_degrees()?;
        if self.public.is_empty() {
            return Ok(lower_air(Arc::new(self))?);
        }
        let other = self.with_other_public_values();
        Ok(lower_air(Arc::new(self))?.with_variant(Arc::new(other))?)
    }

    /// The statement of several AIRs that share buses, or of one with interactions: a component for each. Its trace is
    /// a table for each in this order, of [`P3Air::columns`]. All buses are one relation of stwo's, with the bus's
    /// number before the message. The longest AIR must have interactions.
    ///
    /// # Errors
    /// As [`Self::statement`]; [`P3Error::CircleDegree`] also if an interaction has too high a degree;
    /// [`P3Error::BusWidth`] and [`P3Error::Count`] of all AIRs together.
    pub fn tables(name: &str, airs: Vec<Self>) -> Result<LoweredTables, P3Error> {
        let lookups: Vec<(&Lookups, usize)> = airs.iter().map(|air| (&air.lookups, air.rows())).collect();
        let buses = number_buses::<Mersenne31>(&lookups)?;
        let lower = |airs: Vec<Self>| -> Result<LoweredTables, P3Error> {
            let tables = airs.into_iter().zip(&buses).map(|(air, buses)| air.table(buses));
            Ok(lower_tables(name, tables.collect::<Result<_, _>>()?)?)
        };
        if airs.iter().all(|air| air.public.is_empty()) {
            return lower(airs);
        }
        let others = airs.iter().map(Self::with_other_public_values).collect();
        Ok(lower(airs)?.with_variant(lower(others)?))
    }

    /// Each public value another.
    fn with_other_public_values(&self) -> Self {
        let mut other = self.clone();
        other.public.iter_mut().for_each(|value: &mut M31| *value += M31::ONE);
        other
    }

    fn check_degrees(&self) -> Result<(), P3Error> {
        let degrees = self.graph.degrees(|_| 1);
        for constraint in &self.transitions {
            let degree = degrees[constraint.root as usize].saturating_add((constraint.place != Place::All).into());
            if degree > MAX_DEGREE {
                let origin = Origin::Constraint(constraint.number);
                return Err(P3Error::CircleDegree { origin, degree, most: MAX_DEGREE });
            }
        }
        Ok(())
    }

    /// The AIR with count and values of each message behind its constraints, as [`lower_tables`] takes it.
    fn table(mut self, buses: &[u64]) -> Result<AirTable, P3Error> {
        self.check_degrees()?;
        let Lookups { messages, .. } = &self.lookups;
        let fractions = self.lookups.degrees(&self.graph.degrees(|_| 1));
        let degree = |[numerator, denominator]: [u64; 2]| numerator.max(denominator.saturating_add(1));
        if let Some(at) = fractions.iter().position(|fraction| degree(*fraction) > MAX_DEGREE) {
            let origin = Origin::Interaction(messages[at].interaction);
            return Err(P3Error::CircleDegree { origin, degree: degree(fractions[at]), most: MAX_DEGREE });
        }
        let sizes = batches(&fractions, MAX_DEGREE);
        let of_batch = sizes.iter().enumerate().flat_map(|(batch, size)| std::iter::repeat_n(batch, *size));
        let lookups = messages.iter().zip(buses).zip(of_batch);
        let lookups = lookups
            .map(|((message, bus), batch)| Lookup { bus: M31::reduce(*bus), values: message.values.len(), batch })
            .collect();
        let outputs: Vec<Constraint> =
            self.lookups.roots().map(|root| Constraint { place: Place::All, root, number: 0 }).collect();
        self.transitions.extend(outputs);
        self.lookups = Lookups::default();
        self.buses.clear();
        Ok(AirTable { air: Arc::new(self.laid_out()), lookups })
    }
}
