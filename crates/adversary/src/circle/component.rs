//! A component as stwo has it.

use std::collections::BTreeSet;
use std::sync::Arc;

use air::Rows;
use circle_air::{PreProcessedColumnId, base, secure};
use field::{M31, PrimeField, QM31, powers};
use num_traits::{One, Zero};
use stwo::core::Fraction;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use super::lookup::{Count, Lookup, cell_of};
use crate::expression::{Expression, Leaf, Operator};
use crate::table::{Rule, Table};

/// A table of a statement with its lookups.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Number among the components.
    pub(crate) number: usize,
    pub(crate) table: Table<M31>,
    pub(crate) lookups: Vec<Lookup>,
    /// (column, row, value)
    pub(crate) boundaries: Vec<(usize, usize, M31)>,
    /// Whether two lookups share an interaction column.
    pub(crate) in_pairs: bool,
}

impl Shape {
    /// The rules, then the boundaries, which are rules of one row: the order of constraints.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = Rule> {
        let boundary = |&(column, row, value): &(usize, usize, M31)| Rule {
            expression: Expression::node(Operator::Sub, cell_of(column), Leaf::Constant(value.as_u64())),
            rows: Rows::all().every(self.table.rows()).from(row),
        };
        self.table.rules.iter().cloned().chain(self.boundaries.iter().map(boundary))
    }

    /// Sets of rows that take a selector, in the order in which they are first met.
    fn selectors(&self) -> Vec<Rows> {
        let mut all = Vec::new();
        for rule in self.constraints() {
            if rule.rows != Rows::all() && !all.contains(&rule.rows) {
                all.push(rule.rows);
            }
        }
        all
    }

    /// Names and values of the preprocessed columns, of full height: known columns, then selectors.
    pub(crate) fn preprocessed(&self) -> Vec<(String, Vec<M31>)> {
        let rows = self.table.rows();
        let known = self.table.known.iter().map(|values| (0..rows).map(|row| values[row % values.len()]).collect());
        let flags = |set: Rows| (0..rows).map(move |row| M31::new(u32::from(set.contains(row, rows)))).collect();
        let columns = known.chain(self.selectors().into_iter().map(flags));
        columns.enumerate().map(|(index, values)| (self.id(index), values)).collect()
    }

    fn id(&self, index: usize) -> String {
        format!("{}_{index}", self.number)
    }

    /// The rows that constraints read of each column, ascending.
    fn offsets(&self) -> Vec<Vec<isize>> {
        // Lookups and boundaries read the row itself. A column that nothing reads is committed all the same.
        let mut offsets = vec![BTreeSet::new(); self.table.columns.len()];
        for rule in self.constraints() {
            rule.expression.leaves(&mut |leaf| {
                if let Leaf::Cell { column, offset } = leaf {
                    offsets[column].insert(offset as isize);
                }
            });
        }
        let counted = self.lookups.iter().filter_map(|lookup| match lookup.count {
            Count::One => None,
            Count::Flag(column) | Count::Yield(column) => Some(cell_of(column)),
        });
        for leaf in self.lookups.iter().flat_map(|lookup| lookup.tuple.iter().copied()).chain(counted) {
            if let Leaf::Cell { column, .. } = leaf {
                offsets[column].insert(0);
            }
        }
        let list = |set: BTreeSet<isize>| if set.is_empty() { vec![0] } else { set.into_iter().collect() };
        offsets.into_iter().map(list).collect()
    }
}

/// A component with the drawn elements of all relations, `z` and `alpha` of each.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) shape: Arc<Shape>,
    pub(crate) drawn: Arc<[QM31]>,
}

impl Component {
    /// `sum alpha^i v_i - z`.
    fn combine<E: EvalAtRow>(&self, relation: usize, tuple: impl Iterator<Item = E::F>) -> E::EF {
        let (z, alpha) = (self.drawn[2 * relation], self.drawn[2 * relation + 1]);
        let add = |sum, (value, power): (E::F, QM31)| sum + E::EF::from(secure(power)) * value;
        tuple.zip(powers(alpha)).fold(E::EF::zero(), add) - E::EF::from(secure(z))
    }
}

impl FrameworkEval for Component {
    fn log_size(&self) -> u32 {
        self.shape.table.log_rows
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.shape.table.log_rows + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let (shape, selectors, offsets) = (&*self.shape, self.shape.selectors(), self.shape.offsets());
        let known_count = shape.table.known.len();
        let fixed: Vec<E::F> = (0..known_count + selectors.len())
            .map(|index| eval.get_preprocessed_column(PreProcessedColumnId { id: shape.id(index) }))
            .collect();
        let main: Vec<Vec<E::F>> = offsets.iter().map(|offsets| mask(&mut eval, offsets)).collect();
        let read = |leaf: Leaf| match leaf {
            Leaf::Cell { column, offset } => {
                let at = offsets[column].iter().position(|other| *other == offset as isize);
                main[column][at.expect("all that is read is in the mask")].clone()
            }
            Leaf::Known { index, .. } => fixed[index].clone(),
            Leaf::Constant(value) => E::F::from(base(M31::from_u64(value))),
        };
        for rule in shape.constraints() {
            let value = rule.expression.evaluate(&read);
            match selectors.iter().position(|rows| *rows == rule.rows) {
                Some(selector) => eval.add_constraint(fixed[known_count + selector].clone() * value),
                None => eval.add_constraint(value),
            }
        }
        for lookup in &shape.lookups {
            let count = match lookup.count {
                Count::One => E::EF::one(),
                Count::Flag(column) => E::EF::from(read(cell_of(column))),
                Count::Yield(column) => -E::EF::from(read(cell_of(column))),
            };
            let denominator = self.combine::<E>(lookup.relation, lookup.tuple.iter().map(|leaf| read(*leaf)));
            eval.write_logup_frac(Fraction::new(count, denominator));
        }
        match shape.lookups.len() {
            0 => {}
            _ if shape.in_pairs => eval.finalize_logup_in_pairs(),
            _ => eval.finalize_logup(),
        }
        eval
    }
}

/// The next main column at the given offsets.
fn mask<E: EvalAtRow>(eval: &mut E, offsets: &[isize]) -> Vec<E::F> {
    match *offsets {
        [a] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a]).into(),
        [a, b] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a, b]).into(),
        [a, b, c] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a, b, c]).into(),
        _ => unreachable!("constraints read three rows at most"),
    }
}
