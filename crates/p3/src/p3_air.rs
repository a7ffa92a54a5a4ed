//! An AIR of Plonky3, recorded.

use std::collections::HashMap;

use air::{AirBuilder, Expr, Layout, Periodic};
use p3_air::{AirLayout, BaseAir, SymbolicAirBuilder, SymbolicExpression};
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::boundaries::{Boundary, boundary, cells};
use crate::field_pair::Base;
use crate::graph::{Graph, Id, Node};
use crate::lookups::{self, Lookups};
use crate::selectors::Place;
use crate::symbolic::{Constraint, Constraints, Counts, Reader};
use crate::{P3Error, P3Field, matrix};

/// A recorded AIR of Plonky3, with its number of rows and its public values: see [`P3Air::new`].
#[derive(Clone, Debug)]
pub struct P3Air<F: P3Field> {
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) layout: Layout,
    pub(crate) graph: Graph,
    /// Constraints that are no boundaries.
    pub(crate) transitions: Vec<Constraint>,
    pub(crate) boundaries: Vec<Boundary>,
    /// Columns in row order.
    preprocessed: Vec<Vec<Base<F>>>,
    periodic: Vec<Vec<Base<F>>>,
    pub(crate) public: Vec<Base<F>>,
    pub(crate) lookups: Lookups,
    /// The number of each message's bus.
    pub(crate) buses: Vec<u64>,
}

/// The periodic columns that are declared.
pub(crate) type Tables = HashMap<Node, Periodic>;

/// The assertions and messages of an AIR.
struct Evaluated<F: P3Field> {
    base: Vec<SymbolicExpression<F>>,
    /// Number of constraints over the extension.
    extension: usize,
    interactions: Option<InteractionSymbolicBuilder<F>>,
}

impl<F: P3Field> P3Air<F> {
    /// Evaluates an AIR once with Plonky3's symbolic builder, for traces of `rows` rows, a power of two and at least 4.
    /// `name` is the identity of the family of statements: it goes into the transcript with everything recorded. The
    /// proof is about these public values.
    ///
    /// # Errors
    /// [`P3Error`] names the part of the AIR that cannot be proven as it is.
    pub fn new<A>(name: &str, air: &A, rows: usize, public_values: &[F]) -> Result<Self, P3Error>
    where
        A: p3_air::Air<SymbolicAirBuilder<F>>,
    {
        Self::recorded(name, air, rows, public_values, |layout| {
            let mut builder = SymbolicAirBuilder::new(layout);
            air.eval(&mut builder);
            let (base, extension) = (builder.base_constraints(), builder.extension_constraints().len());
            Evaluated { base, extension, interactions: None }
        })
    }

    /// As [`Self::new`], of an AIR that pushes interactions of p3-lookup. Over Goldilocks they are running sums of this
    /// AIR, and each bus must balance within it. Over Mersenne31 several AIRs may share buses: `P3Air::tables`.
    ///
    /// # Errors
    /// [`P3Error`] names the part of the AIR that cannot be proven as it is.
    pub fn with_lookups<A>(name: &str, air: &A, rows: usize, public_values: &[F]) -> Result<Self, P3Error>
    where
        A: p3_air::Air<InteractionSymbolicBuilder<F>>,
    {
        Self::recorded(name, air, rows, public_values, |layout| {
            let mut builder = InteractionSymbolicBuilder::new(layout);
            air.eval(&mut builder);
            let (base, extension) = (builder.base_constraints(), builder.extension_constraints().len());
            Evaluated { base, extension, interactions: Some(builder) }
        })
    }

    fn recorded<A: BaseAir<F>>(
        name: &str,
        air: &A,
        rows: usize,
        public_values: &[F],
        evaluate: impl FnOnce(AirLayout) -> Evaluated<F>,
    ) -> Result<Self, P3Error> {
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
        let Evaluated { base, extension, interactions } = evaluate(AirLayout::from_air::<F>(air));
        if extension > 0 {
            return Err(P3Error::Extension { constraints: extension });
        }
        let Constraints { mut graph, list } = Constraints::new(&base, &counts)?;
        let mut lookups = Lookups::default();
        if let Some(builder) = interactions {
            let local_counts = lookups::local_counts(&builder);
            let mut reader = Reader::new(graph, &counts);
            lookups = Lookups::read(&mut reader, &builder, &local_counts)?;
            graph = reader.graph;
        }
        let buses = lookups::number_buses::<F>(&[(&lookups, rows)])?.concat();
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
        let this = Self {
            name: name.to_owned(),
            rows,
            layout,
            graph,
            transitions,
            boundaries,
            preprocessed,
            periodic,
            public,
            lookups,
            buses,
        };
        Ok(this.laid_out())
    }

    /// With the layout that constraints and lookups take.
    pub(crate) fn laid_out(mut self) -> Self {
        let sums = self.sums().len();
        self.layout.frame_rows = self.frame_rows();
        self.layout.composition_parts = self.composition_parts();
        self.layout.aux_columns = sums;
        self.layout.challenges = if sums > 0 { 2 } else { 0 };
        self
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How many fractions each auxiliary column sums up: as many as cost no composition part beyond the constraints'
    /// parts, of which two are needed in any case.
    pub(crate) fn sums(&self) -> Vec<usize> {
        let most = self.parts_of_constraints(&self.degrees()).max(2);
        lookups::batches(&self.lookups.degrees(&self.graph.degrees(|_| 1)), most)
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

    pub(crate) fn needed(&self) -> Vec<bool> {
        self.graph.needed(self.transitions.iter().map(|constraint| constraint.root))
    }

    /// One more than the largest row offset. Sums read the summands of the next row.
    fn frame_rows(&self) -> usize {
        let of_lookups = self.frame_of(&self.graph.needed(self.lookups.roots()));
        let constraints = self.frame_of(&self.needed());
        if self.lookups.messages.is_empty() { constraints } else { constraints.max(of_lookups + 1) }
    }

    fn frame_of(&self, needed: &[bool]) -> usize {
        let offsets =
            self.graph.nodes().iter().zip(needed).filter(|(_, needed)| **needed).map(|(node, _)| match *node {
                Node::Main { offset, .. } | Node::Preprocessed { offset, .. } => offset,
                _ => 0,
            });
        1 + offsets.max().unwrap_or(0)
    }

    /// Degrees as polynomials of all expressions. A column has degree up to `n - 1`, one of period L up to `n - n/L`.
    fn degrees(&self) -> Vec<u64> {
        let rows = self.rows as u64;
        self.graph.degrees(|leaf| match leaf {
            Node::Periodic(column) => rows - rows / self.periodic[column].len() as u64,
            _ => rows - 1,
        })
    }

    /// The fewest parts of `n` coefficients that hold every constraint divided by the vanishing polynomial of its rows.
    fn composition_parts(&self) -> usize {
        let degrees = self.degrees();
        let fractions = self.lookups.degrees(&degrees);
        let (mut parts, mut start) = (self.parts_of_constraints(&degrees), 0);
        for size in self.sums() {
            let degree = lookups::pinned_degree(&fractions[start..start + size], self.rows as u64 - 1);
            // On the first row alone the least is divided off.
            parts = parts.max(self.parts(degree, Place::First));
            start += size;
        }
        parts.try_into().unwrap_or(usize::MAX)
    }

    fn parts_of_constraints(&self, degrees: &[u64]) -> u64 {
        let parts = self.transitions.iter().map(|at| self.parts(degrees[at.root as usize], at.place));
        parts.max().unwrap_or(1)
    }

    /// The parts for a constraint of this degree.
    fn parts(&self, degree: u64, place: Place) -> u64 {
        let rows = self.rows as u64;
        let (more, less) = match place {
            Place::All => (0, rows),
            Place::AllButLast => (1, rows),
            Place::First | Place::Last => (0, 1),
        };
        1 + degree.saturating_add(more).saturating_sub(less) / rows
    }

    /// The expressions that are needed, a number of rows ahead.
    pub(crate) fn expressions<'e>(
        &self,
        builder: &'e AirBuilder<F::Protocol>,
        tables: &mut Tables,
        needed: &[bool],
        ahead: usize,
    ) -> Vec<Option<Expr<'e, F::Protocol>>> {
        let mut made: Vec<Option<Expr<'e, F::Protocol>>> = Vec::with_capacity(self.graph.nodes().len());
        for (&node, needed) in self.graph.nodes().iter().zip(needed) {
            if !needed {
                made.push(None);
                continue;
            }
            let at = |id: Id| made[id as usize].expect("operands of what is needed are needed, and come first");
            let mut table =
                |key: Node, values: &[Base<F>]| *tables.entry(key).or_insert_with(|| builder.periodic(values));
            let expression = match node {
                Node::Main { column, offset } => builder.main(column, offset + ahead),
                Node::Preprocessed { column, offset } => {
                    let key = Node::Preprocessed { column, offset: 0 };
                    builder.periodic_at(table(key, &self.preprocessed[column]), offset + ahead)
                }
                Node::Periodic(column) => builder.periodic_at(table(node, &self.periodic[column]), ahead),
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
        made
    }
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
