//! JSON: one object, a line for each thing in it.

use std::fmt::Write;

use circle_air::{Link, TupleKind};
use field::PrimeField;

use crate::{Auxiliary, Boundary, Column, Component, Constraint, ConstraintRows, Document, Lookup, Node, Role, Table};

/// The number of this layout.
pub const VERSION: u32 = 1;

/// The document as JSON.
pub fn text(document: &Document) -> String {
    let fields = [
        ("format", string("polystark-air")),
        ("version", VERSION.to_string()),
        ("protocol", string(document.protocol)),
        ("name", string(&document.name)),
        ("prime", document.prime.to_string()),
        ("degree", document.degree.to_string()),
        ("draws", document.draws.to_string()),
        ("claims", document.claims.to_string()),
        ("public", option(document.public.as_ref(), |values| numbers(values))),
        ("order", string(if document.is_storage_order { "storage" } else { "row" })),
        ("interaction_pow_bits", document.interaction_pow_bits.to_string()),
        (
            "preprocessed",
            lines(
                2,
                document.preprocessed.iter().map(|column| {
                    let values = option(column.values.as_ref(), |values| numbers(values));
                    let (name, rows) = (string(&column.name), column.log_rows);
                    format!("{{\"name\": {name}, \"log_rows\": {rows}, \"values\": {values}}}")
                }),
            ),
        ),
        (
            "public_lookups",
            lines(
                2,
                document.public_tuples.iter().map(|tuple| {
                    let (relation, values, times) = (tuple.relation, numbers(&tuple.values), tuple.multiplicity);
                    format!("{{\"relation\": {relation}, \"values\": {values}, \"multiplicity\": {times}}}")
                }),
            ),
        ),
        ("kinds", lines(2, document.kinds.iter().map(kind))),
        ("components", lines(2, document.components.iter().map(component))),
    ];
    object(0, &fields) + "\n"
}

fn component(component: &Component) -> String {
    let elements = component.nodes.iter().filter_map(|node| match node {
        Node::Param(param) => Some(param + 1),
        _ => None,
    });
    let fields = [
        ("name", option(component.name.as_ref(), |name| string(name))),
        ("log_rows", component.log_rows.to_string()),
        ("params", elements.max().unwrap_or(0).to_string()),
        ("tables", lines(6, component.tables.iter().map(table))),
        ("nodes", lines(6, component.nodes.iter().map(node))),
        ("constraints", lines(6, component.constraints.iter().map(constraint))),
        ("boundaries", lines(6, component.boundaries.iter().map(boundary))),
        ("auxiliary", lines(6, component.auxiliary.iter().map(auxiliary))),
        (
            "logup",
            option(component.sums, |sums| format!("{{\"first\": {}, \"batches\": {}}}", sums.first, sums.batches)),
        ),
        ("lookups", lines(6, component.lookups.iter().map(lookup))),
        ("inputs", numbers(&component.inputs)),
    ];
    object(4, &fields)
}

fn table(table: &Table) -> String {
    let (role, period) = match table.role {
        Role::Preprocessed => ("preprocessed", None),
        Role::Periodic(log_period) => ("periodic", Some(log_period)),
        Role::Main => ("main", None),
        Role::Interaction => ("interaction", None),
        Role::Auxiliary => ("auxiliary", None),
    };
    let period = period.map_or(String::new(), |period| format!("\"log_period\": {period}, "));
    let column = |column: &Column| {
        let name = option(column.name.as_ref(), |name| string(name));
        let values =
            if column.values.is_empty() { String::new() } else { format!(", \"values\": {}", numbers(&column.values)) };
        format!("{{\"name\": {name}, \"offsets\": {}{values}}}", numbers(&column.offsets))
    };
    let columns = lines(8, table.columns.iter().map(column));
    format!("{{\"role\": {}, {period}\"columns\": {columns}}}", string(role))
}

fn node(node: &Node) -> String {
    match node {
        Node::Const(value) => format!("[\"const\", {value}]"),
        Node::Ext(values) => format!("[\"ext\", {}]", numbers(values)),
        Node::Param(param) => format!("[\"param\", {param}]"),
        Node::Load { table, column, offset } => format!("[\"load\", {table}, {column}, {offset}]"),
        Node::Add(a, b) => format!("[\"add\", {a}, {b}]"),
        Node::Sub(a, b) => format!("[\"sub\", {a}, {b}]"),
        Node::Mul(a, b) => format!("[\"mul\", {a}, {b}]"),
        Node::Neg(a) => format!("[\"neg\", {a}]"),
    }
}

fn constraint(constraint: &Constraint) -> String {
    match constraint {
        Constraint::Batch(batch) => format!("{{\"batch\": {batch}}}"),
        Constraint::Zero { name, node, rows } => {
            let name = option(name.as_ref(), |name| string(name));
            let rows = rows.as_ref().map_or(String::new(), |of| format!(", \"rows\": {}", self::rows(*of)));
            format!("{{\"name\": {name}, \"node\": {node}{rows}}}")
        }
    }
}

fn rows(rows: ConstraintRows) -> String {
    let except = option(rows.except, |(period, offset)| format!("[{period}, {offset}]"));
    let ConstraintRows { period, offset, except_last, .. } = rows;
    format!("{{\"period\": {period}, \"offset\": {offset}, \"except_last\": {except_last}, \"except\": {except}}}")
}

fn boundary(boundary: &Boundary) -> String {
    let Boundary { name, table, column, row, value } = boundary;
    let (name, value) = (option(name.as_ref(), |name| string(name)), option(*value, |value| value.to_string()));
    format!("{{\"name\": {name}, \"table\": {table}, \"column\": {column}, \"row\": {row}, \"value\": {value}}}")
}

fn auxiliary(auxiliary: &Auxiliary) -> String {
    match auxiliary {
        Auxiliary::Code => "{\"kind\": \"code\"}".to_owned(),
        Auxiliary::Running { is_product, is_inclusive, numerator, denominator } => format!(
            "{{\"kind\": {}, \"inclusive\": {is_inclusive}, \"numerator\": {numerator}, \"denominator\": {denominator}}}",
            string(if *is_product { "product" } else { "sum" })
        ),
    }
}

fn lookup(lookup: &Lookup) -> String {
    let Lookup { name, relation, batch, multiplicity, values, kind } = lookup;
    let (name, kind) = (option(name.as_ref(), |name| string(name)), option(*kind, |kind| kind.to_string()));
    let values = numbers(values);
    format!(
        "{{\"name\": {name}, \"relation\": {relation}, \"kind\": {kind}, \"batch\": {batch}, \"multiplicity\": {multiplicity}, \
         \"values\": {values}}}"
    )
}

fn kind(kind: &TupleKind) -> String {
    let link = match kind.promise.link {
        Link::None => "null".to_owned(),
        Link::Function { keys, is_chosen } => format!("{{\"keys\": {keys}, \"chosen\": {is_chosen}}}"),
        Link::Chain { step } => format!("{{\"step\": {}}}", option(step, |step| step.to_string())),
    };
    let bits: Vec<String> = kind.promise.bits.iter().map(|bits| option(*bits, |bits| bits.to_string())).collect();
    let sum: Vec<String> = kind.promise.sum.iter().map(|(place, factor)| format!("[{place}, {factor}]")).collect();
    format!(
        "{{\"relation\": {}, \"kind\": {}, \"name\": {}, \"link\": {link}, \"sum\": [{}], \"bits\": [{}], \"xor\": {}}}",
        kind.relation,
        option(kind.kind, |number| number.as_u64().to_string()),
        string(&kind.name),
        sum.join(", "),
        bits.join(", "),
        kind.promise.is_xor
    )
}

/// An object, a line for each field.
fn object(indent: usize, fields: &[(&str, String)]) -> String {
    let space = " ".repeat(indent);
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{space}  \"{name}\": {value}")).collect();
    format!("{{\n{}\n{space}}}", fields.join(",\n"))
}

/// A list, a line for each of its things.
fn lines(indent: usize, items: impl Iterator<Item = String>) -> String {
    let space = " ".repeat(indent);
    let items: Vec<String> = items.map(|item| format!("{space}  {item}")).collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n{space}]", items.join(",\n")) }
}

/// A list of numbers in one line.
fn numbers<N: ToString>(values: &[N]) -> String {
    let values: Vec<String> = values.iter().map(N::to_string).collect();
    format!("[{}]", values.join(", "))
}

fn option<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), text)
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
