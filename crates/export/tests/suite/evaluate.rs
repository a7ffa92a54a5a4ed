//! A reader of the JSON that knows docs/export.md alone: it evaluates a component at arbitrary values of its columns.

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::Protocol;
use serde_json::Value;

/// A component of a document, with the degree of freedom that columns and drawn elements have.
pub(crate) struct Reader<'a, P: Protocol> {
    pub(crate) component: &'a Value,
    /// Drawn elements, then claims.
    pub(crate) elements: &'a [P::Ext],
    /// The sum of the component's lookups, over the number of its rows.
    pub(crate) shift: P::Ext,
    /// The value of a table, a column and an offset.
    pub(crate) load: &'a dyn Fn(usize, usize, i64) -> P::Ext,
}

pub(crate) fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value}")) as usize
}

fn base<P: Protocol>(value: &Value) -> P::Base {
    P::Base::from_canonical(value.as_u64().unwrap()).expect("elements are reduced")
}

impl<P: Protocol> Reader<'_, P> {
    /// The values of all nodes.
    pub(crate) fn nodes(&self) -> Vec<P::Ext> {
        let mut values: Vec<P::Ext> = Vec::new();
        for node in self.component["nodes"].as_array().unwrap() {
            let at = |place: usize| values[index(&node[place])];
            values.push(match node[0].as_str().unwrap() {
                "const" => P::Ext::from(base::<P>(&node[1])),
                "ext" => {
                    let coordinates = node[1].as_array().unwrap().iter().enumerate();
                    let term = |(k, value): (usize, &Value)| {
                        <P::Ext as ExtensionField<P::Base>>::basis(k) * P::Ext::from(base::<P>(value))
                    };
                    coordinates.map(term).fold(P::Ext::ZERO, |sum, term| sum + term)
                }
                "param" => self.elements[index(&node[1])],
                "load" => (self.load)(index(&node[1]), index(&node[2]), node[3].as_i64().unwrap()),
                "add" => at(1) + at(2),
                "sub" => at(1) - at(2),
                "mul" => at(1) * at(2),
                "neg" => -at(1),
                other => panic!("{other}"),
            });
        }
        values
    }

    /// The values of the constraints, in order.
    pub(crate) fn constraints(&self) -> Vec<P::Ext> {
        let nodes = self.nodes();
        let constraint = |constraint: &Value| match constraint.get("batch") {
            None => nodes[index(&constraint["node"])],
            Some(batch) => self.batch(&nodes, index(batch)),
        };
        self.component["constraints"].as_array().unwrap().iter().map(constraint).collect()
    }

    fn batch(&self, nodes: &[P::Ext], batch: usize) -> P::Ext {
        let lookups = self.component["lookups"].as_array().unwrap();
        let (mut numerator, mut denominator) = (P::Ext::ZERO, P::Ext::ONE);
        for lookup in lookups.iter().filter(|lookup| index(&lookup["batch"]) == batch) {
            let relation = index(&lookup["relation"]);
            let (z, alpha) = (self.elements[2 * relation], self.elements[2 * relation + 1]);
            let values = lookup["values"].as_array().unwrap();
            let sum = values.iter().rev().fold(P::Ext::ZERO, |sum, value| sum * alpha + nodes[index(value)]);
            numerator = numerator * (sum - z) + nodes[index(&lookup["multiplicity"])] * denominator;
            denominator *= sum - z;
        }
        let logup = &self.component["logup"];
        let sum = |batch: usize, offset: i64| {
            let first = index(&logup["first"]) + P::DEGREE * batch;
            let term = |k| <P::Ext as ExtensionField<P::Base>>::basis(k) * (self.load)(2, first + k, offset);
            (0..P::DEGREE).map(term).fold(P::Ext::ZERO, |sum, term| sum + term)
        };
        let before = if batch == 0 { P::Ext::ZERO } else { sum(batch - 1, 0) };
        let is_last = batch + 1 == index(&logup["batches"]);
        let step = if is_last { sum(batch, 0) - sum(batch, -1) - before + self.shift } else { sum(batch, 0) - before };
        step * denominator - numerator
    }
}
