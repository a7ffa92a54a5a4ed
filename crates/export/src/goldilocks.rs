//! Documents of AIRs of ours: of the Goldilocks protocol, and of whatever field an [`air::Air`] is written for.

use std::collections::BTreeSet;

use air::{Air, AirError, Column as AirColumn, GroupRole, RecordedAir, Rows, inputs, record};
use field::PrimeField;
use gpu_hal::{Protocol, RunningKind};

use crate::graph::Graph;
use crate::inputs::with_inputs;
use crate::{Auxiliary, Boundary, Column, Component, Constraint, ConstraintRows, Document, Role, Table};

/// An AIR.
///
/// # Errors
/// Any error of its declarations.
pub fn document<P: Protocol>(air: &dyn Air<P>) -> Result<Document, AirError> {
    let recorded = record(air)?;
    Ok(Document {
        protocol: P::NAME,
        name: recorded.name().to_owned(),
        prime: P::Base::ORDER,
        degree: P::DEGREE,
        draws: recorded.layout().challenges,
        claims: 0,
        public: Some(recorded.public_inputs().iter().map(|value| value.as_u64()).collect()),
        is_storage_order: false,
        interaction_pow_bits: 0,
        preprocessed: Vec::new(),
        public_tuples: Vec::new(),
        kinds: Vec::new(),
        components: vec![component(&recorded)],
    })
}

fn component<P: Protocol>(air: &RecordedAir<P>) -> Component {
    let transitions = air.transitions().len();
    let mut graph = Graph::default();
    let outputs: Vec<usize> = (0..transitions).collect();
    let nodes = graph.add(air.constraints(), &outputs, |group| group);
    let constraint = |(index, node): (usize, usize)| Constraint::Zero {
        name: air.constraint_name(index).map(str::to_owned),
        node,
        rows: rows(air.transitions()[index]),
    };
    let constraints = nodes.into_iter().enumerate().map(constraint).collect();
    let boundary = |(index, boundary): (usize, &air::Boundary<P>)| {
        let (table, column) = match boundary.column() {
            AirColumn::Main(column) => (0, column),
            AirColumn::Aux(column) => (1, column),
        };
        Boundary {
            name: air.constraint_name(transitions + index).map(str::to_owned),
            table,
            column,
            row: boundary.row(),
            value: boundary.constant_value().map(|value| value.as_u64()),
        }
    };
    let boundaries = air.boundaries().iter().enumerate().map(boundary).collect();
    let auxiliary = auxiliary(air, &mut graph);
    let made = Component {
        name: None,
        log_rows: air.log_trace_length(),
        tables: tables(air),
        constraints,
        boundaries,
        auxiliary,
        sums: None,
        lookups: Vec::new(),
        nodes: graph.nodes,
        inputs: Vec::new(),
    };
    with_inputs(made, &[])
}

fn rows(rows: Rows) -> Option<ConstraintRows> {
    (rows != Rows::all()).then(|| ConstraintRows {
        period: rows.period(),
        offset: rows.offset(),
        except_last: rows.end_exemptions(),
        except: rows.exempted(),
    })
}

/// The auxiliary columns in order. Their program has no group of auxiliary columns.
fn auxiliary<P: Protocol>(air: &RecordedAir<P>, graph: &mut Graph) -> Vec<Auxiliary> {
    let mut all = vec![Auxiliary::Code; air.layout().aux_columns];
    let Some(running) = air.running() else { return all };
    let outputs: Vec<usize> = (0..running.program.outputs().len()).collect();
    let nodes = graph.add(&running.program, &outputs, |group| if group == 0 { 0 } else { group + 1 });
    for (column, index) in running.columns.iter().zip(&running.aux_index) {
        all[*index] = Auxiliary::Running {
            is_product: column.kind == RunningKind::Product,
            is_inclusive: column.inclusive,
            numerator: nodes[column.numerator],
            denominator: nodes[column.denominator],
        };
    }
    all
}

/// Main, auxiliary if there are any, periodic columns: the groups of the constraints.
fn tables<P: Protocol>(air: &RecordedAir<P>) -> Vec<Table> {
    let read: BTreeSet<(usize, usize, i32)> =
        (0..air.transitions().len()).flat_map(|output| inputs(air.constraints(), output)).collect();
    let offsets = |table: usize, column: usize| {
        read.iter().filter(|cell| (cell.0, cell.1) == (table, column)).map(|cell| i64::from(cell.2)).collect()
    };
    let mut periodic = air.periodic().iter();
    let table = |(number, role): (usize, &GroupRole)| {
        let own = |index: usize, column: AirColumn| Column {
            name: air.column_name(column).map(str::to_owned),
            offsets: offsets(number, index),
            values: Vec::new(),
        };
        let layout = air.layout();
        Some(match *role {
            GroupRole::Main => Table {
                role: Role::Main,
                columns: (0..layout.main_columns).map(|index| own(index, AirColumn::Main(index))).collect(),
            },
            GroupRole::Aux => Table {
                role: Role::Auxiliary,
                columns: (0..layout.aux_columns).map(|index| own(index, AirColumn::Aux(index))).collect(),
            },
            GroupRole::Periodic { log_period } => {
                let table = periodic.next()?;
                let column = |index: usize| Column {
                    name: None,
                    offsets: offsets(number, index),
                    values: (0..table.height()).map(|row| table.get(row, index).as_u64()).collect(),
                };
                Table { role: Role::Periodic(log_period), columns: (0..table.width()).map(column).collect() }
            }
            // No constraint reads them.
            GroupRole::Exemptions => return None,
        })
    };
    air.groups().iter().enumerate().filter_map(table).collect()
}
