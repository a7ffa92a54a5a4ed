//! A statement and its trace.

use air::{Air, AirBuilder, AirError, Column, Layout, Periodic, Trace, record};
use field::{Fp3, Goldilocks};
use gpu_hal::GoldilocksStark;

use super::argument::{Argument, CHALLENGES, host_column};
use crate::Bounds;
use crate::draw::Draw;
use crate::expression::Leaf;
use crate::table::{Rule, Rules, Table};

/// Most composition parts that a statement may take: constraints of degree 4, that of a lookup included, on few of the
/// rows.
const MAX_PARTS: usize = 8;

/// A random AIR with a trace that satisfies it. It is an [`Air`].
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) table: Table<Goldilocks>,
    pub(super) arguments: Vec<Argument>,
    /// (column, row, value)
    pub(super) boundaries: Vec<(usize, usize, Goldilocks)>,
    /// Public inputs that no constraint reads.
    pub(super) public: Vec<Goldilocks>,
    parts: usize,
}

impl Statement {
    /// The statement of a seed.
    ///
    /// # Panics
    /// If there is a defect here, or in the recorder of AIRs: every drawn statement is an AIR.
    pub fn draw(seed: u64, bounds: &Bounds) -> Self {
        let draw = &mut Draw::new(seed);
        let log_rows = draw.log_rows(Bounds::MIN_LOG_ROWS, bounds.max_log_rows);
        let rules = Rules { degree: draw.between(1, 4), selector: 0, frame: 4, known_frame: 4 };
        let mut table = Table::draw(draw, log_rows, bounds.max_columns, rules);
        let arguments: Vec<Argument> = (0..draw.below(3)).map(|_| Argument::draw(draw, &mut table)).collect();
        let boundary = |draw: &mut Draw| {
            let (column, row) = (draw.below(table.columns.len()), draw.below(table.rows()));
            (column, row, table.columns[column][row])
        };
        let boundaries = (0..draw.below(4)).map(|_| boundary(draw)).collect();
        let count = draw.below(3);
        let public = draw.elements(count);
        let statement = Self { table, arguments, boundaries, public, parts: 1 };
        statement.with_parts().unwrap_or_else(|error| panic!("seed {seed}: {error}"))
    }

    /// With as many composition parts as its constraints need.
    fn with_parts(mut self) -> Result<Self, AirError> {
        self.parts = 1;
        loop {
            match record(&self) {
                Ok(_) => return Ok(self),
                Err(AirError::Degree { .. }) if self.parts < MAX_PARTS => self.parts += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The same with so many rows at the end that no constraint reads, which proofs fill with masks: constraints end
    /// earlier, and auxiliary columns, which go around the end, and boundaries of such rows are left out. Nothing if no
    /// constraint is left.
    pub fn with_free_rows(mut self, free: usize) -> Option<Self> {
        let (n, frame) = (self.table.rows(), self.table.frame);
        let read = n.checked_sub(free)?;
        self.arguments.clear();
        self.boundaries.retain(|(_, row, _)| *row < read);
        let ending = |rule: &Rule| {
            // The rows o + k pi that reach into the free ones are exempt.
            let (period, offset) = (rule.rows.period(), rule.rows.offset());
            let kept = (0..n / period).take_while(|k| offset + k * period + frame <= read).count();
            let exempt = (n / period - kept).max(rule.rows.end_exemptions());
            let rows = rule.rows.except_last(exempt);
            (exempt < n / period).then(|| Rule { rows, ..rule.clone() })
        };
        self.table.rules = self.table.rules.iter().filter_map(ending).collect();
        if self.table.rules.is_empty() {
            return None;
        }
        self.with_parts().ok()
    }

    /// The main columns. They satisfy the statement, unless it was changed.
    ///
    /// # Panics
    /// Never: there are columns, of one power of two of rows.
    pub fn trace(&self) -> Trace<Goldilocks> {
        Trace::from_columns(self.table.columns.clone()).expect("columns of one length")
    }

    /// The nonzero constraints, counted as by [`air::Findings`]: (constraint, row), in order. Nothing before the
    /// statement is changed.
    pub fn violated(&self) -> Vec<(usize, usize)> {
        let mut violated = self.table.violated();
        let (last, rules) = (self.table.rows() - 1, self.table.rules.len());
        let of_boundaries = rules + self.arguments.len();
        let broken: Vec<usize> =
            (0..self.arguments.len()).filter(|&index| self.arguments[index].is_broken(&self.table)).collect();
        violated.extend(broken.iter().map(|index| (rules + index, last)));
        let ends = broken.iter().filter(|&&index| self.arguments[index].is_inclusive());
        violated.extend(ends.map(|index| (of_boundaries + index, last)));
        let wrong = self
            .boundaries
            .iter()
            .enumerate()
            .filter(|(_, (column, row, value))| self.table.columns[*column][*row] != *value);
        violated.extend(wrong.map(|(index, (_, row, _))| (of_boundaries + self.arguments.len() + index, *row)));
        violated
    }
}

impl Air<GoldilocksStark> for Statement {
    fn name(&self) -> &str {
        "random"
    }

    fn log_trace_length(&self) -> u32 {
        self.table.log_rows
    }

    fn layout(&self) -> Layout {
        Layout {
            main_columns: self.table.columns.len(),
            aux_columns: self.arguments.len(),
            frame_rows: self.table.frame,
            challenges: if self.arguments.is_empty() { 0 } else { CHALLENGES },
            composition_parts: self.parts,
        }
    }

    fn define(&self, builder: &AirBuilder<GoldilocksStark>) {
        let periodic: Vec<Periodic> = self.table.known.iter().map(|values| builder.periodic(values)).collect();
        let read = |leaf: Leaf| match leaf {
            Leaf::Cell { column, offset } => builder.main(column, offset),
            Leaf::Known { index, offset } => builder.periodic_at(periodic[index], offset),
            Leaf::Constant(value) => builder.number(value),
        };
        for rule in &self.table.rules {
            builder.transition(rule.expression.evaluate(&read), rule.rows);
        }
        for (column, argument) in self.arguments.iter().enumerate() {
            argument.define(builder, column, self.table.rows());
        }
        for &(column, row, value) in &self.boundaries {
            builder.boundary(Column::Main(column), row, value);
        }
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        self.boundaries.iter().map(|(_, _, value)| *value).chain(self.public.iter().copied()).collect()
    }

    fn host_columns(&self, main: &Trace<Goldilocks>, challenges: &[Fp3]) -> Vec<Vec<Fp3>> {
        let host = |argument: &Argument| match argument {
            Argument::Host { column } => Some(host_column(main.column(*column), challenges[0])),
            _ => None,
        };
        self.arguments.iter().filter_map(host).collect()
    }
}
