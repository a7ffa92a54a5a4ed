//! Many short sequences, one in each row.

use field::{Field, M31, QM31};
use gpu_hal::LinearRecurrence;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use stwo::core::fields::FieldExpOps;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use super::info::in_range;
use super::sequences::{count_from, steps};
use super::{AirInfo, ParamInfo, ParamKind, ShippedAir, column};
use crate::{AirComponent, BuildError, ColumnProgram, PreprocessedColumn, SourceColumn, Statement, TableProgram};

pub(super) const INFO: AirInfo = AirInfo {
    name: "wide-fibonacci",
    summary: "demonstration: in each row w numbers, each the sum of the squares of the two before",
    least_log_rows: 1,
    most_log_rows: 29,
    params: &[
        ParamInfo { name: "w", summary: "number of columns, 3 to 4096", default: Some(100), kind: ParamKind::Public },
        ParamInfo {
            name: "s",
            summary: "the second number of row r is r + s; not part of the statement",
            default: Some(0),
            kind: ParamKind::Private,
        },
    ],
};

/// Most columns.
const MAX_WIDTH: u32 = 4096;

/// Log2 of the rows of the column `zero`.
const LOG_ZERO: u32 = 4;

/// `f_0(r) = 1`, `f_1(r) = r + s`, `f_k(r) = f_{k-2}(r)^2 + f_{k-1}(r)^2`. No public values. With lifting, an otherwise
/// useless column makes the preprocessed tree one that stwo's verifier accepts.
#[derive(Clone, Debug)]
pub struct WideFibonacci {
    log_size: u32,
    width: u32,
    start: M31,
}

impl WideFibonacci {
    /// `2^log_size` rows of `width` columns; `start` is `s`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many rows or columns.
    pub fn new(log_size: u32, width: u32, start: M31) -> Result<Self, BuildError> {
        INFO.check_rows(log_size)?;
        in_range(INFO.name, "w", width.into(), 3, MAX_WIDTH)?;
        Ok(Self { log_size, width, start })
    }
}

#[derive(Clone)]
struct Eval {
    log_size: u32,
    width: u32,
}

impl FrameworkEval for Eval {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let mut before = eval.next_trace_mask();
        let mut last = eval.next_trace_mask();
        for _ in 2..self.width {
            let next = eval.next_trace_mask();
            eval.add_constraint(next.clone() - before.square() - last.square());
            (before, last) = (last, next);
        }
        eval
    }
}

impl Statement for WideFibonacci {
    fn name(&self) -> &str {
        INFO.name
    }

    fn words(&self) -> Vec<u32> {
        vec![2, self.log_size, self.width]
    }

    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        lifting.map(|_| PreprocessedColumn::new("zero", LOG_ZERO)).into_iter().collect()
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        lifting.map(|_| column(LOG_ZERO, |_| M31::ZERO)).into_iter().collect()
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        Some(lifting.map(|_| steps(LOG_ZERO, &[(0, M31::ZERO)])).into_iter().collect())
    }

    /// The second column is a recurrence, the others follow from it row by row.
    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let mut program = ProgramBuilder::new(vec![Group { width: 1, kind: Kind::Base }], 0);
        let mut before = program.constant(M31::ONE);
        let mut last = program.load(0, 0, 0);
        program.output(before);
        program.output(last);
        for _ in 2..self.width {
            let squares = [before, last].map(|value| program.mul(value, value));
            let next = program.add(squares[0], squares[1]);
            program.output(next);
            (before, last) = (last, next);
        }
        let sources = vec![SourceColumn::Recurrence(count_from(self.log_size, self.start))];
        Some(vec![TableProgram { sources, columns: ColumnProgram::Map(program.finish().ok()?) }])
    }

    fn components(&self, _drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Eval { log_size: self.log_size, width: self.width })]
    }
}

impl ShippedAir for WideFibonacci {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let mut columns =
            vec![column(self.log_size, |_| M31::ONE), column(self.log_size, |row| M31::new(row as u32) + self.start)];
        for k in 2..self.width as usize {
            let next = column(self.log_size, |row| columns[k - 2][row].square() + columns[k - 1][row].square());
            columns.push(next);
        }
        vec![columns]
    }
}
