//! Documents of the Circle protocol.

use circle_air::{
    MakeComponents, PublicLookup, Statement, StatementError, SymbolicComponent, SymbolicConstraint, TupleKind,
    symbolic_components,
};
use field::{M31, PrimeField};
use gpu_hal::{CircleStark, EvalOrder, Protocol};

use crate::graph::Graph;
use crate::promises::kind_of;
use crate::{
    Column, Component, Constraint, Document, Lookup, PreprocessedColumn, PublicTuple, Role, Sums, Table, inputs,
};

/// Most cells of all preprocessed columns together for their values to be written.
const MAX_CELLS: u64 = 1 << 16;

/// A statement.
///
/// # Errors
/// Any error of a component.
pub fn document(statement: &dyn Statement) -> Result<Document, StatementError> {
    let (draws, claims) = (statement.draws(), statement.claims());
    let components = symbolic_components(&|elements| statement.components(elements), draws, claims)?;
    let columns = statement.preprocessed(None);
    let cells = columns.iter().map(|column| 1u64.checked_shl(column.log_size).unwrap_or(u64::MAX));
    let are_few = cells.fold(0, u64::saturating_add) <= MAX_CELLS;
    let mut values = if are_few { statement.preprocessed_values(None) } else { Vec::new() }.into_iter();
    let numbers = |column: Vec<M31>| column.into_iter().map(PrimeField::as_u64).collect();
    let words = statement.words();
    Ok(Document {
        claims,
        public: (!words.is_empty()).then(|| words.into_iter().map(u64::from).collect()),
        is_storage_order: statement.order() == EvalOrder::Storage,
        interaction_pow_bits: statement.interaction_pow_bits(),
        preprocessed: columns
            .into_iter()
            .map(|column| PreprocessedColumn {
                name: column.id,
                log_rows: column.log_size,
                values: values.next().map(numbers),
            })
            .collect(),
        public_tuples: statement.public_lookups().into_iter().map(public_tuple).collect(),
        ..of_components(statement.name(), &components, statement.tuple_kinds(), draws)
    })
}

/// Components of these names that `make` makes of `draws` drawn elements, without the rest of a statement.
///
/// # Errors
/// Any error of a component.
pub fn components(
    name: &str,
    names: &[&str],
    make: &MakeComponents<'_>,
    kinds: Vec<TupleKind>,
    draws: usize,
) -> Result<Document, StatementError> {
    let mut components = symbolic_components(make, draws, 0)?;
    for (component, name) in components.iter_mut().zip(names) {
        component.names.component = Some((*name).to_owned());
    }
    Ok(of_components(name, &components, kinds, draws))
}

fn public_tuple(lookup: PublicLookup) -> PublicTuple {
    PublicTuple {
        relation: lookup.relation,
        values: lookup.tuple.into_iter().map(PrimeField::as_u64).collect(),
        multiplicity: lookup.multiplicity.as_u64(),
    }
}

fn of_components(name: &str, components: &[SymbolicComponent], kinds: Vec<TupleKind>, draws: usize) -> Document {
    Document {
        protocol: CircleStark::NAME,
        name: name.to_owned(),
        prime: M31::ORDER,
        degree: CircleStark::DEGREE,
        draws,
        claims: 0,
        public: None,
        is_storage_order: true,
        interaction_pow_bits: 0,
        preprocessed: Vec::new(),
        public_tuples: Vec::new(),
        components: components.iter().map(|component| of_component(component, &kinds)).collect(),
        kinds,
    }
}

fn of_component(component: &SymbolicComponent, kinds: &[TupleKind]) -> Component {
    let names = &component.names;
    let name = |list: &[Option<String>], index: usize| list.get(index).cloned().flatten();
    let column = |tree: usize, index: usize| Column {
        name: match tree {
            0 => Some(component.preprocessed[index].clone()),
            1 => name(&names.columns, index),
            _ => None,
        },
        offsets: component.offsets[tree][index].iter().map(|offset| *offset as i64).collect(),
        values: Vec::new(),
    };
    let roles = [Role::Preprocessed, Role::Main, Role::Interaction];
    let tables = roles.into_iter().enumerate().map(|(tree, role)| Table {
        role,
        columns: (0..component.offsets[tree].len()).map(|index| column(tree, index)).collect(),
    });
    let outputs: Vec<usize> = (0..component.program.outputs().len()).collect();
    let mut graph = Graph::default();
    let nodes = graph.add(&component.program, &outputs, |group| group);
    let constraints = component.constraints.iter().enumerate().map(|(index, constraint)| match *constraint {
        SymbolicConstraint::Output(output) => {
            Constraint::Zero { name: name(&names.constraints, index), node: nodes[output], rows: None }
        }
        SymbolicConstraint::Batch(batch) => Constraint::Batch(batch),
    });
    let lookups = component.lookups.iter().enumerate().map(|(index, lookup)| {
        let values: Vec<usize> = lookup.values.iter().map(|value| nodes[*value]).collect();
        Lookup {
            name: name(&names.lookups, index),
            relation: lookup.relation,
            batch: lookup.batch,
            multiplicity: nodes[lookup.multiplicity],
            kind: kind_of(kinds, lookup.relation, &values, &graph.nodes),
            values,
        }
    });
    let lookups = lookups.collect();
    let made = Component {
        name: names.component.clone(),
        log_rows: component.log_size,
        tables: tables.collect(),
        constraints: constraints.collect(),
        boundaries: Vec::new(),
        auxiliary: Vec::new(),
        sums: component.sums.map(|(first, batches)| Sums { first, batches }),
        lookups,
        nodes: graph.nodes,
        inputs: Vec::new(),
    };
    inputs::with_inputs(made, kinds)
}
