//! A Fibonacci sequence with public ends.

use field::{Field, M31, QM31};
use gpu_hal::LinearRecurrence;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use super::sequences::steps;
use super::{AirInfo, ParamInfo, ParamKind, ShippedAir, column, flag};
use crate::framework::base;
use crate::{
    AirComponent, BuildError, ColumnProgram, ConfigError, PreprocessedColumn, SourceColumn, Statement, TableProgram,
};

pub(super) const INFO: AirInfo = AirInfo {
    name: "fibonacci",
    summary: "the last of 2^n Fibonacci numbers that start with a, b",
    least_log_rows: 2,
    most_log_rows: 29,
    params: &[
        ParamInfo { name: "a", summary: "first number, below 2^31 - 1", default: Some(1), kind: ParamKind::Public },
        ParamInfo { name: "b", summary: "second number, below 2^31 - 1", default: Some(1), kind: ParamKind::Public },
    ],
};

const IDS: [&str; 3] = ["is_first", "is_step", "is_last"];

/// `f_0 = a`, `f_1 = b`, `f_{r+2} = f_{r+1} + f_r`; public are `a`, `b` and the last number `c`. One column; rows 0, 1
/// and 2 ahead are read, and wrap around, so that selectors say where each constraint holds.
#[derive(Clone, Debug)]
pub struct Fibonacci {
    log_size: u32,
    a: M31,
    b: M31,
    c: M31,
}

impl Fibonacci {
    /// The sequence of `2^log_size` numbers that starts with `a`, `b`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many.
    pub fn new(log_size: u32, a: M31, b: M31) -> Result<Self, BuildError> {
        INFO.check_rows(log_size)?;
        Ok(Self { log_size, a, b, c: last(log_size, a, b) })
    }

    /// The last number, `f_{n-1}`.
    pub fn last(&self) -> M31 {
        self.c
    }
}

/// `f_{n-1}` for `n = 2^log_size`. With the Fibonacci numbers `F_0 = 0`, `F_1 = 1`: `f_k = F_{k-1} a + F_k b`, and the
/// pair `(F_k, F_{k+1})` is doubled by `F_{2k} = F_k (2 F_{k+1} - F_k)`, `F_{2k+1} = F_k^2 + F_{k+1}^2`.
fn last(log_size: u32, a: M31, b: M31) -> M31 {
    let mut pair = (M31::ONE, M31::ONE);
    for _ in 0..log_size {
        let (x, y) = pair;
        pair = (x * (y.double() - x), x.square() + y.square());
    }
    // (F_n, F_{n+1}) gives F_{n-1} and F_{n-2}.
    let before = pair.1 - pair.0;
    (pair.0 - before) * a + before * b
}

#[derive(Clone)]
struct Eval {
    log_size: u32,
    ends: [BaseField; 3],
}

impl FrameworkEval for Eval {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [is_first, is_step, is_last] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let [x, y, w] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1, 2]);
        let [a, b, c] = self.ends.map(E::F::from);
        eval.add_constraint(is_step * (w - y.clone() - x.clone()));
        eval.add_constraint(is_first.clone() * (x.clone() - a));
        eval.add_constraint(is_first * (y - b));
        eval.add_constraint(is_last * (x - c));
        eval
    }
}

impl Statement for Fibonacci {
    fn name(&self) -> &str {
        INFO.name
    }

    fn words(&self) -> Vec<u32> {
        vec![1, self.log_size, self.a.value(), self.b.value(), self.c.value()]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        IDS.map(|id| PreprocessedColumn::new(id, self.log_size)).into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let (log_size, rows) = (self.log_size, 1usize << self.log_size);
        vec![
            column(log_size, |row| flag(row == 0)),
            column(log_size, |row| flag(row + 2 < rows)),
            column(log_size, |row| flag(row + 1 == rows)),
        ]
    }

    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        let (log_size, rows) = (self.log_size, 1usize << self.log_size);
        let flags = [
            [(0, M31::ONE), (1, M31::ZERO)],
            [(0, M31::ONE), (rows - 2, M31::ZERO)],
            [(0, M31::ZERO), (rows - 1, M31::ONE)],
        ];
        Some(flags.map(|flag| steps(log_size, &flag)).into())
    }

    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let (coefficients, initial) = (vec![M31::ONE; 2], vec![self.a, self.b]);
        let numbers = LinearRecurrence { coefficients, initial, restarts: Vec::new(), log_height: self.log_size };
        Some(vec![TableProgram { sources: vec![SourceColumn::Recurrence(numbers)], columns: ColumnProgram::Sources }])
    }

    fn components(&self, _drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Eval { log_size: self.log_size, ends: [self.a, self.b, self.c].map(base) })]
    }

    /// Three offsets on a column are sound only without lifting.
    fn check_config(&self, log_blowup: u32, lifting: Option<u32>) -> Result<(), ConfigError> {
        let log_size = self.log_size.saturating_add(log_blowup);
        match lifting {
            Some(needed) if needed != log_size => {
                Err(ConfigError::Offsets { component: 0, offsets: 3, log_size, needed })
            }
            _ => Ok(()),
        }
    }

    /// Other ends, and other differences between them, so that no two of them are taken for one parameter.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        let [a, b, c] = [(self.a, 1), (self.b, 2), (self.c, 3)].map(|(end, step)| end + M31::new(step));
        Some(Box::new(Self { log_size: self.log_size, a, b, c }))
    }
}

impl ShippedAir for Fibonacci {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let mut next = (self.a, self.b);
        vec![vec![column(self.log_size, |_| {
            let (x, y) = next;
            next = (y, x + y);
            x
        })]]
    }
}
