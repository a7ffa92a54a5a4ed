//! An AIR as a file: the declarations of [`Air::define`], as data. With the file alone, without the code, one can prove
//! and verify.
//!
//! ```text
//! magic            8 bytes, [`MAGIC`]
//! version          integer, [`VERSION`]
//! protocol         name
//! extension degree integer
//! AIR              name
//! log2 of the rows integer
//! layout           main columns, auxiliary columns, frame rows, challenges, composition parts: integers
//! public inputs    list of elements
//! periodic columns list of lists of elements
//! expressions      list: a tag, and by tag
//!                  0 main, 1 auxiliary column, 2 periodic column: column, row offset
//!                  3 challenge: number
//!                  4 constant: element
//!                  5 constant of the extension: its coordinates, elements
//!                  6 sum, 7 difference, 8 product: two expressions
//!                  9 negative: an expression
//! transitions      list: expression, period, offset, end exemptions, option of (period, offset) exempted
//! boundaries       list: 0 main or 1 auxiliary, column, row, element
//! auxiliary        list: 0 product or 1 sum, 0 inclusive or 1 exclusive, numerator, denominator: expressions
//! ```
//!
//! Integers, lists and options are encoded by [`proof_format::wire`]. An element is an integer below the prime; an
//! expression is the number of an earlier one. An AIR has one encoding. Decoding checks this form, [`crate::record`]
//! all the rest: that columns, offsets and challenges exist and at most [`MAX_UNUSED`] are without use, that rows and
//! degrees are possible, and that no count makes a proof take time quadratic in the rows: [`MAX_FRAME`],
//! [`MAX_BOUNDARIES`], [`MAX_ROW_SETS`].

mod read;
mod write;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

pub use read::protocol;

use gpu_hal::{Protocol, RunningKind};
use proof_format::wire::{DecodeError, DecodeErrorKind};

use crate::declared::AuxDefinition;
use crate::expr::{Expr, Periodic};
use crate::expression::Expression;
use crate::rows::EndForm;
use crate::{Air, AirBuilder, AirError, Boundary, Column, Layout, Rows, Scan, record};

/// First bytes of a file that holds an AIR.
pub const MAGIC: [u8; 8] = *b"\x89PSAR\r\n\x1a";
/// Version of the layout.
pub const VERSION: u64 = 1;
/// Most columns of a kind, rows of a frame, challenges and composition parts.
pub const MAX_LAYOUT: u32 = 1 << 20;
/// Most columns of a kind, periodic ones too, and most challenges, that no constraint uses; this bounds the cost of a
/// proof by the length of the file.
pub const MAX_UNUSED: usize = 1 << 10;
/// Most rows of the frame behind the last that a constraint reads: the values of each row of the frame are in the
/// proof.
pub const MAX_UNUSED_ROWS: usize = 1 << 4;
/// Most rows of the frame: every column has a value in the proof, and a part of the DEEP quotient, for each of them.
pub const MAX_FRAME: usize = 1 << 6;
/// Most rows with boundaries, and most boundaries beyond one for each column: each row that has some has a divisor of
/// its own, which is evaluated at every point of the domain.
pub const MAX_BOUNDARIES: usize = 1 << 12;
/// Most sets of rows that transitions hold on, for the same reason.
pub const MAX_ROW_SETS: usize = 1 << 12;
/// The largest number of them that leave out many rows at the end and also hold on many, so that the divisor is a
/// column: evaluating it takes a verifier time by the square root of the rows.
pub const MAX_EARLY_ENDS: usize = 1 << 6;

/// An AIR that is data alone: its constraints, its number of rows and its public inputs.
#[derive(Clone, Debug)]
pub struct AirFile<P: Protocol> {
    name: String,
    log_rows: u32,
    layout: Layout,
    public_inputs: Vec<P::Base>,
    periodic: Vec<Vec<P::Base>>,
    expressions: Vec<Expression<P>>,
    transitions: Vec<(u32, Rows)>,
    /// Column, row, value.
    boundaries: Vec<(Column, usize, P::Base)>,
    aux: Vec<Running>,
}

/// An auxiliary column that a device builds.
#[derive(Clone, Copy, Debug)]
struct Running {
    kind: RunningKind,
    scan: Scan,
    numerator: u32,
    denominator: u32,
}

impl<P: Protocol> AirFile<P> {
    /// The declarations of an AIR.
    ///
    /// # Errors
    /// Any error of [`record`]; [`AirError::Code`] if the AIR needs functions: computed boundaries, columns made on the
    /// host.
    pub fn of(air: &dyn Air<P>) -> Result<Self, AirError> {
        record(air)?;
        let layout = air.layout();
        let builder = AirBuilder::new(layout, 1 << air.log_trace_length());
        air.define(&builder);
        let declared = builder.finish()?;
        let boundary = |(index, boundary): (usize, &Boundary<P>)| match boundary.constant_value() {
            Some(value) => Ok((boundary.column(), boundary.row(), value)),
            None => Err(AirError::Code { what: "boundary", index }),
        };
        let running = |(index, definition): (usize, &AuxDefinition)| match *definition {
            AuxDefinition::Running { kind, scan, numerator, denominator } => {
                Ok(Running { kind, scan, numerator, denominator })
            }
            AuxDefinition::Host => Err(AirError::Code { what: "auxiliary column", index }),
        };
        let file = Self {
            name: air.name().to_owned(),
            log_rows: air.log_trace_length(),
            layout,
            public_inputs: air.public_inputs(),
            boundaries: declared.boundaries.iter().enumerate().map(boundary).collect::<Result<_, _>>()?,
            aux: declared.aux.iter().enumerate().map(running).collect::<Result<_, _>>()?,
            periodic: declared.periodic,
            expressions: declared.expressions,
            transitions: declared.transitions,
        };
        file.check_use().map(|()| file)
    }

    /// Refuses a layout that is larger than the file's text about it, and more costly parts than a statement has.
    fn check_use(&self) -> Result<(), AirError> {
        self.check_limits()?;
        let [mut main, mut aux, mut periodic, mut challenges] = [const { BTreeSet::new() }; 4];
        let mut frame = 1;
        for expression in &self.expressions {
            match *expression {
                Expression::Main { column, offset } => {
                    main.insert(column);
                    frame = frame.max(offset.saturating_add(1));
                }
                Expression::Aux { column, offset } => {
                    aux.insert(column);
                    frame = frame.max(offset.saturating_add(1));
                }
                Expression::Periodic { index, offset } => {
                    periodic.insert(index);
                    frame = frame.max(offset.saturating_add(1));
                }
                Expression::Challenge(index) => drop(challenges.insert(index)),
                _ => {}
            }
        }
        for (column, ..) in &self.boundaries {
            match *column {
                Column::Main(column) => main.insert(column),
                Column::Aux(column) => aux.insert(column),
            };
        }
        let layout = self.layout;
        let given = [
            ("main columns", layout.main_columns, main.len(), MAX_UNUSED),
            ("auxiliary columns", layout.aux_columns, aux.len(), MAX_UNUSED),
            ("periodic columns", self.periodic.len(), periodic.len(), MAX_UNUSED),
            ("challenges", layout.challenges, challenges.len(), MAX_UNUSED),
            ("rows of a frame", layout.frame_rows, frame, MAX_UNUSED_ROWS),
        ];
        match given.into_iter().find(|(_, given, used, most)| given.saturating_sub(*used) > *most) {
            Some((what, given, used, most)) => Err(AirError::Unused { what, given, used, most }),
            None => Ok(()),
        }
    }

    fn check_limits(&self) -> Result<(), AirError> {
        let sets: BTreeSet<&Rows> = self.transitions.iter().map(|(_, rows)| rows).collect();
        let rows = 1usize.checked_shl(self.log_rows).unwrap_or(usize::MAX);
        let is_early = |set: &&&Rows| set.validate(rows).is_ok() && set.end_form(rows) == EndForm::Column;
        let ends = sets.iter().filter(is_early).count();
        let bound: BTreeSet<usize> = self.boundaries.iter().map(|(_, row, _)| *row).collect();
        let columns = self.layout.main_columns.saturating_add(self.layout.aux_columns);
        let given = [
            ("rows of a frame", self.layout.frame_rows, MAX_FRAME, "carry what is further away along in a column"),
            (
                "boundaries",
                self.boundaries.len(),
                // As many for one row as there are columns.
                columns.saturating_add(MAX_BOUNDARIES),
                "declare the values as a periodic column that a transition compares",
            ),
            ("rows with boundaries", bound.len(), MAX_BOUNDARIES, "declare the values as a periodic column"),
            ("sets of rows of transitions", sets.len(), MAX_ROW_SETS, "select rows by a periodic column of 0 and 1"),
            ("sets of rows that end early", ends, MAX_EARLY_ENDS, "select rows by a periodic column of 0 and 1"),
        ];
        match given.into_iter().find(|(_, given, most, _)| given > most) {
            Some((what, given, most, instead)) => Err(AirError::TooMany { what, given, most, instead }),
            None => Ok(()),
        }
    }
}

impl<P: Protocol> Air<P> for AirFile<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn define(&self, builder: &AirBuilder<P>) {
        if let Err(error) = self.check_use() {
            builder.fail(error);
            return;
        }
        self.periodic.iter().for_each(|values| {
            builder.periodic(values);
        });
        // Operands are earlier expressions, by construction and by decoding.
        let mut made: Vec<Expr<'_, P>> = Vec::with_capacity(self.expressions.len());
        for expression in &self.expressions {
            let at = |index: u32| made[index as usize];
            let next = match *expression {
                Expression::Main { column, offset } => builder.main(column, offset),
                Expression::Aux { column, offset } => builder.aux(column, offset),
                Expression::Periodic { index, offset } => builder.periodic_at(Periodic(index), offset),
                Expression::Challenge(index) => builder.challenge(index),
                Expression::Base(value) => builder.constant(value),
                Expression::Ext(value) => builder.constant_ext(value),
                Expression::Add(a, b) => at(a) + at(b),
                Expression::Sub(a, b) => at(a) - at(b),
                Expression::Mul(a, b) => at(a) * at(b),
                Expression::Neg(a) => -at(a),
            };
            made.push(next);
        }
        for &Running { kind, scan, numerator, denominator } in &self.aux {
            let (numerator, denominator) = (made[numerator as usize], made[denominator as usize]);
            match kind {
                RunningKind::Product => builder.running_product(numerator, denominator, scan),
                RunningKind::Sum => builder.running_sum(&[(numerator, denominator)], scan),
            };
        }
        self.transitions.iter().for_each(|&(root, rows)| builder.transition(made[root as usize], rows));
        self.boundaries.iter().for_each(|&(column, row, value)| builder.boundary(column, row, value));
    }

    fn public_inputs(&self) -> Vec<P::Base> {
        self.public_inputs.clone()
    }
}
