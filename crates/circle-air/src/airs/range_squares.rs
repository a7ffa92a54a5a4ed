//! Squares of small numbers, looked up in a table.

use field::{Field, M31, QM31};
use gpu_hal::LinearRecurrence;
use num_traits::One;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX, RelationEntry};

use super::info::in_range;
use super::lookup::Lookup;
use super::sequences::{count_from, squares};
use super::{AirInfo, ParamInfo, ParamKind, ShippedAir, column, flag};
use crate::{AirComponent, BuildError, LOG_SIZES, PreprocessedColumn, Statement, TupleKind};

pub(super) const INFO: AirInfo = AirInfo {
    name: "range-squares",
    summary: "demonstration: pairs (v, v^2) with v < 2^table, looked up by 2^n rows in a table of another size",
    least_log_rows: 1,
    most_log_rows: 29,
    params: &[
        ParamInfo {
            name: "table",
            summary: "log2 of the table's rows, 1 to 29",
            default: None,
            kind: ParamKind::Public,
        },
        ParamInfo {
            name: "s",
            summary: "a number that the trace depends on, below 2^32; not part of the statement",
            default: Some(0),
            kind: ParamKind::Private,
        },
    ],
};

const IDS: [&str; 2] = ["v", "sq"];

/// Two components that share a relation of pairs `(v, v^2)`, `0 <= v < T`. Each row of the user looks up `(x, x^2)` and
/// `(y, y^2)`, and the first a second time if `e = 1`; it also has the difference of the next row's `x` to its own. The
/// table says how often each pair is used.
#[derive(Clone, Debug)]
pub struct RangeSquares {
    log_user: u32,
    log_table: u32,
    start: u32,
}

impl RangeSquares {
    /// `2^log_user` rows of lookups in a table of `2^log_table` rows; `start` is `s`.
    ///
    /// # Errors
    /// [`BuildError::BadParam`] if there are too few or too many of either.
    pub fn new(log_user: u32, log_table: u32, start: u32) -> Result<Self, BuildError> {
        INFO.check_rows(log_user)?;
        in_range(INFO.name, "table", log_table.into(), 1, *LOG_SIZES.end())?;
        Ok(Self { log_user, log_table, start })
    }

    /// `x = (s + 3r + 5r^2) mod T` and `y = (s + 7r) mod T` in row `r`.
    fn numbers(&self, row: usize) -> [usize; 2] {
        let (start, row, mask) = (u64::from(self.start), row as u64, (1u64 << self.log_table) - 1);
        // At most 5 * 2^58 + 3 * 2^29 + 2^32.
        [start + 3 * row + 5 * row * row, start + 7 * row].map(|number| (number & mask) as usize)
    }

    /// `e`, one in every third row.
    fn is_third(row: usize) -> bool {
        row.is_multiple_of(3)
    }
}

#[derive(Clone)]
struct User {
    log_size: u32,
    lookup: Lookup<2>,
}

impl FrameworkEval for User {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [x, next_x] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1]);
        let [sx, y, sy, e, d] = std::array::from_fn(|_| eval.next_trace_mask());
        eval.add_constraint(d - next_x + x.clone());
        eval.add_constraint(e.clone() * (e.clone() - E::F::one()));
        let entries = [(E::EF::one(), [x.clone(), sx.clone()]), (E::EF::one(), [y, sy]), (E::EF::from(e), [x, sx])];
        for (multiplicity, pair) in entries {
            eval.add_to_relation(RelationEntry::new(&self.lookup, multiplicity, &pair));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}

#[derive(Clone)]
struct Table {
    log_size: u32,
    lookup: Lookup<2>,
}

impl FrameworkEval for Table {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let pair = IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let uses = eval.next_trace_mask();
        eval.add_to_relation(RelationEntry::new(&self.lookup, -E::EF::from(uses), &pair));
        eval.finalize_logup();
        eval
    }
}

impl Statement for RangeSquares {
    fn name(&self) -> &str {
        INFO.name
    }

    fn words(&self) -> Vec<u32> {
        vec![4, self.log_user, self.log_table]
    }

    /// A number of the table, and its square.
    fn tuple_kinds(&self) -> Vec<TupleKind> {
        vec![TupleKind::new(0, None, "square").with_bits([self.log_table]).with_keys(1)]
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        IDS.map(|id| PreprocessedColumn::new(id, self.log_table)).into()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        let v = column(self.log_table, |row| M31::new(row as u32));
        let sq = v.iter().map(|v| v.square()).collect();
        vec![v, sq]
    }

    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        Some(vec![count_from(self.log_table, M31::ZERO), squares(self.log_table)])
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let lookup = Lookup::new(drawn);
        let user = User { log_size: self.log_user, lookup: lookup.clone() };
        vec![Box::new(user), Box::new(Table { log_size: self.log_table, lookup })]
    }
}

impl ShippedAir for RangeSquares {
    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let (log_size, rows) = (self.log_user, 1usize << self.log_user);
        let number = |which: usize| column(log_size, |row| M31::new(self.numbers(row)[which] as u32));
        let square = |column: &[M31]| column.iter().map(|value| value.square()).collect();
        let (x, y) = (number(0), number(1));
        let d = column(log_size, |row| x[(row + 1) % rows] - x[row]);
        let e = column(log_size, |row| flag(Self::is_third(row)));
        // Below 3 * 2^29, so no count wraps around.
        let mut uses = vec![0u32; 1 << self.log_table];
        for row in 0..rows {
            let [x, y] = self.numbers(row);
            uses[x] += 1 + u32::from(Self::is_third(row));
            uses[y] += 1;
        }
        let (sx, sy) = (square(&x), square(&y));
        vec![vec![x, sx, y, sy, e, d], vec![uses.into_iter().map(M31::new).collect()]]
    }
}
