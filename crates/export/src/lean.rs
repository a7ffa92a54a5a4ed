//! Lean 4 with Mathlib's `ZMod`: the constraints of each component as propositions about a trace, its lookups as
//! tuples.

use std::fmt::Write;

use crate::base::{cells, is_base, outputs, zeros};
use crate::identifier::identifier;
use crate::{Component, Document, Node};

/// The document in Lean.
pub fn text(document: &Document) -> String {
    let mut out = String::new();
    let name = identifier(&document.name);
    let _ = write!(
        out,
        "import Mathlib.Data.ZMod.Basic\n\n/-! An AIR of the protocol {}, as docs/export.md of Polystark defines it. -/\n\n\
         namespace Polystark.{name}\n\nabbrev F := ZMod {}\n\n\
         /-- The value of a table, a column of it, and a row. -/\nabbrev Trace := Nat → Nat → Int → F\n\n\
         /-- A tuple of a relation, and how often a row uses it. -/\nstructure Lookup where\n  relation : Nat\n  \
         multiplicity : F\n  values : List F\n\n",
        document.protocol, document.prime
    );
    for (number, component) in document.components.iter().enumerate() {
        let name = component.name.as_deref().map_or_else(|| format!("component{number}"), identifier);
        of_component(&mut out, &format!("{name}_{number}"), component);
    }
    let _ = writeln!(out, "end Polystark.{name}");
    out
}

fn of_component(out: &mut String, name: &str, component: &Component) {
    let base = is_base(component);
    let (zeros, others) = zeros(component, &base);
    let (_, main) = cells(component, &base);
    let _ = writeln!(out, "namespace {name}\n\ndef logRows : Nat := {}\n", component.log_rows);
    for (index, node) in component.nodes.iter().enumerate().filter(|(index, _)| base[*index]) {
        let _ = writeln!(out, "def n{index} (t : Trace) (r : Int) : F := {}", value(node));
    }
    let all = |prefix: &str, terms: Vec<String>| {
        let terms = if terms.is_empty() { "True".to_owned() } else { terms.join(" ∧\n    ") };
        format!("{prefix} : Prop :=\n    {terms}\n\n")
    };
    let call = |node: &usize| format!("n{node} t r");
    if others > 0 {
        let _ =
            writeln!(out, "\n-- {others} constraints are of columns that are made after elements are drawn: left out");
    }
    out.push_str("\n/-- The constraints of a row. -/\n");
    let holds = zeros.iter().map(|node| format!("{} = 0", call(node))).collect();
    *out += &all("def Holds (t : Trace) (r : Int)", holds);
    out.push_str("/-- The lookups of a row. -/\ndef lookups (t : Trace) (r : Int) : List Lookup := [");
    for (index, lookup) in component.lookups.iter().enumerate() {
        let values: Vec<String> = lookup.values.iter().map(call).collect();
        let comma = if index == 0 { "" } else { "," };
        let (relation, times) = (lookup.relation, call(&lookup.multiplicity));
        let _ = write!(out, "{comma}\n    ⟨{relation}, {times}, [{}]⟩", values.join(", "));
    }
    out.push_str("]\n\n/-- Two rows agree in what they are about. -/\n");
    let same = |node: &usize| format!("n{node} s r = n{node} t r");
    let inputs = component.inputs.iter().filter(|input| base[**input]).map(same).collect();
    *out += &all("def SameInputs (s t : Trace) (r : Int)", inputs);
    out.push_str("/-- Two rows agree in all else. -/\n");
    let outputs = outputs(component, &main, &[]);
    let outputs = outputs.into_iter().map(|(table, column, offset)| {
        let at = format!("{table} {column} (r + ({offset}))");
        format!("s {at} = t {at}")
    });
    *out += &all("def SameOutputs (s t : Trace) (r : Int)", outputs.collect());
    let _ = writeln!(out, "end {name}\n");
}

fn value(node: &Node) -> String {
    let call = |node: &usize| format!("n{node} t r");
    match node {
        Node::Const(value) => value.to_string(),
        Node::Load { table, column, offset } => format!("t {table} {column} (r + ({offset}))"),
        Node::Add(a, b) => format!("{} + {}", call(a), call(b)),
        Node::Sub(a, b) => format!("{} - {}", call(a), call(b)),
        Node::Mul(a, b) => format!("{} * {}", call(a), call(b)),
        Node::Neg(a) => format!("-{}", call(a)),
        Node::Ext(_) | Node::Param(_) => unreachable!("nodes of the extension are left out"),
    }
}
