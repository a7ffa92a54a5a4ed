//! Looking at a trace row by row, without any proof: plain host code, slow and obvious.

mod error;
mod fractions;
mod lookups;
mod tables;
mod tuple;

use std::collections::BTreeSet;

use air::{Cell, Component, Findings, Table, Violation, inputs, nonzero};
use field::{M31, QM31};
use gpu_hal::CircleStark;

use crate::recorded::sentinels;
use crate::{ComponentNames, Interaction, RecordedStatement, Statement, interaction_columns};
use error::FIRST_DRAWN;
use tables::Tables;

pub use error::TraceError;

/// Builds the interaction columns, evaluates every constraint on every row, and asks the statement about the claimed
/// sums, with elements that stand for drawn ones. `trace` is by component and column, rows in [`Statement::order`]; so
/// are the rows of the findings.
///
/// # Errors
/// [`TraceError::Wrong`] has the first `limit` violations, by component, constraint and row, and where the claimed sums
/// are not those that the statement requires, the first `limit` tuples that do not cancel, with the first `limit` uses
/// of each by each component. The others name the part that does not fit.
pub fn check_trace<C: AsRef<[M31]>>(
    statement: &dyn Statement,
    trace: &[Vec<C>],
    limit: usize,
) -> Result<(), TraceError> {
    let recorded = RecordedStatement::new(statement, None)?;
    let elements = sentinels(FIRST_DRAWN, statement.draws() + statement.claims());
    let names: Vec<ComponentNames> =
        statement.components(&elements).iter().map(|component| component.names()).collect();
    let drawn = &elements[..statement.draws()];
    let trace: Vec<Vec<&[M31]>> = trace.iter().map(|columns| columns.iter().map(AsRef::as_ref).collect()).collect();
    let mut tables = Tables::new(&recorded, statement, &trace)?;
    let main = recorded.components.iter().enumerate().map(|(component, of)| match of.has_host_columns() {
        true => tables.inputs(component)[1].to_vec(),
        false => Vec::new(),
    });
    let given = recorded.given(statement, drawn, &main.collect::<Vec<_>>());
    let given = given.map_err(|error| TraceError::Given(error.to_string()))?;
    let mut of_components = given.columns.into_iter();
    let at = recorded.drawn(statement, drawn)?;
    let mut sums = Vec::new();
    for (component, params) in at.logup_params()?.iter().enumerate() {
        let of = &recorded.components[component];
        let mut of_logup = Vec::new();
        if let Some(logup) = &of.logup {
            let made = interaction_columns(logup, of.log_size, tables.inputs(component), params);
            let Interaction { columns, claimed_sum } = made
                .map_err(|source| TraceError::Interaction { component, source: tables.own_row(component, source) })?;
            of_logup = columns;
            sums.push(claimed_sum);
        }
        let given = of_components.next().unwrap_or_default();
        tables.set_interaction(component, of.all_interaction(of_logup, given));
    }
    sums.extend(given.claims);
    let mut findings = Findings { violations: Vec::new(), violated: 0, lookups: None };
    for (component, params) in at.params(&sums)?.iter().enumerate() {
        check_names(&recorded, component, &names[component])?;
        violations(&recorded, &tables, component, &names[component], params, limit, &mut findings);
    }
    if let Err(error) = statement.check_claimed_sums(drawn, &sums) {
        findings.lookups = Some(lookups::uncancelled(statement, &tables, &names, error.to_string(), limit)?);
    }
    if findings.violated == 0 && findings.lookups.is_none() {
        return Ok(());
    }
    Err(TraceError::Wrong(Box::new(findings)))
}

/// Adds the violated constraints of a component.
fn violations(
    recorded: &RecordedStatement,
    tables: &Tables,
    component: usize,
    names: &ComponentNames,
    params: &[QM31],
    limit: usize,
    findings: &mut Findings<CircleStark>,
) {
    let of = &recorded.components[component];
    let load =
        |row: usize, group: usize, column: usize, offset: i32| tables.cell(component, row, group, column, offset).1;
    let left = limit - findings.violations.len();
    let (found, violated) = nonzero(&of.constraints, params, 1 << of.log_size, &|_, _| true, &load, left);
    findings.violated += violated;
    findings.violations.extend(found.into_iter().map(|found| {
        let cell = |(group, column, offset): (usize, usize, i32)| {
            let (row, value) = tables.cell(component, found.row, group, column, offset);
            let (table, name) = match group {
                0 => (Table::Preprocessed, Some(of.preprocessed[column].clone())),
                1 => (Table::Main, names.columns.get(column).cloned().flatten()),
                _ => (Table::Interaction, None),
            };
            Cell { table, column, name, row, value }
        };
        let cells: BTreeSet<_> = inputs(&of.constraints, found.output);
        Violation {
            component: Some(Component { index: component, name: names.component.clone() }),
            constraint: found.output,
            kind: None,
            number: found.output,
            name: names.constraints.get(found.output).cloned().flatten(),
            row: found.row,
            value: found.value,
            cells: cells.into_iter().map(cell).collect(),
        }
    }));
}

/// Names beyond the last column are a mistake: others would have moved.
fn check_names(recorded: &RecordedStatement, component: usize, names: &ComponentNames) -> Result<(), TraceError> {
    let of = &recorded.components[component];
    let lookups = recorded.lookup_count(component);
    for (what, given, there) in [
        ("main columns", names.columns.len(), of.width(1)),
        ("constraints", names.constraints.len(), of.constraint_count()),
        ("lookups", names.lookups.len(), lookups),
    ] {
        if given > there {
            return Err(TraceError::Names { component, what, given, there });
        }
    }
    Ok(())
}
