//! To bytes.

use alloc::vec::Vec;

use field::{ExtensionField, PrimeField};
use gpu_hal::{Protocol, RunningKind};
use proof_format::file::put_name;
use proof_format::wire::{Result, put_int, put_len};

use super::{AirFile, MAGIC, VERSION};
use crate::expression::Expression;
use crate::{Column, Scan};

impl<P: Protocol> AirFile<P> {
    /// The bytes of the file.
    ///
    /// # Errors
    /// If the AIR's name is none by [`proof_format::file::is_name`].
    pub fn encode(&self) -> Result<Vec<u8>> {
        let out = &mut MAGIC.to_vec();
        put_int(out, VERSION);
        put_name(out, P::NAME)?;
        put_len(out, P::DEGREE);
        put_name(out, &self.name)?;
        put_int(out, u64::from(self.log_rows));
        let layout = self.layout;
        put_all(
            out,
            [layout.main_columns, layout.aux_columns, layout.frame_rows, layout.challenges, layout.composition_parts],
        );
        put_elements(out, &self.public_inputs);
        put_len(out, self.periodic.len());
        self.periodic.iter().for_each(|column| put_elements(out, column));
        put_len(out, self.expressions.len());
        self.expressions.iter().for_each(|expression| put_expression(out, expression));
        put_len(out, self.transitions.len());
        for (root, rows) in &self.transitions {
            put_all(out, [*root as usize, rows.period(), rows.offset(), rows.end_exemptions()]);
            match rows.exempted() {
                None => out.push(0),
                Some((period, offset)) => put_all(out, [1, period, offset]),
            }
        }
        put_len(out, self.boundaries.len());
        for (column, row, value) in &self.boundaries {
            let (kind, column) = match *column {
                Column::Main(column) => (0, column),
                Column::Aux(column) => (1, column),
            };
            put_all(out, [kind, column, *row]);
            put_int(out, value.as_u64());
        }
        put_len(out, self.aux.len());
        for running in &self.aux {
            let kind = match running.kind {
                RunningKind::Product => 0,
                RunningKind::Sum => 1,
            };
            let scan = match running.scan {
                Scan::Inclusive => 0,
                Scan::Exclusive => 1,
            };
            put_all(out, [kind, scan, running.numerator as usize, running.denominator as usize]);
        }
        Ok(core::mem::take(out))
    }
}

fn put_all<const N: usize>(out: &mut Vec<u8>, values: [usize; N]) {
    values.into_iter().for_each(|value| put_len(out, value));
}

fn put_elements<F: PrimeField>(out: &mut Vec<u8>, elements: &[F]) {
    put_len(out, elements.len());
    elements.iter().for_each(|element| put_int(out, element.as_u64()));
}

fn put_expression<P: Protocol>(out: &mut Vec<u8>, expression: &Expression<P>) {
    match *expression {
        Expression::Main { column, offset } => put_all(out, [0, column, offset]),
        Expression::Aux { column, offset } => put_all(out, [1, column, offset]),
        Expression::Periodic { index, offset } => put_all(out, [2, index, offset]),
        Expression::Challenge(index) => put_all(out, [3, index]),
        Expression::Base(value) => {
            out.push(4);
            put_int(out, value.as_u64());
        }
        Expression::Ext(value) => {
            out.push(5);
            value.coordinates().iter().for_each(|coordinate| put_int(out, coordinate.as_u64()));
        }
        Expression::Add(a, b) => put_all(out, [6, a as usize, b as usize]),
        Expression::Sub(a, b) => put_all(out, [7, a as usize, b as usize]),
        Expression::Mul(a, b) => put_all(out, [8, a as usize, b as usize]),
        Expression::Neg(a) => put_all(out, [9, a as usize]),
    }
}
