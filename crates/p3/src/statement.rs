//! Statements of the Circle protocol.

use std::sync::Arc;

use circle_air::{LoweredAir, lower_air};
use field::{Field, M31};
use p3_mersenne_31::Mersenne31;

use crate::selectors::Place;
use crate::{P3Air, P3Error};

/// Largest degree of a constraint of the Circle protocol, a column counting 1.
const MAX_DEGREE: u64 = 3;

impl P3Air<Mersenne31> {
    /// The statement of the Circle protocol with one component, the AIR. Its trace is one table, of [`P3Air::columns`]. Selectors and periodic
    /// columns are preprocessed columns; public values are parameters of the programs.
    ///
    /// # Errors
    /// [`P3Error::CircleDegree`]: a constraint, times the selector of its rows, has degree above 3. [`P3Error::Circle`] if the AIR
    /// contradicts itself, as one without constraints.
    pub fn statement(self) -> Result<LoweredAir, P3Error> {
        let degrees = self.graph.degrees(|_| 1);
        for constraint in &self.transitions {
            let degree = degrees[constraint.root as usize].saturating_add((constraint.place != Place::All).into());
            if degree > MAX_DEGREE {
                return Err(P3Error::CircleDegree { constraint: constraint.number, degree, most: MAX_DEGREE });
            }
        }
        if self.public.is_empty() {
            return Ok(lower_air(Arc::new(self))?);
        }
        let mut other = self.clone();
        other.public.iter_mut().for_each(|value: &mut M31| *value += M31::ONE);
        Ok(lower_air(Arc::new(self))?.with_variant(Arc::new(other))?)
    }
}
