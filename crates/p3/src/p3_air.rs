//! An AIR of Plonky3 as an AIR of ours.

use std::collections::HashMap;

use air::{Air, AirBuilder, Column, Expr, Layout, Periodic, Rows};
use field::PrimeField;
use p3_air::{AirLayout, BaseAir, BoundaryEnd, SymbolicAirBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::field_pair::Base;
use crate::graph::{Graph, Id, Node};
use crate::matrix;
use crate::selectors::Place;
use crate::symbolic::{Constraint, Constraints, Counts};
use crate::{P3Error, P3Field};

/// A recorded AIR of Plonky3, with its number of rows and its public values: see [`P3Air::new`].
#[derive(Clone, Debug)]
pub struct P3Air<F: P3Field> {
    name: String,
    rows: usize,
    layout: Layout,
    pub(crate) graph: Graph,
    /// Constraints that are no boundaries.
    pub(crate) transitions: Vec<Constraint>,
    pub(crate) boundaries: Vec<Boundary>,
    /// Columns in row order.
    preprocessed: Vec<Vec<Base<F>>>,
    periodic: Vec<Vec<Base<F>>>,
    pub(crate) public: Vec<Base<F>>,
}

/// A main column that has a value on the first or the last row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    column: usize,
    end: BoundaryEnd,
    value: Value,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Public(usize),
    Constant(u64),
}

impl<F: P3Field> P3Air<F> {
    /// Evaluates an AIR with Plonky3's symbolic builder, once, for traces of so many rows, a power of two and at least 4. `name` is the
    /// identity of the family of statements: it goes into the transcript with everything recorded. The proof is about these
    /// public values.
    ///
    /// # Errors
    /// [`P3Error`] says what of the AIR cannot be proven as it is, and where.
    pub fn new<A>(name: &str, air: &A, rows: usize, public_values: &[F]) -> Result<Self, P3Error>
    where
        A: p3_air::Air<SymbolicAirBuilder<F>>,
    {
        if !rows.is_power_of_two() || rows < 4 {
            return Err(P3Error::Rows { rows });
        }
        if air.assumes_boolean_trace() {
            return Err(P3Error::BooleanTrace);
        }
        let needed = air.num_public_values();
        if public_values.len() != needed {
            return Err(P3Error::PublicValues { given: public_values.len(), needed });
        }
        let (preprocessed, periodic) = (preprocessed::<F, A>(air, rows)?, periodic::<F, A>(air, rows)?);
        let main_columns = air.width();
        let counts =
            Counts { main: main_columns, preprocessed: preprocessed.len(), periodic: periodic.len(), public: needed };
        let mut builder = SymbolicAirBuilder::<F>::new(AirLayout::from_air::<F>(air));
        air.eval(&mut builder);
        match builder.extension_constraints().len() {
            0 => {}
            constraints => return Err(P3Error::Extension { constraints }),
        }
        let Constraints { graph, list } = Constraints::new(&builder.base_constraints(), &counts)?;
        let mut boundaries = cells::<F, A>(air, &counts)?;
        let mut transitions = Vec::with_capacity(list.len());
        for constraint in list {
            match boundary(&graph, &constraint) {
                Some(boundary) => boundaries.push(boundary),
                None => transitions.push(constraint),
            }
        }
        let layout = Layout { main_columns, aux_columns: 0, frame_rows: 1, challenges: 0, composition_parts: 1 };
        let public = public_values.iter().map(|value| value.to_base()).collect();
        let name = name.to_owned();
        let mut this = Self { name, rows, layout, graph, transitions, boundaries, preprocessed, periodic, public };
        this.layout.frame_rows = this.frame_rows();
        this.layout.composition_parts = this.composition_parts();
        Ok(this)
    }

    /// A trace of Plonky3 as the Goldilocks prover takes it.
    ///
    /// # Errors
    /// [`P3Error::Trace`] if it has not the AIR's rows and columns.
    pub fn trace(&self, matrix: &RowMajorMatrix<F>) -> Result<air::Trace<Base<F>>, P3Error> {
        self.check_shape(matrix)?;
        let data = matrix::column_major(matrix, self.rows);
        let (rows, width) = (self.rows, self.layout.main_columns);
        air::Trace::new(data, width, rows.trailing_zeros()).map_err(|_| self.wrong_shape(matrix))
    }

    /// The columns of a trace of Plonky3, each in row order.
    ///
    /// # Errors
    /// [`P3Error::Trace`] if it has not the AIR's rows and columns.
    pub fn columns(&self, matrix: &RowMajorMatrix<F>) -> Result<Vec<Vec<Base<F>>>, P3Error> {
        self.check_shape(matrix)?;
        Ok(matrix::columns(matrix, self.rows))
    }

    fn check_shape(&self, matrix: &RowMajorMatrix<F>) -> Result<(), P3Error> {
        let width = self.layout.main_columns;
        let fits = matrix.width == width && Some(matrix.values.len()) == self.rows.checked_mul(width);
        if fits { Ok(()) } else { Err(self.wrong_shape(matrix)) }
    }

    fn wrong_shape(&self, matrix: &RowMajorMatrix<F>) -> P3Error {
        let (given, given_width) = (matrix.values.len(), matrix.width);
        P3Error::Trace { given, given_width, rows: self.rows, width: self.layout.main_columns }
    }

    fn needed(&self) -> Vec<bool> {
        self.graph.needed(self.transitions.iter().map(|constraint| constraint.root))
    }

    /// One more than the largest row offset.
    fn frame_rows(&self) -> usize {
        let needed = self.needed();
        let offsets =
            self.graph.nodes().iter().zip(needed).filter(|(_, needed)| *needed).map(|(node, _)| match *node {
                Node::Main { offset, .. } | Node::Preprocessed { offset, .. } => offset,
                _ => 0,
            });
        1 + offsets.max().unwrap_or(0)
    }

    /// The fewest parts of `n` coefficients that hold every constraint divided by the vanishing polynomial of its rows. A column has degree
    /// up to `n - 1`, one of period L up to `n - n/L`.
    fn composition_parts(&self) -> usize {
        let rows = self.rows as u64;
        let degrees = self.graph.degrees(|leaf| match leaf {
            Node::Periodic(column) => rows - rows / self.periodic[column].len() as u64,
            _ => rows - 1,
        });
        let parts = self.transitions.iter().map(|constraint| {
            let degree = degrees[constraint.root as usize];
            let (more, less) = match constraint.place {
                Place::All => (0, rows),
                Place::AllButLast => (1, rows),
                Place::First | Place::Last => (0, 1),
            };
            1 + degree.saturating_add(more).saturating_sub(less) / rows
        });
        parts.max().unwrap_or(1).try_into().unwrap_or(usize::MAX)
    }

    fn value(&self, value: Value) -> Base<F> {
        match value {
            Value::Public(index) => self.public[index],
            Value::Constant(value) => Base::<F>::from_u64(value),
        }
    }
}

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
        let mut tables: HashMap<Node, Periodic> = HashMap::new();
        let mut made: Vec<Option<Expr<'_, F::Protocol>>> = Vec::with_capacity(self.graph.nodes().len());
        for (&node, needed) in self.graph.nodes().iter().zip(self.needed()) {
            if !needed {
                made.push(None);
                continue;
            }
            let at = |id: Id| made[id as usize].expect("operands of what is needed are needed, and come first");
            let mut table =
                |key: Node, values: &[Base<F>]| *tables.entry(key).or_insert_with(|| builder.periodic(values));
            let expression = match node {
                Node::Main { column, offset } => builder.main(column, offset),
                Node::Preprocessed { column, offset } => {
                    let key = Node::Preprocessed { column, offset: 0 };
                    builder.periodic_at(table(key, &self.preprocessed[column]), offset)
                }
                Node::Periodic(column) => builder.periodic_at(table(node, &self.periodic[column]), 0),
                // A column of period 1, not a constant: so the program is the same for all public values.
                Node::Public(index) => builder.periodic_at(table(node, &[self.public[index]]), 0),
                Node::Constant(value) => builder.number(value),
                Node::Add(a, b) => at(a) + at(b),
                Node::Sub(a, b) => at(a) - at(b),
                Node::Mul(a, b) => at(a) * at(b),
                Node::Neg(a) => -at(a),
            };
            made.push(Some(expression));
        }
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
    }

    fn public_inputs(&self) -> Vec<Base<F>> {
        self.public.clone()
    }
}

/// The boundary constraint that a constraint on the first or last row is, if it says that a cell of that row is a constant or a public
/// value.
fn boundary(graph: &Graph, constraint: &Constraint) -> Option<Boundary> {
    let end = match constraint.place {
        Place::First => BoundaryEnd::First,
        Place::Last => BoundaryEnd::Last,
        Place::All | Place::AllButLast => return None,
    };
    let value = |id: Id| match graph.node(id) {
        Node::Public(index) => Some(Value::Public(index)),
        Node::Constant(value) => Some(Value::Constant(value)),
        _ => None,
    };
    let (cell, value) = match graph.node(constraint.root) {
        Node::Sub(a, b) => value(b).map(|value| (a, value)).or_else(|| value(a).map(|value| (b, value)))?,
        Node::Neg(a) => (a, Value::Constant(0)),
        _ => (constraint.root, Value::Constant(0)),
    };
    match graph.node(cell) {
        Node::Main { column, offset: 0 } => Some(Boundary { column, end, value }),
        _ => None,
    }
}

/// The cells that the AIR lists as public.
fn cells<F: P3Field, A: BaseAir<F>>(air: &A, counts: &Counts) -> Result<Vec<Boundary>, P3Error> {
    let boundary = |(number, cell): (usize, &p3_air::BoundaryPublic)| {
        let known = [("column", cell.column, counts.main), ("public value", cell.public_value, counts.public)];
        match known.into_iter().find(|(_, index, count)| index >= count) {
            Some((what, index, count)) => Err(P3Error::BoundaryCell { cell: number, what, index, count }),
            None => Ok(Boundary { column: cell.column, end: cell.end, value: Value::Public(cell.public_value) }),
        }
    };
    air.public_boundary_io().iter().enumerate().map(boundary).collect()
}

/// The preprocessed columns.
fn preprocessed<F: P3Field, A: BaseAir<F>>(air: &A, rows: usize) -> Result<Vec<Vec<Base<F>>>, P3Error> {
    let width = air.preprocessed_width();
    let trace = air.preprocessed_trace();
    let (given_rows, given_width) = trace.as_ref().map_or((0, 0), |trace| (trace.height(), trace.width));
    let elements = trace.as_ref().map_or(0, |trace| trace.values.len());
    match trace {
        _ if width != given_width || (width > 0 && Some(elements) != rows.checked_mul(width)) => {
            Err(P3Error::Preprocessed { given_rows, given_width, rows, width })
        }
        Some(trace) if width > 0 => Ok(matrix::columns(&trace, rows)),
        _ => Ok(Vec::new()),
    }
}

/// The periodic columns, one period each.
fn periodic<F: P3Field, A: BaseAir<F>>(air: &A, rows: usize) -> Result<Vec<Vec<Base<F>>>, P3Error> {
    let columns = air.periodic_columns();
    let (given, needed) = (columns.len(), air.num_periodic_columns());
    if given != needed {
        return Err(P3Error::PeriodicColumns { given, needed });
    }
    if let Some(column) = columns.iter().position(|values| !values.len().is_power_of_two() || values.len() > rows) {
        return Err(P3Error::PeriodicLength { column, length: columns[column].len(), rows });
    }
    Ok(columns.iter().map(|values| values.iter().map(|value| value.to_base()).collect()).collect())
}
