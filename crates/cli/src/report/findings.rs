//! The findings of a check of a trace, as JSON. Elements are decimal numbers as text, or lists of coordinates.

use air::{Cell, Component, Findings, LookupUse, Lookups, Uncancelled, Violation, element_text, signed_text};
use serde::Serialize;

use sdk::Error;
use sdk::circle::CircleError;
use sdk::goldilocks::GoldilocksError;
use sdk::hal::Protocol;

/// The findings of an error, if it has some.
pub(crate) fn of(error: &Error) -> Option<Box<FindingsView>> {
    if let Some(GoldilocksError::Trace(error)) = error.specific()
        && let air::TraceError::Wrong(findings) = &**error
    {
        return Some(Box::new(FindingsView::new(findings)));
    }
    match error.specific() {
        Some(CircleError::Trace(error)) => match &**error {
            circle_air::TraceError::Wrong(findings) => Some(Box::new(FindingsView::new(findings))),
            _ => None,
        },
        _ => None,
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingsView {
    violated: usize,
    violations: Vec<ViolationView>,
    lookups: Option<LookupsView>,
}

#[derive(Debug, Serialize)]
struct ViolationView {
    component: Option<usize>,
    component_name: Option<String>,
    constraint: usize,
    kind: Option<String>,
    number: usize,
    name: Option<String>,
    row: usize,
    value: String,
    cells: Vec<CellView>,
}

#[derive(Debug, Serialize)]
struct CellView {
    table: &'static str,
    column: usize,
    name: Option<String>,
    row: usize,
    value: String,
}

#[derive(Debug, Serialize)]
struct LookupsView {
    claimed: String,
    uncancelled: usize,
    tuples: Vec<TupleView>,
}

#[derive(Debug, Serialize)]
struct TupleView {
    tuple: Option<Vec<String>>,
    denominator: String,
    sum: String,
    used: usize,
    uses: Vec<UseView>,
}

#[derive(Debug, Serialize)]
struct UseView {
    component: Option<usize>,
    component_name: Option<String>,
    lookup: usize,
    name: Option<String>,
    row: usize,
    multiplicity: String,
}

/// Number and name.
fn component(component: Option<&Component>) -> (Option<usize>, Option<String>) {
    (component.map(|of| of.index), component.and_then(|of| of.name.clone()))
}

impl FindingsView {
    fn new<P: Protocol>(findings: &Findings<P>) -> Self {
        Self {
            violated: findings.violated,
            violations: findings.violations.iter().map(ViolationView::new).collect(),
            lookups: findings.lookups.as_ref().map(LookupsView::new),
        }
    }
}

impl ViolationView {
    fn new<P: Protocol>(violation: &Violation<P>) -> Self {
        let (component, component_name) = component(violation.component.as_ref());
        Self {
            component,
            component_name,
            constraint: violation.constraint,
            kind: violation.kind.map(|kind| kind.to_string()),
            number: violation.number,
            name: violation.name.clone(),
            row: violation.row,
            value: element_text::<P>(violation.value),
            cells: violation.cells.iter().map(CellView::new).collect(),
        }
    }
}

impl CellView {
    fn new<P: Protocol>(cell: &Cell<P>) -> Self {
        let Cell { table, column, ref name, row, value } = *cell;
        Self { table: table.name(), column, name: name.clone(), row, value: element_text::<P>(value) }
    }
}

impl LookupsView {
    fn new<P: Protocol>(lookups: &Lookups<P>) -> Self {
        let tuples = lookups.tuples.iter().map(TupleView::new).collect();
        Self { claimed: lookups.claimed.clone(), uncancelled: lookups.uncancelled, tuples }
    }
}

impl TupleView {
    fn new<P: Protocol>(tuple: &Uncancelled<P>) -> Self {
        let values = |values: &Vec<P::Base>| values.iter().map(ToString::to_string).collect();
        Self {
            tuple: tuple.tuple.as_ref().map(values),
            denominator: tuple.denominator.to_string(),
            sum: signed_text::<P>(tuple.sum),
            used: tuple.used,
            uses: tuple.uses.iter().map(UseView::new).collect(),
        }
    }
}

impl UseView {
    fn new<P: Protocol>(one: &LookupUse<P>) -> Self {
        let (component, component_name) = component(one.component.as_ref());
        let multiplicity = signed_text::<P>(one.multiplicity);
        Self { component, component_name, lookup: one.lookup, name: one.name.clone(), row: one.row, multiplicity }
    }
}
