//! An AIR of Plonky3 as an AIR of ours.

use air::{Air, AirBuilder, Column, Layout, Rows};
use field::PrimeField;
use p3_air::BoundaryEnd;

use crate::boundaries::{Boundary, Value};
use crate::field_pair::Base;
use crate::p3_air::{P3Air, Tables};
use crate::selectors::Place;
use crate::{P3Field, running_sums};

impl<F: P3Field> Air<F::Protocol> for P3Air<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn log_trace_length(&self) -> u32 {
        self.rows.trailing_zeros()
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn define(&self, builder: &AirBuilder<F::Protocol>) {
        let mut tables = Tables::new();
        let made = self.expressions(builder, &mut tables, &self.needed(), 0);
        for constraint in &self.transitions {
            let rows = match constraint.place {
                Place::All => Rows::all(),
                Place::AllButLast => Rows::all().except_last(1),
                Place::First => Rows::all().every(self.rows),
                Place::Last => Rows::all().every(self.rows).from(self.rows - 1),
            };
            builder.transition(made[constraint.root as usize].expect("roots are needed"), rows);
        }
        for Boundary { column, end, value } in &self.boundaries {
            let row = match end {
                BoundaryEnd::First => 0,
                BoundaryEnd::Last => self.rows - 1,
            };
            builder.boundary(Column::Main(*column), row, self.value(*value));
        }
        if !self.lookups.messages.is_empty() {
            running_sums::define(self, &self.sums(), builder, &mut tables);
        }
    }

    fn public_inputs(&self) -> Vec<Base<F>> {
        self.public.clone()
    }
}

impl<F: P3Field> P3Air<F> {
    fn value(&self, value: Value) -> Base<F> {
        match value {
            Value::Public(index) => self.public[index],
            Value::Constant(value) => Base::<F>::from_u64(value),
        }
    }
}
