//! A statement and its trace.

use std::sync::Arc;

use circle_air::{AirComponent, PreprocessedColumn};
use field::{M31, QM31};

use super::component::{Component, Shape};
use super::lookup::{Lookups, draw_relation, uncancelled};
use crate::Bounds;
use crate::draw::Draw;
use crate::table::{Rules, Table};

/// Most components.
const MAX_COMPONENTS: usize = 3;

/// The first of the words: no family that is shipped has this number.
const FAMILY: u32 = 0x5eed;

/// Random components with a trace that satisfies them. It is a [`circle_air::Statement`].
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) shapes: Vec<Shape>,
    /// Public values that no constraint reads.
    pub(super) public: Vec<M31>,
    relations: usize,
}

impl Statement {
    /// The statement of a seed.
    pub fn draw(seed: u64, bounds: &Bounds) -> Self {
        let draw = &mut Draw::new(seed);
        let heights: Vec<u32> = (0..draw.between(1, MAX_COMPONENTS))
            .map(|_| draw.log_rows(Bounds::MIN_LOG_ROWS, bounds.max_log_rows))
            .collect();
        let highest = heights.iter().copied().max();
        let mut tables: Vec<Table<M31>> = Vec::new();
        for log_rows in heights {
            // A lifted column is read on two rows at most.
            let frame = if Some(log_rows) == highest { 3 } else { 2 };
            let rules = Rules { degree: 3, selector: 1, frame, known_frame: 1 };
            tables.push(Table::draw(draw, log_rows, bounds.max_columns, rules));
        }
        let mut lookups: Lookups = vec![Vec::new(); tables.len()];
        let relations = draw.below(3);
        (0..relations).for_each(|relation| draw_relation(draw, relation, &mut tables, &mut lookups));
        let mut shape = |(number, (table, lookups)): (usize, (Table<M31>, Vec<_>))| {
            let cell = |draw: &mut Draw| {
                let (column, row) = (draw.below(table.columns.len()), draw.below(table.rows()));
                (column, row, table.columns[column][row])
            };
            let boundaries = (0..draw.below(3)).map(|_| cell(draw)).collect();
            Shape { number, lookups, boundaries, in_pairs: draw.one_in(2), table }
        };
        let shapes = tables.into_iter().zip(lookups).enumerate().map(&mut shape).collect();
        let count = draw.below(3);
        Self { shapes, public: draw.elements(count), relations }
    }

    /// The main columns by component, in the order of the rows. They satisfy the statement, unless it was changed.
    pub fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        self.shapes.iter().map(|shape| shape.table.columns.clone()).collect()
    }

    /// Log2 of the rows of the highest component: trees have one height if the lifting is this and the blowup, which
    /// statements without preprocessed columns do without.
    pub fn log_rows(&self) -> u32 {
        self.shapes.iter().map(|shape| shape.table.log_rows).max().unwrap_or(0)
    }

    /// The nonzero constraints, counted as by [`air::Findings`]: (component, constraint, row), in order. Nothing before
    /// the statement is changed.
    pub fn violated(&self) -> Vec<(usize, usize, usize)> {
        let of = |shape: &Shape| {
            let (number, violated) = (shape.number, shape.table.violated_of(shape.constraints()));
            violated.into_iter().map(move |(constraint, row)| (number, constraint, row))
        };
        self.shapes.iter().flat_map(of).collect()
    }

    /// How many tuples are not looked up as often as they are yielded: none before the statement is changed.
    pub fn uncancelled(&self) -> usize {
        let (tables, lookups): (Vec<_>, Vec<_>) =
            self.shapes.iter().map(|shape| (shape.table.clone(), shape.lookups.clone())).unzip();
        uncancelled(&tables, &lookups)
    }

    fn preprocessed_columns(&self) -> impl Iterator<Item = (String, Vec<M31>)> {
        self.shapes.iter().flat_map(Shape::preprocessed)
    }
}

impl circle_air::Statement for Statement {
    fn name(&self) -> &str {
        "random"
    }

    fn words(&self) -> Vec<u32> {
        let sizes = self.shapes.iter().map(|shape| shape.table.log_rows);
        let boundaries = self.shapes.iter().flat_map(|shape| &shape.boundaries).map(|(_, _, value)| value.value());
        let public = self.public.iter().map(|value| value.value());
        std::iter::once(FAMILY).chain(sizes).chain(boundaries).chain(public).collect()
    }

    fn preprocessed(&self, _lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let column = |(id, values): (String, Vec<M31>)| PreprocessedColumn::new(&id, values.len().ilog2());
        self.preprocessed_columns().map(column).collect()
    }

    fn preprocessed_values(&self, _lifting: Option<u32>) -> Vec<Vec<M31>> {
        self.preprocessed_columns().map(|(_, values)| values).collect()
    }

    fn draws(&self) -> usize {
        2 * self.relations
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let drawn: Arc<[QM31]> = drawn.into();
        let component = |shape: &Shape| Component { shape: Arc::new(shape.clone()), drawn: drawn.clone() };
        self.shapes.iter().map(|shape| Box::new(component(shape)) as Box<dyn AirComponent>).collect()
    }
}
